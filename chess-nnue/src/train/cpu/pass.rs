//! Batches through the network and back, on every thread of the pool that calls.

use core::ops::Range;
use std::vec::Vec;

use rayon::prelude::*;

use super::adam::Adam;
use super::kernels::{Cell, SliceInputs};
use super::lane::Lane;
use super::shape::Shape;
use super::tiles::Tiles;
use crate::Activation;
use crate::train::Loss;
use crate::train::batch::Batch;
use crate::train::optimizer::StepOptions;

/// What the network says of some neighbouring samples of a batch.
#[derive(Debug, Default)]
struct Slice {
    samples: Range<usize>,
    outputs: Vec<f32>,
    /// How much the batch's loss rises with each output.
    slopes: Vec<f32>,
    /// The sum of the samples' losses.
    loss: f64,
    /// The gradient of the output bias.
    slope: f64,
}

/// The buffers for one part of a batch: slices, and a cell for every tile and slice.
#[derive(Debug)]
pub(super) struct Pass {
    shape: Shape,
    activation: Activation,
    loss: Loss,
    slices: Vec<Slice>,
    /// All slices of the first tile, then of the next.
    cells: Vec<Cell>,
    /// The gradient of the output bias.
    output_bias_gradient: f64,
}

impl Slice {
    fn inputs<'a>(&self, batch: &'a Batch) -> SliceInputs<'a> {
        SliceInputs {
            inputs: batch.inputs(),
            samples: self.samples.clone(),
        }
    }

    /// Sums the tiles' outputs, in their order.
    fn sum<'a>(&mut self, tile_outputs: impl Iterator<Item = &'a [f32]>, output_bias: f32) {
        self.outputs.clear();
        self.outputs.resize(self.samples.len(), output_bias);
        for outputs in tile_outputs {
            for (sum, output) in self.outputs.iter_mut().zip(outputs) {
                *sum += output;
            }
        }
    }

    /// Compares outputs and targets. The loss that the slopes are of is the sum over `divisor`.
    fn compare(&mut self, loss: Loss, targets: &[f32], divisor: usize) {
        (self.loss, self.slope) = (0.0, 0.0);
        self.slopes.clear();
        for (&output, &target) in self.outputs.iter().zip(targets) {
            let (miss, slope) = loss.with_slope(output, target);
            let slope = slope / divisor as f64;
            self.loss += miss;
            self.slope += slope;
            self.slopes.push(slope as f32);
        }
    }
}

impl Pass {
    pub(super) fn new(shape: Shape, activation: Activation, loss: Loss) -> Self {
        Self {
            shape,
            activation,
            loss,
            slices: (0..shape.slices()).map(|_| Slice::default()).collect(),
            cells: (0..shape.tiles() * shape.slices())
                .map(|_| Cell::default())
                .collect(),
            output_bias_gradient: 0.0,
        }
    }

    pub(super) const fn shape(&self) -> Shape {
        self.shape
    }

    /// Passes a batch through the network and back, and gives the sum of its samples' losses. The
    /// gradient, of their sum over `divisor`, is then ready for [`Pass::step`].
    pub(super) fn gradient(
        &mut self,
        tiles: &Tiles,
        batch: &Batch,
        divisor: usize,
        fresh: bool,
    ) -> f64 {
        let mut loss = 0.0;
        for part in self.shape.parts(batch.len()) {
            let fresh = fresh && part.start == 0;
            self.forward(tiles, batch, part);
            loss += self.compare(batch, divisor);
            self.backward(tiles, batch, fresh);
        }
        loss
    }

    /// The outputs for a batch.
    pub(super) fn outputs(&mut self, tiles: &Tiles, batch: &Batch) -> Vec<f32> {
        let mut outputs = Vec::with_capacity(batch.len());
        for part in self.shape.parts(batch.len()) {
            self.forward(tiles, batch, part);
            for slice in &self.slices {
                outputs.extend_from_slice(&slice.outputs);
            }
        }
        outputs
    }

