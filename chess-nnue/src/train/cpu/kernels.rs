//! The arithmetic of one tile over one slice of a batch, forward and backward, and of its step.
//!
//! [`InstructionSet`](crate::Backend) runs a kernel compiled for the instructions that this machine
//! has: one source, compiled once for each set. There are no closures in them, which would not be
//! compiled so. Every set gives the same bits: see [`Lane`].

use core::ops::Range;
use std::vec::Vec;

use super::lane::Lane;
use super::row_order::{RowOrder, Runs};
use super::tiles::Tile;
use crate::Activation;
use crate::arch::{Instructions, Kernel};
use crate::train::batch::Batch;
use crate::train::inputs::Man;
use crate::train::step::Step;

/// What one tile and one slice have of their own.
#[derive(Debug, Default)]
pub(super) struct Cell {
    /// Clipped hidden values: of each sample the mover's view, then the opponent's.
    clipped: Vec<Lane>,
    /// What each of sixteen columns adds to each sample's output.
    sums: Vec<Lane>,
    /// What the tile adds to each sample's output.
    pub(super) outputs: Vec<f32>,
    /// How much the loss rises with the hidden sums of a block of samples, view by view.
    hidden_slopes: Vec<Lane>,
    /// The gradient of the tile's parameters, laid out like them.
    pub(super) gradient: Vec<Lane>,
}

/// Some neighbouring samples of a batch, and what they go through.
#[derive(Clone, Debug)]
pub(super) struct Work<'a> {
    pub(super) tile: &'a Tile,
    pub(super) activation: Activation,
    pub(super) batch: &'a Batch,
    pub(super) samples: Range<usize>,
}

/// Calls `$function::<L>` for a tile of `L` lanes, so that the compiler knows the width.
macro_rules! for_width {
    ($lanes:expr, $function:ident($($argument:expr),*)) => {
        match $lanes {
            1 => $function::<1>($($argument),*),
            _ => $function::<2>($($argument),*),
        }
    };
}

/// Passes the samples through the tile.
pub(super) struct Forward<'a> {
    pub(super) cell: &'a mut Cell,
    pub(super) work: Work<'a>,
}

impl Kernel for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instructions>(self, _: I) {
        let Self { cell, work } = self;
        for_width!(work.tile.lanes, forward(cell, &work));
    }
}

/// Adds the gradient of the samples that went forward last. A `fresh` one forgets what was there
/// before.
pub(super) struct Backward<'a> {
    pub(super) cell: &'a mut Cell,
    pub(super) work: Work<'a>,
    /// How much the loss rises with each sample's output.
    pub(super) slopes: &'a [f32],
    /// The samples' men in the order of rows, block by block.
    pub(super) orders: &'a [RowOrder],
    pub(super) fresh: bool,
}

impl Kernel for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instructions>(self, _: I) {
        let Self {
            cell,
            work,
            slopes,
            orders,
            fresh,
        } = self;
        if fresh {
            cell.gradient.clear();
            cell.gradient.resize(work.tile.values.len(), Lane::ZERO);
        }
        for_width!(work.tile.lanes, backward(cell, &work, slopes, orders));
    }
}

#[inline(always)]
fn forward<const L: usize>(cell: &mut Cell, work: &Work<'_>) {
    let samples = work.samples.len();
    cell.outputs.resize(samples, 0.0);
    cell.sums.resize(samples, Lane::ZERO);
    let sums = &mut cell.sums[..samples];
    cell.clipped.resize(samples * 2 * L, Lane::ZERO);
    let tile = work.tile;
    let weights = tile.input_rows().as_chunks::<L>().0;
    let rows = tile.values.as_chunks::<L>().0;
    let bias = &rows[tile.rows.bias()];
    let output_rows = rows[tile.rows.output(0)..].as_chunks::<2>().0;
    let all_clipped = cell.clipped.as_chunks_mut::<L>().0.as_chunks_mut::<2>().0;
    let mut men = work.batch.inputs().from(work.samples.start);
    for (sample, buckets) in work.samples.clone().enumerate() {
        let men = men.next();
        let output_row = &output_rows[usize::from(work.batch.output_buckets()[buckets])];
        let clipped = &mut all_clipped[sample];
        let hidden = hidden_sums(weights, bias, men);
        for view in 0..2 {
            for lane in 0..L {
                clipped[view][lane] = hidden[view][lane].clipped();
            }
        }
        sums[sample] = weighted(clipped, output_row, work.activation);
    }
    for sample in 0..samples {
        cell.outputs[sample] = sums[sample].sum();
    }
}

