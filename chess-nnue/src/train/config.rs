//! What a training run is to be like.

use core::num::{NonZeroU64, NonZeroUsize};
use std::format;
use std::string::String;

use chess_records::{Order, SamplerConfigError};
use thiserror::Error;

use super::device::Device;
use super::loss::Loss;
use super::optimizer::Optimizer;
use super::parameters::{Parameters, ParametersError};
use super::schedule::{self, RateSchedule};
use super::target::{TargetError, Targets};
use crate::Architecture;

/// What a training run is to be like. [`TrainConfig::new`] fills in the defaults; set the fields
/// that are to be different.
///
/// With the feature `serde` it is `Serialize` and `Deserialize`: every field but `architecture`, and
/// of that every field but `hidden` and `eval_scale`, may be left out, and an unknown one is an error;
/// `loss` is a number, `loss_power`. As TOML:
///
/// ```toml
/// batch_size = 16384
/// epochs = 40
/// learning_rate = 0.001
/// rate_schedule = { cosine = { last = 0.01 } } # or "constant", { step = { factor = 0.1, at = [0.75] } }
/// warmup_steps = 500
/// result_weight = 0.25
/// last_result_weight = 0.5
/// order = { blocks = { window = 64 } } # or "shuffled"
///
/// [architecture]
/// hidden = 256
/// eval_scale = 115
/// activation = "screlu" # or "crelu"; also output_buckets, king_buckets, mirrored, qa and qb
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TrainConfig {
    /// The network's shape. Its eval scale turns centipawns into targets, so it must fit the scores:
    /// see [`EvalScaleFit`](super::EvalScaleFit).
    pub architecture: Architecture,
    /// Samples a step; 16,384. The last step of a pass through the data may have fewer.
    pub batch_size: usize,
    /// Batches are loaded and passed through the network in pieces of this many samples, a divisor of
    /// the batch size, for want of memory; `None` means whole. The gradient is that of the whole
    /// batch: each sample's is divided by the batch's size, the pieces' are added in order, and one
    /// step is made. As sums of rounded numbers depend on how they are cut up, the last bits depend
    /// on this field; for a given one they are always the same.
    pub micro_batch_size: Option<usize>,
    /// How many epochs there are; 20.
    pub epochs: u32,
    /// How many steps an epoch has. `None` means as many as go through the data once. With a number,
    /// passes through the data follow each other as they may and an epoch is but the time between two
    /// validations: for data that are too many to be seen once between them.
    pub steps_per_epoch: Option<NonZeroU64>,
    /// How gradients become steps; AdamW.
    pub optimizer: Optimizer,
    /// What a miss costs; its square.
    pub loss: Loss,
    /// Whether first parameters have a factoriser, rows that all king buckets share; no. See
    /// [`FloatWeights::factoriser`](super::FloatWeights::factoriser).
    pub factoriser: bool,
    /// The optimizer's step at its largest, 0.001.
    pub learning_rate: f64,
    /// How the learning rate changes; a tenth for the last quarter of the steps.
    pub rate_schedule: RateSchedule,
    /// Over how many steps, at the start, the learning rate rises from nothing; 0.
    pub warmup_steps: u64,
    /// The decoupled decay, 0.01: how much of a weight is lost in a step, times the learning
    /// rate.
    pub weight_decay: f64,
    /// What weights are clipped to after each step, ± 1.98: over 0, and no more than
    /// [`Parameters::WEIGHT_LIMIT`](super::Parameters::WEIGHT_LIMIT).
    pub weight_limit: f32,
    /// The share of the game's result in the targets, 0 to 1; 0.25. The rest is the score's.
    pub result_weight: f32,
    /// The share of the result in the last step, where it changes: step by step, on a straight line
    /// from `result_weight`. Validation is always by this share, so that its losses compare.
    pub last_result_weight: Option<f32>,
    /// In which order the samples of a pass are taken, [shuffled](Order::Shuffled):
    /// [by blocks](Order::Blocks) is far cheaper for compressed data and for data larger than memory.
    pub order: Order,
    /// Decides the first parameters and the order of the samples in each pass; 0.
    pub seed: u64,
    /// Whether scores that do not predict the results, or want quite another eval scale than the
    /// architecture's, are an error; `true`. See [`EvalScaleFit::check`](super::EvalScaleFit::check).
    /// Up to a million samples spread over the training set are looked at before the first step, where
    /// targets are made of scores.
    pub check_scores: bool,
    /// A [checkpoint](super::Event::Checkpoint) is taken after every epoch and, with a number here,
    /// after every so many steps as well. The result does not depend on it.
    pub checkpoint_steps: Option<NonZeroU64>,
    /// What does the arithmetic; the processor. With a GPU, threads prepare its batches, and losses are
    /// [told later](super::Event::Step). The result depends on the device, if only in the last bits; a
    /// checkpoint goes on with any.
    pub device: Device,
    /// How many threads work; `None` means one per processor. The result does not depend on it.
    ///
    /// Every step waits for the slowest thread: on processors with fast and slow cores, the number
    /// of fast ones is the best choice.
    pub threads: Option<NonZeroUsize>,
    /// How many more threads fetch samples and make batches of them while the others work; 0 means
    /// that nothing is done ahead, `None` one for every eight threads that work. The result does not
    /// depend on it.
    pub loader_threads: Option<usize>,
}

