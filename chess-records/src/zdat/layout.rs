//! What the format's description leaves open.

use core::fmt;

use crate::Square;

/// Which rank comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RankOrder {
    /// The first rank of the side to move: rows go from rank 1 to rank 8, and a1 = 0.
    #[default]
    Rank1First,
    /// The last rank of the side to move: rows go from rank 8 to rank 1, and a8 = 0.
    Rank8First,
}

impl RankOrder {
    /// Both orders, the default first.
    pub const ALL: [Self; 2] = [Self::Rank1First, Self::Rank8First];

    /// The square that has this number in a list of squares in this order, file by file in each
    /// rank. Only the lowest six bits count.
    #[must_use]
    #[inline]
    pub const fn square(self, number: u8) -> Square {
        let square = Square::ALL[(number & 63) as usize];
        match self {
            Self::Rank1First => square,
            Self::Rank8First => square.flip_rank(),
        }
    }

    /// The number of a square in this order; undoes [`RankOrder::square`].
    #[must_use]
    #[inline]
    pub const fn number(self, square: Square) -> u8 {
        match self {
            Self::Rank1First => square.index() as u8,
            Self::Rank8First => square.flip_rank().index() as u8,
        }
    }

    /// The mask of a plane with these rows.
    pub(super) const fn mask(self, rows: [u8; 8]) -> u64 {
        match self {
            Self::Rank1First => u64::from_be_bytes(rows).reverse_bits(),
            Self::Rank8First => u64::from_le_bytes(rows).reverse_bits(),
        }
    }

    /// The rows of a plane with this mask; undoes [`RankOrder::mask`].
    pub(super) const fn rows(self, mask: u64) -> [u8; 8] {
        match self {
            Self::Rank1First => mask.reverse_bits().to_be_bytes(),
            Self::Rank8First => mask.reverse_bits().to_le_bytes(),
        }
    }

    /// The other order.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Rank1First => Self::Rank8First,
            Self::Rank8First => Self::Rank1First,
        }
    }
}

/// How a file numbers ranks.
///
/// The description of the format says neither whether the first row of a plane is rank 1 or rank 8,
/// nor whether the squares of policy entries are numbered alike. This crate writes
/// [`Layout::default`], rank 1 first in both, unless asked otherwise; [`LayoutEvidence`] tells from
/// the records what a file has.
///
/// [`LayoutEvidence`]: super::LayoutEvidence
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Layout {
    /// The rank of a plane's first row.
    pub rows: RankOrder,
    /// The rank on which policy squares begin.
    pub policy: RankOrder,
}

impl Layout {
    /// How many layouts there are.
    pub const COUNT: usize = 4;

    /// Every layout, the default first.
    pub const ALL: [Self; Self::COUNT] = {
        let [one, eight] = RankOrder::ALL;
        [
            Self::new(one, one),
            Self::new(one, eight),
            Self::new(eight, one),
            Self::new(eight, eight),
        ]
    };

    /// The layout with planes in order `rows` and policy squares in order `policy`.
    #[must_use]
    pub const fn new(rows: RankOrder, policy: RankOrder) -> Self {
        Self { rows, policy }
    }
}

/// Such as `rank 1 first, policy from a8`.
impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rank = match self.rows {
            RankOrder::Rank1First => 1,
            RankOrder::Rank8First => 8,
        };
        write!(
            f,
            "rank {rank} first, policy from {}",
            self.policy.square(0)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;
    use std::vec::Vec;

    #[test]
    fn squares_and_masks_in_both_orders() {
        let [one, eight] = RankOrder::ALL;
        assert_eq!((one.square(1), eight.square(1)), (Square::B1, Square::B8));
        // File b on the first row, the most significant bit being file a.
        let rows = [0x40, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(one.mask(rows), Square::B1.bit());
        assert_eq!(eight.mask(rows), Square::B8.bit());
        for order in RankOrder::ALL {
            assert_eq!(order.reversed().reversed(), order);
            for square in Square::ALL {
                assert_eq!(order.square(order.number(square)), square);
                assert_eq!(order.mask(order.rows(square.bit())), square.bit());
            }
        }
    }

    #[test]
    fn texts() {
        let texts: Vec<_> = Layout::ALL.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "rank 1 first, policy from a1",
                "rank 1 first, policy from a8",
                "rank 8 first, policy from a1",
                "rank 8 first, policy from a8"
            ]
        );
        assert_eq!(Layout::default(), Layout::ALL[0]);
    }
}