/// What a sample's hidden values add to the output, in sixteen sums.
#[inline(always)]
fn weighted<const L: usize>(
    clipped: &[[Lane; L]; 2],
    weights: &[[Lane; L]; 2],
    activation: Activation,
) -> Lane {
    let mut sum = Lane::ZERO;
    for view in 0..2 {
        for lane in 0..L {
            let activated = clipped[view][lane].activated(activation);
            sum = sum.plus(activated.times(weights[view][lane]));
        }
    }
    sum
}

/// The biases and the rows of the inputs that are on, in both views. An addition waits for the one
/// before it: one view alone would keep the adders idle half of the time.
#[inline(always)]
fn hidden_sums<const L: usize>(
    weights: &[[Lane; L]],
    bias: &[Lane; L],
    men: &[Man],
) -> [[Lane; L]; 2] {
    let mut sums = [*bias; 2];
    for man in men {
        for view in 0..2 {
            let row = &weights[usize::from(man[view])];
            for lane in 0..L {
                sums[view][lane] = sums[view][lane].plus(row[lane]);
            }
        }
    }
    sums
}

#[inline(always)]
fn backward<const L: usize>(cell: &mut Cell, work: &Work<'_>, slopes: &[f32], orders: &[RowOrder]) {
    let tile = work.tile;
    let gradient = cell.gradient.as_chunks_mut::<L>().0;
    let (gradient, rest) = gradient.split_at_mut(tile.rows.bias());
    let all_clipped = cell.clipped.as_chunks::<L>().0.as_chunks::<2>().0;
    cell.hidden_slopes.resize(RowOrder::VIEWS * L, Lane::ZERO);
    let hidden_slopes = cell.hidden_slopes.as_chunks_mut::<L>().0;
    let Some(hidden_slopes) = hidden_slopes.first_chunk_mut() else {
        unreachable!("it has just got its length");
    };
    let buckets = &work.batch.output_buckets()[work.samples.clone()];
    for block in 0..slopes.len().div_ceil(RowOrder::SAMPLES) {
        let start = block * RowOrder::SAMPLES;
        let samples = start..slopes.len().min(start + RowOrder::SAMPLES);
        let block_of_samples = Block {
            slopes: &slopes[samples.clone()],
            buckets: &buckets[samples.clone()],
            clipped: &all_clipped[samples],
        };
        through_outputs(work, rest, block_of_samples, hidden_slopes);
        add_to_rows(gradient, orders[block].runs(), hidden_slopes);
    }
}

/// Some samples on the way back.
#[derive(Clone, Copy)]
struct Block<'a, const L: usize> {
    slopes: &'a [f32],
    buckets: &'a [u8],
    clipped: &'a [[[Lane; L]; 2]],
}

