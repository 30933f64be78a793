//! The arithmetic of one tile over one slice of a batch, forward and backward, and of its step.
//!
//! [`InstructionSet`](crate::Backend) runs a kernel compiled for the instructions that this machine
//! has: one source, compiled once for each set. There are no closures in them, which would not be
//! compiled so. Every set gives the same bits: see [`Lane`].

use core::ops::Range;
use std::vec::Vec;

use super::lane::Lane;
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
            2 => $function::<2>($($argument),*),
            3 => $function::<3>($($argument),*),
            _ => $function::<4>($($argument),*),
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
            fresh,
        } = self;
        if fresh {
            cell.gradient.clear();
            cell.gradient.resize(work.tile.values.len(), Lane::ZERO);
        }
        for_width!(work.tile.lanes, backward(cell, &work, slopes));
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
        for view in 0..2 {
            let hidden = hidden_sums(weights, bias, men, view);
            for lane in 0..L {
                clipped[view][lane] = hidden[lane].clipped();
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

/// The biases and the rows of the inputs that are on in one view.
#[inline(always)]
fn hidden_sums<const L: usize>(
    weights: &[[Lane; L]],
    bias: &[Lane; L],
    men: &[Man],
    view: usize,
) -> [Lane; L] {
    let mut sums = *bias;
    for man in men {
        let row = &weights[usize::from(man[view])];
        for lane in 0..L {
            sums[lane] = sums[lane].plus(row[lane]);
        }
    }
    sums
}

#[inline(always)]
fn backward<const L: usize>(cell: &mut Cell, work: &Work<'_>, slopes: &[f32]) {
    let tile = work.tile;
    let output_rows = tile.values.as_chunks::<L>().0[tile.rows.output(0)..]
        .as_chunks::<2>()
        .0;
    let gradient = cell.gradient.as_chunks_mut::<L>().0;
    let (gradient, rest) = gradient.split_at_mut(tile.rows.bias());
    let (bias_gradient, output_gradients) = rest.split_at_mut(1);
    let bias_gradient = &mut bias_gradient[0];
    let output_gradients = output_gradients.as_chunks_mut::<2>().0;
    let all_clipped = cell.clipped.as_chunks::<L>().0.as_chunks::<2>().0;
    let mut men = work.batch.inputs().from(work.samples.start);
    for (sample, buckets) in work.samples.clone().enumerate() {
        let (men, slope, clipped) = (men.next(), slopes[sample], &all_clipped[sample]);
        let bucket = usize::from(work.batch.output_buckets()[buckets]);
        let output_row = &output_rows[bucket];
        let output_gradient = &mut output_gradients[bucket];
        for view in 0..2 {
            let mut hidden_slopes = [Lane::ZERO; L];
            for lane in 0..L {
                let clipped = clipped[view][lane];
                let activated = clipped.activated(work.activation);
                let collected = &mut output_gradient[view][lane];
                *collected = collected.plus(activated.scaled(slope));
                let rise = clipped.activation_slope(work.activation);
                hidden_slopes[lane] = rise.times(output_row[view][lane].scaled(slope));
                bias_gradient[lane] = bias_gradient[lane].plus(hidden_slopes[lane]);
            }
            add_to_rows(gradient, men, view, &hidden_slopes);
        }
    }
}

/// Each row collects the slope once for each view in which its input is on.
#[inline(always)]
fn add_to_rows<const L: usize>(
    gradient: &mut [[Lane; L]],
    men: &[Man],
    view: usize,
    slopes: &[Lane; L],
) {
    for man in men {
        let row = &mut gradient[usize::from(man[view])];
        for lane in 0..L {
            row[lane] = row[lane].plus(slopes[lane]);
        }
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
