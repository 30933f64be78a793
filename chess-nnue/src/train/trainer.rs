//! The training run.

use core::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::vec::Vec;

use chess_records::{Dataset, Labelled};
use thiserror::Error;

use super::backend::{Backend, BackendOptions};
use super::batch::Fetched;
use super::config::{ConfigError, TrainConfig, thread_pool};
use super::cpu::Cpu;
use super::optimizer::{OptimizerState, StepOptions};
use super::order::Order;
use super::parameters::Parameters;
use super::schedule::learning_rate;
use super::target::SampleError;
use super::validator::Validator;

/// Trains a network on a dataset, by AdamW on the mean of (σ(output) − target)².
///
/// The same configuration and the same datasets give the same parameters, bit by bit, on any number
/// of threads: the work of a batch is cut up by the network's and the batch's size alone, and every
/// sum is in a fixed order of plain additions and multiplications.
#[derive(Debug)]
pub struct Trainer {
    config: TrainConfig,
    validator: Validator,
    backend: Cpu,
}

/// What happens in a run. Epochs and batches are numbered from 1.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A step was made.
    Batch {
        /// The epoch.
        epoch: u32,
        /// The batch in the epoch.
        batch: u64,
        /// How many batches an epoch has.
        batches: u64,
        /// How many samples this run has learnt from so far.
        records: u64,
        /// The mean training loss of this epoch so far.
        training_loss: f64,
    },
    /// Every sample was learnt from once more.
    Epoch {
        /// The epoch.
        epoch: u32,
        /// How many there are to be.
        epochs: u32,
        /// The learning rate it was made with.
        learning_rate: f64,
        /// How many samples this run has learnt from so far.
        records: u64,
        /// The mean training loss over the epoch, each sample's from before the step it was in.
        training_loss: f64,
        /// The mean loss on the validation set, after the epoch.
        validation_loss: f64,
        /// The parameters after the epoch.
        parameters: &'a Parameters,
    },
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// The parameters at the end.
    pub parameters: Parameters,
    /// How many epochs were completed.
    pub epochs: u32,
    /// How many samples were learnt from.
    pub records: u64,
    /// The validation loss after the last completed epoch, if one was completed.
    pub validation_loss: Option<f64>,
    /// Whether the caller stopped it before the last epoch was over.
    pub stopped: bool,
}

/// Why a run failed. The trainer's parameters are then those before the step that failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TrainError {
    /// The samples to learn from.
    #[error("training set")]
    Training {
        /// What is wrong with them.
        source: SampleError,
    },
    /// The samples held out.
    #[error("validation set")]
    Validation {
        /// What is wrong with them.
        source: SampleError,
    },
    /// A batch's loss is NaN or infinite.
    #[error("the loss of batch {batch} in epoch {epoch} is {loss}")]
    NotFinite {
        /// The epoch, from 1.
        epoch: u32,
        /// The batch in the epoch, from 1.
        batch: u64,
        /// The loss.
        loss: f64,
    },
    /// The validation loss is NaN or infinite.
    #[error("the validation loss after epoch {epoch} is {loss}")]
    ValidationNotFinite {
        /// The epoch, from 1.
        epoch: u32,
        /// The loss.
        loss: f64,
    },
}

impl Trainer {
    /// A trainer that starts from random parameters.
    ///
    /// # Errors
    ///
    /// When a value of the configuration is out of range, the architecture is one that cannot be
    /// trained, or the threads cannot be started.
    pub fn new(config: TrainConfig) -> Result<Self, ConfigError> {
        config.check()?;
        let mut parameters = Parameters::random(&config.architecture, config.seed);
        if config.factoriser {
            parameters = parameters.with_factoriser();
        }
        Self::with_parameters(config, &parameters)
    }

