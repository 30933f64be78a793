//! What kernels are told of a part of a batch and of a step, as words.

use std::vec::Vec;

use super::part::{Chunks, Part, SampleWords};
use super::sorted_rows::SortedRows;
use crate::train::Loss;
use crate::train::step::Step;

/// All that is sent of a part of a batch.
#[derive(Debug, Default)]
pub(super) struct Work {
    pub(super) words: [u32; 8],
    pub(super) men: Vec<u32>,
    pub(super) samples: Vec<SampleWords>,
    pub(super) rows: SortedRows,
    pub(super) chunks: Chunks,
}

/// What is asked of the kernels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    pub(super) loss: Loss,
    /// How many samples the loss is the mean of.
    pub(super) divisor: usize,
    /// Whether the gradient there is is to be forgotten.
    pub(super) fresh: bool,
    /// Where the loss is to be noted.
    pub(super) place: u32,
}

impl Work {
    /// Prepares a part of a batch, on the threads of the pool that calls.
    pub(super) fn prepare(&mut self, part: &Part<'_>, inputs: usize, output_buckets: usize) {
        let Self {
            men,
            samples,
            rows,
            chunks,
            ..
        } = self;
        let copy = || {
            part.write_men(men);
            part.write_samples(samples);
            chunks.cut(part, output_buckets);
        };
        rayon::join(|| rows.sort(part, inputs), copy);
    }

    /// The layout of `Work` in `words.wgsl`.
    pub(super) fn set_order(&mut self, order: &Order) {
        self.words = [
            self.samples.len() as u32,
            self.segments() as u32,
            self.chunks() as u32,
            u32::from(order.fresh),
            ((1.0 / order.divisor as f64) as f32).to_bits(),
            (order.loss.power() as f32).to_bits(),
            order.place,
            f32::NAN.to_bits(),
        ];
    }

    pub(super) fn segments(&self) -> usize {
        self.rows.segments.len() - 1
    }

    pub(super) fn chunks(&self) -> usize {
        self.chunks.starts.len() - 1
    }
}

/// The layout of `Step` in `step.wgsl`.
pub(super) fn step_words(step: &Step, has_factoriser: bool) -> [u32; 12] {
    // Where two rows add up, each has half of the limit.
    let row_limit = if has_factoriser { 0.5 } else { 1.0 } * step.limit;
    [
        step.rate,
        step.root_correction,
        step.keep,
        step.limit,
        Step::KEEP.0,
        Step::TAKE.0,
        Step::KEEP.1,
        Step::TAKE.1,
        step.epsilon,
        row_limit,
        0.0,
        0.0,
    ]
    .map(f32::to_bits)
}
