//! Batches in the making, handed out and delivered in order.

use std::collections::VecDeque;
use std::vec::Vec;

use super::{LoadError, LoadedBatch};
use crate::sampler::{Plan, Stretch};
use crate::{SamplerState, Selection};

pub(super) type Outcome<B> = Result<LoadedBatch<B>, LoadError>;

/// The buffers of a batch, empty or to be overwritten.
pub(super) type Buffers<B> = (Selection, B);

/// A batch that someone has undertaken to make.
pub(super) struct Ticket<B> {
    generation: u64,
    number: u64,
    pub(super) stretch: Stretch,
    /// The sampler's state after the batch.
    pub(super) state: SamplerState,
    /// Buffers that were handed back, if there are any.
    pub(super) buffers: Option<Buffers<B>>,
}

/// What is there for the one who asks for a batch.
pub(super) enum Delivery<B> {
    Batch(Outcome<B>),
    /// The next batch is in the making, or will be.
    Later,
    /// The epoch is over, or has failed.
    Over,
}

/// The batches between the sampler and the one who asks for them.
///
/// Nothing here runs the code of a dataset or of a batch: what is to be dropped is returned, so that
/// the lock around the queue is never held for long and never poisoned.
pub(super) struct Queue<B> {
    plan: Plan,
    capacity: usize,
    stopped: bool,
    failed: bool,
    /// Rises when the batches in the making are no longer wanted.
    generation: u64,
    /// The number of the batch that is delivered next.
    first: u64,
    /// What became of the batches `first..`, as far as they were claimed.
    outcomes: VecDeque<Option<Outcome<B>>>,
    spare: Vec<Buffers<B>>,
}

impl<B> Queue<B> {
    pub(super) fn new(plan: Plan, capacity: usize) -> Self {
        Self {
            plan,
            capacity,
            stopped: false,
            failed: false,
            generation: 0,
            first: 0,
            outcomes: VecDeque::new(),
            spare: Vec::new(),
        }
    }

    /// The next batch to make, if one is wanted now.
    pub(super) fn claim(&mut self) -> Option<Ticket<B>> {
        if self.stopped || self.failed || self.outcomes.len() >= self.capacity {
            return None;
        }
        let stretch = self.plan.take()?;
        let number = self.first + self.outcomes.len() as u64;
        self.outcomes.push_back(None);
        Some(Ticket {
            generation: self.generation,
            number,
            stretch,
            state: self.plan.state(),
            buffers: self.spare.pop(),
        })
    }

    /// Takes what became of a batch, or gives it back if it is no longer wanted.
    pub(super) fn finish(
        &mut self,
        generation: u64,
        number: u64,
        outcome: Outcome<B>,
    ) -> Option<Outcome<B>> {
        if generation != self.generation {
            return Some(outcome);
        }
        // Later batches would not be delivered.
        self.failed |= outcome.is_err();
        self.outcomes[(number - self.first) as usize] = Some(outcome);
        None
    }

    pub(super) fn deliver(&mut self) -> Delivery<B> {
        match self.outcomes.front_mut().map(Option::take) {
            Some(Some(outcome)) => {
                self.outcomes.pop_front();
                self.first += 1;
                Delivery::Batch(outcome)
            }
            Some(None) => Delivery::Later,
            None if self.failed || self.plan.batches_left() == 0 => Delivery::Over,
            None => Delivery::Later,
        }
    }

    /// Goes somewhere else. The batches that were made for nothing are returned.
    pub(super) fn go_to(&mut self, plan: Plan) -> VecDeque<Option<Outcome<B>>> {
        self.plan = plan;
        self.failed = false;
        self.discard()
    }

    /// No longer wants the batches that were not delivered.
    pub(super) fn discard(&mut self) -> VecDeque<Option<Outcome<B>>> {
        self.generation += 1;
        std::mem::take(&mut self.outcomes)
    }

    /// Takes buffers to use again, or gives them back if there are enough.
    pub(super) fn recycle(&mut self, buffers: Buffers<B>) -> Option<Buffers<B>> {
        // One more than can be in the making: the batch that is being looked at.
        if self.spare.len() > self.capacity {
            return Some(buffers);
        }
        self.spare.push(buffers);
        None
    }

    #[cfg(test)]
    pub(super) const fn spare_count(&self) -> usize {
        self.spare.len()
    }

    /// The sampler, which is ahead of what was delivered.
    pub(super) const fn plan(&self) -> Plan {
        self.plan
    }

    pub(super) const fn has_failed(&self) -> bool {
        self.failed
    }

    pub(super) const fn stop(&mut self) {
        self.stopped = true;
    }

    pub(super) const fn is_stopped(&self) -> bool {
        self.stopped
    }
}

impl<B> Ticket<B> {
    /// What [`Queue::finish`] wants to know.
    pub(super) const fn place(&self) -> (u64, u64) {
        (self.generation, self.number)
    }
}
