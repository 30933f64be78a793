//! Samples through the network and back, on every thread of the pool that calls.

use core::ops::Range;
use std::vec::Vec;

use chess_records::{Dataset, Labelled};
use rayon::prelude::*;

use super::inputs::Inputs;
use super::kernels::Cell;
use super::lane::Lane;
use super::optimizer::AdamW;
use super::order::Order;
use super::shape::Shape;
use super::sigmoid::sigmoid;
use super::target::{SampleError, Targets};
use super::tiles::Tiles;
use crate::Activation;

/// The samples of one slice and what the network says of them.
#[derive(Debug)]
pub(super) struct Slice<S> {
    pub(super) indices: Vec<u64>,
    pub(super) samples: Vec<S>,
    inputs: Inputs,
    pub(super) targets: Vec<f32>,
    pub(super) outputs: Vec<f32>,
    /// How much the batch's loss rises with each output.
    slopes: Vec<f32>,
    /// The sum of the samples' losses.
    loss: f64,
    /// The gradient of the output bias.
    slope: f64,
}

/// The buffers for one part of a batch: slices, and a cell for every tile and slice.
#[derive(Debug)]
pub(super) struct Pass<S> {
    shape: Shape,
    activation: Activation,
    slices: Vec<Slice<S>>,
    /// All slices of the first tile, then of the next.
    cells: Vec<Cell>,
    /// The gradient of the output bias.
    output_bias_gradient: f64,
}

impl<S> Slice<S> {
    fn new() -> Self {
        Self {
            indices: Vec::new(),
            samples: Vec::new(),
            inputs: Inputs::new(),
            targets: Vec::new(),
            outputs: Vec::new(),
            slopes: Vec::new(),
            loss: 0.0,
            slope: 0.0,
        }
    }
}

impl<S: Labelled> Slice<S> {
    fn load<D>(
        &mut self,
        dataset: &D,
        indices: impl Iterator<Item = u64>,
        targets: &Targets,
    ) -> Result<(), SampleError>
    where
        D: Dataset<Batch = Vec<S>> + ?Sized,
    {
        self.indices.clear();
        self.indices.extend(indices);
        self.inputs.clear();
        self.targets.clear();
        self.samples.clear();
        if self.indices.is_empty() {
            return Ok(());
        }
        dataset.gather(&self.indices, &mut self.samples)?;
        self.check_count()?;
        for (sample, &index) in self.samples.iter().zip(&self.indices) {
            let target = targets.target(sample.label(), sample.side_to_move());
            let target = target.map_err(|source| SampleError::Target { index, source })?;
            self.targets.push(target);
            self.inputs.push(sample);
        }
        Ok(())
    }

    fn check_count(&self) -> Result<(), SampleError> {
        let (expected, found) = (self.indices.len(), self.samples.len());
        if expected != found {
            return Err(SampleError::Count { expected, found });
        }
        Ok(())
    }
}

impl<S> Slice<S> {
    /// Sums the tiles' outputs, in their order, and compares with the targets. The loss that the
    /// slopes are of is the mean over `batch_len` samples.
    fn compare<'a>(
        &mut self,
        tile_outputs: impl Iterator<Item = &'a [f32]>,
        output_bias: f32,
        batch_len: usize,
    ) {
        self.outputs.clear();
        self.outputs.resize(self.targets.len(), output_bias);
        for outputs in tile_outputs {
            for (sum, output) in self.outputs.iter_mut().zip(outputs) {
                *sum += output;
            }
        }
        (self.loss, self.slope) = (0.0, 0.0);
        self.slopes.clear();
        for (&output, &target) in self.outputs.iter().zip(&self.targets) {
            let expected = sigmoid(f64::from(output));
            let miss = expected - f64::from(target);
            let slope = 2.0 * miss * expected * (1.0 - expected) / batch_len as f64;
            self.loss += miss * miss;
            self.slope += slope;
            self.slopes.push(slope as f32);
        }
    }
}

impl<S: Labelled + Send + Sync> Pass<S> {
    pub(super) fn new(shape: Shape, activation: Activation) -> Self {
        Self {
            shape,
            activation,
            slices: (0..shape.slices()).map(|_| Slice::new()).collect(),
            cells: (0..shape.tiles() * shape.slices())
                .map(|_| Cell::default())
                .collect(),
            output_bias_gradient: 0.0,
        }
    }

    pub(super) fn slices(&self) -> &[Slice<S>] {
        &self.slices
    }

