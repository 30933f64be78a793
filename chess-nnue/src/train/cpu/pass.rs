//! Batches through the network and back, on every thread of the pool that calls.

use core::ops::Range;
use std::vec;
use std::vec::Vec;

use rayon::prelude::*;

use super::adam::Adam;
use super::kernels::{Backward, Cell, Forward, Gradients, StepLanes, Work};
use super::lane::Lane;
use super::row_order::RowOrder;
use super::rows::Rows;
use super::shape::Shape;
use super::tiles::{Tile, Tiles};
use crate::train::Loss;
use crate::train::batch::Batch;
use crate::train::optimizer::StepOptions;
use crate::train::step::Step;
use crate::{Activation, Architecture, Backend as InstructionSet};

/// What the network says of some neighbouring samples of a batch.
#[derive(Clone, Debug, Default)]
struct Slice {
    samples: Range<usize>,
    outputs: Vec<f32>,
    /// How much the batch's loss rises with each output.
    slopes: Vec<f32>,
    /// The sum of the samples' losses.
    loss: f64,
    /// The gradient of each output bias.
    bias_slopes: Vec<f64>,
    /// The samples' men, block by block.
    orders: Vec<RowOrder>,
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
    /// The gradient of each output bias.
    output_bias_gradients: Vec<f64>,
    instructions: InstructionSet,
}

impl Slice {
    /// Sums the tiles' outputs, in their order.
    fn sum<'a>(
        &mut self,
        tile_outputs: impl Iterator<Item = &'a [f32]>,
        batch: &Batch,
        output_biases: &[f32],
    ) {
        let buckets = &batch.output_buckets()[self.samples.clone()];
        let biases = buckets
            .iter()
            .map(|&bucket| output_biases[usize::from(bucket)]);
        self.outputs.clear();
        self.outputs.extend(biases);
        for outputs in tile_outputs {
            for (sum, output) in self.outputs.iter_mut().zip(outputs) {
                *sum += output;
            }
        }
    }

    /// Compares outputs and targets. The loss that the slopes are of is the sum over `divisor`.
    fn compare(&mut self, loss: Loss, batch: &Batch, divisor: usize) {
        self.loss = 0.0;
        self.bias_slopes.fill(0.0);
        self.slopes.clear();
        let targets = &batch.targets()[self.samples.clone()];
        let buckets = &batch.output_buckets()[self.samples.clone()];
        for ((&output, &target), &bucket) in self.outputs.iter().zip(targets).zip(buckets) {
            let (miss, slope) = loss.with_slope(output, target);
            let slope = slope / divisor as f64;
            self.loss += miss;
            self.bias_slopes[usize::from(bucket)] += slope;
            self.slopes.push(slope as f32);
        }
    }
}

impl Pass {
    pub(super) fn new(shape: Shape, architecture: &Architecture, loss: Loss) -> Self {
        let blocks = shape.slice_len().div_ceil(RowOrder::SAMPLES);
        let slice = Slice {
            bias_slopes: vec![0.0; architecture.output_buckets()],
            orders: vec![RowOrder::new(architecture.inputs()); blocks],
            ..Slice::default()
        };
        let cells = (0..shape.tiles() * shape.slices()).map(|_| Cell::default());
        Self {
            shape,
            activation: architecture.activation(),
            loss,
            slices: vec![slice; shape.slices()],
            cells: cells.collect(),
            output_bias_gradients: vec![0.0; architecture.output_buckets()],
            instructions: InstructionSet::detect(),
        }
    }

    #[cfg(test)]
    pub(super) const fn set_instructions(&mut self, instructions: InstructionSet) {
        self.instructions = instructions;
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
            self.sort(batch);
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
        let (slices, instructions) = (&self.slices, self.instructions);
        let activation = self.activation;
        let cells = self.cells.par_iter_mut().enumerate();
        cells.for_each(|(number, cell)| {
            let work = work(tiles, batch, slices, activation, number);
            instructions.run(Forward { cell, work });
        });
        let (cells, slice_count) = (&self.cells, self.slices.len());
        let slices = self.slices.par_iter_mut().enumerate();
        slices.for_each(|(number, slice)| {
            let of_slice = cells.iter().skip(number).step_by(slice_count);
            let outputs = of_slice.map(|cell| cell.outputs.as_slice());
            slice.sum(outputs, batch, &tiles.output_biases);
        });
    }

    /// Puts the men of the samples that went forward last in the order of rows.
    fn sort(&mut self, batch: &Batch) {
        self.slices.par_iter_mut().for_each(|slice| {
            let (samples, orders) = (&slice.samples, slice.orders.par_iter_mut());
            orders.enumerate().for_each(|(block, order)| {
                let at = |block: usize| samples.end.min(samples.start + block * RowOrder::SAMPLES);
                order.sort(batch.inputs(), at(block)..at(block + 1));
            });
        });
    }

    /// The sum of the losses of the samples that went forward last.
    fn compare(&mut self, batch: &Batch, divisor: usize) -> f64 {
        let loss = self.loss;
        self.slices.par_iter_mut().for_each(|slice| {
            slice.compare(loss, batch, divisor);
        });
        self.slices.iter().map(|slice| slice.loss).sum()
    }