/// Adds to the gradients of the biases and the output weights, which are `rest`, and works out the
/// slopes of the hidden sums.
#[inline(always)]
fn through_outputs<const L: usize>(
    work: &Work<'_>,
    rest: &mut [[Lane; L]],
    block: Block<'_, L>,
    hidden_slopes: &mut [[Lane; L]; RowOrder::VIEWS],
) {
    let tile = work.tile;
    let output_rows = &tile.values.as_chunks::<L>().0[tile.rows.output(0)..];
    let output_rows = output_rows.as_chunks::<2>().0;
    let (bias_gradient, output_gradients) = rest.split_at_mut(1);
    let output_gradients = output_gradients.as_chunks_mut::<2>().0;
    let mut bias_sums = bias_gradient[0];
    let hidden_slopes = hidden_slopes.as_chunks_mut::<2>().0;
    for sample in 0..block.slopes.len() {
        let (slope, clipped) = (block.slopes[sample], &block.clipped[sample]);
        let bucket = usize::from(block.buckets[sample]);
        let output_row = &output_rows[bucket];
        let output_gradient = &mut output_gradients[bucket];
        for view in 0..2 {
            let hidden_slopes = &mut hidden_slopes[sample][view];
            for lane in 0..L {
                let clipped = clipped[view][lane];
                let activated = clipped.activated(work.activation);
                let collected = &mut output_gradient[view][lane];
                *collected = collected.plus(activated.scaled(slope));
                let rise = clipped.activation_slope(work.activation);
                hidden_slopes[lane] = rise.times(output_row[view][lane].scaled(slope));
                bias_sums[lane] = bias_sums[lane].plus(hidden_slopes[lane]);
            }
        }
    }
    bias_gradient[0] = bias_sums;
}

/// Each row collects the slopes of the views in which its input is on. Rows go in twos of about the same
/// length: an addition waits for the one before it, and one row alone would keep the adders idle half of
/// the time.
#[inline(always)]
fn add_to_rows<const L: usize>(
    gradient: &mut [[Lane; L]],
    mut runs: Runs<'_>,
    slopes: &[[Lane; L]; RowOrder::VIEWS],
) {
    while let Some([(long, long_views), (short, short_views)]) = runs.next_two() {
        let mut sums = [gradient[long], gradient[short]];
        let (with_short, more) = long_views.split_at(short_views.len());
        for i in 0..with_short.len() {
            let views = [with_short[i], short_views[i]];
            for run in 0..2 {
                add(&mut sums[run], &slopes[usize::from(views[run])]);
            }
        }
        for &view in more {
            add(&mut sums[0], &slopes[usize::from(view)]);
        }
        [gradient[long], gradient[short]] = sums;
    }
    if let Some((row, views)) = runs.next() {
        for &view in views {
            add(&mut gradient[row], &slopes[usize::from(view)]);
        }
    }
}

#[inline(always)]
fn add<const L: usize>(sums: &mut [Lane; L], slopes: &[Lane; L]) {
    for lane in 0..L {
        sums[lane] = sums[lane].plus(slopes[lane]);
    }
}

/// Some neighbouring lanes of a tile's parameters to be stepped.
pub(super) struct StepLanes<'a> {
    pub(super) step: Step,
    pub(super) values: &'a mut [Lane],
    pub(super) means: &'a mut [Lane],
    pub(super) squares: &'a mut [Lane],
    /// The gradients of the slices, which are added up in this order.
    pub(super) cells: &'a [Cell],
    /// Where the lanes' gradients are: for most parameters in one place, for the factoriser in one of
    /// each bucket.
    pub(super) gradients: Gradients,
}

/// Where in a cell's gradient the lanes to be summed are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gradients {
    pub(super) first: usize,
    /// From one bucket to the next.
    pub(super) stride: usize,
    pub(super) count: usize,
}

impl Kernel for StepLanes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instructions>(self, _: I) {
        let len = self.values.len();
        let (means, squares) = (&mut self.means[..len], &mut self.squares[..len]);
        for i in 0..len {
            let gradient = sum(self.cells, self.gradients, i);
            self.step.apply(
                &mut self.values[i],
                &mut means[i],
                &mut squares[i],
                &gradient,
            );
        }
    }
}

/// The gradient of one lane: bucket by bucket, slice by slice.
#[inline(always)]
pub(super) fn sum(cells: &[Cell], gradients: Gradients, index: usize) -> Lane {
    let mut sum = Lane::ZERO;
    for bucket in 0..gradients.count {
        for cell in cells {
            let at = gradients.first + bucket * gradients.stride + index;
            sum = sum.plus(cell.gradient[at]);
        }
    }
    sum
}
