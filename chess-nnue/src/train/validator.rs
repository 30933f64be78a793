//! How well parameters predict a dataset.

use core::num::NonZeroUsize;
use core::ops::ControlFlow;
use std::vec::Vec;

use chess_records::{Dataset, Labelled};
use rayon::ThreadPool;

use super::config::{ConfigError, thread_pool};
use super::order::Order;
use super::parameters::Parameters;
use super::pass::Pass;
use super::shape::Shape;
use super::target::{SampleError, Targets};
use super::tiles::Tiles;

/// Passes datasets through networks without changing them, on several threads.
///
/// Sums are in an order of their own: results do not depend on the number of threads.
#[derive(Debug)]
pub struct Validator {
    pool: ThreadPool,
    targets: Targets,
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
    const PART_LEN: usize = 16_384;

    /// A validator for these targets. `threads` of `None` means one thread per processor.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Threads`] when the threads cannot be started.
    pub fn new(targets: Targets, threads: Option<NonZeroUsize>) -> Result<Self, ConfigError> {
        let pool = thread_pool(threads)?;
        Ok(Self::with_pool(targets, pool))
    }

    pub(super) const fn with_pool(targets: Targets, pool: ThreadPool) -> Self {
        Self { pool, targets }
    }

    pub(super) const fn pool(&self) -> &ThreadPool {
        &self.pool
    }

    /// How labels become targets.
    #[must_use]
    pub const fn targets(&self) -> &Targets {
        &self.targets
    }

    /// The mean of (σ(output) − target)² over the samples.
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
        let architecture = parameters.architecture();
        let shape = Shape::new(architecture.hidden(), Self::PART_LEN);
        let tiles = Tiles::new(parameters, shape);
        let mut pass = Pass::new(shape, architecture.activation());
        let (mut loss, mut start) = (0.0, 0);
        while start < dataset.len() {
            let end = dataset.len().min(start + shape.part_len() as u64);
            let work = (&Order::Stored, start..end);
            loss += self
                .pool
                .install(|| pass.forward(&tiles, dataset, work, &self.targets, 1))?;
            start = end;
            if predictions(&pass).try_for_each(&mut each).is_break() {
                break;
            }
        }
        Ok(loss / start as f64)
    }
}

fn predictions<S: Labelled + Send + Sync>(
    pass: &Pass<S>,
) -> impl Iterator<Item = Prediction<'_, S>> {
    pass.slices().iter().flat_map(|slice| {
        let labels = slice.targets.iter().zip(&slice.outputs);
        let samples = slice.indices.iter().zip(&slice.samples);
        samples
            .zip(labels)
            .map(|((&index, sample), (&target, &output))| Prediction {
                index,
                sample,
                target,
                output,
            })
    })
}
