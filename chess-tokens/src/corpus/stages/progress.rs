//! How far a stage is.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::StageError;
use crate::corpus::Month;

/// What stages report to, for each batch of rows. They stop when it breaks, and begin the folder anew
/// later.
pub type Progress<'a> = dyn FnMut(&StageProgress) -> ControlFlow<()> + 'a;

/// How far a stage is with a folder.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StageProgress {
    /// The stage.
    pub stage: &'static str,
    /// The month, if the folder is one of a month.
    pub month: Option<Month>,
    /// How many games were gone through.
    pub games: u64,
    /// How many there are, if that is known.
    pub games_in_all: Option<u64>,
    /// How many were kept.
    pub kept: u64,
    /// For how long.
    pub elapsed: Duration,
}

impl StageProgress {
    /// Games gone through in a second.
    #[must_use]
    pub fn games_per_second(&self) -> f64 {
        self.games as f64 / self.elapsed.as_secs_f64().max(f64::MIN_POSITIVE)
    }

    /// For how long this will still take, if it goes on as until now. `None` before that can be told.
    #[must_use]
    pub fn eta(&self) -> Option<Duration> {
        let left = self.games_in_all?.saturating_sub(self.games);
        let a_game = self.elapsed.as_secs_f64() / self.games as f64;
        Duration::try_from_secs_f64(a_game * left as f64).ok()
    }
}

/// Counts and reports.
pub(super) struct Meter<'a, 'b> {
    progress: &'a mut Progress<'b>,
    now: StageProgress,
    started: Instant,
}

impl<'a, 'b> Meter<'a, 'b> {
    /// Reports that the stage begins.
    pub(super) fn begin(
        stage: &'static str,
        month: Option<Month>,
        games_in_all: Option<u64>,
        progress: &'a mut Progress<'b>,
    ) -> Result<Self, StageError> {
        let now = StageProgress {
            stage,
            month,
            games: 0,
            games_in_all,
            kept: 0,
            elapsed: Duration::ZERO,
        };
        let started = Instant::now();
        let mut meter = Self {
            progress,
            now,
            started,
        };
        meter.report(0, 0)?;
        Ok(meter)
    }

    /// Nothing has changed but the time.
    pub(super) fn tick(&mut self) -> Result<(), StageError> {
        self.report(self.now.games, 0)
    }

    /// So many games were gone through until now, and so many more are kept.
    pub(super) fn report(&mut self, games: u64, kept: u64) -> Result<(), StageError> {
        self.now.games = games;
        self.now.kept += kept;
        self.now.elapsed = self.started.elapsed();
        match (self.progress)(&self.now) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(StageError::Cancelled),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_and_time_to_come() {
        let progress = StageProgress {
            stage: "uci",
            month: None,
            games: 50,
            games_in_all: Some(200),
            kept: 40,
            elapsed: Duration::from_secs(10),
        };
        assert_eq!(progress.games_per_second(), 5.0);
        assert_eq!(progress.eta(), Some(Duration::from_secs(30)));
        let unknown = StageProgress {
            games_in_all: None,
            ..progress.clone()
        };
        assert_eq!(unknown.eta(), None);
        let begun = StageProgress {
            games: 0,
            ..progress
        };
        assert_eq!(begun.eta(), None);
    }

    #[test]
    fn a_callback_that_breaks_stops_the_stage() {
        let mut stop = |_: &StageProgress| ControlFlow::Break(());
        let error = Meter::begin("uci", None, None, &mut stop).err().unwrap();
        assert_eq!(error.to_string(), "stopped on request");
    }
}
