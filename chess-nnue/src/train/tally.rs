//! What a run has done so far.

use core::num::NonZeroU64;
use std::time::Duration;

use super::checkpoint::{Best, Checkpoint, Progress};
use super::config::TrainConfig;
use super::late::Piece;

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
    /// How many samples' losses are in the epoch's loss.
    known: u64,
    /// The last step with a known loss, how many samples it is of and its sum.
    last_loss: (u64, u64, f64),
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
            known: 0,
            last_loss: (0, 0, 0.0),
            timed: (0, Duration::ZERO),
        }
    }

    /// What the run of a checkpoint had done.
    pub(super) fn go_to(&mut self, checkpoint: &Checkpoint) {
        self.step = checkpoint.steps();
        self.progress = checkpoint.progress;
        self.known = self.progress.epoch_records;
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

    /// Counts a step from so many samples.
    pub(super) fn add(&mut self, records: u64, time: Duration) {
        self.step += 1;
        self.progress.records += records;
        self.progress.epoch_records += records;
        self.timed = (self.timed.0 + records, self.timed.1 + time);
    }

    /// Takes in the sum of the losses of samples of a step, known at once or later, but before the
    /// epoch's end.
    pub(super) fn add_loss(&mut self, piece: Piece, loss: f64) {
        let Piece { step, records } = piece;
        self.progress.epoch_loss += loss;
        self.known += records;
        if self.last_loss.0 != step {
            self.last_loss = (step, 0, 0.0);
        }
        self.last_loss.1 += records;
        self.last_loss.2 += loss;
    }

    /// Whether a loss of this epoch is known.
    pub(super) const fn has_loss(&self) -> bool {
        self.known > 0
    }

    /// The mean loss of the epoch, as far as it is known.
    pub(super) fn training_loss(&self) -> f64 {
        self.progress.epoch_loss / self.known as f64
    }

    /// The mean loss of the last batch of which it is known.
    pub(super) fn batch_loss(&self) -> f64 {
        self.last_loss.2 / self.last_loss.1 as f64
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
        self.known = 0;
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

    /// A step from ten samples with this loss.
    fn add(tally: &mut Tally, loss: f64) {
        tally.add(10, Duration::from_secs(1));
        let (step, records) = (tally.step(), 10);
        tally.add_loss(Piece { step, records }, loss);
    }

    #[test]
    fn epochs_end_when_it_is_noted() {
        let mut tally = tally();
        for (step, batch, epoch) in [(1, 1, 1), (2, 2, 1), (3, 3, 1), (4, 1, 2), (5, 2, 2)] {
            assert!(!tally.epoch_is_ending() && !tally.is_over());
            add(&mut tally, f64::from(epoch));
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
        add(&mut tally, 2.0);
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
            add(&mut tally, 1.0);
            assert_eq!(tally.is_checkpoint(NonZeroU64::new(1)), step != 3);
            assert!(!tally.is_checkpoint(every) && !tally.is_checkpoint(None));
        }
    }

    #[test]
    fn losses_may_be_known_later() {
        let mut tally = tally();
        let piece = |step, records| Piece { step, records };
        tally.add(10, Duration::ZERO);
        assert!(!tally.has_loss());
        tally.add(10, Duration::ZERO);
        tally.add_loss(piece(1, 4), 2.0);
        tally.add_loss(piece(1, 6), 1.0);
        assert!(tally.has_loss());
        assert_eq!((tally.batch_loss(), tally.training_loss()), (0.3, 0.3));
        tally.add_loss(piece(2, 10), 5.0);
        assert_eq!((tally.batch_loss(), tally.training_loss()), (0.5, 0.4));
    }
}
