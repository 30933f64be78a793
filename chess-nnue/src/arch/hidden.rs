//! Where the hidden values of a view come from.
//!
//! Rows and hidden values are whole blocks, so no loop has a tail.

use super::lanes::{LANES, Lanes, Value};
use super::table::Table;
use crate::features::PlainInput;

/// The blocks that a sum of rows is made of at a time: as many as fit the registers of every set.
const TILE: usize = 4;

/// bias + Σ rows: a view's hidden values from nothing.
#[derive(Clone, Copy)]
pub(crate) struct Sum<'a> {
    pub(crate) bias: &'a [Lanes<i16>],
    /// The rows of all inputs.
    pub(crate) table: &'a [Lanes<i16>],
    /// The rows that are on, by the numbers of their first blocks.
    pub(crate) rows: &'a [usize],
}

impl Sum<'_> {
    /// Some neighbouring blocks of the sum.
    #[inline(always)]
    fn blocks<T: Value, const BLOCKS: usize>(&self, first: usize) -> [Lanes<T>; BLOCKS] {
        let mut sum = [Lanes::ZERO; BLOCKS];
        add_all(&mut sum, blocks_at(self.bias, first));
        for &row in self.rows {
            add_all(&mut sum, blocks_at(self.table, row + first));
        }
        sum
    }
}

/// `BLOCKS` blocks of a table.
#[inline(always)]
fn blocks_at<const BLOCKS: usize>(table: &[Lanes<i16>], first: usize) -> &[Lanes<i16>; BLOCKS] {
    match table[first..].first_chunk() {
        Some(blocks) => blocks,
        None => panic!("a row ends past its table"),
    }
}

#[inline(always)]
fn add_all<T: Value, const BLOCKS: usize>(
    values: &mut [Lanes<T>; BLOCKS],
    weights: &[Lanes<i16>; BLOCKS],
) {
    for block in 0..BLOCKS {
        add(&mut values[block], &weights[block]);
    }
}

#[inline(always)]
fn subtract_all<T: Value, const BLOCKS: usize>(
    values: &mut [Lanes<T>; BLOCKS],
    weights: &[Lanes<i16>; BLOCKS],
) {
    for block in 0..BLOCKS {
        subtract(&mut values[block], &weights[block]);
    }
}

#[inline(always)]
pub(super) fn add<T: Value>(values: &mut Lanes<T>, weights: &Lanes<i16>) {
    for lane in 0..LANES {
        values.0[lane] = values.0[lane].plus(weights.0[lane]);
    }
}

#[inline(always)]
pub(super) fn subtract<T: Value>(values: &mut Lanes<T>, weights: &Lanes<i16>) {
    for lane in 0..LANES {
        values.0[lane] = values.0[lane].minus(weights.0[lane]);
    }
}

/// A view's hidden values from those of another position that were kept: kept + Σ added − Σ removed,
/// or bias + Σ added. What results is written, and kept for the next time.
pub(crate) struct Refresh<'a, T> {
    pub(crate) bias: &'a [Lanes<i16>],
    /// The rows of all inputs.
    pub(crate) table: &'a [Lanes<i16>],
    /// Whether to start from the bias.
    pub(crate) afresh: bool,
    /// Rows by the numbers of their first blocks.
    pub(crate) added: &'a [usize],
    /// Rows by the numbers of their first blocks.
    pub(crate) removed: &'a [usize],
    pub(crate) kept: &'a mut [Lanes<T>],
    pub(crate) values: &'a mut [Lanes<T>],
}

impl<T: Value> Refresh<'_, T> {
    #[inline(always)]
    pub(super) fn write(&mut self) {
        let blocks = self.values.len();
        for first in (0..blocks / TILE * TILE).step_by(TILE) {
            self.write_blocks::<TILE>(first);
        }
        for first in blocks / TILE * TILE..blocks {
            self.write_blocks::<1>(first);
        }
    }

    #[inline(always)]
    fn write_blocks<const BLOCKS: usize>(&mut self, first: usize) {
        let mut sum = [Lanes::ZERO; BLOCKS];
        if self.afresh {
            add_all(&mut sum, blocks_at(self.bias, first));
        } else {
            sum.copy_from_slice(&self.kept[first..][..BLOCKS]);
        }
        for &row in self.added {
            add_all(&mut sum, blocks_at(self.table, row + first));
        }
        for &row in self.removed {
            subtract_all(&mut sum, blocks_at(self.table, row + first));
        }
        self.kept[first..][..BLOCKS].copy_from_slice(&sum);
        self.values[first..][..BLOCKS].copy_from_slice(&sum);
    }
}

/// A source of the hidden values of one view, block by block.
pub(crate) trait HiddenValues<T> {
    /// The blocks are asked for in order, each once.
    fn block(&mut self, block: usize) -> Lanes<T>;
}

/// Values that are there already.
impl<T: Value> HiddenValues<T> for &[Lanes<T>] {
    #[inline(always)]
    fn block(&mut self, block: usize) -> Lanes<T> {
        self[block]
    }
}

/// Values that are not kept.
impl<T: Value> HiddenValues<T> for Sum<'_> {
    #[inline(always)]
    fn block(&mut self, block: usize) -> Lanes<T> {
        self.blocks::<T, 1>(block)[0]
    }
}

/// How many rows a move adds and removes, the same for both views.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) added: usize,
    pub(crate) removed: usize,
}

/// A move as one view sees it: the inputs whose rows it adds and removes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    /// The first input of the bucket.
    pub(crate) bucket: usize,
    pub(crate) added: [PlainInput; 2],
    pub(crate) removed: [PlainInput; 2],
}

/// parent + Σ added − Σ removed, written to the child: a view's hidden values after a move.
pub(crate) struct Update<'a, T> {
    pub(crate) parent: &'a [Lanes<T>],
    pub(crate) child: &'a mut [Lanes<T>],
    pub(crate) change: Change,
}

impl<'a, T: Value> Update<'a, T> {
    /// The update with its rows at hand. Counts that are constants here unroll the loops over them.
    #[inline(always)]
    pub(super) fn by(self, counts: Counts, table: &'a Table<i16>) -> Updated<'a, T> {
        // Slices of one known length, so that the loop over their blocks needs no checks.
        let blocks = self.child.len();
        let mut updated = Updated {
            parent: &self.parent[..blocks],
            child: self.child,
            added: [&[]; 2],
            removed: [&[]; 2],
            counts,
        };
        let bucket = table.bucket(self.change.bucket);
        for row in 0..counts.added {
            updated.added[row] = &bucket.row(self.change.added[row])[..blocks];
        }
        for row in 0..counts.removed {
            updated.removed[row] = &bucket.row(self.change.removed[row])[..blocks];
        }
        updated
    }
}

/// An [`Update`] with its rows at hand. The parent is read once and the child written once.
pub(super) struct Updated<'a, T> {
    parent: &'a [Lanes<T>],
    child: &'a mut [Lanes<T>],
    added: [&'a [Lanes<i16>]; 2],
    removed: [&'a [Lanes<i16>]; 2],
    counts: Counts,
}

impl<T: Value> HiddenValues<T> for Updated<'_, T> {
    #[inline(always)]
    fn block(&mut self, block: usize) -> Lanes<T> {
        let mut values = self.parent[block];
        for row in 0..self.counts.added {
            add(&mut values, &self.added[row][block]);
        }
        for row in 0..self.counts.removed {
            subtract(&mut values, &self.removed[row][block]);
        }
        self.child[block] = values;
        values
    }
}
