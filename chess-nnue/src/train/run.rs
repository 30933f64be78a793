//! A run while it lasts.

use core::ops::ControlFlow;
use std::string::String;
use std::time::Instant;
use std::vec::Vec;

use chess_records::{
    Dataset, Labelled, LoadError, LoadedBatch, Loader, LoaderConfig, Sampler, SamplerConfig,
};

use super::checkpoint::{Checkpoint, Data, DataIdentity, Place};
use super::config::{ConfigError, TrainConfig};
use super::eval_scale::EvalScaleFit;
use super::late::{Late, Piece};
use super::optimizer::StepOptions;
use super::parameters::Parameters;
use super::source::{Prepared, Source};
use super::tally::Tally;
use super::target::SampleError;
use super::trainer::{Event, Outcome, TrainError, Trainer};

/// How many samples are looked at to see whether the scores can be right.
const CHECKED_SAMPLES: u64 = 1 << 20;

pub(super) struct Run<'a, D, V: ?Sized, S, F>
where
    D: Dataset<Batch = Vec<S>>,
    S: Labelled,
{
    trainer: &'a mut Trainer,
    loader: Loader<Source<D>>,
    validation: &'a V,
    on_event: F,
    data: Data,
    description: String,
    tally: Tally,
    late: Late,
}

