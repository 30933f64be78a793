//! The output layer.

use super::Instructions;
use super::hidden::HiddenValues;
use super::lanes::{LANES, Lanes, Value};
use crate::architecture::Activation;
use crate::arithmetic::{Arithmetic, Width};

/// How the output layer sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputSum {
    /// Σ clip² · weight where clip · weight fits an `i16` and the sum an `i32`.
    ScreluNarrow,
    /// The same where the sum of so many neighbouring blocks fits an `i32`, that of all does not.
    ScreluInParts(usize),
    /// Σ clip² · weight for any weights.
    ScreluWide,
    /// Σ clip · weight where the sum fits an `i32`.
    CreluNarrow,
    /// The same where the sum of so many neighbouring blocks fits an `i32`, that of all does not.
    CreluInParts(usize),
    /// Σ clip · weight for any weights.
    CreluWide,
}

impl OutputSum {
    /// What weights of at most `largest_weight` in size allow.
    pub(crate) fn choose(
        activation: Activation,
        arithmetic: Arithmetic,
        qa: u16,
        largest_weight: u16,
    ) -> Self {
        let Arithmetic { products, sums, .. } = arithmetic;
        let clip = u64::from(qa);
        let activated = match activation {
            Activation::Screlu => clip * clip,
            Activation::Crelu => clip,
        };
        // No weights at all are no reason to divide by zero.
        let of_block = (LANES as u64 * activated * u64::from(largest_weight)).max(1);
        let part = (i32::MAX as u64 / of_block) as usize;
        match (activation, products, sums) {
            (Activation::Screlu, Width::Narrow, Width::Narrow) => Self::ScreluNarrow,
            (Activation::Screlu, Width::Narrow, _) if part > 0 => Self::ScreluInParts(part),
            (Activation::Screlu, ..) => Self::ScreluWide,
            (Activation::Crelu, _, Width::Narrow) => Self::CreluNarrow,
            (Activation::Crelu, ..) if part > 0 => Self::CreluInParts(part),
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
    /// The blocks of one half.
    #[inline(always)]
    pub(super) fn blocks(&self) -> usize {
        self.weights[0].len()
    }

    /// The sum over both halves of hidden values; exact.
    #[inline(always)]
    pub(super) fn sum<T: Value, I: Instructions>(
        &self,
        instructions: I,
        values: [impl HiddenValues<T>; 2],
    ) -> i64 {
        match self.sum {
            OutputSum::ScreluNarrow => self.narrow::<T, I, true>(instructions, values),
            OutputSum::CreluNarrow => self.narrow::<T, I, false>(instructions, values),
            OutputSum::ScreluInParts(part) => {
                self.in_parts::<T, I, true>(instructions, values, part)
            }
            OutputSum::CreluInParts(part) => {
                self.in_parts::<T, I, false>(instructions, values, part)
            }
            OutputSum::ScreluWide => self.wide::<T, true>(values),
            OutputSum::CreluWide => self.wide::<T, false>(values),
        }
    }

    /// The halves have sums of their own, which stay in registers from the first block to the last, so
    /// that one need not wait for the other.
    #[inline(always)]
    fn narrow<T: Value, I: Instructions, const SQUARED: bool>(
        &self,
        instructions: I,
        [mut mover, mut other]: [impl HiddenValues<T>; 2],
    ) -> i64 {
        let blocks = self.blocks();
        let weights = [self.weights[0], &self.weights[1][..blocks]];
        let mut sums = [instructions.zero(); 2];
        for block in 0..blocks {
            let (values, weight) = (mover.block(block), &weights[0][block]);
            sums[0] = self.add::<T, I, SQUARED>(instructions, sums[0], &values, weight);
            let (values, weight) = (other.block(block), &weights[1][block]);
            sums[1] = self.add::<T, I, SQUARED>(instructions, sums[1], &values, weight);
        }
        instructions.total(sums).into()
    }

    /// Sums of 32 bits over `part` blocks of a half at a time, which are added up in 64.
    #[inline(always)]
    fn in_parts<T: Value, I: Instructions, const SQUARED: bool>(
        &self,
        instructions: I,
        [mut mover, mut other]: [impl HiddenValues<T>; 2],
        part: usize,
    ) -> i64 {
        let blocks = self.blocks();
        let weights = [self.weights[0], &self.weights[1][..blocks]];
        let zero = instructions.zero();
        let (mut sum, mut start) = (0, 0);
        while start < blocks {
            let end = blocks.min(start.saturating_add(part));
            let mut sums = [zero; 2];
            for block in start..end {
                let (values, weight) = (mover.block(block), &weights[0][block]);
                sums[0] = self.add::<T, I, SQUARED>(instructions, sums[0], &values, weight);
                let (values, weight) = (other.block(block), &weights[1][block]);
                sums[1] = self.add::<T, I, SQUARED>(instructions, sums[1], &values, weight);
            }
            sum += i64::from(instructions.total([sums[0], zero]));
            sum += i64::from(instructions.total([sums[1], zero]));
            start = end;
        }
        sum
    }

    /// Adds a block to sums of 32 bits.
    #[inline(always)]
    pub(super) fn add<T: Value, I: Instructions, const SQUARED: bool>(
        &self,
        instructions: I,
        sums: I::Sums,
        values: &Lanes<T>,
        weights: &Lanes<i16>,
    ) -> I::Sums {
        let values = T::narrowed(values, self.qa);
        if SQUARED {
            instructions.add_screlu(sums, &values, weights, self.qa)
        } else {
            instructions.add_crelu(sums, &values, weights, self.qa)
        }
    }

    #[inline(always)]
    fn wide<T: Value, const SQUARED: bool>(
        &self,
        [mut mover, mut other]: [impl HiddenValues<T>; 2],
    ) -> i64 {
        let mut sum = 0;
        for block in 0..self.weights[0].len() {
            sum += self.wide_block::<T, SQUARED>(&mover.block(block), &self.weights[0][block]);
            sum += self.wide_block::<T, SQUARED>(&other.block(block), &self.weights[1][block]);
        }
        sum
    }

    #[inline(always)]
    fn wide_block<T: Value, const SQUARED: bool>(
        &self,
        values: &Lanes<T>,
        weights: &Lanes<i16>,
    ) -> i64 {
        let mut sum = 0;
        for lane in 0..LANES {
            let clipped = i64::from(values.0[lane].clipped(self.qa));
            let activated = if SQUARED { clipped * clipped } else { clipped };
            sum += activated * i64::from(weights.0[lane]);
        }
        sum
    }
}
