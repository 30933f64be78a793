//! Batches from background threads.

use std::fmt;
use std::string::String;
use std::sync::{Arc, PoisonError};
use std::thread::{self, JoinHandle};
use std::vec::Vec;

use thiserror::Error;

use crate::sampler::Plan;
use crate::{Dataset, DatasetError, RestoreError, Sampler, SamplerState, Selection};

mod config;
mod queue;
mod worker;

#[cfg(test)]
mod tests;

pub use config::{LoaderConfig, LoaderConfigError};
use queue::{Delivery, Outcome, Queue};
use worker::{Shared, Worker};

/// Gathers the batches that a [`Sampler`] names, on background threads.
///
/// The loader is an iterator over the batches of the sampler's epoch, in order, the same for any
/// number of threads. After the last one it gives nothing until [`set_epoch`](Self::set_epoch) starts
/// another epoch. It needs no memory but for the batches of its queue; batches that are
/// [handed back](Self::recycle) are used again. Dropping it waits for the batches in the making, at
/// most one for each thread.
///
/// A batch that cannot be gathered is an error in its place, after all batches before it, and the
/// last item of the epoch. So is a panic of the dataset.
///
/// ```
/// use chess_records::{Loader, LoaderConfig, Sampler, SamplerConfig};
/// # use chess_records::{Dataset, DatasetError};
/// # use std::ops::Range;
/// #
/// # struct Letters(&'static str);
/// #
/// # impl Dataset for Letters {
/// #     type Batch = Vec<u8>;
/// #     fn len(&self) -> u64 {
/// #         self.0.len() as u64
/// #     }
/// #     fn gather(&self, indices: &[u64], batch: &mut Vec<u8>) -> Result<(), DatasetError> {
/// #         batch.clear();
/// #         batch.extend(indices.iter().map(|&index| self.0.as_bytes()[index as usize]));
/// #         Ok(())
/// #     }
/// #     fn block_count(&self) -> u64 {
/// #         1
/// #     }
/// #     fn block(&self, _: u64) -> Range<u64> {
/// #         0..self.len()
/// #     }
/// #     fn game_start(&self, _: u64) -> Option<bool> {
/// #         None
/// #     }
/// # }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // `Letters` is a dataset of the letters of a word.
/// let sampler = Sampler::new(Letters("abcdefg"), SamplerConfig::new(3).seed(7))?;
/// let mut loader = Loader::new(sampler, LoaderConfig::new(2))?;
///
/// let mut seen = Vec::new();
/// let mut checkpoint = loader.state();
/// for epoch in 0..2 {
///     loader.set_epoch(epoch);
///     while let Some(batch) = loader.next() {
///         let batch = batch?;
///         seen.extend_from_slice(&batch.data);
///         // Where to go on after this batch, whatever was read ahead.
///         checkpoint = batch.state;
///         loader.recycle(batch);
///     }
/// }
/// seen.sort_unstable();
/// assert_eq!(seen, b"aabbccddeeffgg");
/// assert_eq!((checkpoint.epoch, checkpoint.position), (1, 7));
/// # Ok(())
/// # }
/// ```
///
/// The dataset may be an `Arc` that others use as well.
pub struct Loader<D: Dataset> {
    shared: Arc<Shared<D>>,
    threads: Vec<JoinHandle<()>>,
    /// Makes the batches where there are no threads.
    inline: Option<Worker>,
    /// The state after the last batch that was delivered.
    state: SamplerState,
}

/// A batch and what belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoadedBatch<B> {
    /// What the dataset gathered, one row for each of the selection's
    /// [indices](Selection::indices).
    pub data: B,
    /// Which samples these are, and which rows only fill up.
    pub selection: Selection,
    /// The sampler's state after this batch: what to restore to go on with the next one.
    pub state: SamplerState,
}

/// Why a batch could not be loaded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The dataset could not gather it.
    #[error("batch at position {position} of epoch {epoch}")]
    Dataset {
        /// The epoch.
        epoch: u64,
        /// The [position](SamplerState::position) before the batch.
        position: u64,
        /// What the dataset says.
        source: DatasetError,
    },
    /// The dataset panicked.
    #[error("batch at position {position} of epoch {epoch}: the dataset panicked: {message}")]
    Panic {
        /// The epoch.
        epoch: u64,
        /// The [position](SamplerState::position) before the batch.
        position: u64,
        /// What the panic said.
        message: String,
    },
}

