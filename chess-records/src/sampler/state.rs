//! Where a sampler is.

use thiserror::Error;

use super::{Mode, Order};

/// Where a sampler is, and what it must be told again to go on from there.
///
/// The state is the same on every rank after the same batches, so that one checkpoint serves all. It
/// holds no rank, no batch size and no number of threads: any may be another after a restart. In
/// [`Mode::Exact`], the world size may be another as well, and as long as the global batch (batch
/// size times world size) stays, every global batch holds the same samples as without the restart.
///
/// With the feature `serde` it is `Serialize` and `Deserialize`. To keep it in another way, store the
/// fields, take the [state](crate::Sampler::state) of a new sampler, write the fields over its own
/// and [restore](crate::Sampler::restore) that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
#[non_exhaustive]
pub struct SamplerState {
    /// How many samples the dataset holds.
    pub len: u64,
    /// How many blocks the dataset has, for an order that depends on it.
    pub block_count: Option<u64>,
    /// The seed of the order.
    pub seed: u64,
    /// The order.
    pub order: Order,
    /// What becomes of the last samples.
    pub mode: Mode,
    /// How many ranks there were.
    pub world_size: u32,
    /// The epoch.
    pub epoch: u64,
    /// How many samples of the epoch's order all ranks together have behind them, repeated ones not
    /// counted.
    pub position: u64,
}

/// Why a state does not fit a sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// The dataset has grown or shrunk, or is another.
    #[error("len of the state is {found}, expected {expected}, that of the dataset")]
    Len {
        /// The state's.
        found: u64,
        /// The dataset's.
        expected: u64,
    },
    /// The dataset is cut into other blocks, which gives another order.
    #[error("block_count of the state is {found:?}, expected {expected:?}, that of the dataset")]
    BlockCount {
        /// The state's.
        found: Option<u64>,
        /// The dataset's, or `None` where the order does not depend on it.
        expected: Option<u64>,
    },
    /// Another seed.
    #[error("seed of the state is {found}, expected {expected}")]
    Seed {
        /// The state's.
        found: u64,
        /// The sampler's.
        expected: u64,
    },
    /// Another order.
    #[error("order of the state is {found}, expected {expected}")]
    Order {
        /// The state's.
        found: Order,
        /// The sampler's.
        expected: Order,
    },
    /// Another mode.
    #[error("mode of the state is {found}, expected {expected}")]
    Mode {
        /// The state's.
        found: Mode,
        /// The sampler's.
        expected: Mode,
    },
    /// Another world size, in another mode than [`Mode::Exact`].
    #[error("world_size of the state is {found}, expected {expected} in mode {mode}")]
    WorldSize {
        /// The state's.
        found: u32,
        /// The sampler's.
        expected: u32,
        /// The mode of both.
        mode: Mode,
    },
    /// A position past the end of the epoch.
    #[error("position of the state is {found}, expected at most {end}, the end of the epoch")]
    PositionPastEnd {
        /// The state's.
        found: u64,
        /// The end of the epoch.
        end: u64,
    },
    /// A position at which the ranks have not had equally many rows, in another mode than
    /// [`Mode::Exact`].
    #[error(
        "position of the state is {found}, expected a multiple of the world size {world_size} in mode {mode}"
    )]
    PositionUneven {
        /// The state's.
        found: u64,
        /// The world size of both.
        world_size: u32,
        /// The mode of both.
        mode: Mode,
    },
}
