//! A search: principal variation search with iterative deepening.
//!
//! Around the alpha-beta core: a transposition table, quiescence with static exchange evaluation, null
//! moves, late move reductions, killers and history, check extensions, draws by repetition, by the
//! fifty-move rule and by lack of material. One thread; with a limit of nodes the same game gives the
//! same moves everywhere.

mod draws;
mod exchange;
mod history;
mod limits;
mod line;
mod moves;
mod node;
mod prefetch;
mod quiescence;
mod reductions;
mod table;

use std::time::Duration;
use std::vec;
use std::vec::Vec;

use cozy_chess::{Board, Move};

use self::draws::Path;
use self::history::History;
use self::limits::Deadline;
use self::line::Lines;
use self::moves::Candidate;
use self::reductions::Reductions;
use self::table::Table;
use super::evaluation::Evaluation;
use super::score::{INFINITE, MAX_PLY};

pub(super) use self::draws::{is_fifty_moves, lacks_material};
pub use self::limits::{Clock, Limits};

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Found {
    /// The move to play; `None` where the game is over.
    pub best: Option<Move>,
    /// In centipawns for the side to move; see [`is_mate`](super::is_mate).
    pub score: i32,
    /// Of the last iteration that was finished.
    pub depth: u32,
    /// The positions visited.
    pub nodes: u64,
    /// The best line, as far as it is known.
    pub line: Vec<Move>,
    /// How long it took.
    pub elapsed: Duration,
    /// How full the transposition table is, in thousandths.
    pub table_permille: u32,
}

/// A searcher, which remembers from one search to the next.
#[derive(Debug)]
pub struct Search<E> {
    evaluation: E,
    table: Table,
    history: History,
    reductions: Reductions,
    lines: Lines,
    /// Lists of moves, one for each ply, so that a node allocates nothing.
    candidates: Vec<Vec<Candidate>>,
    /// Quiet moves tried before the one that cut.
    quiets: Vec<Vec<Move>>,
    path: Path,
    deadline: Deadline,
    nodes: u64,
}

/// Half of the bounds around the score of the iteration before.
const WINDOW: i32 = 25;
/// From this depth on the score before says where the next one is likely to be.
const WINDOW_FROM_DEPTH: u32 = 5;

impl<E: Evaluation> Search<E> {
    /// A searcher with a transposition table of so many bytes.
    pub fn new(evaluation: E, table_bytes: usize) -> Self {
        Self {
            evaluation,
            table: Table::with_bytes(table_bytes),
            history: History::new(),
            reductions: Reductions::new(),
            lines: Lines::new(),
            candidates: vec![Vec::new(); MAX_PLY + 1],
            quiets: vec![Vec::new(); MAX_PLY + 1],
            path: Path::default(),
            deadline: Deadline::new(Limits::new()),
            nodes: 0,
        }
    }

    /// Forgets everything, as before a new game.
    pub fn clear(&mut self) {
        self.table.clear();
        self.history.clear();
    }

    /// Searches `board`. `before` are the boards of the game that led to it, the first one first: a
    /// position that stands there counts for repetitions.
    pub fn search(&mut self, board: &Board, before: &[Board], limits: Limits) -> Found {
        self.search_and_tell(board, before, limits, |_| {})
    }

    /// As [`search`](Self::search); tells of each iteration that is finished.
    pub fn search_and_tell(
        &mut self,
        board: &Board,
        before: &[Board],
        limits: Limits,
        mut tell: impl FnMut(&Found),
    ) -> Found {
        self.begin(board, before, limits);
        let mut found = self.found(0, 0);
        found.best = self.first_legal(board);
        if found.best.is_none() {
            found.score = draws::score_without_moves(board, 0);
            return found;
        }
        for depth in 1..MAX_PLY as u32 {
            if !self.deadline.allows_iteration(depth) {
                break;
            }
            let score = self.iterate(board, depth, found.score);
            if self.deadline.is_reached(self.nodes) {
                // The first move was searched whole if there is a line: it is the best known.
                if let Some(&best) = self.lines.root().first() {
                    found.best = Some(best);
                }
                break;
            }
            found = self.found(score, depth);
            tell(&found);
        }
        found.nodes = self.nodes;
        found.elapsed = self.deadline.elapsed();
        found
    }

    fn begin(&mut self, board: &Board, before: &[Board], limits: Limits) {
        self.deadline = Deadline::new(limits);
        self.nodes = 0;
        self.table.age();
        self.history.age();
        self.lines.clear(0);
        self.path.begin(board, before);
        self.evaluation.reset(board);
    }

    fn found(&self, score: i32, depth: u32) -> Found {
        let line = self.lines.root().to_vec();
        Found {
            best: line.first().copied(),
            score,
            depth,
            nodes: self.nodes,
            line,
            elapsed: self.deadline.elapsed(),
            table_permille: self.table.permille(),
        }
    }

    /// Searches to a depth, first between narrow bounds around the score before.
    fn iterate(&mut self, board: &Board, depth: u32, before: i32) -> i32 {
        let mut window = WINDOW;
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        if depth >= WINDOW_FROM_DEPTH {
            (alpha, beta) = (before - window, before + window);
        }
        loop {
            let bounds = (alpha.max(-INFINITE), beta.min(INFINITE));
            let score = self.node(board, 0, depth as i32, bounds.0, bounds.1, false);
            if self.deadline.is_reached(self.nodes) {
                return score;
            }
            window *= 4;
            if score <= bounds.0 && bounds.0 > -INFINITE {
                alpha = score - window;
            } else if score >= bounds.1 && bounds.1 < INFINITE {
                beta = score + window;
            } else {
                return score;
            }
        }
    }

    fn first_legal(&self, board: &Board) -> Option<Move> {
        let mut first = None;
        board.generate_moves(|moves| {
            first = moves.into_iter().find(|&played| self.is_asked(played));
            first.is_some()
        });
        first
    }

    /// Whether a move of the position that is searched is to be looked at.
    fn is_asked(&self, played: Move) -> bool {
        let asked = self.deadline.root_moves();
        asked.is_none_or(|moves| moves.contains(&played))
    }

    /// Leaves out of the root's moves what is not to be looked at.
    fn keep_asked(&mut self) {
        if let Some(moves) = self.deadline.root_moves() {
            self.candidates[0].retain(|candidate| moves.contains(&candidate.played));
        }
    }
}

#[cfg(test)]
mod tests;
