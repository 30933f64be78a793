//! Where the hidden values of a view come from.
//!
//! Rows and hidden values are whole blocks, so no loop has a tail.

use super::lanes::{LANES, Lanes, Value};

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
        let bias = blocks_at::<BLOCKS>(self.bias, first);
        let mut sum = [Lanes::ZERO; BLOCKS];
        for block in 0..BLOCKS {
            add(&mut sum[block], &bias[block]);
        }
        for &row in self.rows {
            let weights = blocks_at::<BLOCKS>(self.table, row + first);
            for block in 0..BLOCKS {
                add(&mut sum[block], &weights[block]);
            }
        }
        sum
    }

    /// Writes the whole sum.
    #[inline(always)]
    pub(super) fn write<T: Value>(&self, values: &mut [Lanes<T>]) {
        let (tiles, rest) = values.as_chunks_mut::<TILE>();
        let tiled = tiles.len() * TILE;
        for (index, tile) in tiles.iter_mut().enumerate() {
            *tile = self.blocks(index * TILE);
        }
        for (index, block) in rest.iter_mut().enumerate() {
            [*block] = self.blocks(tiled + index);
        }
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
fn add<T: Value>(values: &mut Lanes<T>, weights: &Lanes<i16>) {
    for lane in 0..LANES {
        values.0[lane] = values.0[lane].plus(weights.0[lane]);
    }
}

#[inline(always)]
fn subtract<T: Value>(values: &mut Lanes<T>, weights: &Lanes<i16>) {
    for lane in 0..LANES {
        values.0[lane] = values.0[lane].minus(weights.0[lane]);
    }
}

/// A source of the hidden values of one view, block by block.
pub(crate) trait HiddenValues<T> {
    /// The source cut to its first `blocks` blocks. A loop over as many then needs no checks.
    fn cut(self, blocks: usize) -> Self;

    /// The blocks are asked for in order, each once.
    fn block(&mut self, block: usize) -> Lanes<T>;
}

/// Values that are there already.
impl<T: Value> HiddenValues<T> for &[Lanes<T>] {
    #[inline(always)]
    fn cut(self, blocks: usize) -> Self {
        &self[..blocks]
    }

    #[inline(always)]
    fn block(&mut self, block: usize) -> Lanes<T> {
        self[block]
    }
}

/// Values that are not kept.
impl<T: Value> HiddenValues<T> for Sum<'_> {
    #[inline(always)]
    fn cut(self, _: usize) -> Self {
        self
    }

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

/// A move as one view sees it: the rows it adds and removes, by the numbers of their first blocks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Change {
    pub(crate) added: [usize; 2],
    pub(crate) removed: [usize; 2],
}

/// parent + Σ added − Σ removed, written to the child: a view's hidden values after a move.
pub(crate) struct Update<'a, T> {
    pub(crate) parent: &'a [Lanes<T>],
    pub(crate) child: &'a mut [Lanes<T>],
    pub(crate) table: &'a [Lanes<i16>],
    pub(crate) change: Change,
}

impl<'a, T: Value> Update<'a, T> {
    /// The update with its rows at hand. Counts that are constants here unroll the loops over them.
    #[inline(always)]
    pub(super) fn by(self, counts: Counts) -> Updated<'a, T> {
        let mut updated = Updated {
            parent: self.parent,
            child: self.child,
            added: [&[]; 2],
            removed: [&[]; 2],
            counts,
        };
        for row in 0..counts.added {
            updated.added[row] = &self.table[self.change.added[row]..];
        }
        for row in 0..counts.removed {
            updated.removed[row] = &self.table[self.change.removed[row]..];
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

impl<T: Value> Updated<'_, T> {
    /// Writes all of the child.
    #[inline(always)]
    pub(super) fn write(self) {
        let blocks = self.child.len();
        let mut updated = self.cut(blocks);
        for block in 0..blocks {
            updated.block(block);
        }
    }
}

impl<T: Value> HiddenValues<T> for Updated<'_, T> {
    #[inline(always)]
    fn cut(mut self, blocks: usize) -> Self {
        self.parent = &self.parent[..blocks];
        self.child = &mut self.child[..blocks];
        for row in 0..self.counts.added {
            self.added[row] = &self.added[row][..blocks];
        }
        for row in 0..self.counts.removed {
            self.removed[row] = &self.removed[row][..blocks];
        }
        self
    }

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
