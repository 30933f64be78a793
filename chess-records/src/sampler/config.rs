//! What a sampler is asked for.

use std::fmt;

use thiserror::Error;

/// In which order an epoch goes through a dataset.
///
/// An order depends on the dataset, the seed and the epoch; not on the mode, the rank, the world
/// size, the batch size or the number of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[non_exhaustive]
pub enum Order {
    /// That of the dataset, in every epoch.
    Sequential,
    /// A shuffle of all samples: a [`Permutation`](crate::Permutation), another one in each epoch.
    /// Reads are scattered over the whole dataset.
    Shuffled,
    /// A shuffle that reads every [block](crate::Dataset::block) from its first sample to its last,
    /// with a few blocks open at a time: for sets larger than memory and for compressed groups.
    ///
    /// The blocks are shuffled and dealt into windows of at most `window` blocks, whose sizes differ
    /// by one block at most. Windows come one after the other; inside a window, the blocks are
    /// riffled: all ways to merge them are as likely as the number of keys allows. Blocks may differ
    /// in length.
    ///
    /// # What correlation remains
    ///
    /// Samples of one block keep their order, and in a window of `k` blocks of one length, a sample
    /// is followed directly by its neighbour in the block once in `k` times; they lie `k` apart on
    /// average. `b` samples in a row hold about `b / k` neighbouring samples of each of the `k`
    /// blocks and nothing of any other block. Where neighbours are alike, as positions of one game
    /// are, take a window so large that `b / k` is small for the batch size `b`, or shuffle the
    /// samples once when the file is written. Epochs share neither the windows nor the riffles.
    ///
    /// # Cost
    ///
    /// Memory for `window` counters. A rank walks the samples of all ranks, and a loader's thread
    /// those of all threads, at some tens of nanoseconds each; going on from a position inside an
    /// epoch asks the dataset for the length of every block before it and walks one window again.
    Blocks {
        /// How many blocks are open at a time; at least 1, which leaves the samples of a block in
        /// a row.
        window: u32,
    },
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sequential => f.write_str("sequential"),
            Self::Shuffled => f.write_str("shuffled"),
            Self::Blocks { window } => write!(f, "blocks in windows of {window}"),
        }
    }
}

/// What becomes of the last samples where the ranks cannot have equally many.
///
/// Every rank gets equally many rows in every mode, so that ranks that wait for each other after
/// each batch end an epoch together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[non_exhaustive]
pub enum Mode {
    /// Each sample once: ⌈len / world size⌉ rows a rank, and a mask that leaves out the rows that
    /// only fill up. At most the very last row of a rank is one.
    Exact,
    /// ⌊len / world size⌋ rows a rank; the last `len % world size` samples of the order are left out
    /// of the epoch. As PyTorch's `DistributedSampler` with `drop_last=True`.
    DropLast,
    /// ⌈len / world size⌉ rows a rank; after the last sample, the order is repeated from its start.
    /// As PyTorch's `DistributedSampler` with `drop_last=False`.
    Wrap,
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exact => "exact",
            Self::DropLast => "drop last",
            Self::Wrap => "wrap",
        })
    }
}

/// What a [`Sampler`](crate::Sampler) is asked for.
///
/// ```
/// use chess_records::{Mode, Order, SamplerConfig};
///
/// let config = SamplerConfig::new(16_384)
///     .seed(7)
///     .order(Order::Blocks { window: 64 })
///     .mode(Mode::DropLast)
///     .rank(1, 4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplerConfig {
    pub(super) batch_size: usize,
    pub(super) seed: u64,
    pub(super) order: Order,
    pub(super) mode: Mode,
    pub(super) rank: u32,
    pub(super) world_size: u32,
}

impl SamplerConfig {
    /// Batches of `batch_size` rows on each rank. Unless something else is asked for: the only rank,
    /// every sample once, [shuffled](Order::Shuffled) by seed 0.
    #[must_use]
    pub const fn new(batch_size: usize) -> Self {
        Self {
            batch_size,
            seed: 0,
            order: Order::Shuffled,
            mode: Mode::Exact,
            rank: 0,
            world_size: 1,
        }
    }

    /// The seed of the order, the same on every rank.
    #[must_use]
    pub const fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// The order of the samples, the same on every rank.
    #[must_use]
    pub const fn order(self, order: Order) -> Self {
        Self { order, ..self }
    }

    /// What becomes of the last samples, the same on every rank.
    #[must_use]
    pub const fn mode(self, mode: Mode) -> Self {
        Self { mode, ..self }
    }

    /// The part of each global batch that is wanted here: that of the rank `rank`, counted from 0,
    /// of `world_size`.
    #[must_use]
    pub const fn rank(self, rank: u32, world_size: u32) -> Self {
        Self {
            rank,
            world_size,
            ..self
        }
    }

    pub(super) const fn check(&self) -> Result<(), SamplerConfigError> {
        if self.batch_size == 0 {
            return Err(SamplerConfigError::BatchSize);
        }
        if self.world_size == 0 {
            return Err(SamplerConfigError::WorldSize);
        }
        if self.rank >= self.world_size {
            return Err(SamplerConfigError::Rank {
                rank: self.rank,
                world_size: self.world_size,
            });
        }
        if let Order::Blocks { window: 0 } = self.order {
            return Err(SamplerConfigError::Window);
        }
        Ok(())
    }
}

/// Why a [`SamplerConfig`] asks for nothing that can be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SamplerConfigError {
    /// Batches of no rows.
    #[error("batch size is 0, expected at least 1")]
    BatchSize,
    /// No ranks.
    #[error("world size is 0, expected at least 1")]
    WorldSize,
    /// A rank that there is not.
    #[error("rank is {rank}, expected under the world size {world_size}")]
    Rank {
        /// The rank.
        rank: u32,
        /// How many ranks there are.
        world_size: u32,
    },
    /// [`Order::Blocks`] with no block open.
    #[error("window is 0 blocks, expected at least 1")]
    Window,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn texts() {
        let text = |config: SamplerConfig| config.check().unwrap_err().to_string();
        let good = SamplerConfig::new(8);
        assert_eq!(good.check(), Ok(()));
        assert_eq!(
            text(SamplerConfig::new(0)),
            "batch size is 0, expected at least 1"
        );
        assert_eq!(
            text(good.rank(0, 0)),
            "world size is 0, expected at least 1"
        );
        assert_eq!(
            text(good.rank(3, 3)),
            "rank is 3, expected under the world size 3"
        );
        assert_eq!(
            text(good.order(Order::Blocks { window: 0 })),
            "window is 0 blocks, expected at least 1"
        );
    }
}
