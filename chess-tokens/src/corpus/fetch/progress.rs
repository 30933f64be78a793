//! How far a month is.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::FetchError;
use crate::corpus::Month;
use crate::corpus::hub::HubEvent;

/// What fetching reports to, for each piece that comes and ten times a second while it waits. It stops
/// when it breaks, and can go on later.
pub type Progress<'a> = dyn FnMut(&FetchProgress) -> ControlFlow<()> + 'a;

/// What fetching is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FetchPhase {
    /// Asking which shards there are.
    Listing,
    /// Downloading a shard.
    Downloading,
    /// Comparing a shard with its hash.
    Checking,
    /// Waiting before something is tried again.
    Waiting {
        /// For how long.
        left: Duration,
        /// Which attempt failed, from 1.
        attempt: u32,
        /// How many there may be.
        attempts: u32,
        /// What went wrong.
        why: String,
    },
    /// Filtering a shard.
    Filtering,
    /// Joining the parts.
    Joining,
}

/// How far a month is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FetchProgress {
    /// The month.
    pub month: Month,
    /// What is being done.
    pub phase: FetchPhase,
    /// How many shards are filtered.
    pub shards_done: usize,
    /// How many there are; 0 before they are listed.
    pub shards: usize,
    /// How many bytes of the present shard are there, or were compared.
    pub shard_bytes: u64,
    /// How long it is.
    pub shard_size: u64,
    /// How many bytes were downloaded by this call.
    pub bytes: u64,
    /// How many there will be, unless enough games are kept sooner.
    pub bytes_in_all: u64,
    /// How many games are kept.
    pub games: u64,
    /// How many of them were kept by earlier calls.
    pub games_before: u64,
    /// How many are kept at most.
    pub limit: Option<u64>,
    /// How long this call has been at work.
    pub elapsed: Duration,
    /// How long of it it was downloading.
    pub downloading: Duration,
}

impl FetchProgress {
    /// Bytes downloaded in a second, of the time that was spent downloading.
    #[must_use]
    pub fn bytes_per_second(&self) -> f64 {
        self.bytes as f64 / self.downloading.as_secs_f64().max(f64::MIN_POSITIVE)
    }

    /// For how long this will still take, if it goes on as until now: until all is downloaded, or enough
    /// games are kept if that is sooner. `None` before anything can be told.
    #[must_use]
    pub fn eta(&self) -> Option<Duration> {
        let of_bytes = share(self.bytes, self.bytes_in_all);
        let games = self.games.saturating_sub(self.games_before);
        let wanted = self.limit.unwrap_or(0).saturating_sub(self.games_before);
        let done = of_bytes.max(share(games, wanted));
        let left = self.elapsed.as_secs_f64() * (1.0 - done) / done;
        Duration::try_from_secs_f64(left).ok()
    }
}

fn share(part: u64, whole: u64) -> f64 {
    match whole {
        0 => 0.0,
        whole => (part as f64 / whole as f64).min(1.0),
    }
}

/// Counts and reports.
pub(super) struct Meter<'a, 'b> {
    progress: &'a mut Progress<'b>,
    pub(super) now: FetchProgress,
    started: Instant,
    /// When the present download was last heard of, and how much of the shard was there.
    last: Option<(Instant, u64)>,
}

impl<'a, 'b> Meter<'a, 'b> {
    pub(super) fn new(month: Month, limit: Option<u64>, progress: &'a mut Progress<'b>) -> Self {
        Self {
            progress,
            now: FetchProgress {
                month,
                phase: FetchPhase::Listing,
                shards_done: 0,
                shards: 0,
                shard_bytes: 0,
                shard_size: 0,
                bytes: 0,
                bytes_in_all: 0,
                games: 0,
                games_before: 0,
                limit,
                elapsed: Duration::ZERO,
                downloading: Duration::ZERO,
            },
            started: Instant::now(),
            last: None,
        }
    }

    /// Another phase begins.
    pub(super) fn begin(&mut self, phase: FetchPhase) -> Result<(), FetchError> {
        self.last = None;
        match self.report(phase) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(FetchError::Cancelled),
        }
    }

    /// A shard begins to be downloaded.
    pub(super) fn begin_shard(&mut self, size: u64) -> Result<(), FetchError> {
        (self.now.shard_bytes, self.now.shard_size) = (0, size);
        self.begin(FetchPhase::Downloading)
    }

    /// The client of the hub does something.
    pub(super) fn event(&mut self, event: &HubEvent<'_>) -> ControlFlow<()> {
        match *event {
            HubEvent::Received { bytes, .. } => {
                self.received(bytes);
                self.report(FetchPhase::Downloading)
            }
            HubEvent::Checking { bytes, .. } => {
                (self.now.shard_bytes, self.last) = (bytes, None);
                self.report(FetchPhase::Checking)
            }
            HubEvent::Waiting {
                left,
                attempt,
                attempts,
                trouble,
            } => {
                self.last = None;
                self.report(FetchPhase::Waiting {
                    left,
                    attempt,
                    attempts,
                    why: trouble.to_string(),
                })
            }
        }
    }

    fn received(&mut self, bytes: u64) {
        let now = Instant::now();
        // The first report of an attempt tells what was there.
        if let Some((then, before)) = self.last {
            self.now.bytes += bytes.saturating_sub(before);
            self.now.downloading += now - then;
        }
        self.last = Some((now, bytes));
        self.now.shard_bytes = bytes;
    }

    fn report(&mut self, phase: FetchPhase) -> ControlFlow<()> {
        self.now.phase = phase;
        self.now.elapsed = self.started.elapsed();
        (self.progress)(&self.now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(bytes: u64, games: u64, limit: Option<u64>) -> FetchProgress {
        let mut on = |_: &FetchProgress| ControlFlow::Continue(());
        let meter = Meter::new("2025-05".parse().unwrap(), limit, &mut on);
        FetchProgress {
            bytes,
            bytes_in_all: 1000,
            games,
            games_before: 10,
            elapsed: Duration::from_secs(60),
            downloading: Duration::from_secs(50),
            ..meter.now
        }
    }

    #[test]
    fn rate_and_time_to_come() {
        let quarter = progress(250, 10, None);
        assert_eq!(quarter.bytes_per_second(), 5.0);
        assert_eq!(quarter.eta(), Some(Duration::from_secs(180)));
        // Half of the games that are still wanted.
        let half = progress(250, 30, Some(50)).eta();
        assert_eq!(half, Some(Duration::from_secs(60)));
        assert_eq!(progress(0, 10, Some(50)).eta(), None);
        assert_eq!(progress(1000, 10, None).eta(), Some(Duration::ZERO));
    }

    #[test]
    fn what_was_there_is_not_counted_as_downloaded() {
        let mut on = |_: &FetchProgress| ControlFlow::Continue(());
        let mut meter = Meter::new("2025-05".parse().unwrap(), None, &mut on);
        meter.begin_shard(100).unwrap();
        for bytes in [40, 50, 70] {
            assert!(
                meter
                    .event(&HubEvent::Received { bytes, size: 100 })
                    .is_continue()
            );
        }
        meter.begin_shard(100).unwrap();
        for bytes in [0, 5] {
            assert!(
                meter
                    .event(&HubEvent::Received { bytes, size: 100 })
                    .is_continue()
            );
        }
        assert_eq!((meter.now.bytes, meter.now.shard_bytes), (35, 5));
    }
}
