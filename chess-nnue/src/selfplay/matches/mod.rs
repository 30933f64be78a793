//! Matches: pairs of games from the same start with colours changed.

mod elo;
mod log;
mod pgn;
mod san;

use std::boxed::Box;
use std::format;
use std::ops::ControlFlow;
use std::path::Path;
use std::string::String;
use std::time::{Duration, Instant};

use chess_records::GameResult;
use cozy_chess::Color;

use self::log::MatchLog;
use self::pgn::pgn;
use super::evaluation::Evaluation;
use super::games::{Adjudication, PlayedGame, Starts, game_random, in_order, play};
use super::search::{Found, Limits, Search};

pub use self::elo::{Elo, Pairs, Sprt, Verdict};
pub use self::log::MatchError;

/// A player of a match: a name, and an evaluation for each thread.
pub struct Player<'a> {
    name: String,
    evaluation: Box<dyn Fn() -> Box<dyn Evaluation> + Sync + 'a>,
}

impl<'a> Player<'a> {
    /// A player. Line ends and other control characters of the name become spaces.
    pub fn new<E: Evaluation + 'static>(
        name: impl Into<String>,
        evaluation: impl Fn() -> E + Sync + 'a,
    ) -> Self {
        let name: String = name.into();
        Self {
            name: name.replace(char::is_control, " "),
            evaluation: Box::new(move || Box::new(evaluation())),
        }
    }
}

impl std::fmt::Debug for Player<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Player").field(&self.name).finish()
    }
}

/// What a player may spend on a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// So many nodes: the match is then the same whenever it is played.
    Nodes(u64),
    /// So long, by the wall clock.
    Time(Duration),
}

impl Effort {
    fn limits(self) -> Limits {
        match self {
            Self::Nodes(nodes) => Limits::new().nodes(nodes),
            Self::Time(time) => Limits::new().time(time),
        }
    }
}

/// A match of two players.
#[derive(Clone, Debug)]
#[must_use]
pub struct Match {
    seed: u64,
    pairs: u64,
    effort: Effort,
    table_bytes: usize,
    starts: Starts,
    adjudication: Adjudication,
    sprt: Option<Sprt>,
}

/// A player who needs so much longer than a move may take has lost.
const GRACE: Duration = Duration::from_millis(200);

impl Match {
    /// So many pairs of games from [`Starts::new`], seed 0.
    pub fn new(pairs: u64, effort: Effort) -> Self {
        Self {
            seed: 0,
            pairs,
            effort,
            table_bytes: 8 << 20,
            starts: Starts::new(),
            adjudication: Adjudication::new(),
            sprt: None,
        }
    }

    /// The seed of the starts.
    pub const fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Where games start.
    pub fn starts(mut self, starts: Starts) -> Self {
        self.starts = starts;
        self
    }

    /// When games are broken off.
    pub const fn adjudication(mut self, adjudication: Adjudication) -> Self {
        self.adjudication = adjudication;
        self
    }

    /// Ends the match as soon as a test has a verdict.
    pub const fn sprt(mut self, sprt: Sprt) -> Self {
        self.sprt = Some(sprt);
        self
    }

    /// Plays, `threads` pairs at a time, and keeps the games in `folder`: `games.pgn`, and `match.log`, by
    /// which an interrupted match goes on. `tell` hears of each pair, in order, and may break off.
    ///
    /// # Errors
    ///
    /// When the folder holds another match or a `games.pgn` of none, its files are damaged, or they cannot
    /// be read or written. Files that are there are then as they were.
    pub fn play(
        &self,
        folder: &Path,
        players: &[Player<'_>; 2],
        threads: usize,
        mut tell: impl FnMut(&Pairs) -> ControlFlow<()>,
    ) -> Result<Pairs, MatchError> {
        let (mut log, mut pairs) = MatchLog::open(folder, &self.about(players))?;
        if self.is_decided(&pairs) {
            return Ok(pairs);
        }
        let mut failure = None;
        let _ = in_order(
            pairs.len()..self.pairs,
            threads,
            || {
                players
                    .each_ref()
                    .map(|player| Search::new((player.evaluation)(), self.table_bytes))
            },
            |searchers, number| self.pair(searchers, number),
            |number, games| {
                let (half_points, text) = told(players, number, &games);
                if let Err(error) = log.add(half_points, &text) {
                    failure = Some(error);
                    return ControlFlow::Break(());
                }
                pairs.add(half_points);
                tell(&pairs)?;
                if self.is_decided(&pairs) {
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            },
        );
        match failure {
            Some(error) => Err(error),
            None => Ok(pairs),
        }
    }

    /// What tells one match from another: all but how many pairs there are.
    fn about(&self, [first, second]: &[Player<'_>; 2]) -> String {
        let Self {
            seed,
            effort,
            starts,
            adjudication,
            ..
        } = self;
        format!(
            "{} against {}, {effort:?}, seed {seed}, {adjudication:?}, {starts}, chess-nnue {}",
            first.name,
            second.name,
            env!("CARGO_PKG_VERSION")
        )
    }

    fn is_decided(&self, pairs: &Pairs) -> bool {
        let sprt = self.sprt.as_ref();
        sprt.is_some_and(|sprt| sprt.verdict(pairs) != Verdict::Open)
    }

    /// Two games from one start: the first player has White in the first.
    fn pair(&self, searchers: &mut Searchers, number: u64) -> [PlayedGame; 2] {
        let mut random = game_random(self.seed, number);
        // The first player judges whether the start is even.
        searchers[0].clear();
        let start = self.starts.draw(&mut random, &mut searchers[0]);
        [0, 1].map(|white| {
            searchers.iter_mut().for_each(Search::clear);
            play(&start, self.adjudication, |board, before| {
                let is_white = board.side_to_move() == Color::White;
                let player = if is_white { white } else { 1 - white };
                self.choose(&mut searchers[player], board, before)
            })
        })
    }

    fn choose(
        &self,
        searcher: &mut Search<Box<dyn Evaluation>>,
        board: &cozy_chess::Board,
        before: &[cozy_chess::Board],
    ) -> Option<Found> {
        let begun = Instant::now();
        let found = searcher.search(board, before, self.effort.limits());
        let is_late = match self.effort {
            Effort::Nodes(_) => false,
            Effort::Time(time) => begun.elapsed() > time + GRACE,
        };
        (!is_late).then_some(found)
    }
}

type Searchers = [Search<Box<dyn Evaluation>>; 2];

/// A pair's half points for the first player, and its games as PGN.
fn told(
    [first, second]: &[Player<'_>; 2],
    number: u64,
    games: &[PlayedGame; 2],
) -> (usize, String) {
    let half_points = match games.each_ref().map(|game| game.result) {
        [one, other] => {
            half_points(one, GameResult::WhiteWon) + half_points(other, GameResult::BlackWon)
        }
    };
    let round = |game: u32| format!("{}.{game}", number + 1);
    let text = pgn(&games[0], &round(1), &first.name, &second.name)
        + &pgn(&games[1], &round(2), &second.name, &first.name);
    (half_points, text)
}

fn half_points(result: GameResult, win: GameResult) -> usize {
    match result {
        GameResult::Draw => 1,
        result if result == win => 2,
        _ => 0,
    }
}

#[cfg(test)]
mod tests;
