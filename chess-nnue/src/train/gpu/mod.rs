//! Training on a GPU, through wgpu.
//!
//! Gradients of the first layer are sparse: a row collects the slopes of the samples in which its
//! input is on. Where the processor adds to rows as samples come, the threads of a device would write
//! to the same places at once, so it is given the samples of each row, sorted: lists cut into segments,
//! one kernel sums segments and another the segments of each row. Sums over all samples are cut into
//! chunks likewise. Every sum is in a fixed order: the same device gives the same bits.

mod backend;
mod buffers;
mod device;
mod kernels;
mod layout;
mod ledger;
mod part;
mod sorted_rows;
mod work;

#[cfg(test)]
mod tests;

pub(super) use backend::OnGpu;
pub use device::{GpuError, gpu_names};