    /// A trainer that starts from these parameters.
    ///
    /// # Errors
    ///
    /// As [`Trainer::new`], and [`ConfigError::Architecture`] for parameters of another architecture
    /// than the configuration's.
    pub fn with_parameters(
        config: TrainConfig,
        parameters: &Parameters,
    ) -> Result<Self, ConfigError> {
        config.check()?;
        if *parameters.architecture() != config.architecture {
            return Err(ConfigError::Architecture);
        }
        let pool = Arc::new(thread_pool(config.threads)?);
        let options = BackendOptions {
            batch_size: config.batch_size.min(MAX_FETCHED as usize),
            optimizer: config.optimizer,
            loss: config.loss,
        };
        Ok(Self {
            validator: Validator::with_pool(config.targets()?, config.loss, Arc::clone(&pool)),
            backend: Cpu::new(parameters, options, pool),
            config,
        })
    }

    /// What the runs are like.
    #[must_use]
    pub const fn config(&self) -> &TrainConfig {
        &self.config
    }

    /// The validator of the runs, with the same targets and threads.
    #[must_use]
    pub const fn validator(&self) -> &Validator {
        &self.validator
    }

    /// The parameters as they are now.
    #[must_use]
    pub fn parameters(&self) -> Parameters {
        self.backend.parameters()
    }

    /// Trains for the configured epochs, from the parameters as they are now, with a fresh optimizer.
    /// `on_event` is called, on the caller's thread, after every batch and every epoch; it may stop
    /// the run.
    ///
    /// # Errors
    ///
    /// When a dataset is empty, cannot fetch its samples or has a label that gives no target, and when
    /// a loss is not finite.
    pub fn run<D, V, S>(
        &mut self,
        training: &D,
        validation: &V,
        on_event: impl FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> Result<Outcome, TrainError>
    where
        D: Dataset<Batch = Vec<S>> + ?Sized,
        V: Dataset<Batch = Vec<S>> + ?Sized,
        S: Labelled + Send + Sync,
    {
        check_not_empty(training).map_err(|source| TrainError::Training { source })?;
        check_not_empty(validation).map_err(|source| TrainError::Validation { source })?;
        let fresh = OptimizerState::new(self.parameters().weights());
        self.backend.restore(&fresh);
        let mut run = Run {
            fetched: Fetched::new(),
            trainer: self,
            training,
            on_event,
            records: 0,
        };
        run.epochs(validation)
    }
}

fn check_not_empty<D: Dataset + ?Sized>(dataset: &D) -> Result<(), SampleError> {
    if dataset.is_empty() {
        return Err(SampleError::Empty);
    }
    Ok(())
}

/// A run while it lasts.
struct Run<'a, D: ?Sized, S, F> {
    trainer: &'a mut Trainer,
    training: &'a D,
    on_event: F,
    fetched: Fetched<S>,
    /// Samples learnt from so far.
    records: u64,
}

