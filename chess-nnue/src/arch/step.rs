//! The usual case of a search: a move, for both views, and the score of the position after it.
//!
//! Handing over takes as long as the loops do, so this is one kernel, each of whose rows is checked once
//! and not in the loops.

// The loops go over rows that are known to be of one length.
#![allow(unsafe_code)]

use chess_records::Color;

use super::hidden::{Change, add, subtract};
use super::lanes::{Lanes, Value};
use super::output::OutputRow;
use super::table::Table;
use super::{Instructions, Kernel};

/// Updates both views by a known number of rows and sums an output row over them in 32 bits.
pub(crate) struct AdvanceAndScore<
    'a,
    T,
    C,
    const ADDED: usize,
    const REMOVED: usize,
    const SQUARED: bool,
> {
    /// The rows of all inputs.
    pub(crate) table: &'a Table<i16>,
    /// For White's view and for Black's.
    pub(crate) output: OutputRow<'a>,
    /// Ply by ply, White's view before Black's.
    pub(crate) values: &'a mut Table<T>,
    /// The row of White's view of the ply below.
    pub(crate) below: usize,
    pub(crate) changes: C,
}

/// What a move changes for each view. It is asked for one view after the other: the rows of both would
/// take more registers than there are.
pub(crate) trait Changes {
    fn change(&self, view: Color) -> Change;
}

impl<T: Value, C: Changes, const ADDED: usize, const REMOVED: usize, const SQUARED: bool> Kernel
    for AdvanceAndScore<'_, T, C, ADDED, REMOVED, SQUARED>
{
    type Output = i32;

    #[inline(always)]
    fn run<I: Instructions>(self, instructions: I) -> i32 {
        let table = self.table;
        let blocks = table.row_blocks();
        let [white, black, white_child, black_child] = self.values.rows_mut(self.below, blocks);
        let sums = [instructions.zero(); 2];
        let white = Walk::<T, ADDED, REMOVED>::new(
            table,
            self.changes.change(Color::White),
            white,
            white_child,
            self.output.weights[0],
        );
        let sums = white.add::<I, SQUARED>(instructions, sums, &self.output);
        let black = Walk::<T, ADDED, REMOVED>::new(
            table,
            self.changes.change(Color::Black),
            black,
            black_child,
            self.output.weights[1],
        );
        let sums = black.add::<I, SQUARED>(instructions, sums, &self.output);
        instructions.total(sums)
    }
}

/// A view's hidden values before and after a move, and the weights of its half of an output row: rows of
/// one length.
struct Walk<'a, T, const ADDED: usize, const REMOVED: usize> {
    parent: &'a [Lanes<T>],
    child: &'a mut [Lanes<T>],
    added: [&'a [Lanes<i16>]; ADDED],
    removed: [&'a [Lanes<i16>]; REMOVED],
    weights: &'a [Lanes<i16>],
}

impl<'a, T: Value, const ADDED: usize, const REMOVED: usize> Walk<'a, T, ADDED, REMOVED> {
    /// # Panics
    ///
    /// When the rows are not of one length, which they are in the tables of one network.
    #[inline(always)]
    fn new(
        table: &'a Table<i16>,
        change: Change,
        parent: &'a [Lanes<T>],
        child: &'a mut [Lanes<T>],
        weights: &'a [Lanes<i16>],
    ) -> Self {
        let blocks = child.len();
        assert!(
            parent.len() == blocks && weights.len() == blocks && table.row_blocks() == blocks,
            "rows of different lengths"
        );
        let bucket = table.bucket(change.bucket);
        let (mut added, mut removed) = ([weights; ADDED], [weights; REMOVED]);
        for place in 0..ADDED {
            added[place] = bucket.row(change.added[place]);
        }
        for place in 0..REMOVED {
            removed[place] = bucket.row(change.removed[place]);
        }
        Self {
            parent,
            child,
            added,
            removed,
            weights,
        }
    }

    /// Updates the view and adds its half of the output row, neighbouring blocks to different sums: one
    /// need not wait for the other.
    #[inline(always)]
    fn add<I: Instructions, const SQUARED: bool>(
        mut self,
        instructions: I,
        [mut even, mut odd]: [I::Sums; 2],
        output: &OutputRow<'_>,
    ) -> [I::Sums; 2] {
        let blocks = self.child.len();
        let (mut block, paired) = (0, blocks & !1);
        while block < paired {
            // SAFETY: `block` + 1 < `blocks`.
            unsafe {
                even = self.add_block::<I, SQUARED>(instructions, even, output, block);
                odd = self.add_block::<I, SQUARED>(instructions, odd, output, block + 1);
            }
            block += 2;
        }
        if block < blocks {
            // SAFETY: it is the last of `blocks`.
            even = unsafe { self.add_block::<I, SQUARED>(instructions, even, output, block) };
        }
        [even, odd]
    }

    /// Updates a block and adds its part of the output row.
    ///
    /// # Safety
    ///
    /// As [`Walk::block`].
    #[inline(always)]
    unsafe fn add_block<I: Instructions, const SQUARED: bool>(
        &mut self,
        instructions: I,
        sums: I::Sums,
        output: &OutputRow<'_>,
        block: usize,
    ) -> I::Sums {
        // SAFETY: the caller sees to it.
        let (values, weights) = unsafe { (self.block(block), self.weights.get_unchecked(block)) };
        output.add::<T, I, SQUARED>(instructions, sums, &values, weights)
    }

    /// A block of the child.
    ///
    /// # Safety
    ///
    /// `block` is under the length of the rows, which [`Walk::new`] has seen to be one.
    #[inline(always)]
    unsafe fn block(&mut self, block: usize) -> Lanes<T> {
        // SAFETY: the caller sees to it, here and below.
        let mut values = unsafe { *self.parent.get_unchecked(block) };
        for place in 0..ADDED {
            // SAFETY: as above.
            add(&mut values, unsafe {
                self.added[place].get_unchecked(block)
            });
        }
        for place in 0..REMOVED {
            // SAFETY: as above.
            subtract(&mut values, unsafe {
                self.removed[place].get_unchecked(block)
            });
        }
        // SAFETY: as above.
        unsafe { *self.child.get_unchecked_mut(block) = values };
        values
    }
}
