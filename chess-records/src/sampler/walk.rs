//! From the positions of an order to samples.

use super::blocks::BlockWalk;
use super::plan::{Plan, Stretch};
use super::{Mode, Order, Selection};
use crate::permutation::{GOLDEN_GAMMA, mix};
use crate::{Dataset, Permutation};

/// The order of one epoch.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    epoch: u64,
    order: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Sequential,
    Shuffled(Permutation),
    Blocks(BlockWalk),
}

impl Walk {
    /// The order of the epoch that a plan is in.
    pub(crate) fn new(plan: &Plan) -> Self {
        let key = epoch_key(plan.config.seed, plan.epoch);
        Self {
            epoch: plan.epoch,
            order: match plan.config.order {
                Order::Sequential => Kind::Sequential,
                Order::Shuffled => Kind::Shuffled(Permutation::new(plan.len, key)),
                Order::Blocks { window } => {
                    Kind::Blocks(BlockWalk::new(plan.block_count, window, key))
                }
            },
        }
    }

    /// Whether this is the order of the epoch that a plan is in, if it was made for the same sampler.
    pub(crate) const fn serves(&self, plan: &Plan) -> bool {
        self.epoch == plan.epoch
    }

    /// Replaces the contents of `selection` with the rows of `stretch`.
    pub(crate) fn select<D: Dataset + ?Sized>(
        &mut self,
        dataset: &D,
        stretch: &Stretch,
        selection: &mut Selection,
    ) {
        let len = u128::from(stretch.plan.len);
        selection.indices.clear();
        selection.indices.reserve(stretch.rows);
        selection.samples = 0;
        for position in stretch.positions() {
            let fills_up = position >= len;
            let position = if fills_up { position % len } else { position };
            selection.indices.push(position as u64);
            let counts = !fills_up || stretch.plan.config.mode != Mode::Exact;
            selection.samples += usize::from(counts);
        }
        self.replace(dataset, &mut selection.indices);
    }

    /// Puts the samples in the place of their positions, which must be under the dataset's length.
    fn replace<D: Dataset + ?Sized>(&mut self, dataset: &D, positions: &mut [u64]) {
        match &mut self.order {
            Kind::Sequential => {}
            Kind::Shuffled(order) => order.replace(positions),
            Kind::Blocks(blocks) => {
                for position in positions {
                    *position = blocks.index(dataset, *position);
                }
            }
        }
    }
}

/// The seed of an epoch's shuffle: a point of the SplitMix64 stream that the seed starts, so that
/// epoch 1 of seed 0 has nothing to do with epoch 0 of seed 1.
const fn epoch_key(seed: u64, epoch: u64) -> u64 {
    mix(mix(seed).wrapping_add(epoch.wrapping_mul(GOLDEN_GAMMA)))
}
