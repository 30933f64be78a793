//! What is asked of an instruction set.

use core::marker::PhantomData;

use super::hidden::{Change, Counts, HiddenValues, Sum, Update, Updated};
use super::lanes::{Lanes, Value};
use super::output::OutputRow;
use super::{Instructions, Kernel};

/// Writes a view's hidden values from nothing.
pub(crate) struct Refresh<'a, T> {
    pub(crate) sum: Sum<'a>,
    pub(crate) values: &'a mut [Lanes<T>],
}

impl<T: Value> Kernel for Refresh<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instructions>(self, _: I) {
        self.sum.write(self.values);
    }
}

/// Sums an output row over both views' hidden values, the mover's first.
pub(crate) struct Score<'a, S, T> {
    pub(crate) row: OutputRow<'a>,
    pub(crate) values: [S; 2],
    pub(crate) width: PhantomData<T>,
}

impl<S: HiddenValues<T>, T: Value> Kernel for Score<'_, S, T> {
    type Output = i64;

    #[inline(always)]
    fn run<I: Instructions>(self, instructions: I) -> i64 {
        self.row.sum(instructions, self.values)
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
    pub(crate) counts: Counts,
    pub(crate) update: Update<'a, T>,
}

impl<T: Value> Kernel for Advance<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instructions>(self, _: I) {
        with_known_counts!(self.counts, counts => self.update.by(counts).write())
    }
}

/// Updates both views and sums an output row over them while they are at hand.
pub(crate) struct AdvanceAndScore<'a, T> {
    pub(crate) row: OutputRow<'a>,
    /// White's view, then Black's.
    pub(crate) parents: &'a [Lanes<T>],
    /// White's view, then Black's.
    pub(crate) children: &'a mut [Lanes<T>],
    pub(crate) table: &'a [Lanes<i16>],
    pub(crate) counts: Counts,
    /// White's view, then Black's.
    pub(crate) changes: [Change; 2],
    /// The number of the mover's view.
    pub(crate) mover: usize,
}

impl<T: Value> Kernel for AdvanceAndScore<'_, T> {
    type Output = i64;

    #[inline(always)]
    fn run<I: Instructions>(self, instructions: I) -> i64 {
        let row = self.row;
        with_known_counts!(self.counts, counts => row.sum(instructions, self.updated(counts)))
    }
}

impl<'a, T: Value> AdvanceAndScore<'a, T> {
    /// Both updates, the mover's first.
    #[inline(always)]
    fn updated(self, counts: Counts) -> [Updated<'a, T>; 2] {
        let blocks = self.children.len() / 2;
        let parents = self.parents.split_at(blocks);
        let children = self.children.split_at_mut(blocks);
        let [white, black] = self.changes;
        let white = Update {
            parent: parents.0,
            child: children.0,
            table: self.table,
            change: white,
        };
        let black = Update {
            parent: parents.1,
            child: children.1,
            table: self.table,
            change: black,
        };
        if self.mover == 0 {
            [white.by(counts), black.by(counts)]
        } else {
            [black.by(counts), white.by(counts)]
        }
    }
}
