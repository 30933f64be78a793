//! The policy of a record: what probability each move has.

use core::iter::FusedIterator;

use super::layout::RankOrder;
use crate::Square;

/// How many from-to pairs a policy has a cell for.
pub(super) const CELLS: usize = 4096;
/// Cells looked at together: those of one from-square.
const ROW: usize = 64;

/// A legal move and its probability.
///
/// Promotions to different pieces share one entry. Castling is the king's move, or king onto own
/// rook where the writer has it so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PolicyEntry {
    /// Where the move starts, the side to move seen as White.
    pub from: Square,
    /// Where it ends.
    pub to: Square,
    /// The cell as it stands in the record, 1–255.
    pub value: u8,
}

impl PolicyEntry {
    /// The move's probability, (value − 1) / 254. A legal move may have 0, and the sum of all need
    /// not be 1: each was rounded by itself.
    #[must_use]
    #[inline]
    pub fn probability(self) -> f32 {
        probability(self.value)
    }
}

/// The probability that a cell stands for; 0 for the cell 0 of an illegal move, too.
#[must_use]
#[inline]
pub fn probability(cell: u8) -> f32 {
    f32::from(cell.saturating_sub(1)) / 254.0
}

/// The cell of a legal move with this probability: 1 + round(254 p), halves rounded to even. Never 0,
/// and 255 for anything over 1; 1 for NaN.
#[must_use]
pub fn policy_cell(probability: f32) -> u8 {
    // A cast from a float is saturating, and 0 for NaN.
    let steps = (probability.clamp(0.0, 1.0) * 254.0).round_ties_even() as u8;
    1 + steps.min(254)
}

/// The moves of a [policy](super::ZdatRecord::policy) in the order of its cells; made by
/// [`ZdatRecord::policy`](super::ZdatRecord::policy).
#[derive(Clone, Debug)]
pub struct Policy<'a> {
    cells: &'a [u8; CELLS],
    order: RankOrder,
    /// The row of the cells below.
    row: usize,
    /// Cells of that row which have not been given out: bit *i* = cell *i*.
    left: u64,
}

impl<'a> Policy<'a> {
    pub(super) fn new(cells: &'a [u8; CELLS], order: RankOrder) -> Self {
        let left = filled(row(cells, 0));
        Self {
            cells,
            order,
            row: 0,
            left,
        }
    }
}

impl Iterator for Policy<'_> {
    type Item = PolicyEntry;

    fn next(&mut self) -> Option<PolicyEntry> {
        while self.left == 0 {
            if self.row + 1 == CELLS / ROW {
                return None;
            }
            self.row += 1;
            self.left = filled(row(self.cells, self.row));
        }
        let to = self.left.trailing_zeros() as u8;
        self.left &= self.left - 1;
        Some(PolicyEntry {
            from: self.order.square(self.row as u8),
            to: self.order.square(to),
            value: row(self.cells, self.row)[usize::from(to)],
        })
    }
}

impl FusedIterator for Policy<'_> {}

fn row(cells: &[u8; CELLS], index: usize) -> &[u8; ROW] {
    &cells.as_chunks::<ROW>().0[index]
}

/// Which cells are not 0, bit *i* = cell *i*. Most rows are empty: few squares hold an own man.
#[inline]
pub(super) fn filled(row: &[u8; ROW]) -> u64 {
    let (words, _) = row.as_chunks::<8>();
    if words
        .iter()
        .fold(0, |any, word| any | u64::from_le_bytes(*word))
        == 0
    {
        return 0;
    }
    let mut mask = 0;
    for (index, word) in words.iter().enumerate() {
        mask |= u64::from(filled_bytes(u64::from_le_bytes(*word))) << (8 * index);
    }
    mask
}

/// Which bytes of a word are not 0, bit *i* = the *i*-th from below.
#[inline]
const fn filled_bytes(word: u64) -> u8 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    const TOP: u64 = 0x8080_8080_8080_8080;
    // The top bit of each byte: set if any of its bits is. No carry leaves a byte.
    let tops = (((word & LOW) + LOW) | word) & TOP;
    // Gathers bits 7, 15, … 63 in the top byte: each lands there once, and no two sums meet.
    ((tops >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    #[test]
    fn cells_and_probabilities() {
        for cell in 1..=255 {
            assert_eq!(policy_cell(probability(cell)), cell);
        }
        assert_eq!(
            (probability(0), probability(1), probability(255)),
            (0.0, 0.0, 1.0)
        );
        assert_eq!(
            (policy_cell(0.0), policy_cell(1.0), policy_cell(7.0)),
            (1, 255, 255)
        );
        assert_eq!((policy_cell(-1.0), policy_cell(f32::NAN)), (1, 1));
        assert_eq!(
            policy_cell(0.5 / 254.0),
            1,
            "halves go to even, as in Python"
        );
        assert_eq!(policy_cell(1.5 / 254.0), 3);
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: if cfg!(miri) { 4 } else { 256 },
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn filled_cells_are_found(
            dense in prop::collection::vec(any::<u8>(), 64),
            keep in any::<u64>(),
        ) {
            let row: [u8; 64] = core::array::from_fn(|i| dense[i] * (keep >> i & 1) as u8);
            let expected = (0..64).fold(0, |mask, i| mask | u64::from(row[i] != 0) << i);
            prop_assert_eq!(filled(&row), expected);
        }

        #[test]
        fn the_iterator_gives_what_a_plain_loop_does(
            entries in prop::collection::vec((0..4096usize, 1..=255u8), 0..300),
        ) {
            let mut cells = [0; CELLS];
            for (cell, value) in entries {
                cells[cell] = value;
            }
            for order in RankOrder::ALL {
                let mut expected = Vec::new();
                for (index, &value) in cells.iter().enumerate() {
                    if value != 0 {
                        let (from, to) = (index / 64, index % 64);
                        expected.push((order.square(from as u8), order.square(to as u8), value));
                    }
                }
                let found = Policy::new(&cells, order).map(|e| (e.from, e.to, e.value));
                prop_assert!(found.eq(expected));
            }
        }
    }
}
