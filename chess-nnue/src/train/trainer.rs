//! The trainer and what it says.

use core::ops::ControlFlow;
use std::boxed::Box;
use std::string::String;
use std::sync::Arc;
use std::vec::Vec;

use chess_records::{Dataset, Labelled, LoaderConfigError};
use rayon::ThreadPool;
use thiserror::Error;

#[cfg(not(feature = "gpu"))]
use super::backend::BackendError;
use super::backend::{Backend, BackendOptions, Timings};
use super::checkpoint::{Best, Checkpoint, ResumeError};
use super::config::{ConfigError, TrainConfig, thread_pool};
use super::cpu::Cpu;
use super::device::Device;
use super::eval_scale::EvalScaleError;
use super::optimizer::OptimizerState;
use super::parameters::Parameters;
use super::run::Run;
use super::run_folder::DamagedCheckpoint;
use super::target::SampleError;
use super::validator::Validator;

/// Trains a network on a dataset, by the configuration's optimizer on the mean of its loss: unless
/// it says otherwise by AdamW on (σ(output) − target)².
///
/// The same configuration and the same datasets give the same parameters, bit by bit, on any number
/// of threads: the work of a batch is cut up by the network's and the batch's size alone, and every
/// sum is in a fixed order of plain additions and multiplications. It does not matter either how
/// often a run was interrupted and went on from a [`Checkpoint`].
///
/// Samples are fetched and made ready by threads of their own while the others work. The order is
/// that of a [`Sampler`](chess_records::Sampler) with the configuration's seed and order, the batches
/// are those of its passes.
#[derive(Debug)]
pub struct Trainer {
    pub(super) config: TrainConfig,
    pub(super) validator: Validator,
    pub(super) backend: Box<dyn Backend>,
}

