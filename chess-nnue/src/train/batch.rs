//! Samples made ready for a backend.

use core::ops::Range;
use std::vec::Vec;

use chess_records::{Dataset, Labelled};
use rayon::prelude::*;

use super::inputs::{Inputs, Man, fill};
use super::target::{SampleError, Targets};
use crate::Architecture;

/// Samples fetched together, with their numbers in the dataset.
#[derive(Clone, Debug)]
pub(crate) struct Samples<S> {
    pub(crate) indices: Vec<u64>,
    pub(crate) samples: Vec<S>,
}

/// What a backend needs to know of samples: the inputs that are on, the targets, and which output
/// counts. It refers to no dataset and may be made in any thread.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Batch {
    inputs: Inputs,
    targets: Vec<f32>,
    output_buckets: Vec<u8>,
}

/// A batch and the samples it was made of.
#[derive(Debug)]
pub(crate) struct Fetched<S> {
    chunks: Vec<Samples<S>>,
    batch: Batch,
}

impl<S: Labelled + Send + Sync> Fetched<S> {
    /// How many samples a thread fetches at once.
    const CHUNK: u64 = 512;

    pub(crate) const fn new() -> Self {
        Self {
            chunks: Vec::new(),
            batch: Batch::new(),
        }
    }

    pub(crate) const fn batch(&self) -> &Batch {
        &self.batch
    }

    /// The samples with their numbers in the dataset.
    pub(crate) fn samples(&self) -> impl Iterator<Item = (u64, &S)> {
        self.chunks
            .iter()
            .flat_map(|chunk| chunk.indices.iter().copied().zip(&chunk.samples))
    }

    /// Fetches the samples with these numbers, on the threads of the pool that calls.
    ///
    /// # Errors
    ///
    /// As [`Samples::fetch`] and [`Batch::load`]; of several faults the first is told.
    pub(crate) fn fetch<D>(
        &mut self,
        dataset: &D,
        positions: Range<u64>,
        targets: &Targets,
        architecture: &Architecture,
    ) -> Result<(), SampleError>
    where
        D: Dataset<Batch = Vec<S>> + ?Sized,
    {
        let chunks = (positions.end - positions.start).div_ceil(Self::CHUNK);
        self.chunks.resize_with(chunks as usize, Samples::new);
        let chunks = self.chunks.par_iter_mut().enumerate();
        let fetched = chunks.map(|(number, chunk)| {
            let start = positions.start + number as u64 * Self::CHUNK;
            let end = positions.end.min(start + Self::CHUNK);
            chunk.fetch(dataset, start..end)
        });
        // Collected first: of several faults the one reported is that of the first chunk.
        let fetched: Vec<_> = fetched.collect();
        fetched.into_iter().collect::<Result<(), _>>()?;
        self.batch.load_chunks(&self.chunks, targets, architecture)
    }
}

impl<S> Samples<S> {
    pub(crate) const fn new() -> Self {
        Self {
            indices: Vec::new(),
            samples: Vec::new(),
        }
    }
}

impl<S: Labelled> Samples<S> {
    /// Fetches the samples with these numbers in place of the present ones.
    ///
    /// # Errors
    ///
    /// When the dataset cannot fetch them, or fetches another number of samples than it was asked for.
    pub(crate) fn fetch<D>(
        &mut self,
        dataset: &D,
        indices: impl Iterator<Item = u64>,
    ) -> Result<(), SampleError>
    where
        D: Dataset<Batch = Vec<S>> + ?Sized,
    {
        self.samples.clear();
        self.indices.clear();
        self.indices.extend(indices);
        if self.indices.is_empty() {
            return Ok(());
        }
        dataset.gather(&self.indices, &mut self.samples)?;
        let (expected, found) = (self.indices.len(), self.samples.len());
        if expected != found {
            return Err(SampleError::Count { expected, found });
        }
        Ok(())
    }
}

impl Batch {
    pub(crate) const fn new() -> Self {
        Self {
            inputs: Inputs::new(),
            targets: Vec::new(),
            output_buckets: Vec::new(),
        }
    }

    /// How many samples there are.
    pub(crate) fn len(&self) -> usize {
        self.targets.len()
    }

    pub(crate) const fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// The expected points of each side to move.
    pub(crate) fn targets(&self) -> &[f32] {
        &self.targets
    }

    pub(super) fn targets_mut(&mut self) -> &mut [f32] {
        &mut self.targets
    }

    /// Which output counts for each sample.
    pub(crate) fn output_buckets(&self) -> &[u8] {
        &self.output_buckets
    }

    /// Takes these samples in place of the present ones, on the caller's thread.
    ///
    /// # Errors
    ///
    /// [`SampleError::Target`] names the first sample whose label gives no target. The batch then
    /// holds nothing to rely on.
    pub(crate) fn load<S: Labelled>(
        &mut self,
        samples: &Samples<S>,
        targets: &Targets,
        architecture: &Architecture,
    ) -> Result<(), SampleError> {
        let mut faults = self
            .cut(core::slice::from_ref(samples))
            .into_iter()
            .map(|share| share.fill(targets, architecture));
        faults.try_for_each(|fault| fault)
    }

