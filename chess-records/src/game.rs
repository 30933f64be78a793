//! Whole games.

use std::vec::Vec;

use crate::{GameResult, UciMove};

/// A game of standard chess from the usual start.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // Made by those who bring games of their own.
pub struct Game {
    /// The moves. Whether they are legal is for whoever replays them to say.
    pub moves: Vec<UciMove>,
    /// How the game ended.
    pub result: GameResult,
    /// White's rating, if it has one.
    pub white_elo: Option<i32>,
    /// Black's rating, if it has one.
    pub black_elo: Option<i32>,
}

impl Game {
    /// Readers leave out games of more plies: with so many a ply has a number of 16 bits.
    pub const MAX_PLIES: usize = 1 << 16;

    /// Both ratings, White's first, if there are both.
    #[must_use]
    pub fn elos(&self) -> Option<(i32, i32)> {
        self.white_elo.zip(self.black_elo)
    }
}
