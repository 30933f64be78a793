//! What `go` asks.

use std::iter::Peekable;
use std::time::Duration;

use chess_nnue::selfplay::{Clock, Limits};
use cozy_chess::{Board, Color, Move};

use crate::position::read_move;

/// Limits, and what a search does not know itself.
pub(crate) struct Asked {
    pub(crate) limits: Limits,
    /// No move is told before `stop`.
    pub(crate) waits: bool,
    /// The search is over when it sees a mate in so many moves.
    pub(crate) mate: Option<i32>,
    /// Words that make no sense.
    pub(crate) unknown: Vec<String>,
}

/// The greatest number taken for one: more nodes or milliseconds than anyone waits for.
const MOST: i128 = 1 << 40;

impl Asked {
    /// By what follows the word `go`. Of several limits the first one that is reached ends the search.
    pub(crate) fn read<'a>(
        words: impl Iterator<Item = &'a str>,
        board: &Board,
        overhead: Duration,
    ) -> Self {
        let mut words = words.peekable();
        let mut asked = Self {
            limits: Limits::new(),
            waits: false,
            mate: None,
            unknown: Vec::new(),
        };
        let mut times = Times::default();
        while let Some(word) = words.next() {
            match word {
                "infinite" | "ponder" => asked.waits = true,
                "searchmoves" => asked.only(&moves(&mut words, board)),
                _ => match number(&mut words) {
                    Some(number) if times.set(word, number, board.side_to_move()) => {}
                    Some(number) if asked.set(word, number) => {}
                    _ => asked.unknown.push(word.into()),
                },
            }
        }
        asked.limits = times.limit(asked.limits, overhead);
        asked
    }

    /// Whether a mate found is what was asked for.
    pub(crate) fn is_mate_enough(&self, found: Option<i32>) -> bool {
        let asked = self.mate.filter(|_| !self.waits);
        asked.is_some_and(|most| found.is_some_and(|moves| (1..=most).contains(&moves)))
    }

    fn only(&mut self, moves: &[Move]) {
        if moves.is_empty() {
            self.unknown.push("searchmoves without a legal move".into());
        } else {
            self.limits = self.limits.clone().root_moves(moves);
        }
    }

    fn set(&mut self, word: &str, number: u64) -> bool {
        let limits = self.limits.clone();
        let small = number.min(1 << 16);
        match word {
            "nodes" => self.limits = limits.nodes(number.max(1)),
            "depth" => self.limits = limits.depth(small.max(1) as u32),
            "mate" => self.mate = Some(small as i32),
            _ => return false,
        }
        true
    }
}

/// What is left and what each move has.
#[derive(Default)]
struct Times {
    left: Option<Duration>,
    increment: Duration,
    moves_to_go: Option<u32>,
    of_move: Option<Duration>,
}

impl Times {
    /// Whether the word was about time.
    fn set(&mut self, word: &str, number: u64, mover: Color) -> bool {
        let milliseconds = Duration::from_millis(number);
        match (word, mover) {
            ("wtime", Color::White) | ("btime", Color::Black) => self.left = Some(milliseconds),
            ("winc", Color::White) | ("binc", Color::Black) => self.increment = milliseconds,
            ("wtime" | "btime" | "winc" | "binc", _) => {}
            ("movestogo", _) => self.moves_to_go = Some(number.min(1000) as u32),
            ("movetime", _) => self.of_move = Some(milliseconds),
            _ => return false,
        }
        true
    }

    fn limit(self, mut limits: Limits, overhead: Duration) -> Limits {
        if let Some(left) = self.left {
            let clock = Clock {
                left,
                increment: self.increment,
                moves_to_go: self.moves_to_go,
            };
            limits = limits.clock(clock, overhead);
        }
        if let Some(of_move) = self.of_move {
            limits = limits.time(of_move.saturating_sub(overhead));
        }
        limits
    }
}

/// The next word if it is a number. A clock may have run out: what is below zero is zero.
fn number<'a>(words: &mut Peekable<impl Iterator<Item = &'a str>>) -> Option<u64> {
    let word = words.next_if(|word| is_number(word))?;
    let huge = if word.starts_with('-') { 0 } else { MOST };
    let number = word.parse().unwrap_or(huge);
    Some(number.clamp(0, MOST) as u64)
}

fn is_number(word: &str) -> bool {
    let digits = word.strip_prefix('-').unwrap_or(word);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The words that follow as long as they are moves; those that are legal.
fn moves<'a>(words: &mut Peekable<impl Iterator<Item = &'a str>>, board: &Board) -> Vec<Move> {
    let mut moves = Vec::new();
    while let Some(word) = words.next_if(|word| word.parse::<Move>().is_ok()) {
        moves.extend(read_move(board, word));
    }
    moves
}