    /// Passes one part of a batch through the network.
    fn forward(&mut self, tiles: &Tiles, batch: &Batch, part: Range<usize>) {
        for (number, slice) in self.slices.iter_mut().enumerate() {
            slice.samples = self.shape.slice(part.clone(), number);
        }
        let (slices, activation) = (&self.slices, self.activation);
        let cells = self.cells.par_iter_mut().enumerate();
        cells.for_each(|(cell, buffers)| {
            let (tile, slice) = (cell / slices.len(), &slices[cell % slices.len()]);
            buffers.forward(&tiles.tiles[tile], activation, &slice.inputs(batch));
        });
        let (cells, slice_count) = (&self.cells, self.slices.len());
        let slices = self.slices.par_iter_mut().enumerate();
        slices.for_each(|(number, slice)| {
            let of_slice = cells.iter().skip(number).step_by(slice_count);
            let outputs = of_slice.map(|cell| cell.outputs.as_slice());
            slice.sum(outputs, tiles.output_bias);
        });
    }

    /// The sum of the losses of the samples that went forward last.
    fn compare(&mut self, batch: &Batch, divisor: usize) -> f64 {
        let loss = self.loss;
        self.slices.par_iter_mut().for_each(|slice| {
            slice.compare(loss, &batch.targets()[slice.samples.clone()], divisor);
        });
        self.slices.iter().map(|slice| slice.loss).sum()
    }

    /// Adds the gradient of the samples that went forward last. A `fresh` pass forgets what was there
    /// before.
    fn backward(&mut self, tiles: &Tiles, batch: &Batch, fresh: bool) {
        let (slices, activation) = (&self.slices, self.activation);
        let cells = self.cells.par_iter_mut().enumerate();
        cells.for_each(|(cell, buffers)| {
            let (tile, slice) = (cell / slices.len(), &slices[cell % slices.len()]);
            let (tile, inputs) = (&tiles.tiles[tile], slice.inputs(batch));
            buffers.backward(tile, activation, &inputs, &slice.slopes, fresh);
        });
        if fresh {
            self.output_bias_gradient = 0.0;
        }
        self.output_bias_gradient += slices.iter().map(|slice| slice.slope).sum::<f64>();
    }

    /// Sums the gradients of the slices, in their order, and steps every parameter.
    pub(super) fn step(&self, tiles: &mut Tiles, optimizer: &mut Adam, options: &StepOptions) {
        let step = optimizer.next_step(options);
        let gradient = self.output_bias_gradient as f32;
        optimizer.step_output_bias(step, &mut tiles.output_bias, gradient);
        let of_tiles = self.cells.par_chunks(self.slices.len());
        let moments = optimizer.means.tiles.par_iter_mut();
        let moments = moments.zip(&mut optimizer.squares.tiles);
        let tiles = tiles.tiles.par_iter_mut().zip(moments);
        tiles
            .zip(of_tiles)
            .for_each(|((tile, (means, squares)), cells)| {
                let values = tile.values.par_chunks_mut(STEP_LEN).enumerate();
                let means = means.values.par_chunks_mut(STEP_LEN);
                let squares = squares.values.par_chunks_mut(STEP_LEN);
                let chunks = values.zip(means).zip(squares);
                chunks.for_each(|(((chunk, values), means), squares)| {
                    for (i, value) in values.iter_mut().enumerate() {
                        let gradient = sum_slices(cells, chunk * STEP_LEN + i);
                        step.apply(value, &mut means[i], &mut squares[i], &gradient);
                    }
                });
            });
    }

    /// The gradient of every parameter, laid out like the parameters.
    #[cfg(test)]
    pub(super) fn summed_gradient(&self, tiles: &Tiles) -> Tiles {
        let mut gradient = tiles.clone();
        gradient.output_bias = self.output_bias_gradient as f32;
        let of_tiles = self.cells.chunks(self.slices.len());
        for (tile, cells) in gradient.tiles.iter_mut().zip(of_tiles) {
            for (index, value) in tile.values.iter_mut().enumerate() {
                *value = sum_slices(cells, index);
            }
        }
        gradient
    }
}

/// How many lanes one task steps.
const STEP_LEN: usize = 512;

#[inline(always)]
fn sum_slices(cells: &[Cell], index: usize) -> Lane {
    let mut sum = Lane::ZERO;
    for cell in cells {
        sum = sum.plus(cell.gradient[index]);
    }
    sum
}
