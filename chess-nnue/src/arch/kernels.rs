//! The kernels.
//!
//! Rows, hidden values and weights are whole blocks, so no loop has a tail. A parent is read once and a
//! child written once; sums stay in registers from the first block to the last.

use core::marker::PhantomData;

use super::lanes::{LANES, Lanes, Value};
use super::{Instructions, Kernel};
use crate::architecture::Activation;
use crate::arithmetic::{Arithmetic, Width};

/// The blocks that a sum of rows is made of at a time: as many as fit the registers of every set.
const TILE: usize = 4;

/// Rows of a table of weights, by the number of their first block.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    pub(crate) table: &'a [Lanes<i16>],
    pub(crate) first_blocks: &'a [usize],
}

/// bias + Σ rows.
#[derive(Clone, Copy)]
pub(crate) struct SumOfRows<'a> {
    pub(crate) bias: &'a [Lanes<i16>],
    pub(crate) rows: Rows<'a>,
}

impl SumOfRows<'_> {
    /// Some neighbouring blocks of the sum.
    #[inline(always)]
    fn blocks<T: Value, const BLOCKS: usize>(&self, first: usize) -> [Lanes<T>; BLOCKS] {
        let bias = blocks_at::<BLOCKS>(self.bias, first);
        let mut sum = [Lanes::ZERO; BLOCKS];
        for block in 0..BLOCKS {
            add(&mut sum[block], &bias[block]);
        }
        for &row in self.rows.first_blocks {
            let weights = blocks_at::<BLOCKS>(self.rows.table, row + first);
            for block in 0..BLOCKS {
                add(&mut sum[block], &weights[block]);
            }
        }
        sum
    }
}

/// `BLOCKS` blocks of a table.
#[inline(always)]
fn blocks_at<const BLOCKS: usize>(table: &[Lanes<i16>], first: usize) -> &[Lanes<i16>; BLOCKS] {
    const { assert!(BLOCKS <= TILE) };
    match table[first..].first_chunk() {
        Some(blocks) => blocks,
        None => panic!("a row ends past its table"),
    }
}

/// Writes bias + Σ rows.
pub(crate) struct Refresh<'a, T> {
    pub(crate) sum: SumOfRows<'a>,
    pub(crate) values: &'a mut [Lanes<T>],
}

impl<T: Value> Kernel for Refresh<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instructions>(self, _: I) {
        let (tiles, rest) = self.values.as_chunks_mut::<TILE>();
        let tiled = tiles.len() * TILE;
        for (index, tile) in tiles.iter_mut().enumerate() {
            *tile = self.sum.blocks(index * TILE);
        }
        for (index, block) in rest.iter_mut().enumerate() {
            [*block] = self.sum.blocks(tiled + index);
        }
    }
}

/// Writes parent + Σ added − Σ removed.
pub(crate) struct Update<'a, T> {
    pub(crate) parent: &'a [Lanes<T>],
    pub(crate) child: &'a mut [Lanes<T>],
    pub(crate) table: &'a [Lanes<i16>],
    pub(crate) added: &'a [usize],
    pub(crate) removed: &'a [usize],
}

impl<T: Value> Kernel for Update<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instructions>(self, _: I) {
        match (self.added, self.removed) {
            (&[a], &[r]) => self.by([a], [r]),
            (&[a], &[r, s]) => self.by([a], [r, s]),
            (&[a, b], &[r, s]) => self.by([a, b], [r, s]),
            _ => self.by_any(),
        }
    }
}

impl<T: Value> Update<'_, T> {
    /// The usual numbers of rows, known to the compiler.
    #[inline(always)]
    fn by<const ADDED: usize, const REMOVED: usize>(
        self,
        added: [usize; ADDED],
        removed: [usize; REMOVED],
    ) {
        // Slices of one known length, so that the loop below needs no checks.
        let blocks = self.child.len();
        let parent = &self.parent[..blocks];
        let added = rows(self.table, added, blocks);
        let removed = rows(self.table, removed, blocks);
        for block in 0..blocks {
            let mut values = parent[block];
            for row in added {
                add(&mut values, &row[block]);
            }
            for row in removed {
                subtract(&mut values, &row[block]);
            }
            self.child[block] = values;
        }
    }

    #[inline(always)]
    fn by_any(self) {
        for (block, child) in self.child.iter_mut().enumerate() {
            *child = self.parent[block];
            for &row in self.added {
                add(child, &self.table[row + block]);
            }
            for &row in self.removed {
                subtract(child, &self.table[row + block]);
            }
        }
    }
}

#[inline(always)]
fn rows<const ROWS: usize>(
    table: &[Lanes<i16>],
    first_blocks: [usize; ROWS],
    blocks: usize,
) -> [&[Lanes<i16>]; ROWS] {
    let mut rows: [&[Lanes<i16>]; ROWS] = [&[]; ROWS];
    for row in 0..ROWS {
        rows[row] = &table[first_blocks[row]..][..blocks];
    }
    rows
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

/// How the output layer sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputSum {
    /// Σ clip² · weight where clip · weight fits an `i16` and the sum an `i32`.
    ScreluNarrow,
    /// Σ clip² · weight for any weights.
    ScreluWide,
    /// Σ clip · weight where the sum fits an `i32`.
    CreluNarrow,
    /// Σ clip · weight for any weights.
    CreluWide,
}

