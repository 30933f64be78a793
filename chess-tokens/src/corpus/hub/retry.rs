//! Waiting, and trying again.

use std::ops::ControlFlow;
use std::thread;
use std::time::{Duration, SystemTime};

use super::error::{HubError, Trouble};
use super::{Hub, HubEvent, Watch};

/// Time as the client sees it; tests have one that passes at once.
pub trait Clock: Send + Sync {
    /// What time it is.
    fn now(&self) -> SystemTime;

    /// Waits.
    fn sleep(&self, time: Duration);
}

/// The time of the system.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    fn sleep(&self, time: Duration) {
        thread::sleep(time);
    }
}

/// The callback is asked this often while nothing happens.
const SLICE: Duration = Duration::from_millis(100);

/// As much of a file counts as a success, after which attempts and delays begin anew.
const PROGRESS_BYTES: u64 = 1 << 20;

/// Why an attempt failed.
pub(super) enum Failure {
    /// What went wrong on the way.
    Trouble {
        trouble: Trouble,
        /// How long the server asks to wait.
        wait: Option<Duration>,
        /// How many bytes there were before.
        received: u64,
    },
    /// No other attempt does better.
    Final(HubError),
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        Self::Trouble {
            trouble,
            wait: None,
            received: 0,
        }
    }
}

impl From<HubError> for Failure {
    fn from(error: HubError) -> Self {
        Self::Final(error)
    }
}

impl Hub {
    /// Makes attempts until one succeeds, there were enough or another makes no sense.
    pub(super) fn retry<T>(
        &self,
        url: &impl ToString,
        watch: &mut Watch<'_>,
        mut attempt: impl FnMut(&mut Watch<'_>) -> Result<T, Failure>,
    ) -> Result<T, HubError> {
        let mut made = 0;
        loop {
            made += 1;
            let (trouble, asked, received) = match attempt(watch) {
                Ok(value) => return Ok(value),
                Err(Failure::Final(error)) => return Err(error),
                Err(Failure::Trouble {
                    trouble,
                    wait,
                    received,
                }) => (trouble, wait, received),
            };
            if received >= PROGRESS_BYTES {
                made = 1;
            }
            let trouble = self.refuse_long_wait(trouble, asked);
            if !trouble.is_temporary() || made >= self.settings.attempts {
                return Err(self.failed(url, made, trouble));
            }
            let wait = self.delay(made).max(asked.unwrap_or_default());
            self.wait(wait, made, &trouble, watch)?;
        }
    }

    pub(super) fn failed(&self, url: &impl ToString, attempt: u32, trouble: Trouble) -> HubError {
        HubError::Failed {
            url: url.to_string(),
            attempt,
            access: self.token_source().to_string(),
            trouble: Box::new(trouble),
        }
    }

    /// Doubling after each attempt.
    fn delay(&self, made: u32) -> Duration {
        let doubled = 2_u32.saturating_pow(made - 1);
        let delay = self.settings.first_delay.saturating_mul(doubled);
        delay.min(self.settings.longest_wait)
    }

    fn refuse_long_wait(&self, trouble: Trouble, asked: Option<Duration>) -> Trouble {
        let longest = self.settings.longest_wait;
        match (trouble, asked) {
            (Trouble::Status { status, said }, Some(wait)) if wait > longest => Trouble::Wait {
                status,
                said,
                wait,
                longest,
            },
            (trouble, _) => trouble,
        }
    }

    fn wait(
        &self,
        time: Duration,
        attempt: u32,
        trouble: &Trouble,
        watch: &mut Watch<'_>,
    ) -> Result<(), HubError> {
        let mut left = time;
        loop {
            tell(
                watch,
                &HubEvent::Waiting {
                    left,
                    attempt,
                    attempts: self.settings.attempts,
                    trouble,
                },
            )?;
            if left.is_zero() {
                return Ok(());
            }
            let slice = left.min(SLICE);
            self.settings.clock.sleep(slice);
            left -= slice;
        }
    }
}

pub(super) fn tell(watch: &mut Watch<'_>, event: &HubEvent<'_>) -> Result<(), HubError> {
    match watch(event) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(HubError::Cancelled),
    }
}
