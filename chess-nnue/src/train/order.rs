//! In which order an epoch takes its samples.

use core::ops::Range;

use chess_records::Permutation;

/// Samples in the order they lie in, or shuffled.
#[derive(Clone, Debug)]
pub(super) enum Order {
    Stored,
    Shuffled(Permutation),
}

impl Order {
    /// A new order for every epoch of every seed.
    pub(super) fn of_epoch(len: u64, seed: u64, epoch: u32) -> Self {
        Self::Shuffled(Permutation::new(len, mix(seed, epoch)))
    }

    /// The samples at these positions of the order.
    pub(super) fn samples(&self, positions: Range<u64>) -> impl Iterator<Item = u64> {
        positions.filter_map(move |position| match self {
            Self::Stored => Some(position),
            Self::Shuffled(permutation) => permutation.get(position),
        })
    }
}

/// One seed from two numbers (the finalizer of SplitMix64: Steele, Lea & Flood, 2014).
fn mix(seed: u64, epoch: u32) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15u64.wrapping_mul(u64::from(epoch) + 1));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn epochs_and_seeds_have_orders_of_their_own() {
        let order = |seed, epoch| -> Vec<u64> {
            Order::of_epoch(100, seed, epoch).samples(0..100).collect()
        };
        let first = order(1, 1);
        assert_eq!(order(1, 1), first);
        assert_ne!(order(1, 2), first);
        assert_ne!(order(2, 1), first);
        let mut sorted = first;
        sorted.sort_unstable();
        assert_eq!(sorted, (0..100).collect::<Vec<_>>());
    }
}