/// What happens in a run. Epochs, batches and steps are numbered from 1.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A [`RunFolder`](super::RunFolder) holds a checkpoint that is damaged; the run goes on from an
    /// older one.
    #[non_exhaustive]
    Damaged {
        /// The checkpoint.
        damaged: &'a DamagedCheckpoint,
    },
    /// The first step is about to be made, or the next one after a checkpoint.
    #[non_exhaustive]
    Start {
        /// How many steps were made before.
        step: u64,
        /// How many there are to be in all.
        steps: u64,
        /// How many samples the run has learnt from before.
        records: u64,
        /// How many epochs there are to be.
        epochs: u32,
    },
    /// A step was made.
    #[non_exhaustive]
    Step {
        /// The step.
        step: u64,
        /// How many there are to be.
        steps: u64,
        /// The epoch.
        epoch: u32,
        /// The batch in the epoch.
        batch: u64,
        /// How many batches an epoch has.
        batches: u64,
        /// How many samples this run has learnt from so far.
        records: u64,
        /// How many samples a second were learnt from, in this epoch so far.
        records_per_second: f64,
        /// The learning rate the step was made with.
        learning_rate: f64,
        /// The share of the results in its targets.
        result_weight: f32,
        /// The mean loss of the batch, from before the step. A GPU tells losses every 64 batches or so:
        /// meanwhile it is that of the last one told of.
        batch_loss: f64,
        /// The mean training loss of this epoch so far, as far as it is told.
        training_loss: f64,
    },
    /// An epoch is over.
    #[non_exhaustive]
    Epoch {
        /// The epoch.
        epoch: u32,
        /// How many there are to be.
        epochs: u32,
        /// How many steps were made so far.
        step: u64,
        /// The learning rate of its last step.
        learning_rate: f64,
        /// How many samples this run has learnt from so far.
        records: u64,
        /// The mean training loss over the epoch, each sample's from before the step it was in.
        training_loss: f64,
        /// The mean loss on the validation set, after the epoch.
        validation_loss: f64,
        /// Whether that is less than after any epoch before.
        is_best: bool,
        /// The parameters after the epoch.
        parameters: &'a Parameters,
    },
    /// A good moment to write a checkpoint: after every epoch, and after every so many steps if the
    /// configuration asks for it.
    #[non_exhaustive]
    Checkpoint {
        /// Where the run is.
        checkpoint: &'a Checkpoint,
        /// Whether an epoch is over and was the best so far.
        is_best: bool,
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
    /// How many steps were made.
    pub steps: u64,
    /// How many samples were learnt from.
    pub records: u64,
    /// The validation loss after the last completed epoch, if one was completed.
    pub validation_loss: Option<f64>,
    /// The completed epoch with the smallest validation loss.
    pub best: Option<Best>,
    /// Whether the caller stopped it before the last epoch was over.
    pub stopped: bool,
    /// Where it ended, to go on from if it was stopped.
    pub checkpoint: Checkpoint,
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
    /// The configuration cannot be trained with.
    #[error("configuration")]
    Config(#[from] ConfigError),
    /// The scores of the training set do not fit the configuration.
    #[error("the scores of the training set cannot be right (`check_scores` off lets them pass)")]
    Scores(#[from] EvalScaleError),
    /// The checkpoint is of another run.
    #[error("cannot go on from the checkpoint")]
    Resume(#[from] ResumeError),
    /// The threads that load could not be started.
    #[error("loading threads")]
    Loader(#[from] LoaderConfigError),
    /// A batch's loss is NaN or infinite.
    #[error(
        "the loss of batch {batch} in epoch {epoch} (step {step}) is {loss}: the outputs for \
         {count} of its samples are not finite, first {samples:?}"
    )]
    NotFinite {
        /// The epoch, from 1.
        epoch: u32,
        /// The batch in the epoch, from 1.
        batch: u64,
        /// The step, from 1.
        step: u64,
        /// The loss.
        loss: f64,
        /// For how many samples the network's output is not finite.
        count: u64,
        /// The numbers of the first of them in the training set, at most
        /// [`TrainError::SAMPLES_NAMED`].
        samples: Vec<u64>,
    },
    /// The loss of a batch is NaN or infinite, as a GPU told some steps later. The trainer's parameters
    /// are those of the last step that was made.
    #[error(
        "the loss of batch {batch} in epoch {epoch} (step {step}) is {loss}, as was told later"
    )]
    LateNotFinite {
        /// The epoch, from 1.
        epoch: u32,
        /// The batch in the epoch, from 1.
        batch: u64,
        /// The step, from 1.
        step: u64,
        /// The loss.
        loss: f64,
    },
    /// The GPU failed. What the trainer's parameters are is not known.
    #[cfg(feature = "gpu")]
    #[error("GPU")]
    Gpu(#[from] super::GpuError),
    /// The validation loss is NaN or infinite.
    #[error("the validation loss after epoch {epoch} is {loss}")]
    ValidationNotFinite {
        /// The epoch, from 1.
        epoch: u32,
        /// The loss.
        loss: f64,
    },
    /// The dataset panicked in a loading thread.
    #[error("the training set panicked: {message}")]
    Panic {
        /// What the panic said.
        message: String,
    },
}

#[cfg(not(feature = "gpu"))]
impl From<BackendError> for TrainError {
    fn from(never: BackendError) -> Self {
        match never {}
    }
}

impl TrainError {
    /// The most samples that [`TrainError::NotFinite`] names.
    pub const SAMPLES_NAMED: usize = 16;
}

fn backend(
    device: &Device,
    parameters: &Parameters,
    options: BackendOptions,
    pool: Arc<ThreadPool>,
) -> Result<Box<dyn Backend>, ConfigError> {
    match device {
        Device::Cpu => Ok(Box::new(Cpu::new(parameters, options, pool))),
        #[cfg(feature = "gpu")]
        Device::Gpu { name } => {
            let name = name.as_deref();
            let backend = super::gpu::OnGpu::new(name, parameters, options, pool)?;
            Ok(Box::new(backend))
        }
    }
}

impl Trainer {
    /// A trainer that starts from random parameters.
    ///
    /// # Errors
    ///
    /// When a value of the configuration is out of range, the architecture is one that cannot be
    /// trained, the threads cannot be started, or there is no such GPU.
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
            batch_size: config.load_len(),
            optimizer: config.optimizer,
            loss: config.loss,
        };
        let backend = backend(&config.device, parameters, options, Arc::clone(&pool))?;
        Ok(Self {
            validator: Validator::with_pool(config.targets()?, config.loss, pool),
            backend,
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

    /// The name of the GPU, if one does the arithmetic.
    #[must_use]
    pub fn gpu_name(&self) -> Option<&str> {
        self.backend.gpu_name()
    }

    /// Where the time went so far, if a GPU does the arithmetic.
    #[must_use]
    pub fn timings(&self) -> Option<Timings> {
        self.backend.timings()
    }

    /// Trains for the configured epochs, from the parameters as they are now, with a fresh optimizer.
    /// `on_event` is called, on the caller's thread, after every step, every epoch and at every
    /// checkpoint; it may stop the run.
    ///
    /// The training set may be an `Arc`, which is how to keep it for something else; several sets are
    /// mixed by a [`Concat`](chess_records::Concat) or an
    /// [`Interleaved`](chess_records::ops::Interleaved).
    ///
    /// # Errors
    ///
    /// When a dataset is empty, cannot fetch its samples or has a label that gives no target, when the
    /// scores cannot be right, and when a loss is not finite.
    pub fn run<D, V, S>(
        &mut self,
        training: D,
        validation: &V,
        on_event: impl FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> Result<Outcome, TrainError>
    where
        D: Dataset<Batch = Vec<S>> + 'static,
        V: Dataset<Batch = Vec<S>> + ?Sized,
        S: Labelled + Send + Sync + 'static,
    {
        let fresh = OptimizerState::new(self.backend.parameters().weights());
        self.backend.restore(&fresh);
        Run::start(self, training, validation, on_event)?.finish()
    }

    /// Goes on from a checkpoint to the end, as if the run had never been interrupted. The parameters
    /// that the trainer has are forgotten.
    ///
    /// # Errors
    ///
    /// [`TrainError::Resume`] when the checkpoint is of a run with another configuration or other
    /// data; the trainer is then as it was. Otherwise as [`Trainer::run`].
    pub fn resume<D, V, S>(
        &mut self,
        checkpoint: &Checkpoint,
        training: D,
        validation: &V,
        on_event: impl FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> Result<Outcome, TrainError>
    where
        D: Dataset<Batch = Vec<S>> + 'static,
        V: Dataset<Batch = Vec<S>> + ?Sized,
        S: Labelled + Send + Sync + 'static,
    {
        Run::resume(self, checkpoint, training, validation, on_event)?.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Architecture;
    use crate::train::train_common::random_positions;
    use chess_records::Board;
    use std::string::ToString;

    fn config() -> TrainConfig {
        let mut config = TrainConfig::new(Architecture::new(80).unwrap());
        (config.batch_size, config.check_scores) = (64, false);
        config
    }

    #[test]
    fn a_loss_that_is_no_number_stops_the_run_and_names_samples() {
        let mut trainer = Trainer::new(config()).unwrap();
        // One hidden value of the last tile, poisoned: it must come through both sums.
        let parameters = trainer.parameters();
        let mut weights = parameters.weights().clone();
        weights.feature_biases[79] = f32::NAN;
        let architecture = parameters.architecture().clone();
        let poisoned = Parameters::of_training(architecture, weights);
        trainer.backend.set_parameters(&poisoned);
        let samples = random_positions(200, 1);
        let error = trainer.run(samples.clone(), &samples, |_| ControlFlow::Continue(()));
        let error = error.unwrap_err();
        let text = error.to_string();
        let start = "the loss of batch 1 in epoch 1 (step 1) is NaN: the outputs for 64 of its \
                     samples are not finite, first [";
        assert!(text.starts_with(start), "{text}");
        let TrainError::NotFinite { samples, .. } = error else {
            panic!("{error:?}");
        };
        assert_eq!(samples.len(), TrainError::SAMPLES_NAMED);
        assert!(samples.iter().all(|&index| index < 200));
    }

    /// Only what the poisoned row is on for is named.
    #[test]
    fn the_samples_named_are_those_at_fault() {
        let mut config = config();
        config.micro_batch_size = Some(32);
        let mut trainer = Trainer::new(config).unwrap();
        let positions = random_positions(64, 1);
        let bad = 17usize;
        let has_input = |sample: usize, input: usize| {
            let sample = &positions.0[sample];
            let mover = sample.side_to_move();
            let views = [mover, mover.opponent()];
            views.into_iter().any(|view| {
                let mut men = sample.placement().pieces();
                men.any(|(piece, square)| crate::feature_index(view, piece, square) == input)
            })
        };
        let input = (0..768).find(|&input| has_input(bad, input)).unwrap();
        let mut weights = trainer.parameters().into_weights();
        weights.feature_weights[input * 80 + 3] = f32::NAN;
        let poisoned = Parameters::of_training(trainer.config.architecture.clone(), weights);
        trainer.backend.set_parameters(&poisoned);
        let error = trainer.run(positions.clone(), &positions, |_| ControlFlow::Continue(()));
        let Err(TrainError::NotFinite { samples, count, .. }) = error else {
            panic!("{error:?}");
        };
        assert_eq!(count, samples.len() as u64);
        assert!(!samples.is_empty());
        assert!(
            samples
                .iter()
                .all(|&sample| has_input(sample as usize, input))
        );
    }

    #[test]
    fn texts() {
        let error = TrainError::ValidationNotFinite {
            epoch: 3,
            loss: f64::INFINITY,
        };
        assert_eq!(
            error.to_string(),
            "the validation loss after epoch 3 is inf"
        );
        let error = TrainError::Panic {
            message: "no disk".to_string(),
        };
        assert_eq!(error.to_string(), "the training set panicked: no disk");
        let error = TrainError::from(EvalScaleError::NotPredictive { samples: 1000 });
        assert_eq!(
            error.to_string(),
            "the scores of the training set cannot be right (`check_scores` off lets them pass)"
        );
        let error = TrainError::from(LoaderConfigError::Queue);
        assert_eq!(error.to_string(), "loading threads");
        let error = TrainError::from(ConfigError::Epochs);
        assert_eq!(error.to_string(), "configuration");
        let error = TrainError::from(ResumeError::Config {
            found: "seed = 1".to_string(),
            expected: "seed = 2".to_string(),
        });
        assert_eq!(error.to_string(), "cannot go on from the checkpoint");
    }
}
