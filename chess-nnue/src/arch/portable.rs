//! The kernels, in plain Rust.
//!
//! Rows, hidden values and weights are whole blocks, so no loop has a tail. A parent is read once and a
//! child written once; sums are kept in registers from the first block to the last.

use super::Kernel;
use super::lanes::{LANES, Lanes, Value};
use crate::architecture::Activation;
use crate::arithmetic::{Arithmetic, Width};

/// One row of weights.
pub(crate) type Row<'a> = &'a [Lanes<i16>];

/// The blocks that a refresh goes through the rows with at a time.
const TILE: usize = 4;

/// Writes bias + Σ rows.
pub(crate) struct Refresh<'a, T> {
    pub(crate) bias: Row<'a>,
    pub(crate) rows: &'a [Row<'a>],
    pub(crate) values: &'a mut [Lanes<T>],
}

impl<T: Value> Kernel for Refresh<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let mut tiles = self.values.chunks_exact_mut(TILE);
        let mut first = 0;
        for tile in &mut tiles {
            tile.copy_from_slice(&sum_of_rows::<T, TILE>(self.bias, self.rows, first));
            first += TILE;
        }
        for (index, block) in tiles.into_remainder().iter_mut().enumerate() {
            [*block] = sum_of_rows(self.bias, self.rows, first + index);
        }
    }
}

/// Some neighbouring blocks of bias + Σ rows.
#[inline(always)]
fn sum_of_rows<T: Value, const BLOCKS: usize>(
    bias: Row<'_>,
    rows: &[Row<'_>],
    first: usize,
) -> [Lanes<T>; BLOCKS] {
    let mut sum = core::array::from_fn(|index| Lanes(bias[first + index].0.map(T::from_bias)));
    for row in rows {
        let row: &[Lanes<i16>; BLOCKS] = blocks_at(row, first);
        for (sum, weights) in sum.iter_mut().zip(row) {
            add(sum, weights);
        }
    }
    sum
}

#[inline(always)]
fn blocks_at<const BLOCKS: usize>(row: Row<'_>, first: usize) -> &[Lanes<i16>; BLOCKS] {
    match row[first..].first_chunk() {
        Some(blocks) => blocks,
        None => &[Lanes::ZERO; BLOCKS],
    }
}

/// Writes parent + Σ added − Σ removed.
pub(crate) struct Update<'a, T> {
    pub(crate) parent: &'a [Lanes<T>],
    pub(crate) child: &'a mut [Lanes<T>],
    pub(crate) added: &'a [Row<'a>],
    pub(crate) removed: &'a [Row<'a>],
}

impl<T: Value> Kernel for Update<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        match (self.added, self.removed) {
            (&[a], &[r]) => update(self.parent, self.child, [a], [r]),
            (&[a], &[r, s]) => update(self.parent, self.child, [a], [r, s]),
            (&[a, b], &[r, s]) => update(self.parent, self.child, [a, b], [r, s]),
            (added, removed) => {
                for block in 0..self.child.len() {
                    let mut values = self.parent[block];
                    added.iter().for_each(|row| add(&mut values, &row[block]));
                    removed
                        .iter()
                        .for_each(|row| subtract(&mut values, &row[block]));
                    self.child[block] = values;
                }
            }
        }
    }
}

