//! Where a run is, so that it can go on from there.

use std::string::{String, ToString};

use chess_records::{RestoreError, SamplerState};
use thiserror::Error;

use super::config::TrainConfig;
use super::optimizer::OptimizerState;
use super::parameters::Parameters;

mod bytes;
mod error;
mod file;
mod identity;

pub use error::CheckpointError;
pub use file::{CheckpointLoadError, CheckpointSaveError};
pub(super) use identity::DataIdentity;

/// Where a run is: the parameters, the optimizer's moments, the place in the data and the losses so
/// far, with what the run is of.
///
/// A run that goes on from a checkpoint ends with the same parameters, bit by bit, as one that was
/// never interrupted, on any number of threads: see [`Trainer::resume`](super::Trainer::resume). The
/// configuration must be the same, threads and checkpoints apart, and so must the data, which are
/// known again by their number and by some samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// The parameters after the last step.
    pub(super) parameters: Parameters,
    /// What the optimizer remembers, and how many steps were made.
    pub(super) optimizer: OptimizerState,
    pub(super) progress: Progress,
    /// Where in the training set the run goes on.
    pub(super) place: Place,
    pub(super) data: Data,
    /// What the run is like, a field a line.
    pub(super) description: String,
}

/// What was counted and measured so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Progress {
    /// How many samples were learnt from.
    pub(super) records: u64,
    /// The losses of the epoch's samples so far, summed.
    pub(super) epoch_loss: f64,
    /// How many samples that are.
    pub(super) epoch_records: u64,
    /// The epoch with the smallest validation loss, and that loss.
    pub(super) best: Option<Best>,
    /// The validation loss of the last completed epoch.
    pub(super) validation_loss: Option<f64>,
}

/// The epoch after which a network predicted the validation set best.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Best {
    /// The epoch, from 1.
    pub epoch: u32,
    /// The validation loss after it.
    pub validation_loss: f64,
}

/// The part of a sampler's state that a configuration does not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    len: u64,
    block_count: Option<u64>,
    pub(super) pass: u64,
    pub(super) position: u64,
}

/// What is trained on and validated with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Data {
    pub(super) training: DataIdentity,
    pub(super) validation: DataIdentity,
}

/// Why a run cannot go on from a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// The checkpoint is of a run with another configuration.
    #[error("the checkpoint is of another run: {found}, expected {expected}")]
    Config {
        /// The first field that differs, with the checkpoint's value.
        found: String,
        /// The same field with the configuration's value.
        expected: String,
    },
    /// A dataset holds another number of samples.
    #[error(
        "the checkpoint is of a run with {found} samples in its {set} set, expected {expected}"
    )]
    Len {
        /// `training` or `validation`.
        set: &'static str,
        /// The number the run of the checkpoint had.
        found: u64,
        /// The number there are now.
        expected: u64,
    },
    /// A dataset holds other samples.
    #[error(
        "the checkpoint is of a run with another {set} set: fingerprint {found:016x}, \
         expected {expected:016x}"
    )]
    Fingerprint {
        /// `training` or `validation`.
        set: &'static str,
        /// That of the checkpoint's data.
        found: u64,
        /// That of the data now.
        expected: u64,
    },
    /// The place in the data does not fit the data.
    #[error("the checkpoint does not fit the training set")]
    Place(#[from] RestoreError),
    /// The place in the data is not where so many steps lead to.
    #[error(
        "the checkpoint is at sample {position} of pass {pass}, \
         where {steps} steps of this run do not lead"
    )]
    Steps {
        /// How many steps were made.
        steps: u64,
        /// How many times the data were gone through.
        pass: u64,
        /// How many samples of the pass were learnt from.
        position: u64,
    },
}

impl Checkpoint {
    /// The parameters.
    #[must_use]
    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// How many steps were made.
    #[must_use]
    pub const fn steps(&self) -> u64 {
        self.optimizer.steps
    }

    /// How many samples were learnt from.
    #[must_use]
    pub const fn records(&self) -> u64 {
        self.progress.records
    }

    /// The completed epoch with the smallest validation loss; `None` before the first is over.
    #[must_use]
    pub const fn best(&self) -> Option<Best> {
        self.progress.best
    }

    /// The validation loss of the last completed epoch; `None` before the first is over.
    #[must_use]
    pub const fn validation_loss(&self) -> Option<f64> {
        self.progress.validation_loss
    }

    /// Whether a run with this configuration and these data can go on from here.
    pub(super) fn check(&self, config: &TrainConfig, data: &Data) -> Result<(), ResumeError> {
        self.check_config(config)?;
        data.training.check("training", &self.data.training)?;
        data.validation.check("validation", &self.data.validation)?;
        let Place { pass, position, .. } = self.place;
        let of_pass = config.pass_steps(data.training.len);
        let led_to = pass
            .checked_mul(of_pass)
            .and_then(|steps| steps.checked_add(position.div_ceil(config.batch_size as u64)));
        let steps = self.steps();
        if led_to != Some(steps) || steps > config.steps(data.training.len) {
            return Err(ResumeError::Steps {
                steps,
                pass,
                position,
            });
        }
        Ok(())
    }

    fn check_config(&self, config: &TrainConfig) -> Result<(), ResumeError> {
        let expected = config.description();
        let mut lines = self.description.lines().zip(expected.lines());
        if let Some((found, expected)) = lines.find(|(found, expected)| found != expected) {
            return Err(ResumeError::Config {
                found: found.to_string(),
                expected: expected.to_string(),
            });
        }
        if self.description != expected {
            // One goes on where the other ends.
            let fields = |text: &str| std::format!("{} fields", text.lines().count());
            return Err(ResumeError::Config {
                found: fields(&self.description),
                expected: fields(&expected),
            });
        }
        Ok(())
    }
}

impl Place {
    pub(super) const fn of(state: &SamplerState) -> Self {
        Self {
            len: state.len,
            block_count: state.block_count,
            pass: state.epoch,
            position: state.position,
        }
    }

    /// The state of a sampler at this place that otherwise is as `like`.
    pub(super) const fn state(self, like: SamplerState) -> SamplerState {
        let mut state = like;
        state.len = self.len;
        state.block_count = self.block_count;
        state.epoch = self.pass;
        state.position = self.position;
        state
    }
}
