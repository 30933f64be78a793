//! How a loader works.

use std::io;

use thiserror::Error;

/// How many threads a [`Loader`](crate::Loader) works with and how far they read ahead.
///
/// Neither changes the batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoaderConfig {
    pub(super) threads: usize,
    pub(super) queue: usize,
}

impl LoaderConfig {
    /// `threads` background threads, which read twice as many batches ahead. With 0 threads, a batch
    /// is gathered when it is asked for, by the thread that asks.
    #[must_use]
    pub const fn new(threads: usize) -> Self {
        Self {
            threads,
            queue: threads.saturating_mul(2),
        }
    }

    /// How many batches may be ready or in the making before they are asked for. A thread for which
    /// there is none to make waits. Without threads, nothing is made ahead whatever is asked here.
    #[must_use]
    pub const fn queue(self, batches: usize) -> Self {
        Self {
            queue: batches,
            ..self
        }
    }

    pub(super) const fn check(&self) -> Result<(), LoaderConfigError> {
        if self.threads > 0 && self.queue == 0 {
            return Err(LoaderConfigError::Queue);
        }
        Ok(())
    }
}

/// Why a loader could not be started.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoaderConfigError {
    /// Threads that may not make any batch.
    #[error("queue is 0 batches, expected at least 1")]
    Queue,
    /// The operating system gave no thread.
    #[error("thread {number} of {threads} not started")]
    Thread {
        /// The thread's number, from 0.
        number: usize,
        /// How many were asked for.
        threads: usize,
        /// What the operating system says.
        source: io::Error,
    },
}