/// Why a configuration cannot be trained with.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// No samples in a batch, or more than can be counted with.
    #[error("batch size {found}, expected 1 to {max}", max = TrainConfig::MAX_BATCH_SIZE)]
    BatchSize {
        /// The size asked for.
        found: usize,
    },
    /// Pieces that do not make up a batch.
    #[error("micro-batch size {found}, expected a divisor of the batch size {batch_size}")]
    MicroBatchSize {
        /// The size asked for.
        found: usize,
        /// The batch size.
        batch_size: usize,
    },
    /// No epochs.
    #[error("0 epochs, expected 1 or more")]
    Epochs,
    /// A learning rate that is not positive and finite.
    #[error("learning rate {found}, expected more than 0 and at most 1")]
    LearningRate {
        /// The rate asked for.
        found: f64,
    },
    /// A share of the learning rate outside 0…1.
    #[error("{field} of the rate schedule is {found}, expected 0 to 1")]
    RateShare {
        /// The field of [`RateSchedule`].
        field: &'static str,
        /// The share asked for.
        found: f64,
    },
    /// Points of the learning rate's schedule that are not in the run or not in order.
    #[error("the rate schedule changes at {found}, expected points over {after} and under 1")]
    RatePoint {
        /// The point.
        found: f64,
        /// The point before, or 0.
        after: f64,
    },
    /// More points than anyone has a use for.
    #[error(
        "the rate schedule changes {found} times, expected at most {max}",
        max = RateSchedule::MAX_POINTS
    )]
    RatePoints {
        /// How many there are.
        found: usize,
    },
    /// A decay that is negative or not finite.
    #[error("weight decay {found}, expected 0 to 1")]
    WeightDecay {
        /// The decay asked for.
        found: f64,
    },
    /// A weight limit that is not positive, or more than the evaluator's narrowest arithmetic can hold.
    #[error(
        "weight limit {found}, expected more than 0 and at most {max}",
        max = Parameters::WEIGHT_LIMIT
    )]
    WeightLimit {
        /// The limit asked for.
        found: f32,
    },
    /// A factoriser without king buckets to share it.
    #[error("a factoriser for one king bucket, expected two or more")]
    Factoriser,
    /// An order that is none.
    #[error("the order of the samples")]
    Order(#[from] SamplerConfigError),
    /// A result weight outside 0…1.
    #[error(transparent)]
    Targets(#[from] TargetError),
    /// Parameters that cannot be trained.
    #[error(transparent)]
    Parameters(#[from] ParametersError),
    /// Parameters of another architecture than the configuration's.
    #[error("the parameters are of another architecture than the configuration")]
    Architecture,
    /// The GPU cannot be trained on.
    #[cfg(feature = "gpu")]
    #[error("GPU")]
    Gpu(#[from] super::GpuError),
    /// More threads than any processor has.
    #[error("{found} threads, expected at most {max}", max = TrainConfig::MAX_THREADS)]
    TooManyThreads {
        /// How many were asked for.
        found: usize,
    },
    /// The threads could not be started.
    #[error("{threads} threads could not be started: {reason}")]
    Threads {
        /// How many were asked for, 0 standing for one per processor.
        threads: usize,
        /// What the system said.
        reason: std::string::String,
    },
}

impl TrainConfig {
    /// The most threads: far more than there is work for.
    pub const MAX_THREADS: usize = 256;
    /// The largest batch, 2²⁴ samples.
    pub const MAX_BATCH_SIZE: usize = 1 << 24;

    /// The defaults for this architecture.
    #[must_use]
    pub fn new(architecture: Architecture) -> Self {
        Self {
            architecture,
            batch_size: 16_384,
            micro_batch_size: None,
            epochs: 20,
            steps_per_epoch: None,
            optimizer: Optimizer::AdamW,
            loss: Loss::SQUARED,
            factoriser: false,
            learning_rate: 1e-3,
            rate_schedule: RateSchedule::default(),
            warmup_steps: 0,
            weight_decay: 0.01,
            weight_limit: Parameters::WEIGHT_LIMIT,
            result_weight: 0.25,
            last_result_weight: None,
            order: Order::Shuffled,
            seed: 0,
            check_scores: true,
            checkpoint_steps: None,
            device: Device::Cpu,
            threads: None,
            loader_threads: None,
        }
    }

    /// How labels become targets in the last step and in validation: by the architecture's eval scale
    /// and the last result weight.
    ///
    /// # Errors
    ///
    /// [`TargetError::ResultWeight`] for a result weight outside 0…1.
    pub fn targets(&self) -> Result<Targets, TargetError> {
        Targets::new(self.architecture.eval_scale(), self.result_weights()[1])
    }

    /// How many steps the run has on a training set of so many samples.
    #[must_use]
    pub fn steps(&self, training_len: u64) -> u64 {
        let of_epoch = self.epoch_steps(training_len);
        of_epoch.saturating_mul(self.epochs.into())
    }

    /// How many steps an epoch has on a training set of so many samples.
    #[must_use]
    pub fn epoch_steps(&self, training_len: u64) -> u64 {
        let of_pass = self.pass_steps(training_len);
        self.steps_per_epoch.map_or(of_pass, NonZeroU64::get)
    }

    /// The learning rate of a step, numbered from 1, of so many.
    ///
    /// # Panics
    ///
    /// When `step` is 0.
    #[must_use]
    pub fn learning_rate_at(&self, step: u64, steps: u64) -> f64 {
        assert!(step > 0, "steps are numbered from 1");
        let share = self.rate_schedule.share(step, steps);
        self.learning_rate * share * schedule::warmup(step, self.warmup_steps)
    }

    /// The result's share in the targets of a step, numbered from 1, of so many.
    ///
    /// # Panics
    ///
    /// When `step` is 0.
    #[must_use]
    pub fn result_weight_at(&self, step: u64, steps: u64) -> f32 {
        assert!(step > 0, "steps are numbered from 1");
        let [first, last] = self.result_weights();
        schedule::result_weight(first, last, step, steps)
    }

    /// How many steps go through so many samples once.
    pub(super) const fn pass_steps(&self, training_len: u64) -> u64 {
        training_len.div_ceil(self.batch_size as u64)
    }

    /// The result's share in the first step and in the last.
    pub(super) fn result_weights(&self) -> [f32; 2] {
        let first = self.result_weight;
        [first, self.last_result_weight.unwrap_or(first)]
    }

    /// How many samples are loaded at once.
    pub(super) fn load_len(&self) -> usize {
        self.micro_batch_size.unwrap_or(self.batch_size)
    }

    /// All that the result of a run depends on but the data, a field a line.
    pub(super) fn description(&self) -> String {
        let architecture = &self.architecture;
        let king_buckets = architecture.king_buckets();
        let fields = [
            ("hidden", format!("{:?}", architecture.hidden())),
            ("activation", format!("{:?}", architecture.activation())),
            ("king_buckets", format!("{:?}", king_buckets.map())),
            ("mirrored", format!("{:?}", king_buckets.mirrored())),
            (
                "output_buckets",
                format!("{:?}", architecture.output_buckets()),
            ),
            ("qa", format!("{:?}", architecture.qa())),
            ("qb", format!("{:?}", architecture.qb())),
            ("eval_scale", format!("{:?}", architecture.eval_scale())),
            ("batch_size", format!("{:?}", self.batch_size)),
            ("micro_batch_size", format!("{:?}", self.load_len())),
            ("epochs", format!("{:?}", self.epochs)),
            ("steps_per_epoch", format!("{:?}", self.steps_per_epoch)),
            ("optimizer", format!("{:?}", self.optimizer)),
            ("loss", format!("{:?}", self.loss)),
            ("factoriser", format!("{:?}", self.factoriser)),
            ("learning_rate", format!("{:?}", self.learning_rate)),
            ("rate_schedule", format!("{:?}", self.rate_schedule)),
            ("warmup_steps", format!("{:?}", self.warmup_steps)),
            ("weight_decay", format!("{:?}", self.weight_decay)),
            ("weight_limit", format!("{:?}", self.weight_limit)),
            ("result_weight", format!("{:?}", self.result_weights())),
            ("order", format!("{}", self.order)),
            ("seed", format!("{:?}", self.seed)),
        ];
        let lines = fields.map(|(name, value)| format!("{name} = {value}\n"));
        lines.concat()
    }

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        if !(1..=Self::MAX_BATCH_SIZE).contains(&self.batch_size) {
            let found = self.batch_size;
            return Err(ConfigError::BatchSize { found });
        }
        let (found, batch_size) = (self.load_len(), self.batch_size);
        if found == 0 || !batch_size.is_multiple_of(found) {
            return Err(ConfigError::MicroBatchSize { found, batch_size });
        }
        if self.epochs == 0 {
            return Err(ConfigError::Epochs);
        }
        if let Order::Blocks { window: 0 } = self.order {
            return Err(SamplerConfigError::Window.into());
        }
        let threads = [self.threads.map(NonZeroUsize::get), self.loader_threads];
        for found in threads.into_iter().flatten() {
            if found > Self::MAX_THREADS {
                return Err(ConfigError::TooManyThreads { found });
            }
        }
        for weight in self.result_weights() {
            Targets::new(self.architecture.eval_scale(), weight)?;
        }
        self.check_optimizer()
    }

    fn check_optimizer(&self) -> Result<(), ConfigError> {
        if !(self.learning_rate > 0.0 && self.learning_rate <= 1.0) {
            let found = self.learning_rate;
            return Err(ConfigError::LearningRate { found });
        }
        if !(0.0..=1.0).contains(&self.weight_decay) {
            let found = self.weight_decay;
            return Err(ConfigError::WeightDecay { found });
        }
        if !(self.weight_limit > 0.0 && self.weight_limit <= Parameters::WEIGHT_LIMIT) {
            let found = self.weight_limit;
            return Err(ConfigError::WeightLimit { found });
        }
        if self.factoriser && self.architecture.king_buckets().count() == 1 {
            return Err(ConfigError::Factoriser);
        }
        check_schedule(&self.rate_schedule)
    }
}

fn check_schedule(schedule: &RateSchedule) -> Result<(), ConfigError> {
    let (field, found) = match schedule {
        RateSchedule::Constant => return Ok(()),
        RateSchedule::Step { factor, at } => {
            check_points(at)?;
            ("factor", *factor)
        }
        RateSchedule::Linear { last } | RateSchedule::Cosine { last } => ("last", *last),
    };
    if !(0.0..=1.0).contains(&found) {
        return Err(ConfigError::RateShare { field, found });
    }
    Ok(())
}

fn check_points(points: &[f64]) -> Result<(), ConfigError> {
    if points.len() > RateSchedule::MAX_POINTS {
        let found = points.len();
        return Err(ConfigError::RatePoints { found });
    }
    let mut after = 0.0;
    for &found in points {
        if !(found > after && found < 1.0) {
            return Err(ConfigError::RatePoint { found, after });
        }
        after = found;
    }
    Ok(())
}

/// The threads that work.
pub(super) fn thread_pool(threads: Option<NonZeroUsize>) -> Result<rayon::ThreadPool, ConfigError> {
    if let Some(found) = threads.map(NonZeroUsize::get)
        && found > TrainConfig::MAX_THREADS
    {
        return Err(ConfigError::TooManyThreads { found });
    }
    let threads = threads.map_or(0, NonZeroUsize::get);
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| ConfigError::Threads {
            threads,
            reason: std::string::ToString::to_string(&error),
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::{String, ToString};

    #[test]
    fn threads_are_limited() {
        let threads = NonZeroUsize::new(257);
        let error = thread_pool(threads).unwrap_err();
        assert_eq!(error.to_string(), "257 threads, expected at most 256");
    }

    fn text(change: impl FnOnce(&mut TrainConfig)) -> String {
        let mut config = TrainConfig::new(Architecture::new(16).unwrap());
        assert_eq!(config.check(), Ok(()));
        change(&mut config);
        config.check().unwrap_err().to_string()
    }

    #[test]
    fn what_cannot_be_trained_with_is_refused() {
        assert_eq!(
            text(|config| config.batch_size = 0),
            "batch size 0, expected 1 to 16777216"
        );
        assert_eq!(
            text(|config| config.epochs = 0),
            "0 epochs, expected 1 or more"
        );
        assert_eq!(
            text(|config| config.learning_rate = 0.0),
            "learning rate 0, expected more than 0 and at most 1"
        );
        assert_eq!(
            text(|config| config.learning_rate = f64::NAN),
            "learning rate NaN, expected more than 0 and at most 1"
        );
        assert_eq!(
            text(|config| config.weight_decay = -0.5),
            "weight decay -0.5, expected 0 to 1"
        );
        assert_eq!(
            text(|config| config.weight_limit = 2.0),
            "weight limit 2, expected more than 0 and at most 1.98"
        );
        assert_eq!(
            text(|config| config.weight_limit = 0.0),
            "weight limit 0, expected more than 0 and at most 1.98"
        );
        assert_eq!(
            text(|config| config.factoriser = true),
            "a factoriser for one king bucket, expected two or more"
        );
        assert_eq!(
            text(|config| config.micro_batch_size = Some(5000)),
            "micro-batch size 5000, expected a divisor of the batch size 16384"
        );
        assert_eq!(
            text(|config| config.loader_threads = Some(300)),
            "300 threads, expected at most 256"
        );
        assert_eq!(
            text(|config| config.last_result_weight = Some(1.5)),
            "result weight 1.5, expected 0 to 1"
        );
        let mut config = TrainConfig::new(Architecture::new(16).unwrap());
        config.order = Order::Blocks { window: 0 };
        let error = config.check().unwrap_err();
        assert_eq!(error.to_string(), "the order of the samples");
        let source = std::error::Error::source(&error).unwrap();
        assert_eq!(
            source.to_string(),
            "window is 0 blocks, expected at least 1"
        );
        assert_eq!(
            ConfigError::Architecture.to_string(),
            "the parameters are of another architecture than the configuration"
        );
        let threads = ConfigError::Threads {
            threads: 8,
            reason: "none left".into(),
        };
        assert_eq!(
            threads.to_string(),
            "8 threads could not be started: none left"
        );
    }

    #[test]
    fn schedules_out_of_range_are_refused() {
        let step = |factor, at: &[f64]| {
            let at = at.to_vec();
            text(|config| config.rate_schedule = RateSchedule::Step { factor, at })
        };
        assert_eq!(
            step(1.5, &[0.5]),
            "factor of the rate schedule is 1.5, expected 0 to 1"
        );
        assert_eq!(
            step(0.5, &[0.5, 0.25]),
            "the rate schedule changes at 0.25, expected points over 0.5 and under 1"
        );
        assert_eq!(
            step(0.5, &[1.0]),
            "the rate schedule changes at 1, expected points over 0 and under 1"
        );
        assert_eq!(
            step(0.5, &[0.5; 1001]),
            "the rate schedule changes 1001 times, expected at most 1000"
        );
        assert_eq!(
            text(|config| config.rate_schedule = RateSchedule::Linear { last: f64::NAN }),
            "last of the rate schedule is NaN, expected 0 to 1"
        );
    }

    #[test]
    fn an_epoch_is_a_pass_or_some_steps() {
        let mut config = TrainConfig::new(Architecture::new(16).unwrap());
        config.batch_size = 100;
        assert_eq!((config.epoch_steps(250), config.steps(250)), (3, 60));
        config.steps_per_epoch = NonZeroU64::new(7);
        assert_eq!((config.epoch_steps(250), config.steps(250)), (7, 140));
    }

    #[test]
    fn descriptions_tell_configurations_apart_but_not_threads() {
        let config = TrainConfig::new(Architecture::new(16).unwrap());
        let mut same = config.clone();
        same.threads = NonZeroUsize::new(3);
        same.loader_threads = Some(2);
        same.checkpoint_steps = NonZeroU64::new(5);
        same.micro_batch_size = Some(same.batch_size);
        assert_eq!(same.description(), config.description());
        let mut other = config.clone();
        other.learning_rate = 0.1 + 0.2;
        assert!(
            other
                .description()
                .contains("\nlearning_rate = 0.30000000000000004\n")
        );
        assert!(
            config
                .description()
                .contains("\nresult_weight = [0.25, 0.25]\n")
        );
    }
}
