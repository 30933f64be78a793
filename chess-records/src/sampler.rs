//! Which samples a rank is given, in which order.

use std::vec::Vec;

use crate::Dataset;

mod blocks;
mod config;
mod plan;
mod state;
mod walk;

#[cfg(test)]
mod tests;

pub use config::{Mode, Order, SamplerConfig, SamplerConfigError};
pub(crate) use plan::{Plan, Stretch};
pub use state::{RestoreError, SamplerState};
pub(crate) use walk::Walk;

/// Says which samples of a dataset the next batch of a rank holds.
///
/// An epoch is an [`Order`] of all samples. A global batch is the next `batch size × world size`
/// samples of that order, dealt to the ranks in turn like cards, so that rank `r` of `N` has the
/// samples at the positions `r`, `r + N`, `r + 2N` and so on. That is how PyTorch's
/// `DistributedSampler` deals, and in the modes [`DropLast`](Mode::DropLast) and
/// [`Wrap`](Mode::Wrap) a rank gets as many samples as there, from the same positions; the order
/// itself is this crate's own, unless it is [`Sequential`](Order::Sequential), which is PyTorch's
/// with `shuffle=False`.
///
/// Nothing is stored for each sample. The sampler is an iterator over the batches of its epoch; it
/// then gives nothing until [`set_epoch`](Self::set_epoch) starts another one. [`Loader`](crate::Loader) runs it on
/// background threads.
///
/// ```
/// use chess_records::{Sampler, SamplerConfig};
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
/// // `Letters` is a dataset of the letters of a word. Two ranks share it, two letters a batch:
/// let config = SamplerConfig::new(2).seed(7);
/// let mut first = Sampler::new(Letters("abcdefg"), config.rank(0, 2))?;
/// let mut second = Sampler::new(Letters("abcdefg"), config.rank(1, 2))?;
///
/// let mut seen = Vec::new();
/// for (first, second) in first.by_ref().zip(&mut second) {
///     seen.extend_from_slice(first.samples());
///     seen.extend_from_slice(second.samples());
/// }
/// seen.sort_unstable();
/// assert_eq!(seen, [0, 1, 2, 3, 4, 5, 6]);
///
/// // Another epoch goes through them in another order, from where a checkpoint says:
/// first.set_epoch(1);
/// first.next();
/// let checkpoint = first.state();
/// let rest: Vec<_> = first.by_ref().collect();
/// first.restore(&checkpoint)?;
/// assert!(first.eq(rest));
/// # Ok(())
/// # }
/// ```
///
#[derive(Clone, Debug)]
pub struct Sampler<D> {
    dataset: D,
    plan: Plan,
    walk: Walk,
}

impl<D: Dataset> Sampler<D> {
    /// A sampler at the start of epoch 0. The dataset may be a reference or an `Arc`.
    ///
    /// The length of the dataset and the number of its blocks are asked for once and must not
    /// change.
    ///
    /// # Errors
    ///
    /// A [`SamplerConfigError`] when the batch size, the world size or the window is 0 or the rank is
    /// not under the world size.
    pub fn new(dataset: D, config: SamplerConfig) -> Result<Self, SamplerConfigError> {
        let plan = Plan::new(&dataset, config)?;
        let walk = Walk::new(&plan);
        Ok(Self {
            dataset,
            plan,
            walk,
        })
    }

    /// The next batch in place of the contents of `selection`; `false`, and `selection` untouched,
    /// when the epoch is over.
    ///
    /// # Panics
    ///
    /// In the order [`Order::Blocks`], when the blocks of the dataset do not hold all its samples.
    pub fn next_into(&mut self, selection: &mut Selection) -> bool {
        let Some(stretch) = self.plan.take() else {
            return false;
        };
        if !self.walk.serves(&stretch.plan) {
            self.walk = Walk::new(&stretch.plan);
        }
        self.walk.select(&self.dataset, &stretch, selection);
        true
    }
}

impl<D> Sampler<D> {
    /// The dataset.
    pub const fn dataset(&self) -> &D {
        &self.dataset
    }

    /// The epoch.
    #[must_use]
    pub const fn epoch(&self) -> u64 {
        self.plan.epoch
    }

    /// Goes to the start of an epoch. Each number gives another shuffle; all ranks must be given the
    /// same one. As PyTorch's `set_epoch`, which takes effect when an iteration starts.
    pub const fn set_epoch(&mut self, epoch: u64) {
        self.plan.set_epoch(epoch);
    }

    /// How many rows a whole epoch has on each rank: PyTorch's `len(sampler)`.
    #[must_use]
    pub const fn rows_per_epoch(&self) -> u64 {
        self.plan.rows_per_epoch()
    }

    /// How many batches are left in this epoch; as many on every rank.
    #[must_use]
    pub const fn batches_left(&self) -> u64 {
        self.plan.batches_left()
    }

    /// Where the sampler is.
    #[must_use]
    pub const fn state(&self) -> SamplerState {
        self.plan.state()
    }

    /// Goes to where another sampler, or this one, was when it gave `state`.
    ///
    /// # Errors
    ///
    /// A [`RestoreError`] that names the first field that does not fit: another length, seed, order
    /// or mode, other blocks where the order depends on them, another world size where the mode is
    /// not [`Mode::Exact`], or a position that there is not. The sampler then stays where it is.
    pub fn restore(&mut self, state: &SamplerState) -> Result<(), RestoreError> {
        self.plan.restore(state)
    }

    pub(crate) fn into_parts(self) -> (D, Plan) {
        (self.dataset, self.plan)
    }
}

impl<D: Dataset> Iterator for Sampler<D> {
    type Item = Selection;

    /// # Panics
    ///
    /// As [`Sampler::next_into`].
    fn next(&mut self) -> Option<Selection> {
        let mut selection = Selection::default();
        self.next_into(&mut selection).then_some(selection)
    }
}

/// The samples of one batch of one rank.
///
/// There are as many rows on every rank. In [`Mode::Exact`], the last row of an epoch may stand for
/// no sample on some ranks: it holds the index of a sample that another batch holds as well, and the
/// mask leaves it out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    indices: Vec<u64>,
    samples: usize,
}

impl Selection {
    /// The dataset's index for each row, those that only fill up included: what to
    /// [gather](Dataset::gather).
    #[must_use]
    pub fn indices(&self) -> &[u64] {
        &self.indices
    }

    /// The indices that the mask leaves in. All others come after them.
    #[must_use]
    pub fn samples(&self) -> &[u64] {
        &self.indices[..self.samples]
    }

    /// For each row, whether it stands for a sample and does not only fill up.
    #[must_use]
    pub fn mask(&self) -> impl ExactSizeIterator<Item = bool> {
        let samples = self.samples;
        (0..self.indices.len()).map(move |row| row < samples)
    }
}
