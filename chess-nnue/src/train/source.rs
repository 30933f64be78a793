//! The training set as batches that are ready for a backend.

use core::ops::Range;
use std::vec::Vec;

use chess_records::{Dataset, DatasetError, Labelled};

use super::batch::{Batch, Samples};
use super::config::TrainConfig;
use super::target::{SampleError, TargetError, Targets};
use crate::Architecture;

/// A dataset whose samples come as a [`Prepared`] batch. A loader's threads do all that can be done
/// without the network: fetch, check, number the inputs and work out the targets.
#[derive(Debug)]
pub(super) struct Source<D> {
    dataset: D,
    architecture: Architecture,
    mix: Mix,
}

/// How targets are made.
#[derive(Clone, Copy, Debug)]
enum Mix {
    /// With the same share of the result in every step.
    Constant(Targets),
    /// With a share that depends on the step, which is not known when a batch is made.
    Varying { scores: Targets, results: Targets },
}

/// Samples and what was made of them.
#[derive(Debug)]
pub(super) struct Prepared<S> {
    samples: Samples<S>,
    batch: Batch,
    /// The points of each side to move, where the result's share varies; the batch's targets are then
    /// those of the scores.
    points: Vec<f32>,
    /// Why this is nothing to learn from.
    fault: Option<SampleError>,
}

impl<S> Default for Prepared<S> {
    fn default() -> Self {
        Self {
            samples: Samples::new(),
            batch: Batch::new(),
            points: Vec::new(),
            fault: None,
        }
    }
}

impl<D> Source<D> {
    pub(super) fn new(dataset: D, config: &TrainConfig) -> Result<Self, TargetError> {
        let targets = |share| Targets::new(config.architecture.eval_scale(), share);
        let [first, last] = config.result_weights();
        let mix = match first == last {
            true => Mix::Constant(targets(first)?),
            false => Mix::Varying {
                scores: targets(0.0)?,
                results: targets(1.0)?,
            },
        };
        Ok(Self {
            dataset,
            architecture: config.architecture.clone(),
            mix,
        })
    }

    fn prepare<S>(&self, indices: &[u64], prepared: &mut Prepared<S>) -> Result<(), SampleError>
    where
        D: Dataset<Batch = Vec<S>>,
        S: Labelled,
    {
        let Prepared {
            samples,
            batch,
            points,
            ..
        } = prepared;
        samples.fetch(&self.dataset, indices.iter().copied())?;
        points.clear();
        match &self.mix {
            Mix::Constant(targets) => batch.load(samples, targets, &self.architecture),
            Mix::Varying { scores, results } => {
                batch.load(samples, scores, &self.architecture)?;
                for (sample, &index) in samples.samples.iter().zip(&samples.indices) {
                    let found = results.target(sample.label(), sample.side_to_move());
                    points.push(found.map_err(|source| SampleError::Target { index, source })?);
                }
                Ok(())
            }
        }
    }
}

impl<D, S> Dataset for Source<D>
where
    D: Dataset<Batch = Vec<S>>,
    S: Labelled,
{
    type Batch = Prepared<S>;

    fn len(&self) -> u64 {
        self.dataset.len()
    }

    fn gather(&self, indices: &[u64], prepared: &mut Prepared<S>) -> Result<(), DatasetError> {
        prepared.fault = self.prepare(indices, prepared).err();
        Ok(())
    }

    fn block_count(&self) -> u64 {
        self.dataset.block_count()
    }

    fn block(&self, block: u64) -> Range<u64> {
        self.dataset.block(block)
    }

    fn game_start(&self, index: u64) -> Option<bool> {
        self.dataset.game_start(index)
    }
}

impl<S> Prepared<S> {
    /// The batch with this share of the result in its targets, for the first caller.
    pub(super) fn batch(&mut self, result_weight: f32) -> Result<&Batch, SampleError> {
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        let share = f64::from(result_weight);
        for (target, &points) in self.batch.targets_mut().iter_mut().zip(&self.points) {
            *target = ((1.0 - share) * f64::from(*target) + share * f64::from(points)) as f32;
        }
        self.points.clear();
        Ok(&self.batch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::train_common::random_positions;
    use chess_records::{Board, LabelledPosition};
    use std::string::ToString;

    fn config(last_result_weight: Option<f32>) -> TrainConfig {
        let mut config = TrainConfig::new(Architecture::new(16).unwrap());
        config.last_result_weight = last_result_weight;
        config
    }

    #[test]
    fn targets_are_mixed_when_the_share_is_known() {
        let positions = random_positions(50, 3);
        let indices: Vec<u64> = (0..50).rev().collect();
        for (last, share) in [(None, 0.25), (Some(1.0), 0.5)] {
            let source = Source::new(positions.clone(), &config(last)).unwrap();
            let mut prepared = Prepared::<LabelledPosition>::default();
            source.gather(&indices, &mut prepared).unwrap();
            let targets = Targets::new(400, share).unwrap();
            let batch = prepared.batch(share).unwrap();
            for (sample, found) in positions.0.iter().rev().zip(batch.targets()) {
                let target = targets.target(sample.label, sample.side_to_move());
                assert!((found - target.unwrap()).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn a_share_that_varies_needs_scores_and_results() {
        let fault = |change: fn(&mut LabelledPosition)| {
            let mut positions = random_positions(50, 3);
            change(&mut positions.0[7]);
            let source = Source::new(positions, &config(Some(1.0))).unwrap();
            let mut prepared = Prepared::default();
            source.gather(&[9, 7], &mut prepared).unwrap();
            prepared.batch(0.5).unwrap_err().to_string()
        };
        assert_eq!(fault(|sample| sample.label.score = None), "sample 7");
        assert_eq!(fault(|sample| sample.label.result = None), "sample 7");
    }
}
