//! The arithmetic of one tile over one slice of a batch, forward and backward.

use core::ops::Range;
use std::vec::Vec;

use super::lane::Lane;
use super::shape::Shape;
use super::tiles::{Tile, rows};
use crate::Activation;
use crate::train::inputs::Inputs;

/// The inputs of some samples.
#[derive(Clone, Debug)]
pub(super) struct SliceInputs<'a> {
    pub(super) inputs: &'a Inputs,
    pub(super) samples: Range<usize>,
}

impl SliceInputs<'_> {
    fn len(&self) -> usize {
        self.samples.len()
    }

    fn samples(&self) -> impl Iterator<Item = &[[u16; 2]]> {
        self.inputs.samples(self.samples.clone())
    }
}

/// What one tile and one slice have of their own.
#[derive(Debug, Default)]
pub(super) struct Cell {
    /// Clipped hidden values: of each sample the mover's view, then the opponent's.
    clipped: Vec<Lane>,
    /// What the tile adds to each sample's output.
    pub(super) outputs: Vec<f32>,
    /// The gradient of the tile's parameters, laid out like them.
    pub(super) gradient: Vec<Lane>,
}

/// Calls `$function::<L>` for a tile of `L` lanes, so that the compiler knows the width.
macro_rules! for_width {
    ($lanes:expr, $function:ident($($argument:expr),*)) => {
        match $lanes {
            1 => $function::<1>($($argument),*),
            _ => $function::<{ Shape::MAX_TILE_LANES }>($($argument),*),
        }
    };
}

impl Cell {
    /// Passes `inputs` through `tile`.
    pub(super) fn forward(
        &mut self,
        tile: &Tile,
        activation: Activation,
        inputs: &SliceInputs<'_>,
    ) {
        let samples = inputs.len();
        self.outputs.resize(samples, 0.0);
        self.clipped.resize(samples * 2 * tile.lanes, Lane::ZERO);
        for_width!(tile.lanes, forward(self, tile, activation, inputs))
    }

    /// Adds the gradient of the samples that went forward last; `slopes` is how much the loss rises
    /// with each sample's output. The first pass of a batch is `fresh` and forgets the last batch.
    pub(super) fn backward(
        &mut self,
        tile: &Tile,
        activation: Activation,
        inputs: &SliceInputs<'_>,
        slopes: &[f32],
        fresh: bool,
    ) {
        if fresh {
            self.gradient.clear();
            self.gradient.resize(tile.values.len(), Lane::ZERO);
        }
        for_width!(tile.lanes, backward(self, tile, activation, inputs, slopes))
    }
}

fn forward<const L: usize>(
    cell: &mut Cell,
    tile: &Tile,
    activation: Activation,
    inputs: &SliceInputs<'_>,
) {
    let weights = tile.values.as_chunks::<L>().0;
    let output_weights = rows::OUTPUT.map(|row| weights[row]);
    let views = cell.clipped.as_chunks_mut::<L>().0.as_chunks_mut::<2>().0;
    for ((sample, output), views) in inputs.samples().zip(&mut cell.outputs).zip(views) {
        let mut sum = Lane::ZERO;
        for (view, clipped) in views.iter_mut().enumerate() {
            let hidden = hidden_sums(weights, sample, view);
            for lane in 0..L {
                clipped[lane] = hidden[lane].clipped();
                let activated = clipped[lane].activated(activation);
                sum = sum.plus(activated.times(output_weights[view][lane]));
            }
        }
        *output = sum.sum();
    }
}

/// The biases and the rows of the inputs that are on in one view.
#[inline(always)]
fn hidden_sums<const L: usize>(
    weights: &[[Lane; L]],
    sample: &[[u16; 2]],
    view: usize,
) -> [Lane; L] {
    let mut sums = weights[rows::BIAS];
    for input in sample {
        let row = &weights[usize::from(input[view])];
        for lane in 0..L {
            sums[lane] = sums[lane].plus(row[lane]);
        }
    }
    sums
}

fn backward<const L: usize>(
    cell: &mut Cell,
    tile: &Tile,
    activation: Activation,
    inputs: &SliceInputs<'_>,
    slopes: &[f32],
) {
    let weights = tile.values.as_chunks::<L>().0;
    let output_weights = rows::OUTPUT.map(|row| weights[row]);
    let gradient = cell.gradient.as_chunks_mut::<L>().0;
    let mut output_gradient = rows::OUTPUT.map(|row| gradient[row]);
    let mut bias_gradient = gradient[rows::BIAS];
    let views = cell.clipped.as_chunks::<L>().0.as_chunks::<2>().0;
    for ((sample, &slope), views) in inputs.samples().zip(slopes).zip(views) {
        for (view, clipped) in views.iter().enumerate() {
            let mut hidden_slopes = [Lane::ZERO; L];
            for lane in 0..L {
                let clipped = clipped[lane];
                let activated = clipped.activated(activation);
                let collected = &mut output_gradient[view][lane];
                *collected = collected.plus(activated.scaled(slope));
                hidden_slopes[lane] = clipped
                    .activation_slope(activation)
                    .times(output_weights[view][lane].scaled(slope));
                bias_gradient[lane] = bias_gradient[lane].plus(hidden_slopes[lane]);
            }
            add_to_rows(gradient, sample, view, hidden_slopes);
        }
    }
    gradient[rows::BIAS] = bias_gradient;
    for (row, sum) in rows::OUTPUT.into_iter().zip(output_gradient) {
        gradient[row] = sum;
    }
}

/// Each row collects the slope once for each view in which its input is on.
#[inline(always)]
fn add_to_rows<const L: usize>(
    gradient: &mut [[Lane; L]],
    sample: &[[u16; 2]],
    view: usize,
    slopes: [Lane; L],
) {
    for input in sample {
        let row = &mut gradient[usize::from(input[view])];
        for lane in 0..L {
            row[lane] = row[lane].plus(slopes[lane]);
        }
    }
}