#[inline(always)]
fn update<T: Value, const ADDED: usize, const REMOVED: usize>(
    parent: &[Lanes<T>],
    child: &mut [Lanes<T>],
    added: [Row<'_>; ADDED],
    removed: [Row<'_>; REMOVED],
) {
    // Slices of one known length, so that the loop below needs no checks.
    let blocks = child.len();
    let parent = &parent[..blocks];
    let added = added.map(|row| &row[..blocks]);
    let removed = removed.map(|row| &row[..blocks]);
    for block in 0..blocks {
        let mut values = parent[block];
        for row in added {
            add(&mut values, &row[block]);
        }
        for row in removed {
            subtract(&mut values, &row[block]);
        }
        child[block] = values;
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

/// The sum of an output row over both views' values, the mover's first; exact.
pub(crate) struct Output<'a, T> {
    pub(crate) sum: OutputSum,
    pub(crate) values: [&'a [Lanes<T>]; 2],
    pub(crate) weights: [Row<'a>; 2],
    pub(crate) qa: i16,
}

impl<T: Value> Kernel for Output<'_, T> {
    type Output = i64;

    #[inline(always)]
    fn run(self) -> i64 {
        let pairs = || {
            let halves = self.values.into_iter().zip(self.weights);
            halves.flat_map(|(values, weights)| values.iter().zip(weights))
        };
        match self.sum {
            OutputSum::ScreluNarrow => narrow(pairs(), self.qa, screlu_narrow),
            OutputSum::ScreluWide => wide(pairs(), self.qa, screlu_wide),
            OutputSum::CreluNarrow => narrow(pairs(), self.qa, crelu_narrow),
            OutputSum::CreluWide => wide(pairs(), self.qa, crelu_wide),
        }
    }
}

/// The sum of an output row over the values that some rows give, which are not kept.
pub(crate) struct OutputOfRows<'a, T> {
    pub(crate) sum: OutputSum,
    pub(crate) bias: Row<'a>,
    pub(crate) rows: [&'a [Row<'a>]; 2],
    pub(crate) weights: [Row<'a>; 2],
    pub(crate) qa: i16,
    pub(crate) values: core::marker::PhantomData<T>,
}

impl<T: Value> Kernel for OutputOfRows<'_, T> {
    type Output = i64;

    #[inline(always)]
    fn run(self) -> i64 {
        let mut total = 0;
        for (rows, weights) in self.rows.into_iter().zip(self.weights) {
            for (block, weights) in weights.iter().enumerate() {
                let [values] = sum_of_rows::<T, 1>(self.bias, rows, block);
                total += match self.sum {
                    OutputSum::ScreluNarrow => screlu_narrow(&values, weights, self.qa).into(),
                    OutputSum::ScreluWide => screlu_wide(&values, weights, self.qa),
                    OutputSum::CreluNarrow => crelu_narrow(&values, weights, self.qa).into(),
                    OutputSum::CreluWide => crelu_wide(&values, weights, self.qa),
                };
            }
        }
        total
    }
}

#[inline(always)]
fn narrow<'a, T: Value + 'a>(
    pairs: impl Iterator<Item = (&'a Lanes<T>, &'a Lanes<i16>)>,
    qa: i16,
    block: impl Fn(&Lanes<T>, &Lanes<i16>, i16) -> i32,
) -> i64 {
    let mut sum = 0;
    for (values, weights) in pairs {
        sum += block(values, weights, qa);
    }
    sum.into()
}

#[inline(always)]
fn wide<'a, T: Value + 'a>(
    pairs: impl Iterator<Item = (&'a Lanes<T>, &'a Lanes<i16>)>,
    qa: i16,
    block: impl Fn(&Lanes<T>, &Lanes<i16>, i16) -> i64,
) -> i64 {
    let mut sum = 0;
    for (values, weights) in pairs {
        sum += block(values, weights, qa);
    }
    sum
}

#[inline(always)]
fn screlu_narrow<T: Value>(values: &Lanes<T>, weights: &Lanes<i16>, qa: i16) -> i32 {
    let mut sum = 0;
    for lane in 0..LANES {
        let clipped = values.0[lane].clipped(qa);
        let product = clipped * weights.0[lane];
        sum += i32::from(product) * i32::from(clipped);
    }
    sum
}

#[inline(always)]
fn screlu_wide<T: Value>(values: &Lanes<T>, weights: &Lanes<i16>, qa: i16) -> i64 {
    let mut sum = 0;
    for lane in 0..LANES {
        let clipped = i64::from(values.0[lane].clipped(qa));
        sum += clipped * clipped * i64::from(weights.0[lane]);
    }
    sum
}

#[inline(always)]
fn crelu_narrow<T: Value>(values: &Lanes<T>, weights: &Lanes<i16>, qa: i16) -> i32 {
    let mut sum = 0;
    for lane in 0..LANES {
        sum += i32::from(values.0[lane].clipped(qa)) * i32::from(weights.0[lane]);
    }
    sum
}

#[inline(always)]
fn crelu_wide<T: Value>(values: &Lanes<T>, weights: &Lanes<i16>, qa: i16) -> i64 {
    let mut sum = 0;
    for lane in 0..LANES {
        sum += i64::from(values.0[lane].clipped(qa)) * i64::from(weights.0[lane]);
    }
    sum
}
