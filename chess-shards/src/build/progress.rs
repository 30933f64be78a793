//! How far a build is.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::error::BuildError;

/// What a build reports to, a few times a second's worth of work. The build stops when it breaks, and
/// can go on later.
pub type Progress<'a> = dyn FnMut(&BuildProgress) -> ControlFlow<()> + 'a;

/// What a build is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BuildPhase {
    /// Counting the games that count.
    Counting,
    /// Building shards.
    Building,
}

/// How far a build is. Counts and time begin anew with each phase.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BuildProgress {
    /// What it is doing.
    pub phase: BuildPhase,
    /// How many games of those that count were gone through.
    pub games: u64,
    /// How many there will be, if that is known.
    pub games_in_all: Option<u64>,
    /// How many rows were written.
    pub samples: u64,
    /// For how long.
    pub elapsed: Duration,
}

impl BuildProgress {
    /// Games gone through in a second.
    #[must_use]
    pub fn games_per_second(&self) -> f64 {
        self.games as f64 / self.elapsed.as_secs_f64().max(f64::MIN_POSITIVE)
    }

    /// Rows written in a second.
    #[must_use]
    pub fn samples_per_second(&self) -> f64 {
        self.samples as f64 / self.elapsed.as_secs_f64().max(f64::MIN_POSITIVE)
    }
}

/// Counts and reports.
pub(super) struct Meter<'a, 'b> {
    progress: &'a mut Progress<'b>,
    now: BuildProgress,
    started: Instant,
}

impl<'a, 'b> Meter<'a, 'b> {
    pub(super) fn new(progress: &'a mut Progress<'b>) -> Self {
        Self {
            progress,
            now: BuildProgress {
                phase: BuildPhase::Counting,
                games: 0,
                games_in_all: None,
                samples: 0,
                elapsed: Duration::ZERO,
            },
            started: Instant::now(),
        }
    }

    pub(super) fn begin(
        &mut self,
        phase: BuildPhase,
        games_in_all: Option<u64>,
    ) -> Result<(), BuildError> {
        self.started = Instant::now();
        self.now = BuildProgress {
            phase,
            games: 0,
            games_in_all,
            samples: 0,
            elapsed: Duration::ZERO,
        };
        self.report()
    }

    pub(super) fn advance(&mut self, games: u64, samples: u64) -> Result<(), BuildError> {
        self.now.games += games;
        self.now.samples += samples;
        self.report()
    }

    fn report(&mut self) -> Result<(), BuildError> {
        self.now.elapsed = self.started.elapsed();
        match (self.progress)(&self.now) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(BuildError::Cancelled),
        }
    }
}