impl<D, S, F> Run<'_, D, S, F>
where
    D: Dataset<Batch = Vec<S>> + ?Sized,
    S: Labelled + Send + Sync,
    F: FnMut(Event<'_>) -> ControlFlow<()>,
{
    fn epochs<V>(&mut self, validation: &V) -> Result<Outcome, TrainError>
    where
        V: Dataset<Batch = Vec<S>> + ?Sized,
    {
        let epochs = self.trainer.config.epochs;
        let (mut completed, mut last_loss) = (0, None);
        let mut stopped = false;
        while completed < epochs && !stopped {
            let epoch = completed + 1;
            let rate = learning_rate(self.trainer.config.learning_rate, epoch, epochs);
            let ControlFlow::Continue(training_loss) = self.epoch(epoch, rate)? else {
                stopped = true;
                break;
            };
            let parameters = self.trainer.parameters();
            let validation_loss = self.validate(&parameters, validation, epoch)?;
            (completed, last_loss) = (epoch, Some(validation_loss));
            let event = Event::Epoch {
                epoch,
                epochs,
                learning_rate: rate,
                records: self.records,
                training_loss,
                validation_loss,
                parameters: &parameters,
            };
            stopped = (self.on_event)(event).is_break() && epoch < epochs;
        }
        Ok(Outcome {
            parameters: self.trainer.parameters(),
            epochs: completed,
            records: self.records,
            validation_loss: last_loss,
            stopped,
        })
    }

    fn validate<V>(
        &self,
        parameters: &Parameters,
        validation: &V,
        epoch: u32,
    ) -> Result<f64, TrainError>
    where
        V: Dataset<Batch = Vec<S>> + ?Sized,
    {
        let loss = self.trainer.validator.loss(parameters, validation);
        let loss = loss.map_err(|source| TrainError::Validation { source })?;
        if !loss.is_finite() {
            return Err(TrainError::ValidationNotFinite { epoch, loss });
        }
        Ok(loss)
    }

    /// Learns from every sample once and gives the mean loss, unless the caller stops it.
    fn epoch(&mut self, epoch: u32, rate: f64) -> Result<ControlFlow<(), f64>, TrainError> {
        let len = self.training.len();
        let batch_size = self.trainer.config.batch_size as u64;
        let batches = len.div_ceil(batch_size);
        let order = Order::of_epoch(len, self.trainer.config.seed, epoch);
        let (mut loss, mut seen) = (0.0, 0);
        for batch in 1..=batches {
            let positions = seen..len.min(seen + batch_size);
            seen = positions.end;
            let batch_len = positions.end - positions.start;
            let batch_loss = self.gradient(&order, positions);
            let batch_loss = batch_loss.map_err(|source| TrainError::Training { source })?;
            check_loss(epoch, batch, batch_loss / batch_len as f64)?;
            self.step(rate);
            loss += batch_loss;
            self.records += batch_len;
            let event = Event::Batch {
                epoch,
                batch,
                batches,
                records: self.records,
                training_loss: loss / seen as f64,
            };
            if (self.on_event)(event).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(loss / len as f64))
    }

    /// The sum of the losses of a batch; its gradient is then in the backend.
    fn gradient(&mut self, order: &Order, positions: Range<u64>) -> Result<f64, SampleError> {
        let batch_len = (positions.end - positions.start) as usize;
        let (mut loss, mut start) = (0.0, positions.start);
        while start < positions.end {
            let end = positions.end.min(start + MAX_FETCHED);
            self.fetch(order, start..end)?;
            let fresh = start == positions.start;
            let backend = &mut self.trainer.backend;
            loss += backend.gradient(self.fetched.batch(), batch_len, fresh);
            start = end;
        }
        Ok(loss)
    }

    fn fetch(&mut self, order: &Order, positions: Range<u64>) -> Result<(), SampleError> {
        let Trainer {
            validator, config, ..
        } = &*self.trainer;
        let (fetched, work) = (&mut self.fetched, (order, positions));
        validator.pool().install(|| {
            let targets = validator.targets();
            fetched.fetch(self.training, work, targets, &config.architecture)
        })
    }

    fn step(&mut self, rate: f64) {
        let options = StepOptions {
            rate,
            weight_decay: self.trainer.config.weight_decay,
            weight_limit: self.trainer.config.weight_limit,
        };
        self.trainer.backend.step(&options);
    }
}

/// The most samples in memory at once: a larger batch is made of several calls.
const MAX_FETCHED: u64 = 65_536;

fn check_loss(epoch: u32, batch: u64, loss: f64) -> Result<(), TrainError> {
    if !loss.is_finite() {
        return Err(TrainError::NotFinite { epoch, batch, loss });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Architecture;
    use crate::train::train_common::random_positions;
    use std::string::ToString;

    #[test]
    fn a_loss_that_is_no_number_stops_the_run() {
        let mut config = TrainConfig::new(Architecture::new(80).unwrap());
        config.batch_size = 64;
        let mut trainer = Trainer::new(config).unwrap();
        let samples = random_positions(200, 1);
        let mut batches = 0;
        let error = trainer.run(&samples, &samples, |_| {
            batches += 1;
            ControlFlow::Continue(())
        });
        assert!(error.is_ok() && batches == 20 * 5);

        // One hidden value of the last tile, poisoned: it must come through both sums.
        trainer.backend.poison(79);
        let error = trainer.run(&samples, &samples, |_| ControlFlow::Continue(()));
        assert_eq!(
            error.unwrap_err().to_string(),
            "the loss of batch 1 in epoch 1 is NaN"
        );
        let error = TrainError::ValidationNotFinite {
            epoch: 3,
            loss: f64::INFINITY,
        };
        assert_eq!(
            error.to_string(),
            "the validation loss after epoch 3 is inf"
        );
    }
}