    /// Takes the samples of all chunks, in their order, in place of the present ones, on the threads
    /// of the pool that calls.
    ///
    /// # Errors
    ///
    /// As [`Batch::load`].
    pub(crate) fn load_chunks<S: Labelled + Sync>(
        &mut self,
        chunks: &[Samples<S>],
        targets: &Targets,
        architecture: &Architecture,
    ) -> Result<(), SampleError> {
        let shares = self.cut(chunks).into_par_iter();
        let faults = shares.map(|share| share.fill(targets, architecture));
        // Collected first: of several faults the one reported is that of the first chunk.
        let faults: Vec<_> = faults.collect();
        faults.into_iter().collect()
    }

    /// Makes room for the samples, and cuts it by the chunk.
    fn cut<'a, S: Labelled>(&'a mut self, chunks: &'a [Samples<S>]) -> Vec<Share<'a, S>> {
        let samples = chunks.iter().flat_map(|chunk| &chunk.samples);
        let len = chunks.iter().map(|chunk| chunk.samples.len()).sum();
        self.targets.resize(len, 0.0);
        self.output_buckets.resize(len, 0);
        let men = samples.map(|sample| sample.placement().men() as usize);
        let (mut men, mut ends) = self.inputs.resize(men);
        let mut targets = self.targets.as_mut_slice();
        let mut output_buckets = self.output_buckets.as_mut_slice();
        let mut start = 0;
        let shares = chunks.iter().map(|chunk| {
            let len = chunk.samples.len();
            let ends = ends.split_off(..len).unwrap_or_default();
            let end = ends.last().map_or(start, |&end| end as usize);
            let men_len = end - core::mem::replace(&mut start, end);
            Share {
                samples: chunk,
                men: men.split_off_mut(..men_len).unwrap_or_default(),
                targets: targets.split_off_mut(..len).unwrap_or_default(),
                output_buckets: output_buckets.split_off_mut(..len).unwrap_or_default(),
            }
        });
        shares.collect()
    }
}

/// A chunk of samples and its place in a batch.
struct Share<'a, S> {
    samples: &'a Samples<S>,
    men: &'a mut [Man],
    targets: &'a mut [f32],
    output_buckets: &'a mut [u8],
}

impl<S: Labelled> Share<'_, S> {
    fn fill(mut self, targets: &Targets, architecture: &Architecture) -> Result<(), SampleError> {
        let Samples { samples, indices } = self.samples;
        targets.fill(samples, self.targets).map_err(|(i, source)| {
            let index = indices[i];
            SampleError::Target { index, source }
        })?;
        for (sample, output_bucket) in samples.iter().zip(self.output_buckets) {
            let (mover, placement) = (sample.side_to_move(), sample.placement());
            *output_bucket = architecture.output_bucket(&placement) as u8;
            let men = self.men.split_off_mut(..placement.men() as usize);
            fill(men.unwrap_or_default(), mover, &placement, architecture);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::train_common::{Positions, random_positions};
    use chess_records::{Board, LabelledPosition};
    use std::string::ToString;

    fn samples(positions: &Positions, indices: Range<u64>) -> Samples<LabelledPosition> {
        let mut samples = Samples::new();
        samples.fetch(positions, indices).unwrap();
        samples
    }

    #[test]
    fn chunks_make_the_same_batch_as_one() {
        let positions = random_positions(100, 1);
        let targets = Targets::new(200, 0.25).unwrap();
        let architecture = Architecture::new(16).unwrap();
        let architecture = architecture.with_output_buckets(8).unwrap();
        let mut whole = Batch::new();
        let all = samples(&positions, 0..100);
        whole.load(&all, &targets, &architecture).unwrap();
        assert_eq!((whole.len(), whole.inputs().len()), (100, 100));
        let chunks = [0..33, 33..33, 33..99, 99..100].map(|range| samples(&positions, range));
        let mut joined = whole.clone();
        joined
            .load_chunks(&chunks, &targets, &architecture)
            .unwrap();
        assert_eq!(joined, whole);

        let men = all.samples.iter().map(|sample| sample.placement().men());
        assert_eq!(whole.inputs().men().len() as u32, men.clone().sum::<u32>());
        assert_eq!(whole.inputs().ends().len(), 100);
        let buckets = men.map(|men| ((men - 2) / 4) as u8);
        assert!(buckets.eq(whole.output_buckets().iter().copied()));
    }

    #[test]
    fn a_fault_is_that_of_the_first_sample_that_has_one() {
        let mut positions = random_positions(100, 1);
        for index in [40, 41, 99] {
            positions.0[index].label.score = None;
        }
        let targets = Targets::new(200, 0.25).unwrap();
        let architecture = Architecture::new(16).unwrap();
        let chunks = [0..50, 50..100].map(|range| samples(&positions, range));
        let mut batch = Batch::new();
        let error = batch.load(&chunks[0], &targets, &architecture);
        assert_eq!(error.unwrap_err().to_string(), "sample 40");
        let error = batch.load_chunks(&chunks, &targets, &architecture);
        assert_eq!(error.unwrap_err().to_string(), "sample 40");
        let error = batch.load(&chunks[1], &targets, &architecture);
        assert_eq!(error.unwrap_err().to_string(), "sample 99");
    }
}
