//! The making of batches, on any thread.

use std::any::Any;
use std::boxed::Box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::string::String;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::queue::{Outcome, Queue, Ticket};
use super::{LoadError, LoadedBatch};
use crate::sampler::Walk;
use crate::{Dataset, DatasetError};

/// What a loader and its threads share.
pub(super) struct Shared<D: Dataset> {
    pub(super) dataset: D,
    queue: Mutex<Queue<D::Batch>>,
    /// Told when there may be a batch to make, or none ever again.
    pub(super) wanted: Condvar,
    /// Told when a batch was made.
    pub(super) made: Condvar,
}

impl<D: Dataset> Shared<D> {
    pub(super) fn new(dataset: D, queue: Queue<D::Batch>) -> Self {
        Self {
            dataset,
            queue: Mutex::new(queue),
            wanted: Condvar::new(),
            made: Condvar::new(),
        }
    }

    pub(super) fn queue(&self) -> MutexGuard<'_, Queue<D::Batch>> {
        // The queue holds together after each of its functions.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a batch to make; `None` when the loader stops.
    fn claim(&self) -> Option<Ticket<D::Batch>> {
        let mut queue = self.queue();
        while !queue.is_stopped() {
            if let Some(ticket) = queue.claim() {
                return Some(ticket);
            }
            let woken = self.wanted.wait(queue);
            queue = woken.unwrap_or_else(PoisonError::into_inner);
        }
        None
    }
}

/// One that makes batches, with the order of the epoch as far as it has walked it.
#[derive(Default)]
pub(super) struct Worker {
    walk: Option<Walk>,
}

impl Worker {
    /// Makes batches until the loader stops.
    pub(super) fn run<D: Dataset>(mut self, shared: &Shared<D>)
    where
        D::Batch: Default,
    {
        while let Some(ticket) = shared.claim() {
            // A batch that is not wanted any more may panic when it is dropped.
            let _ = catch_unwind(AssertUnwindSafe(|| self.work(shared, ticket)));
        }
    }

    /// Makes a batch and hands it in.
    pub(super) fn work<D: Dataset>(&mut self, shared: &Shared<D>, ticket: Ticket<D::Batch>)
    where
        D::Batch: Default,
    {
        let (generation, number) = ticket.place();
        let outcome = self.outcome(&shared.dataset, ticket);
        let unwanted = shared.queue().finish(generation, number, outcome);
        shared.made.notify_one();
        drop(unwanted);
    }

    fn outcome<D: Dataset>(&mut self, dataset: &D, ticket: Ticket<D::Batch>) -> Outcome<D::Batch>
    where
        D::Batch: Default,
    {
        let (epoch, position) = (ticket.stretch.plan.epoch, ticket.stretch.plan.position);
        // Nothing that a panic may leave half done is used again: the walk is put back only after a
        // success, and the buffers are dropped.
        match catch_unwind(AssertUnwindSafe(|| self.make(dataset, ticket))) {
            Ok(Ok(batch)) => Ok(batch),
            Ok(Err(source)) => Err(LoadError::Dataset {
                epoch,
                position,
                source,
            }),
            Err(payload) => Err(LoadError::Panic {
                epoch,
                position,
                message: message(payload),
            }),
        }
    }

    fn make<D: Dataset>(
        &mut self,
        dataset: &D,
        ticket: Ticket<D::Batch>,
    ) -> Result<LoadedBatch<D::Batch>, DatasetError>
    where
        D::Batch: Default,
    {
        let plan = &ticket.stretch.plan;
        let walk = self.walk.take().filter(|walk| walk.serves(plan));
        let mut walk = walk.unwrap_or_else(|| Walk::new(plan));
        let (mut selection, mut data) = ticket.buffers.unwrap_or_default();
        walk.select(dataset, &ticket.stretch, &mut selection);
        self.walk = Some(walk);
        dataset.gather(selection.indices(), &mut data)?;
        Ok(LoadedBatch {
            data,
            selection,
            state: ticket.state,
        })
    }
}

/// The text of a panic.
fn message(payload: Box<dyn Any + Send>) -> String {
    let text = match payload.downcast::<String>() {
        Ok(text) => return *text,
        Err(payload) => match payload.downcast::<&'static str>() {
            Ok(text) => return (*text).into(),
            Err(payload) => payload,
        },
    };
    // A payload of any type, which may panic in its turn when it is dropped.
    std::mem::forget(text);
    "no message".into()
}