impl<'a, D, V, S, F> Run<'a, D, V, S, F>
where
    D: Dataset<Batch = Vec<S>> + 'static,
    V: Dataset<Batch = Vec<S>> + ?Sized,
    S: Labelled + Send + Sync + 'static,
    F: FnMut(Event<'_>) -> ControlFlow<()>,
{
    /// A run that has made no step.
    pub(super) fn start(
        trainer: &'a mut Trainer,
        training: D,
        validation: &'a V,
        on_event: F,
    ) -> Result<Self, TrainError> {
        let data = identify(&training, validation)?;
        check_scores(&trainer.config, &training)?;
        let sampler = sampler(&trainer.config, training)?;
        Self::new(trainer, sampler, (data, validation), on_event)
    }

    /// A run that is where a checkpoint says.
    pub(super) fn resume(
        trainer: &'a mut Trainer,
        checkpoint: &Checkpoint,
        training: D,
        validation: &'a V,
        on_event: F,
    ) -> Result<Self, TrainError> {
        let data = identify(&training, validation)?;
        checkpoint.check(&trainer.config, &data)?;
        let mut sampler = sampler(&trainer.config, training)?;
        let state = checkpoint.place.state(sampler.state());
        let restored = sampler.restore(&state);
        restored.map_err(|error| TrainError::Resume(error.into()))?;
        let mut run = Self::new(trainer, sampler, (data, validation), on_event)?;
        run.trainer.backend.set_parameters(&checkpoint.parameters);
        run.trainer.backend.restore(&checkpoint.optimizer);
        run.tally.go_to(checkpoint);
        Ok(run)
    }

    fn new(
        trainer: &'a mut Trainer,
        sampler: Sampler<Source<D>>,
        (data, validation): (Data, &'a V),
        on_event: F,
    ) -> Result<Self, TrainError> {
        // Of a run that failed.
        trainer.backend.late_losses();
        let config = &trainer.config;
        let threads = config.loader_threads.unwrap_or_else(|| {
            let working = trainer.validator.pool().current_num_threads();
            working.div_ceil(WORKERS_PER_LOADER)
        });
        Ok(Self {
            description: config.description(),
            tally: Tally::new(config, data.training.len),
            late: Late::default(),
            loader: Loader::new(sampler, LoaderConfig::new(threads))?,
            trainer,
            validation,
            on_event,
            data,
        })
    }

    pub(super) fn finish(mut self) -> Result<Outcome, TrainError> {
        let mut flow = (self.on_event)(Event::Start {
            step: self.tally.step(),
            steps: self.tally.steps(),
            records: self.tally.progress().records,
            epochs: self.trainer.config.epochs,
        });
        while flow.is_continue() && !self.tally.is_over() {
            // The epoch's end comes first: a run that goes on may have been stopped just before it.
            flow = match self.tally.epoch_is_ending() {
                true => self.end_epoch()?,
                false => self.make_step()?,
            };
        }
        self.outcome()
    }

    fn outcome(&mut self) -> Result<Outcome, TrainError> {
        let checkpoint = self.checkpoint()?;
        let progress = self.tally.progress();
        Ok(Outcome {
            parameters: checkpoint.parameters.clone(),
            epochs: self.tally.epochs_completed(),
            steps: self.tally.step(),
            records: progress.records,
            validation_loss: progress.validation_loss,
            best: progress.best,
            stopped: !self.tally.is_over(),
            checkpoint,
        })
    }

    fn make_step(&mut self) -> Result<ControlFlow<()>, TrainError> {
        let started = Instant::now();
        let (step, steps) = (self.tally.step() + 1, self.tally.steps());
        let learning_rate = self.trainer.config.learning_rate_at(step, steps);
        let result_weight = self.trainer.config.result_weight_at(step, steps);
        let batch_len = self.next_batch_len();
        self.gradient(batch_len, result_weight)?;
        self.trainer.backend.step(&StepOptions {
            rate: learning_rate,
            weight_decay: self.trainer.config.weight_decay,
            weight_limit: self.trainer.config.weight_limit,
        });
        if self.late.is_due() || !self.tally.has_loss() {
            self.take_late_losses()?;
        }
        self.tally.add(batch_len, started.elapsed());
        self.begin_pass();
        let tally = &self.tally;
        let flow = (self.on_event)(Event::Step {
            step,
            steps,
            epoch: tally.epoch_of(step),
            batch: tally.batch_of(step),
            batches: tally.epoch_steps(),
            records: tally.progress().records,
            records_per_second: tally.records_per_second(),
            learning_rate,
            result_weight,
            batch_loss: tally.batch_loss(),
            training_loss: tally.training_loss(),
        });
        if flow.is_continue() && tally.is_checkpoint(self.trainer.config.checkpoint_steps) {
            return self.show_checkpoint(false);
        }
        Ok(flow)
    }

    /// How many samples the next batch has: all but the last of a pass are whole.
    fn next_batch_len(&self) -> u64 {
        let left = self.data.training.len - self.loader.state().position;
        left.min(self.trainer.config.batch_size as u64)
    }

    /// Passes a batch of this length through the network and back: the gradient of the mean of its
    /// losses is then in the backend.
    fn gradient(&mut self, batch_len: u64, result_weight: f32) -> Result<(), TrainError> {
        let step = self.tally.step() + 1;
        let mut done = 0;
        while done < batch_len {
            let mut loaded = self.load()?;
            let batch = loaded.data.batch(result_weight);
            let batch = batch.map_err(|source| TrainError::Training { source })?;
            let records = batch.len() as u64;
            let backend = &mut self.trainer.backend;
            match backend.start_gradient(batch, batch_len as usize, done == 0) {
                None => self.late.push(Piece { step, records }),
                Some(loss) if loss.is_finite() => {
                    self.tally.add_loss(Piece { step, records }, loss)
                }
                Some(loss) => {
                    backend.check()?;
                    let outputs = backend.outputs(batch);
                    return Err(self.not_finite(&loaded, &outputs, loss));
                }
            }
            done += records;
            self.loader.recycle(loaded);
        }
        Ok(())
    }

    /// Asks the backend for the losses that it has not told yet.
    fn take_late_losses(&mut self) -> Result<(), TrainError> {
        let losses = self.trainer.backend.late_losses();
        self.trainer.backend.check()?;
        for loss in losses {
            let Some(piece) = self.late.pop() else {
                break;
            };
            if !loss.is_finite() {
                let step = piece.step;
                let (epoch, batch) = (self.tally.epoch_of(step), self.tally.batch_of(step));
                return Err(TrainError::LateNotFinite {
                    epoch,
                    batch,
                    step,
                    loss,
                });
            }
            self.tally.add_loss(piece, loss);
        }
        Ok(())
    }

    fn load(&mut self) -> Result<LoadedBatch<Prepared<S>>, TrainError> {
        match self.loader.next() {
            Some(Ok(loaded)) => Ok(loaded),
            Some(Err(LoadError::Dataset { source, .. })) => Err(TrainError::Training {
                source: source.into(),
            }),
            Some(Err(LoadError::Panic { message, .. })) => Err(TrainError::Panic { message }),
            Some(Err(error)) => Err(TrainError::Panic {
                message: std::string::ToString::to_string(&error),
            }),
            // The length of a pass is known: there is always another batch.
            None => Err(TrainError::Training {
                source: SampleError::Empty,
            }),
        }
    }

    /// Sends the loader to the next pass as soon as one is over: it reads ahead during validation.
    fn begin_pass(&mut self) {
        let state = self.loader.state();
        if state.position == self.data.training.len && self.tally.step() < self.tally.steps() {
            self.loader.set_epoch(state.epoch + 1);
        }
    }

    fn not_finite(
        &self,
        loaded: &LoadedBatch<Prepared<S>>,
        outputs: &[f32],
        loss: f64,
    ) -> TrainError {
        let indices = loaded.selection.indices().iter().zip(outputs);
        let bad = indices.filter(|(_, output)| !output.is_finite());
        let bad: Vec<u64> = bad.map(|(&index, _)| index).collect();
        let step = self.tally.step() + 1;
        TrainError::NotFinite {
            epoch: self.tally.epoch_of(step),
            batch: self.tally.batch_of(step),
            step,
            loss,
            count: bad.len() as u64,
            samples: bad.into_iter().take(TrainError::SAMPLES_NAMED).collect(),
        }
    }

    fn end_epoch(&mut self) -> Result<ControlFlow<()>, TrainError> {
        self.take_late_losses()?;
        let parameters = self.trainer.parameters();
        self.trainer.backend.check()?;
        let (step, steps) = (self.tally.step(), self.tally.steps());
        let epoch = self.tally.epoch_of(step);
        let validation_loss = self.validate(&parameters, epoch)?;
        let training_loss = self.tally.training_loss();
        let is_best = self.tally.end_epoch(validation_loss);
        let config = &self.trainer.config;
        let flow = (self.on_event)(Event::Epoch {
            epoch,
            epochs: config.epochs,
            step,
            learning_rate: config.learning_rate_at(step, steps),
            records: self.tally.progress().records,
            training_loss,
            validation_loss,
            is_best,
            parameters: &parameters,
        });
        match flow {
            ControlFlow::Continue(()) => self.show_checkpoint(is_best),
            ControlFlow::Break(()) => Ok(flow),
        }
    }

    fn validate(&self, parameters: &Parameters, epoch: u32) -> Result<f64, TrainError> {
        let loss = self.trainer.validator.loss(parameters, self.validation);
        let loss = loss.map_err(|source| TrainError::Validation { source })?;
        if !loss.is_finite() {
            return Err(TrainError::ValidationNotFinite { epoch, loss });
        }
        Ok(loss)
    }

    fn show_checkpoint(&mut self, is_best: bool) -> Result<ControlFlow<()>, TrainError> {
        let checkpoint = self.checkpoint()?;
        Ok((self.on_event)(Event::Checkpoint {
            checkpoint: &checkpoint,
            is_best,
        }))
    }

    fn checkpoint(&mut self) -> Result<Checkpoint, TrainError> {
        self.take_late_losses()?;
        let checkpoint = Checkpoint {
            parameters: self.trainer.backend.parameters(),
            optimizer: self.trainer.backend.state(),
            progress: *self.tally.progress(),
            place: Place::of(&self.loader.state()),
            data: self.data,
            description: self.description.clone(),
        };
        self.trainer.backend.check()?;
        Ok(checkpoint)
    }
}

/// How many threads that work are kept busy by one that loads: a batch takes it about a fourteenth of
/// the time that it takes one of them.
const WORKERS_PER_LOADER: usize = 8;

/// The batches, by pass.
fn sampler<D, S>(config: &TrainConfig, training: D) -> Result<Sampler<Source<D>>, ConfigError>
where
    D: Dataset<Batch = Vec<S>>,
    S: Labelled,
{
    let of_sampler = SamplerConfig::new(config.load_len());
    let of_sampler = of_sampler.seed(config.seed).order(config.order);
    let source = Source::new(training, config)?;
    Ok(Sampler::new(source, of_sampler)?)
}

fn identify<S, D, V>(training: &D, validation: &V) -> Result<Data, TrainError>
where
    D: Dataset<Batch = Vec<S>>,
    V: Dataset<Batch = Vec<S>> + ?Sized,
    S: Labelled,
{
    let (of_training, of_validation) = (DataIdentity::of(training), DataIdentity::of(validation));
    Ok(Data {
        training: of_training.map_err(|source| TrainError::Training { source })?,
        validation: of_validation.map_err(|source| TrainError::Validation { source })?,
    })
}

/// Whether the scores can be right, where targets are made of them.
fn check_scores<S, D>(config: &TrainConfig, training: &D) -> Result<(), TrainError>
where
    D: Dataset<Batch = Vec<S>>,
    S: Labelled,
{
    let scores_count = config.result_weights().iter().any(|&weight| weight < 1.0);
    if !config.check_scores || !scores_count {
        return Ok(());
    }
    let fit = EvalScaleFit::of_spread(training, CHECKED_SAMPLES);
    let fit = fit.map_err(|source| TrainError::Training { source })?;
    Ok(fit.check(config.architecture.eval_scale())?)
}
