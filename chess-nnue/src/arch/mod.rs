//! The loops over hidden values, for every instruction set that is worth it.
//!
//! The kernels are loops over blocks of fixed size, which the compiler turns into vector instructions;
//! the few that it does not find by itself are an instruction set's [`Instructions`]. [`Backend::run`]
//! runs a kernel compiled for the instruction set that was chosen: one source, compiled once for each
//! set. All is exact integer arithmetic, so every set gives the same scores.

// Loops over lanes and blocks are by index, so that none of the arrays leads and every loop looks the
// same to the vectoriser.
#![allow(clippy::needless_range_loop)]

mod backend;
mod hidden;
#[cfg(test)]
mod kernel_tests;
mod kernels;
mod lanes;
mod output;
mod step;
mod table;
#[cfg(target_arch = "x86_64")]
mod x86_64;

pub use backend::Backend;
pub(crate) use hidden::{Change, Counts, Refresh, Sum, Update};
pub(crate) use kernels::{Advance, Score, ScoreOfRows};
pub(crate) use lanes::{LANES, Lanes, Value, blocks};
pub(crate) use output::{OutputRow, OutputSum};
pub(crate) use step::{AdvanceAndScore, Changes};
pub(crate) use table::Table;

/// A loop over hidden values with its operands.
pub(crate) trait Kernel {
    type Output;

    /// Runs the loop. Implementations are `#[inline(always)]` down to the innermost loop, and free of
    /// closures, which cannot be: so all is compiled with the features of the function it is called
    /// from.
    fn run<I: Instructions>(self, instructions: I) -> Self::Output;
}

/// What a set has instructions for that the compiler does not find by itself.
///
/// A value stands for the fact that the processor has the set.
pub(crate) trait Instructions: Copy {
    /// Sums of 32 bits, in as many lanes as the set likes.
    type Sums: Copy;

    fn zero(self) -> Self::Sums;

    /// Adds Σ clip² · weight of a block, where clip · weight fits an `i16`.
    fn add_screlu(
        self,
        sums: Self::Sums,
        values: &Lanes<i16>,
        weights: &Lanes<i16>,
        qa: i16,
    ) -> Self::Sums;

    /// Adds Σ clip · weight of a block.
    fn add_crelu(
        self,
        sums: Self::Sums,
        values: &Lanes<i16>,
        weights: &Lanes<i16>,
        qa: i16,
    ) -> Self::Sums;

    /// The sum of all lanes of both.
    fn total(self, sums: [Self::Sums; 2]) -> i32;
}

/// No set in particular: what any processor that the crate was built for has.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

impl Instructions for Portable {
    /// A sum for each lane: they stay in registers from block to block.
    type Sums = [i32; LANES];

    #[inline(always)]
    fn zero(self) -> Self::Sums {
        [0; LANES]
    }

    #[inline(always)]
    fn add_screlu(
        self,
        mut sums: Self::Sums,
        values: &Lanes<i16>,
        weights: &Lanes<i16>,
        qa: i16,
    ) -> Self::Sums {
        for lane in 0..LANES {
            let clipped = values.0[lane].clamp(0, qa);
            let product = clipped * weights.0[lane];
            sums[lane] += i32::from(product) * i32::from(clipped);
        }
        sums
    }

    #[inline(always)]
    fn add_crelu(
        self,
        mut sums: Self::Sums,
        values: &Lanes<i16>,
        weights: &Lanes<i16>,
        qa: i16,
    ) -> Self::Sums {
        for lane in 0..LANES {
            let clipped = values.0[lane].clamp(0, qa);
            sums[lane] += i32::from(clipped) * i32::from(weights.0[lane]);
        }
        sums
    }

    #[inline(always)]
    fn total(self, [first, second]: [Self::Sums; 2]) -> i32 {
        let mut total = 0;
        for lane in 0..LANES {
            total += first[lane] + second[lane];
        }
        total
    }
}