impl OutputSum {
    pub(crate) fn choose(activation: Activation, arithmetic: Arithmetic) -> Self {
        let Arithmetic { products, sums, .. } = arithmetic;
        match (activation, products, sums) {
            (Activation::Screlu, Width::Narrow, Width::Narrow) => Self::ScreluNarrow,
            (Activation::Screlu, ..) => Self::ScreluWide,
            (Activation::Crelu, _, Width::Narrow) => Self::CreluNarrow,
            (Activation::Crelu, ..) => Self::CreluWide,
        }
    }
}

/// A row of output weights, the mover's half first, and how to sum over it.
#[derive(Clone, Copy)]
pub(crate) struct OutputRow<'a> {
    pub(crate) sum: OutputSum,
    pub(crate) weights: [&'a [Lanes<i16>]; 2],
    pub(crate) qa: i16,
}

impl OutputRow<'_> {
    /// The sum over both halves of hidden values; exact.
    #[inline(always)]
    fn sum<T: Value, I: Instructions>(
        &self,
        instructions: I,
        values: &impl HiddenValues<T>,
    ) -> i64 {
        match self.sum {
            OutputSum::ScreluNarrow => self.narrow::<T, I, true>(instructions, values),
            OutputSum::CreluNarrow => self.narrow::<T, I, false>(instructions, values),
            OutputSum::ScreluWide => self.wide::<T, true>(values),
            OutputSum::CreluWide => self.wide::<T, false>(values),
        }
    }

    /// The halves have sums of their own, so that one need not wait for the other.
    #[inline(always)]
    fn narrow<T: Value, I: Instructions, const SQUARED: bool>(
        &self,
        instructions: I,
        values: &impl HiddenValues<T>,
    ) -> i64 {
        let [mut mover, mut other] = [instructions.zero(); 2];
        for block in 0..self.weights[0].len() {
            mover = self.add::<T, I, SQUARED>(instructions, mover, values, 0, block);
            other = self.add::<T, I, SQUARED>(instructions, other, values, 1, block);
        }
        instructions.total([mover, other]).into()
    }

    #[inline(always)]
    fn add<T: Value, I: Instructions, const SQUARED: bool>(
        &self,
        instructions: I,
        sums: I::Sums,
        values: &impl HiddenValues<T>,
        half: usize,
        block: usize,
    ) -> I::Sums {
        let values = T::narrowed(&values.block(half, block), self.qa);
        let weights = &self.weights[half][block];
        if SQUARED {
            instructions.add_screlu(sums, &values, weights, self.qa)
        } else {
            instructions.add_crelu(sums, &values, weights, self.qa)
        }
    }

    #[inline(always)]
    fn wide<T: Value, const SQUARED: bool>(&self, values: &impl HiddenValues<T>) -> i64 {
        let mut sum = 0;
        for half in 0..2 {
            for block in 0..self.weights[half].len() {
                let (values, weights) = (values.block(half, block), &self.weights[half][block]);
                for lane in 0..LANES {
                    let clipped = i64::from(values.0[lane].clipped(self.qa));
                    let activated = if SQUARED { clipped * clipped } else { clipped };
                    sum += activated * i64::from(weights.0[lane]);
                }
            }
        }
        sum
    }
}

/// Where the output layer finds hidden values.
trait HiddenValues<T> {
    /// A block of the mover's (`half` 0) or the opponent's (1) values.
    fn block(&self, half: usize, block: usize) -> Lanes<T>;
}

/// The sum of an output row over both views' values, the mover's first.
pub(crate) struct Output<'a, T> {
    pub(crate) row: OutputRow<'a>,
    pub(crate) values: [&'a [Lanes<T>]; 2],
}

impl<T: Value> HiddenValues<T> for Output<'_, T> {
    #[inline(always)]
    fn block(&self, half: usize, block: usize) -> Lanes<T> {
        self.values[half][block]
    }
}

impl<T: Value> Kernel for Output<'_, T> {
    type Output = i64;

    #[inline(always)]
    fn run<I: Instructions>(self, instructions: I) -> i64 {
        self.row.sum(instructions, &self)
    }
}

/// The sum of an output row over values that some rows give, which are not kept.
pub(crate) struct OutputOfRows<'a, T> {
    pub(crate) row: OutputRow<'a>,
    pub(crate) values: [SumOfRows<'a>; 2],
    pub(crate) width: PhantomData<T>,
}

impl<T: Value> HiddenValues<T> for OutputOfRows<'_, T> {
    #[inline(always)]
    fn block(&self, half: usize, block: usize) -> Lanes<T> {
        self.values[half].blocks::<T, 1>(block)[0]
    }
}

impl<T: Value> Kernel for OutputOfRows<'_, T> {
    type Output = i64;

    #[inline(always)]
    fn run<I: Instructions>(self, instructions: I) -> i64 {
        self.row.sum(instructions, &self)
    }
}