impl<D: Dataset + 'static> Loader<D>
where
    D::Batch: Default + Send + 'static,
{
    /// Starts the threads, which begin to read where the sampler is.
    ///
    /// # Errors
    ///
    /// [`LoaderConfigError::Queue`] for a queue of no batches, and [`LoaderConfigError::Thread`] when
    /// the operating system refuses a thread; those that were started are stopped.
    pub fn new(sampler: Sampler<D>, config: LoaderConfig) -> Result<Self, LoaderConfigError> {
        config.check()?;
        let inline = (config.threads == 0).then(Worker::default);
        let capacity = if inline.is_some() { 1 } else { config.queue };
        let (dataset, plan) = sampler.into_parts();
        let state = plan.state();
        let queue = Queue::new(plan, capacity);
        let mut loader = Self {
            shared: Arc::new(Shared::new(dataset, queue)),
            threads: Vec::new(),
            inline,
            state,
        };
        for number in 0..config.threads {
            let started = loader.start_thread(number);
            started.map_err(|source| LoaderConfigError::Thread {
                number,
                threads: config.threads,
                source,
            })?;
        }
        Ok(loader)
    }

    fn start_thread(&mut self, number: usize) -> std::io::Result<()> {
        let shared = Arc::clone(&self.shared);
        let thread = thread::Builder::new().name(std::format!("loader-{number}"));
        let thread = thread.spawn(move || Worker::default().run(&shared))?;
        self.threads.push(thread);
        Ok(())
    }
}

impl<D: Dataset> Loader<D> {
    /// The dataset.
    #[must_use]
    pub fn dataset(&self) -> &D {
        &self.shared.dataset
    }

    /// The sampler's state after the last batch that was delivered; before the first one, that
    /// which the loader was started with or sent to.
    #[must_use]
    pub const fn state(&self) -> SamplerState {
        self.state
    }

    /// Goes to the start of an epoch, as [`Sampler::set_epoch`]. What was read ahead is dropped,
    /// unless it is what comes next there as well.
    pub fn set_epoch(&mut self, epoch: u64) {
        let mut plan = self.shared.queue().plan();
        plan.set_epoch(epoch);
        self.go_to(plan);
    }

    /// Goes to where a sampler was when it gave `state`, as [`Sampler::restore`]. What was read ahead
    /// is dropped, unless it is what comes next there as well.
    ///
    /// # Errors
    ///
    /// A [`RestoreError`] when the state does not fit. The loader then stays where it is.
    pub fn restore(&mut self, state: &SamplerState) -> Result<(), RestoreError> {
        let mut plan = self.shared.queue().plan();
        plan.restore(state)?;
        self.go_to(plan);
        Ok(())
    }

    fn go_to(&mut self, plan: Plan) {
        let mut queue = self.shared.queue();
        if plan.state() == self.state && !queue.has_failed() {
            return;
        }
        let unwanted = queue.go_to(plan);
        drop(queue);
        self.shared.wanted.notify_all();
        self.state = plan.state();
        drop(unwanted);
    }

    /// Takes a batch's buffers to fill them again. What is handed back beyond the needs of the queue
    /// is dropped.
    pub fn recycle(&self, batch: LoadedBatch<D::Batch>) {
        let buffers = (batch.selection, batch.data);
        let unneeded = self.shared.queue().recycle(buffers);
        drop(unneeded);
    }

    /// Waits for what comes next; `None` when the epoch is over.
    fn wait(&self) -> Option<Outcome<D::Batch>> {
        let mut queue = self.shared.queue();
        loop {
            match queue.deliver() {
                Delivery::Batch(outcome) => return Some(outcome),
                Delivery::Over => return None,
                Delivery::Later => {
                    let woken = self.shared.made.wait(queue);
                    queue = woken.unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }
}

impl<D: Dataset> Iterator for Loader<D>
where
    D::Batch: Default,
{
    type Item = Result<LoadedBatch<D::Batch>, LoadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(worker) = &mut self.inline {
            let ticket = self.shared.queue().claim()?;
            worker.work(&self.shared, ticket);
        }
        let outcome = self.wait()?;
        match &outcome {
            Ok(batch) => {
                self.state = batch.state;
                self.shared.wanted.notify_one();
            }
            Err(_) => self.discard(),
        }
        Some(outcome)
    }
}

impl<D: Dataset> Loader<D> {
    fn discard(&self) {
        let unwanted = self.shared.queue().discard();
        drop(unwanted);
    }
}

impl<D: Dataset> Drop for Loader<D> {
    fn drop(&mut self) {
        self.shared.queue().stop();
        self.shared.wanted.notify_all();
        for thread in self.threads.drain(..) {
            // A thread catches what panics while it works.
            let _ = thread.join();
        }
    }
}

impl<D: Dataset> fmt::Debug for Loader<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loader")
            .field("threads", &self.threads.len())
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}