    /// Adds the gradient of the samples that went forward last. A `fresh` pass forgets what was there
    /// before.
    fn backward(&mut self, tiles: &Tiles, batch: &Batch, fresh: bool) {
        let (slices, instructions) = (&self.slices, self.instructions);
        let activation = self.activation;
        let cells = self.cells.par_iter_mut().enumerate();
        cells.for_each(|(number, cell)| {
            let slice = &slices[number % slices.len()];
            let work = work(tiles, batch, slices, activation, number);
            instructions.run(Backward {
                cell,
                work,
                slopes: &slice.slopes,
                orders: &slice.orders,
                fresh,
            });
        });
        if fresh {
            self.output_bias_gradients.fill(0.0);
        }
        for slice in slices {
            let sums = self.output_bias_gradients.iter_mut();
            for (sum, slope) in sums.zip(&slice.bias_slopes) {
                *sum += slope;
            }
        }
    }

    /// Sums the gradients of the slices, in their order, and steps every parameter.
    pub(super) fn step(&self, tiles: &mut Tiles, optimizer: &mut Adam, options: &StepOptions) {
        let step = optimizer.next_step(options);
        optimizer.step_output_biases(step, &mut tiles.output_biases, &self.output_bias_gradients);
        let of_tiles = self.cells.par_chunks(self.slices.len());
        let moments = optimizer.means.tiles.par_iter_mut();
        let moments = moments.zip(&mut optimizer.squares.tiles);
        let tiles = tiles.tiles.par_iter_mut().zip(moments);
        tiles
            .zip(of_tiles)
            .for_each(|((tile, (means, squares)), cells)| {
                self.step_tile(step, tile, (&mut means.values, &mut squares.values), cells);
                tile.fold();
            });
    }

    fn step_tile(
        &self,
        step: Step,
        tile: &mut Tile,
        (mut means, mut squares): (&mut [Lane], &mut [Lane]),
        cells: &[Cell],
    ) {
        let mut values = tile.values.as_mut_slice();
        let regions = Region::all(tile.rows, tile.lanes).map(|region| {
            let len = ..region.len;
            let lanes = [
                values.split_off_mut(len).unwrap_or_default(),
                means.split_off_mut(len).unwrap_or_default(),
                squares.split_off_mut(len).unwrap_or_default(),
            ];
            (region, lanes)
        });
        regions.into_par_iter().for_each(|(region, lanes)| {
            let [values, means, squares] = lanes.map(|lanes| lanes.par_chunks_mut(STEP_LEN));
            let chunks = values.zip(means).zip(squares).enumerate();
            chunks.for_each(|(chunk, ((values, means), squares))| {
                self.instructions.run(StepLanes {
                    step: step.limited(region.limit_share),
                    values,
                    means,
                    squares,
                    cells,
                    gradients: Gradients {
                        first: region.gradients.first + chunk * STEP_LEN,
                        ..region.gradients
                    },
                });
            });
        });
    }

    /// The gradient of every parameter, laid out like the parameters.
    #[cfg(test)]
    pub(super) fn summed_gradient(&self, tiles: &Tiles) -> Tiles {
        let mut gradient = tiles.zero();
        let sums = self.output_bias_gradients.iter();
        gradient.output_biases = sums.map(|&sum| sum as f32).collect();
        let of_tiles = self.cells.chunks(self.slices.len());
        for (tile, cells) in gradient.tiles.iter_mut().zip(of_tiles) {
            let mut values = tile.values.iter_mut();
            for region in Region::all(tile.rows, tile.lanes) {
                for (index, value) in values.by_ref().take(region.len).enumerate() {
                    *value = super::kernels::sum(cells, region.gradients, index);
                }
            }
        }
        gradient
    }
}

/// How many lanes one task steps.
const STEP_LEN: usize = 512;

/// What is to be done in cell `number`.
fn work<'a>(
    tiles: &'a Tiles,
    batch: &'a Batch,
    slices: &'a [Slice],
    activation: Activation,
    number: usize,
) -> Work<'a> {
    Work {
        tile: &tiles.tiles[number / slices.len()],
        activation,
        batch,
        samples: slices[number % slices.len()].samples.clone(),
    }
}

/// Neighbouring parameters of a tile that are stepped alike.
#[derive(Clone, Copy, Debug)]
struct Region {
    /// In lanes.
    len: usize,
    gradients: Gradients,
    /// How much of the weight limit they have: where two rows add up, each has half.
    limit_share: f32,
}

impl Region {
    /// The regions of a tile in their order: inputs, the factoriser, biases and output weights.
    fn all(rows: Rows, lanes: usize) -> [Self; 3] {
        let inputs = rows.inputs() * lanes;
        let shared = Rows::INPUTS_PER_BUCKET * lanes;
        let factoriser = if rows.has_factoriser() { shared } else { 0 };
        let share = if rows.has_factoriser() { 0.5 } else { 1.0 };
        let rest = rows.bias() * lanes;
        let region = |len, first, limit_share| Self {
            len,
            gradients: Gradients {
                first,
                stride: shared,
                count: 1,
            },
            limit_share,
        };
        let mut factoriser = region(factoriser, 0, share);
        factoriser.gradients.count = inputs / shared;
        [
            region(inputs, 0, share),
            factoriser,
            region(rows.count() * lanes - rest, rest, 1.0),
        ]
    }
}
