//! Why readers of games leave some out, and how many.

use thiserror::Error;

/// Why a reader leaves a game out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum LeftOut {
    /// A variant other than Standard.
    #[error("a variant other than standard chess")]
    Variant,
    /// A start of its own: a FEN tag.
    #[error("a start of its own")]
    Start,
    /// None of the three results.
    #[error("a result other than 1-0, 0-1 and 1/2-1/2")]
    Result,
    /// An Elo is missing, and both are asked for.
    #[error("an Elo is missing")]
    MissingElo,
    /// A move that is not legal, in the game or a variation.
    #[error("a move that is not legal")]
    IllegalMove,
    /// More than one legal move is written like this.
    #[error("a move of which more than one is meant")]
    AmbiguousMove,
    /// A null move, a piece put on the board, or a result within a variation; or a row without moves.
    #[error("something else in the place of a move")]
    NoMove,
    /// More than 65,536 plies, or variations more than 64 deep.
    #[error("more plies or deeper variations than are read")]
    TooLong,
}

/// How many games were left out, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
#[allow(clippy::exhaustive_structs)] // A field a reason.
pub struct LeftOutGames {
    /// [`LeftOut::Variant`].
    pub variant: u64,
    /// [`LeftOut::Start`].
    pub start: u64,
    /// [`LeftOut::Result`].
    pub result: u64,
    /// [`LeftOut::MissingElo`].
    pub missing_elo: u64,
    /// [`LeftOut::IllegalMove`].
    pub illegal_move: u64,
    /// [`LeftOut::AmbiguousMove`].
    pub ambiguous_move: u64,
    /// [`LeftOut::NoMove`].
    pub no_move: u64,
    /// [`LeftOut::TooLong`].
    pub too_long: u64,
}

impl LeftOut {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Variant,
        Self::Start,
        Self::Result,
        Self::MissingElo,
        Self::IllegalMove,
        Self::AmbiguousMove,
        Self::NoMove,
        Self::TooLong,
    ];
}

impl LeftOutGames {
    /// How many in all.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.variant
            + self.start
            + self.result
            + self.missing_elo
            + self.illegal_move
            + self.ambiguous_move
            + self.no_move
            + self.too_long
    }

    /// How many for one reason.
    #[must_use]
    pub const fn of(&self, reason: LeftOut) -> u64 {
        match reason {
            LeftOut::Variant => self.variant,
            LeftOut::Start => self.start,
            LeftOut::Result => self.result,
            LeftOut::MissingElo => self.missing_elo,
            LeftOut::IllegalMove => self.illegal_move,
            LeftOut::AmbiguousMove => self.ambiguous_move,
            LeftOut::NoMove => self.no_move,
            LeftOut::TooLong => self.too_long,
        }
    }

    /// Counts one more.
    pub const fn add(&mut self, reason: LeftOut) {
        *self.count_mut(reason) += 1;
    }

    /// Counts those of another count too.
    pub fn merge(&mut self, other: &Self) {
        for reason in LeftOut::ALL {
            *self.count_mut(reason) += other.of(reason);
        }
    }

    const fn count_mut(&mut self, reason: LeftOut) -> &mut u64 {
        match reason {
            LeftOut::Variant => &mut self.variant,
            LeftOut::Start => &mut self.start,
            LeftOut::Result => &mut self.result,
            LeftOut::MissingElo => &mut self.missing_elo,
            LeftOut::IllegalMove => &mut self.illegal_move,
            LeftOut::AmbiguousMove => &mut self.ambiguous_move,
            LeftOut::NoMove => &mut self.no_move,
            LeftOut::TooLong => &mut self.too_long,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::string::ToString;

    use super::*;

    #[test]
    fn every_reason_is_counted_apart() {
        let mut games = LeftOutGames::default();
        for (number, reason) in (1..).zip(LeftOut::ALL) {
            for _ in 0..number {
                games.add(reason);
            }
        }
        assert_eq!(games.total(), 36);
        assert_eq!((games.variant, games.too_long), (1, 8));
        let once = games;
        games.merge(&once);
        for (number, reason) in (1..).zip(LeftOut::ALL) {
            assert_eq!(games.of(reason), 2 * number);
        }
    }

    #[test]
    fn texts_of_reasons() {
        for (reason, text) in [
            (LeftOut::Variant, "a variant other than standard chess"),
            (LeftOut::Start, "a start of its own"),
            (LeftOut::Result, "a result other than 1-0, 0-1 and 1/2-1/2"),
            (LeftOut::MissingElo, "an Elo is missing"),
            (LeftOut::IllegalMove, "a move that is not legal"),
            (
                LeftOut::AmbiguousMove,
                "a move of which more than one is meant",
            ),
            (LeftOut::NoMove, "something else in the place of a move"),
            (
                LeftOut::TooLong,
                "more plies or deeper variations than are read",
            ),
        ] {
            assert_eq!(reason.to_string(), text);
        }
    }
}