    /// Passes a batch through the network and back, and gives the sum of its samples' losses. The
    /// gradient of their mean is then ready for [`Pass::step`].
    pub(super) fn batch<D>(
        &mut self,
        tiles: &Tiles,
        dataset: &D,
        (order, positions): (&Order, Range<u64>),
        targets: &Targets,
    ) -> Result<f64, SampleError>
    where
        D: Dataset<Batch = Vec<S>> + ?Sized,
    {
        let batch_len = (positions.end - positions.start) as usize;
        let (mut loss, mut start) = (0.0, positions.start);
        while start < positions.end {
            let end = positions.end.min(start + self.shape.part_len() as u64);
            loss += self.forward(tiles, dataset, (order, start..end), targets, batch_len)?;
            self.backward(tiles, start == positions.start);
            start = end;
        }
        Ok(loss)
    }

    /// Passes the samples at up to [`Shape::part_len`] positions through the network and gives the
    /// sum of their losses. The loss that is to go backward is a mean over `batch_len` samples.
    pub(super) fn forward<D>(
        &mut self,
        tiles: &Tiles,
        dataset: &D,
        (order, positions): (&Order, Range<u64>),
        targets: &Targets,
        batch_len: usize,
    ) -> Result<f64, SampleError>
    where
        D: Dataset<Batch = Vec<S>> + ?Sized,
    {
        self.load(dataset, order, positions, targets)?;
        let (slices, activation) = (&self.slices, self.activation);
        let cells = self.cells.par_iter_mut().enumerate();
        cells.for_each(|(cell, buffers)| {
            let (tile, slice) = (cell / slices.len(), cell % slices.len());
            buffers.forward(&tiles.tiles[tile], activation, &slices[slice].inputs);
        });
        self.compare(tiles.output_bias, batch_len);
        Ok(self.slices.iter().map(|slice| slice.loss).sum())
    }

    fn load<D>(
        &mut self,
        dataset: &D,
        order: &Order,
        positions: Range<u64>,
        targets: &Targets,
    ) -> Result<(), SampleError>
    where
        D: Dataset<Batch = Vec<S>> + ?Sized,
    {
        let slice_len = self.shape.slice_len() as u64;
        let at = |slice: usize| (positions.start + slice as u64 * slice_len).min(positions.end);
        let slices = self.slices.par_iter_mut().enumerate();
        let loaded = slices.map(|(number, slice)| {
            let samples = order.samples(at(number)..at(number + 1));
            slice.load(dataset, samples, targets)
        });
        // Collected first: of several faults the one reported is that of the first slice.
        let loaded: Vec<_> = loaded.collect();
        loaded.into_iter().collect()
    }

    fn compare(&mut self, output_bias: f32, batch_len: usize) {
        let (cells, slice_count) = (&self.cells, self.slices.len());
        let slices = self.slices.par_iter_mut().enumerate();
        slices.for_each(|(number, slice)| {
            let of_slice = cells.iter().skip(number).step_by(slice_count);
            let outputs = of_slice.map(|cell| cell.outputs.as_slice());
            slice.compare(outputs, output_bias, batch_len);
        });
    }

    /// Adds the gradient of the samples that went forward last. The `fresh` pass of a batch, its
    /// first, forgets the batch before.
    fn backward(&mut self, tiles: &Tiles, fresh: bool) {
        let (slices, activation) = (&self.slices, self.activation);
        let cells = self.cells.par_iter_mut().enumerate();
        cells.for_each(|(cell, buffers)| {
            let (tile, slice) = (cell / slices.len(), &slices[cell % slices.len()]);
            let tile = &tiles.tiles[tile];
            buffers.backward(tile, activation, &slice.inputs, &slice.slopes, fresh);
        });
        if fresh {
            self.output_bias_gradient = 0.0;
        }
        self.output_bias_gradient += slices.iter().map(|slice| slice.slope).sum::<f64>();
    }

    /// Sums the gradients of the slices, in their order, and steps every parameter.
    pub(super) fn step(&self, tiles: &mut Tiles, optimizer: &mut AdamW, rate: f64) {
        let step = optimizer.next_step(rate);
        let gradient = self.output_bias_gradient as f32;
        optimizer.step_output_bias(step, &mut tiles.output_bias, gradient);
        let of_tiles = self.cells.par_chunks(self.slices.len());
        let tiles = tiles.tiles.par_iter_mut().zip(&mut optimizer.moments);
        tiles.zip(of_tiles).for_each(|((tile, moments), cells)| {
            let values = tile.values.par_chunks_mut(STEP_LEN).enumerate();
            let means = moments.means.par_chunks_mut(STEP_LEN);
            let squares = moments.squares.par_chunks_mut(STEP_LEN);
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
    pub(super) fn gradient(&self, tiles: &Tiles) -> Tiles {
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
