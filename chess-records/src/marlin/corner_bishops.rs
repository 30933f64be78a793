//! Files whose castling rooks a converter turned into bishops.

use core::fmt;

use crate::{Board, Color, Piece, PieceType, Square};

/// Counts positions that look as if their castling rooks had been turned into bishops.
///
/// bulletformat 1.8.0's own conversion from marlinformat writes piece code 6 (a rook that may still
/// castle) as 2, a bishop. Files converted by it have bishops in the corners of most early
/// positions, where sound files hardly ever do. This only tells; the rights are lost and nothing can
/// put them back.
///
/// A position is early with at least [`CornerBishops::EARLY_MEN`] men on the board, and suspicious
/// when a side whose king stands on its home rank has a bishop in a corner of that rank. In sound
/// files about one early position in a hundred is (fianchettoed bishops step back), in converted ones
/// about every second.
///
/// ```
/// use chess_records::{CornerBishops, MarlinView};
///
/// # let bytes = [];
/// let view = MarlinView::new(&bytes)?;
/// let mut count = CornerBishops::new();
/// for decoded in view.iter() {
///     count.add(&decoded?);
/// }
/// if count.looks_damaged() {
///     // warn; `count` displays as a sentence
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CornerBishops {
    early: u64,
    suspicious: u64,
}

impl CornerBishops {
    /// From how many men on a position is early.
    pub const EARLY_MEN: u32 = 28;
    /// Of how many early positions one may be suspicious before the whole looks damaged.
    pub const TOLERATED: u64 = 20;

    /// Nothing counted yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            early: 0,
            suspicious: 0,
        }
    }

    /// Counted before: so many early positions, of which so many were suspicious.
    #[must_use]
    pub const fn from_counts(early: u64, suspicious: u64) -> Self {
        Self { early, suspicious }
    }

    /// Counts a position.
    pub fn add(&mut self, board: &impl Board) {
        let placement = board.placement();
        if placement.men() < Self::EARLY_MEN {
            return;
        }
        self.early += 1;
        let suspicious = Color::ALL.into_iter().any(|color| {
            let bishops = placement.mask(Piece::new(color, PieceType::Bishop));
            placement.king(color).rank() == color.home_rank() && bishops & corners(color) != 0
        });
        self.suspicious += u64::from(suspicious);
    }

    /// How many early positions were counted.
    #[must_use]
    pub const fn early(&self) -> u64 {
        self.early
    }

    /// How many of them have a bishop in a corner behind its king.
    #[must_use]
    pub const fn suspicious(&self) -> u64 {
        self.suspicious
    }

    /// Whether more than one early position in [`CornerBishops::TOLERATED`] is suspicious.
    #[must_use]
    pub const fn looks_damaged(&self) -> bool {
        self.suspicious > self.early / Self::TOLERATED
    }
}

const fn corners(color: Color) -> u64 {
    match color {
        Color::White => Square::A1.bit() | Square::H1.bit(),
        Color::Black => Square::A8.bit() | Square::H8.bit(),
    }
}

/// A sentence for a warning.
impl fmt::Display for CornerBishops {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { early, suspicious } = self;
        write!(
            f,
            "{suspicious} of {early} early positions have a bishop in a corner behind its king"
        )?;
        if self.looks_damaged() {
            f.write_str(": a converter seems to have turned castling rooks into bishops")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Position;
    use std::string::ToString;

    fn counted(fens: &[&str]) -> CornerBishops {
        let mut count = CornerBishops::new();
        for fen in fens {
            count.add(&Position::from_fen(fen).unwrap());
        }
        count
    }

    #[test]
    fn a_converted_start_position_is_told() {
        let count = counted(&["bnbqkbnb/pppppppp/8/8/8/8/PPPPPPPP/BNBQKBNB w - -"]);
        assert_eq!((count.early(), count.suspicious()), (1, 1));
        assert_eq!(
            count.to_string(),
            "1 of 1 early positions have a bishop in a corner behind its king: \
             a converter seems to have turned castling rooks into bishops"
        );
    }

    #[test]
    fn sound_and_late_positions_are_not() {
        let count = counted(&[
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
            "b3k3/8/8/8/8/8/8/B3K3 w - -",
        ]);
        assert_eq!((count.early(), count.suspicious()), (1, 0));
        assert!(!count.looks_damaged());
        assert_eq!(
            count.to_string(),
            "0 of 1 early positions have a bishop in a corner behind its king"
        );
    }
}
