//! What games are like.

use std::collections::HashSet;
use std::fmt;

use chess_records::GameResult;

use super::play::PlayedGame;

/// Counts over games.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct GameStatistics {
    /// How many games.
    pub games: u64,
    /// Of them White won.
    pub white_won: u64,
    /// Of them were drawn.
    pub drawn: u64,
    /// Positions, one before each move.
    pub positions: u64,
    /// Of them within a pawn of even.
    pub within_a_pawn: u64,
    /// Of them stood before in these games.
    pub duplicates: u64,
    /// The moves of the shortest game.
    pub shortest: Option<usize>,
    /// The moves of the longest game.
    pub longest: usize,
    seen: HashSet<u64>,
}

impl GameStatistics {
    /// Adds a game.
    pub fn add(&mut self, game: &PlayedGame) {
        self.games += 1;
        match game.result {
            GameResult::WhiteWon => self.white_won += 1,
            GameResult::Draw => self.drawn += 1,
            GameResult::BlackWon => {}
        }
        let length = game.moves.len();
        self.shortest = Some(
            self.shortest
                .map_or(length, |shortest| shortest.min(length)),
        );
        self.longest = self.longest.max(length);
        let mut board = game.start.clone();
        for made in &game.moves {
            self.positions += 1;
            self.within_a_pawn += u64::from(made.white_cp.abs() <= 100);
            self.duplicates += u64::from(!self.seen.insert(board.hash()));
            board.play_unchecked(made.played);
        }
    }
}

impl fmt::Display for GameStatistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        write!(
            f,
            "{} games, White won {:.1} %, {:.1} % drawn; {} positions, {:.1} % within a pawn, {:.1} % seen \
             before; {} to {} plies, {:.1} on average",
            self.games,
            share(self.white_won, self.games),
            share(self.drawn, self.games),
            self.positions,
            share(self.within_a_pawn, self.positions),
            share(self.duplicates, self.positions),
            self.shortest.unwrap_or(0),
            self.longest,
            self.positions as f64 / self.games.max(1) as f64,
        )
    }
}
