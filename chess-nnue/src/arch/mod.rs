//! The loops over hidden values, for every instruction set that is worth it.
//!
//! The kernels in [`portable`] are loops over blocks of fixed size, which the compiler turns into
//! vector instructions. [`Backend::run`] runs one compiled for the instruction set that was chosen: the
//! same source, compiled once for each set. All is exact integer arithmetic, so every set gives the
//! same scores.

mod backend;
mod lanes;
mod portable;

pub use backend::Backend;
pub(crate) use lanes::{LANES, Lanes, Value, blocks};
pub(crate) use portable::{Output, OutputOfRows, OutputSum, Refresh, Row, Update};

/// A loop over hidden values with its operands.
pub(crate) trait Kernel {
    type Output;

    /// Runs the loop. Implementations are `#[inline(always)]`, down to the innermost loop, so that they
    /// are compiled with the features of the function they are called from.
    fn run(self) -> Self::Output;
}
