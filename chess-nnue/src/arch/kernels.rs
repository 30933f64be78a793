//! What is asked of an instruction set.

use core::marker::PhantomData;

use super::hidden::{Counts, HiddenValues, Refresh, Sum, Update};
use super::lanes::{Lanes, Value};
use super::output::OutputRow;
use super::table::Table;
use super::{Instructions, Kernel};

impl<T: Value> Kernel for Refresh<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instructions>(mut self, _: I) {
        self.write();
    }
}

/// Sums an output row over both views' hidden values, the mover's first.
pub(crate) struct Score<'a, T> {
    pub(crate) row: OutputRow<'a>,
    pub(crate) values: [&'a [Lanes<T>]; 2],
}

impl<T: Value> Kernel for Score<'_, T> {
    type Output = i64;

    #[inline(always)]
    fn run<I: Instructions>(self, instructions: I) -> i64 {
        let blocks = self.row.blocks();
        let [mover, other] = self.values;
        self.row
            .sum(instructions, [&mover[..blocks], &other[..blocks]])
    }
}

/// Sums an output row over the hidden values that some rows give, which are not kept.
pub(crate) struct ScoreOfRows<'a, T> {
    pub(crate) row: OutputRow<'a>,
    /// The mover's first.
    pub(crate) values: [Sum<'a>; 2],
    pub(crate) width: PhantomData<T>,
}

impl<T: Value> Kernel for ScoreOfRows<'_, T> {
    type Output = i64;

    #[inline(always)]
    fn run<I: Instructions>(self, instructions: I) -> i64 {
        self.row.sum::<T, I>(instructions, self.values)
    }
}

/// Counts as constants where they are usual: a quiet move, a capture, castling.
macro_rules! with_known_counts {
    ($counts:expr, $known:ident => $run:expr) => {
        match ($counts.added, $counts.removed) {
            (1, 1) => with_known_counts!(@ 1, 1, $known => $run),
            (1, 2) => with_known_counts!(@ 1, 2, $known => $run),
            (2, 2) => with_known_counts!(@ 2, 2, $known => $run),
            (added, removed) => with_known_counts!(@ added, removed, $known => $run),
        }
    };
    (@ $added:expr, $removed:expr, $known:ident => $run:expr) => {{
        let $known = Counts { added: $added, removed: $removed };
        $run
    }};
}

/// Updates one view.
pub(crate) struct Advance<'a, T> {
    /// The rows of all inputs.
    pub(crate) table: &'a Table<i16>,
    pub(crate) counts: Counts,
    pub(crate) update: Update<'a, T>,
}

impl<T: Value> Kernel for Advance<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instructions>(self, _: I) {
        let blocks = self.table.row_blocks();
        with_known_counts!(self.counts, counts => {
            let mut updated = self.update.by(counts, self.table);
            for block in 0..blocks {
                updated.block(block);
            }
        });
    }
}
