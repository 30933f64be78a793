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
        for row in self.rows.first_blocks {
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
        let added = added.map(|row| &self.table[row..][..blocks]);
        let removed = removed.map(|row| &self.table[row..][..blocks]);
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
            for row in self.added {
                add(child, &self.table[row + block]);
            }
            for row in self.removed {
                subtract(child, &self.table[row + block]);
            }
        }
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
    /// The sum over the blocks of both halves, which `values` gives by half and number; exact.
    #[inline(always)]
    fn sum<T: Value, I: Instructions>(
        &self,
        instructions: I,
        values: impl Fn(usize, usize) -> Lanes<T>,
    ) -> i64 {
        match self.sum {
            OutputSum::ScreluNarrow => self.narrow(instructions, values, I::add_screlu),
            OutputSum::CreluNarrow => self.narrow(instructions, values, I::add_crelu),
            OutputSum::ScreluWide => self.wide(values, |clipped| clipped * clipped),
            OutputSum::CreluWide => self.wide(values, |clipped| clipped),
        }
    }

    /// The halves have sums of their own, so that one need not wait for the other.
    #[inline(always)]
    fn narrow<T: Value, I: Instructions>(
        &self,
        instructions: I,
        values: impl Fn(usize, usize) -> Lanes<T>,
        add: impl Fn(I, I::Sums, &Lanes<i16>, &Lanes<i16>, i16) -> I::Sums,
    ) -> i64 {
        let mut sums = [instructions.zero(); 2];
        let [mover, other] = self.weights;
        for (block, weights) in mover.iter().zip(other).enumerate() {
            let values = [0, 1].map(|half| values(half, block).narrowed(self.qa));
            sums[0] = add(instructions, sums[0], &values[0], weights.0, self.qa);
            sums[1] = add(instructions, sums[1], &values[1], weights.1, self.qa);
        }
        instructions.total(sums).into()
    }

    #[inline(always)]
    fn wide<T: Value>(
        &self,
        values: impl Fn(usize, usize) -> Lanes<T>,
        activated: impl Fn(i64) -> i64,
    ) -> i64 {
        let mut sum = 0;
        for half in 0..2 {
            for (block, weights) in self.weights[half].iter().enumerate() {
                let values = values(half, block);
                for lane in 0..LANES {
                    let clipped = values.0[lane].clipped(self.qa);
                    sum += activated(clipped.into()) * i64::from(weights.0[lane]);
                }
            }
        }
        sum
    }
}

/// The sum of an output row over both views' values, the mover's first.
pub(crate) struct Output<'a, T> {
    pub(crate) row: OutputRow<'a>,
    pub(crate) values: [&'a [Lanes<T>]; 2],
}

impl<T: Value> Kernel for Output<'_, T> {
    type Output = i64;

    #[inline(always)]
    fn run<I: Instructions>(self, instructions: I) -> i64 {
        let blocks = self.row.weights[0].len();
        let values = self.values.map(|values| &values[..blocks]);
        self.row
            .sum(instructions, |half, block| values[half][block])
    }
}

/// The sum of an output row over values that some rows give, which are not kept.
pub(crate) struct OutputOfRows<'a, T> {
    pub(crate) row: OutputRow<'a>,
    pub(crate) values: [SumOfRows<'a>; 2],
    pub(crate) width: PhantomData<T>,
}

impl<T: Value> Kernel for OutputOfRows<'_, T> {
    type Output = i64;

    #[inline(always)]
    fn run<I: Instructions>(self, instructions: I) -> i64 {
        self.row.sum(instructions, |half, block| {
            let [values] = self.values[half].blocks::<T, 1>(block);
            values
        })
    }
}
