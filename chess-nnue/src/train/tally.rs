//! What a run has done so far.

use core::num::NonZeroU64;
use std::time::Duration;

use super::checkpoint::{Best, Checkpoint, Progress};
use super::config::TrainConfig;

/// The steps and losses of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tally {
    /// Steps made.
    step: u64,
    /// Steps to make.
    steps: u64,
    /// Steps of an epoch.
    epoch_steps: u64,
    progress: Progress,
    /// How many samples of this epoch this process learnt from, and in which time.
    timed: (u64, Duration),
}

impl Tally {
    pub(super) fn new(config: &TrainConfig, training_len: u64) -> Self {
        Self {
            step: 0,
            steps: config.steps(training_len),
            epoch_steps: config.epoch_steps(training_len),
            progress: Progress::default(),
            timed: (0, Duration::ZERO),
        }
    }

    /// What the run of a checkpoint had done.
    pub(super) fn go_to(&mut self, checkpoint: &Checkpoint) {
        self.step = checkpoint.steps();
        self.progress = checkpoint.progress;
    }

    pub(super) const fn step(&self) -> u64 {
        self.step
    }

    pub(super) const fn steps(&self) -> u64 {
        self.steps
    }

    pub(super) const fn epoch_steps(&self) -> u64 {
        self.epoch_steps
    }

    pub(super) const fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Whether the last step was an epoch's last, and the epoch's end is not noted yet.
    pub(super) const fn epoch_is_ending(&self) -> bool {
        self.step.is_multiple_of(self.epoch_steps) && self.progress.epoch_records > 0
    }

    pub(super) const fn is_over(&self) -> bool {
        self.step == self.steps && !self.epoch_is_ending()
    }

    pub(super) fn epochs_completed(&self) -> u32 {
        let full = self.step / self.epoch_steps;
        (full - u64::from(self.epoch_is_ending())) as u32
    }

    /// The epoch, from 1, that a step belongs to.
    pub(super) const fn epoch_of(&self, step: u64) -> u32 {
        (step.saturating_sub(1) / self.epoch_steps) as u32 + 1
    }

    /// The number, from 1, of a step in its epoch.
    pub(super) const fn batch_of(&self, step: u64) -> u64 {
        step.saturating_sub(1) % self.epoch_steps + 1
    }

    /// Whether a checkpoint is wanted now; at the end of an epoch one is taken anyway.
    pub(super) fn is_checkpoint(&self, every: Option<NonZeroU64>) -> bool {
        let is_one = every.is_some_and(|every| self.step.is_multiple_of(every.get()));
        is_one && !self.epoch_is_ending()
    }

    /// Counts a step from so many samples with this sum of losses.
    pub(super) fn add(&mut self, records: u64, loss: f64, time: Duration) {
        self.step += 1;
        self.progress.records += records;
        self.progress.epoch_loss += loss;
        self.progress.epoch_records += records;
        self.timed = (self.timed.0 + records, self.timed.1 + time);
    }

    /// The mean loss of the epoch so far.
    pub(super) fn training_loss(&self) -> f64 {
        self.progress.epoch_loss / self.progress.epoch_records as f64
    }

    pub(super) fn records_per_second(&self) -> f64 {
        self.timed.0 as f64 / self.timed.1.as_secs_f64().max(1e-9)
    }

    /// Notes how the epoch that is ending went; whether it is the best so far.
    pub(super) fn end_epoch(&mut self, validation_loss: f64) -> bool {
        let epoch = self.epoch_of(self.step);
        let best = self.progress.best;
        let is_best = best.is_none_or(|best| validation_loss < best.validation_loss);
        if is_best {
            self.progress.best = Some(Best {
                epoch,
                validation_loss,
            });
        }
        self.progress.validation_loss = Some(validation_loss);
        (self.progress.epoch_loss, self.progress.epoch_records) = (0.0, 0);
        self.timed = (0, Duration::ZERO);
        is_best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Architecture;

    /// Two epochs of three steps, each of ten samples.
    fn tally() -> Tally {
        let mut config = TrainConfig::new(Architecture::new(16).unwrap());
        (config.batch_size, config.epochs) = (10, 2);
        Tally::new(&config, 30)
    }

    #[test]
    fn epochs_end_when_it_is_noted() {
        let mut tally = tally();
        for (step, batch, epoch) in [(1, 1, 1), (2, 2, 1), (3, 3, 1), (4, 1, 2), (5, 2, 2)] {
            assert!(!tally.epoch_is_ending() && !tally.is_over());
            tally.add(10, f64::from(epoch), Duration::from_secs(1));
            assert_eq!(tally.step(), step);
            assert_eq!((tally.batch_of(step), tally.epoch_of(step)), (batch, epoch));
            assert_eq!(tally.training_loss(), f64::from(epoch) / 10.0);
            if step == 3 {
                assert!(tally.epoch_is_ending());
                assert_eq!(tally.epochs_completed(), 0);
                assert!(tally.end_epoch(0.5));
            }
            assert_eq!(tally.epochs_completed(), u32::from(step >= 3));
        }
        tally.add(10, 2.0, Duration::from_secs(1));
        assert!(!tally.is_over());
        assert_eq!(tally.records_per_second(), 10.0);
        assert!(!tally.end_epoch(0.5), "no better than before");
        assert!(tally.is_over());
        let best = Best {
            epoch: 1,
            validation_loss: 0.5,
        };
        assert_eq!(tally.progress().best, Some(best));
        assert_eq!(tally.progress().records, 60);
    }

    #[test]
    fn a_checkpoint_waits_for_the_end_of_the_epoch() {
        let mut tally = tally();
        let every = NonZeroU64::new(3);
        for step in 1..=3 {
            tally.add(10, 1.0, Duration::ZERO);
            assert_eq!(tally.is_checkpoint(NonZeroU64::new(1)), step != 3);
            assert!(!tally.is_checkpoint(every) && !tally.is_checkpoint(None));
        }
    }
}
