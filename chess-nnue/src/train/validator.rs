//! How well parameters predict a dataset.

use core::num::NonZeroUsize;
use core::ops::ControlFlow;
use std::sync::Arc;
use std::vec::Vec;

use chess_records::{Dataset, Labelled};
use rayon::ThreadPool;

use super::backend::{Backend, BackendOptions};
use super::batch::Fetched;
use super::config::{ConfigError, thread_pool};
use super::cpu::Cpu;
use super::loss::Loss;
use super::optimizer::Optimizer;
use super::parameters::Parameters;
use super::target::{SampleError, Targets};

/// Passes datasets through networks without changing them, on several threads.
///
/// Sums are in an order of their own: results do not depend on the number of threads.
#[derive(Debug)]
pub struct Validator {
    pool: Arc<ThreadPool>,
    targets: Targets,
    loss: Loss,
}

/// What the parameters say of one sample.
#[derive(Debug)]
#[non_exhaustive]
pub struct Prediction<'a, S> {
    /// The sample's number in the dataset.
    pub index: u64,
    /// The sample.
    pub sample: &'a S,
    /// The expected points of the side to move by its label.
    pub target: f32,
    /// The network's output, the logit of the expected points of the side to move; times the eval
    /// scale it is in centipawns.
    pub output: f32,
}

impl Validator {
    /// How many samples are passed through at once.
    const PART_LEN: u64 = 16_384;

    /// A validator for these targets. `threads` of `None` means one thread per processor.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Threads`] when the threads cannot be started.
    pub fn new(targets: Targets, threads: Option<NonZeroUsize>) -> Result<Self, ConfigError> {
        let pool = thread_pool(threads)?;
        Ok(Self::with_pool(targets, Loss::SQUARED, Arc::new(pool)))
    }

    /// This validator with another loss than the squared miss.
    #[must_use]
    pub const fn with_loss(mut self, loss: Loss) -> Self {
        self.loss = loss;
        self
    }

    pub(super) const fn with_pool(targets: Targets, loss: Loss, pool: Arc<ThreadPool>) -> Self {
        Self {
            pool,
            targets,
            loss,
        }
    }

    pub(super) const fn pool(&self) -> &Arc<ThreadPool> {
        &self.pool
    }

    /// How labels become targets.
    #[must_use]
    pub const fn targets(&self) -> &Targets {
        &self.targets
    }

    /// The mean loss of the samples, (σ(output) − target)² unless [`Validator::with_loss`] said
    /// otherwise.
    ///
    /// # Errors
    ///
    /// When there are no samples, they cannot be fetched, or a label lacks what the targets need.
    pub fn loss<D, S>(&self, parameters: &Parameters, dataset: &D) -> Result<f64, SampleError>
    where
        D: Dataset<Batch = Vec<S>> + ?Sized,
        S: Labelled + Send + Sync,
    {
        self.predict(parameters, dataset, |_| ControlFlow::Continue(()))
    }

    /// Shows `each` what the parameters say of every sample, in the dataset's order and on the
    /// caller's thread, and gives the mean loss of the samples shown. `each` may stop it: the part of
    /// the dataset in work, up to 16,384 samples, still counts in the loss.
    ///
    /// # Errors
    ///
    /// As [`Validator::loss`].
    pub fn predict<D, S>(
        &self,
        parameters: &Parameters,
        dataset: &D,
        mut each: impl FnMut(Prediction<'_, S>) -> ControlFlow<()>,
    ) -> Result<f64, SampleError>
    where
        D: Dataset<Batch = Vec<S>> + ?Sized,
        S: Labelled + Send + Sync,
    {
        if dataset.is_empty() {
            return Err(SampleError::Empty);
        }
        let options = BackendOptions {
            batch_size: Self::PART_LEN as usize,
            optimizer: Optimizer::AdamW,
            loss: self.loss,
        };
        let mut backend = Cpu::new(parameters, options, Arc::clone(&self.pool));
        let mut part = Fetched::new();
        let (mut loss, mut start) = (0.0, 0);
        while start < dataset.len() {
            let end = dataset.len().min(start + Self::PART_LEN);
            self.pool.install(|| {
                part.fetch(
                    dataset,
                    start..end,
                    &self.targets,
                    parameters.architecture(),
                )
            })?;
            let outputs = backend.outputs(part.batch());
            loss += sum_of_losses(self.loss, part.batch().targets(), &outputs);
            start = end;
            if predictions(&part, &outputs)
                .try_for_each(&mut each)
                .is_break()
            {
                break;
            }
        }
        Ok(loss / start as f64)
    }
}

fn sum_of_losses(loss: Loss, targets: &[f32], outputs: &[f32]) -> f64 {
    let pairs = targets.iter().zip(outputs);
    pairs
        .map(|(&target, &output)| loss.loss(output, target))
        .sum()
}

fn predictions<'a, S: Labelled + Send + Sync>(
    part: &'a Fetched<S>,
    outputs: &'a [f32],
) -> impl Iterator<Item = Prediction<'a, S>> {
    let labels = part.batch().targets().iter().zip(outputs);
    let samples = part.samples().zip(labels);
    samples.map(|((index, sample), (&target, &output))| Prediction {
        index,
        sample,
        target,
        output,
    })
}
