//! What a training run is to be like.

use core::num::NonZeroUsize;

use thiserror::Error;

use super::loss::Loss;
use super::optimizer::Optimizer;
use super::parameters::{Parameters, ParametersError};
use super::target::{TargetError, Targets};
use crate::Architecture;

/// What a training run is to be like. [`TrainConfig::new`] fills in the defaults; set the fields
/// that are to be different.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TrainConfig {
    /// The network's shape. Its eval scale turns centipawns into targets, so it must fit the scores:
    /// see [`EvalScaleFit`](super::EvalScaleFit).
    pub architecture: Architecture,
    /// Samples a step; 16,384. The last batch of an epoch may be smaller.
    pub batch_size: usize,
    /// How many times each sample is seen; 20.
    pub epochs: u32,
    /// How gradients become steps; AdamW.
    pub optimizer: Optimizer,
    /// What a miss costs; its square.
    pub loss: Loss,
    /// What weights are clipped to after each step, ± 1.98: over 0, and no more than
    /// [`Parameters::WEIGHT_LIMIT`](super::Parameters::WEIGHT_LIMIT).
    pub weight_limit: f32,
    /// Whether first parameters have a factoriser, rows that all king buckets share; no. See
    /// [`FloatWeights::factoriser`](super::FloatWeights::factoriser).
    pub factoriser: bool,
    /// The optimizer's step, 0.001; a tenth of it for the last quarter of the epochs.
    pub learning_rate: f64,
    /// The decoupled decay, 0.01: how much of a weight is lost in a step, times the learning
    /// rate.
    pub weight_decay: f64,
    /// The share of the game's result in the targets, 0 to 1; 0.25. The rest is the score's.
    pub result_weight: f32,
    /// Decides the first parameters and the order of the samples in each epoch; 0.
    pub seed: u64,
    /// How many threads work; `None` means one per processor. The result does not depend on it.
    ///
    /// Every step waits for the slowest thread: on processors with fast and slow cores, the number
    /// of fast ones is the best choice.
    pub threads: Option<NonZeroUsize>,
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
    /// No epochs.
    #[error("0 epochs, expected 1 or more")]
    Epochs,
    /// A learning rate that is not positive and finite.
    #[error("learning rate {found}, expected more than 0 and at most 1")]
    LearningRate {
        /// The rate asked for.
        found: f64,
    },
    /// A decay that is negative or not finite.
    #[error("weight decay {found}, expected 0 to 1")]
    WeightDecay {
        /// The decay asked for.
        found: f64,
    },
    /// A weight limit that is not positive, or more than the evaluator's narrowest arithmetic can hold.
    #[error("weight limit {found}, expected more than 0 and at most {max}", max = Parameters::WEIGHT_LIMIT)]
    WeightLimit {
        /// The limit asked for.
        found: f32,
    },
    /// A factoriser without king buckets to share it.
    #[error("a factoriser for one king bucket, expected two or more")]
    Factoriser,
    /// A result weight outside 0…1.
    #[error(transparent)]
    Targets(#[from] TargetError),
    /// Parameters that cannot be trained.
    #[error(transparent)]
    Parameters(#[from] ParametersError),
    /// Parameters of another architecture than the configuration's.
    #[error("the parameters are of another architecture than the configuration")]
    Architecture,
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
    pub const fn new(architecture: Architecture) -> Self {
        Self {
            architecture,
            batch_size: 16_384,
            epochs: 20,
            optimizer: Optimizer::AdamW,
            loss: Loss::SQUARED,
            weight_limit: Parameters::WEIGHT_LIMIT,
            factoriser: false,
            learning_rate: 1e-3,
            weight_decay: 0.01,
            result_weight: 0.25,
            seed: 0,
            threads: None,
        }
    }

    /// How labels become targets: the architecture's eval scale and the result weight.
    ///
    /// # Errors
    ///
    /// [`TargetError::ResultWeight`] for a result weight outside 0…1.
    pub fn targets(&self) -> Result<Targets, TargetError> {
        Targets::new(self.architecture.eval_scale(), self.result_weight)
    }

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        if !(1..=Self::MAX_BATCH_SIZE).contains(&self.batch_size) {
            let found = self.batch_size;
            return Err(ConfigError::BatchSize { found });
        }
        if self.epochs == 0 {
            return Err(ConfigError::Epochs);
        }
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
        Ok(())
    }
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
}
