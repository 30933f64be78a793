//! The arithmetic of ranks and positions, which needs no dataset.

use super::{Mode, Order, RestoreError, SamplerConfig, SamplerConfigError, SamplerState};
use crate::Dataset;

/// What a sampler is asked for, and where it is.
///
/// All ranks take the same steps: a step is a global batch, the samples at `position` of the order
/// and after it, dealt to the ranks in turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(super) config: SamplerConfig,
    pub(super) len: u64,
    pub(super) block_count: u64,
    pub(crate) epoch: u64,
    /// At most [`Plan::end`], and equal to it when the epoch is over.
    pub(crate) position: u64,
}

/// One batch of one rank: some rows from the position of a plan on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    pub(crate) plan: Plan,
    pub(crate) rows: usize,
}

impl Plan {
    pub(super) fn new<D: Dataset + ?Sized>(
        dataset: &D,
        config: SamplerConfig,
    ) -> Result<Self, SamplerConfigError> {
        config.check()?;
        Ok(Self {
            config,
            len: dataset.len(),
            block_count: dataset.block_count(),
            epoch: 0,
            position: 0,
        })
    }

    pub(crate) const fn set_epoch(&mut self, epoch: u64) {
        self.epoch = epoch;
        self.position = 0;
    }

    const fn world_size(&self) -> u64 {
        self.config.world_size as u64
    }

    /// The position at which the epoch is over.
    const fn end(&self) -> u64 {
        match self.config.mode {
            Mode::Exact | Mode::Wrap => self.len,
            Mode::DropLast => self.len - self.len % self.world_size(),
        }
    }

    pub(super) const fn rows_per_epoch(&self) -> u64 {
        self.end().div_ceil(self.world_size())
    }

    const fn rows_left(&self) -> u64 {
        (self.end() - self.position).div_ceil(self.world_size())
    }

    pub(crate) const fn batches_left(&self) -> u64 {
        self.rows_left().div_ceil(self.config.batch_size as u64)
    }

    /// Takes a step, unless the epoch is over.
    pub(crate) fn take(&mut self) -> Option<Stretch> {
        let rows = self.rows_left().min(self.config.batch_size as u64);
        if rows == 0 {
            return None;
        }
        let plan = *self;
        // Rows that fill up are not counted, so that the product may overflow at the end alone.
        let step = rows.saturating_mul(self.world_size());
        self.position = self.position.saturating_add(step).min(self.end());
        Some(Stretch {
            plan,
            rows: rows as usize,
        })
    }

    /// How many blocks there are, if the order depends on it.
    const fn relevant_block_count(&self) -> Option<u64> {
        match self.config.order {
            Order::Sequential | Order::Shuffled => None,
            Order::Blocks { .. } => Some(self.block_count),
        }
    }

    pub(crate) const fn state(&self) -> SamplerState {
        SamplerState {
            len: self.len,
            block_count: self.relevant_block_count(),
            seed: self.config.seed,
            order: self.config.order,
            mode: self.config.mode,
            world_size: self.config.world_size,
            epoch: self.epoch,
            position: self.position,
        }
    }

    /// Goes to where `state` was, or stays where it is if that does not fit.
    pub(crate) fn restore(&mut self, state: &SamplerState) -> Result<(), RestoreError> {
        self.check_same_order(state)?;
        self.check_same_ranks(state)?;
        self.epoch = state.epoch;
        self.position = state.position;
        Ok(())
    }

    fn check_same_order(&self, state: &SamplerState) -> Result<(), RestoreError> {
        let (found, expected) = (state, self.state());
        if found.len != expected.len {
            return Err(RestoreError::Len {
                found: found.len,
                expected: expected.len,
            });
        }
        if found.seed != expected.seed {
            return Err(RestoreError::Seed {
                found: found.seed,
                expected: expected.seed,
            });
        }
        if found.order != expected.order {
            return Err(RestoreError::Order {
                found: found.order,
                expected: expected.order,
            });
        }
        if found.block_count != expected.block_count {
            return Err(RestoreError::BlockCount {
                found: found.block_count,
                expected: expected.block_count,
            });
        }
        Ok(())
    }

    fn check_same_ranks(&self, state: &SamplerState) -> Result<(), RestoreError> {
        let (mode, world_size, end) = (self.config.mode, self.config.world_size, self.end());
        if state.mode != mode {
            return Err(RestoreError::Mode {
                found: state.mode,
                expected: mode,
            });
        }
        if mode != Mode::Exact && state.world_size != world_size {
            return Err(RestoreError::WorldSize {
                found: state.world_size,
                expected: world_size,
                mode,
            });
        }
        if state.position > end {
            return Err(RestoreError::PositionPastEnd {
                found: state.position,
                end,
            });
        }
        let even = state.position.is_multiple_of(self.world_size()) || state.position == end;
        if mode != Mode::Exact && !even {
            return Err(RestoreError::PositionUneven {
                found: state.position,
                world_size,
                mode,
            });
        }
        Ok(())
    }
}

impl Stretch {
    /// The positions of the rows; those not under the dataset's length only fill up.
    pub(super) fn positions(&self) -> impl Iterator<Item = u128> {
        let plan = &self.plan;
        let first = u128::from(plan.position) + u128::from(plan.config.rank);
        let world_size = u128::from(plan.config.world_size);
        (0..self.rows).map(move |row| first + row as u128 * world_size)
    }
}
