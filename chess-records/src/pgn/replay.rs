//! Games as they were played on a board.

use std::vec::Vec;

use shakmaty as sm;

use crate::{Game, GameResult, UciMove};

/// A game with its moves as shakmaty plays them, from the usual start.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PgnReplay {
    /// The moves, all legal.
    pub moves: Vec<sm::Move>,
    /// How the game ended.
    pub result: GameResult,
    /// White's rating, if it has one.
    pub white_elo: Option<i32>,
    /// Black's rating, if it has one.
    pub black_elo: Option<i32>,
}

impl From<PgnReplay> for Game {
    fn from(replay: PgnReplay) -> Self {
        Self {
            moves: replay
                .moves
                .into_iter()
                .filter_map(UciMove::from_shakmaty)
                .collect(),
            result: replay.result,
            white_elo: replay.white_elo,
            black_elo: replay.black_elo,
        }
    }
}
