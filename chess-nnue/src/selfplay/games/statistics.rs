//! What games are like.

use std::collections::HashSet;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use chess_records::{GameResult, Position, Score, ViriFault, ViriFile, ViriGame, ViriOpenError};

/// Counts over games in viriformat.
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
    ///
    /// # Errors
    ///
    /// When the game does not replay: it is then counted up to the move at fault.
    pub fn add(&mut self, game: ViriGame<'_>) -> Result<(), ViriFault> {
        let length = game.len();
        self.games += 1;
        self.shortest = Some(
            self.shortest
                .map_or(length, |shortest| shortest.min(length)),
        );
        self.longest = self.longest.max(length);
        // Of the record, since a game may be without a move.
        let result = GameResult::try_from(game.start().result());
        self.white_won += u64::from(result == Ok(GameResult::WhiteWon));
        self.drawn += u64::from(result == Ok(GameResult::Draw));
        for here in game.positions() {
            let here = here?;
            let label = here.labelled.label;
            let is_even = matches!(label.score, Some(Score::Centipawns(-100..=100)));
            self.positions += 1;
            self.within_a_pawn += u64::from(is_even);
            self.duplicates += u64::from(!self.seen.insert(hash(&here.labelled.position)));
        }
        Ok(())
    }
}

impl GameStatistics {
    /// Adds the games of a file.
    ///
    /// # Errors
    ///
    /// When a game does not replay, with the file's name; counted is what [`add`](Self::add) counts.
    pub fn add_file(&mut self, file: &ViriFile) -> Result<(), ViriOpenError> {
        let mut games = file.games().iter();
        let added = games.try_for_each(|game| self.add(game));
        added.map_err(|source| ViriOpenError::Games {
            path: file.path().into(),
            source,
        })
    }
}

/// Of all that decides which moves there are.
fn hash(position: &Position) -> u64 {
    let mut hasher = DefaultHasher::new();
    let position = position
        .with_halfmove_clock(None)
        .with_fullmove_number(None);
    position.hash(&mut hasher);
    hasher.finish()
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
