//! A seeded shuffle that takes no memory.

use core::iter::FusedIterator;
use core::ops::Range;

/// A seeded bijection of `0..len`: the order of a shuffle, computed one number at a time.
///
/// Nothing is stored but a few keys, so that the order of 100 million samples costs as much memory
/// as that of ten, and any part of it can be had without the parts before it:
///
/// ```
/// use chess_records::Permutation;
///
/// let order = Permutation::new(10, 7);
/// let mut all: Vec<u64> = order.iter().collect();
/// assert!(order.iter_from(4).eq(all[4..].iter().copied()));
/// all.sort_unstable();
/// assert!(all.into_iter().eq(0..10));
/// ```
///
/// The same length and seed give the same order in every version of this crate and on every
/// machine. Lengths and seeds that differ, if only in one bit, give unrelated orders.
///
/// The order is good enough for training and sampling. It is not meant to keep anything secret.
///
/// # Construction
///
/// A Feistel network of [eight rounds](Self::ROUNDS) (Luby and Rackoff, 1988) over the smallest
/// power of two that holds the length, its two halves as equal as the number of bits allows. Round
/// functions and keys are SplitMix64's (Steele, Lea and Flood, 2014). A number past the end is sent
/// through the network again until it falls inside ("cycle walking", Black and Rogaway, 2002):
/// under two passes on average. Networks over a handful of numbers cannot reach all their orders
/// evenly, so that lengths under [1024](Self::MIN_DOMAIN) walk a domain of that size: at worst, the
/// whole order of a tiny length costs 1024 passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Permutation {
    len: u64,
    low_bits: u32,
    low_mask: u64,
    high_mask: u64,
    keys: [[u64; 2]; Self::ROUNDS / 2],
}

impl Permutation {
    /// How often a half is mixed into the other.
    pub const ROUNDS: usize = 8;

    /// The size of the smallest domain that is walked.
    pub const MIN_DOMAIN: u64 = 1 << 10;

    /// How many numbers go through the network side by side.
    #[cfg(feature = "std")]
    const AT_ONCE: usize = 64;

    /// The order that `seed` gives to `0..len`.
    #[must_use]
    pub const fn new(len: u64, seed: u64) -> Self {
        let largest = if len > Self::MIN_DOMAIN {
            len - 1
        } else {
            Self::MIN_DOMAIN - 1
        };
        let bits = u64::BITS - largest.leading_zeros();
        let low_bits = bits.div_ceil(2);
        Self {
            len,
            low_bits,
            low_mask: (1 << low_bits) - 1,
            high_mask: (1 << (bits - low_bits)) - 1,
            keys: round_keys(len, seed),
        }
    }

    /// How many numbers are put in order.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number at `index` of the order, or `None` past its end.
    #[inline]
    #[must_use]
    pub const fn get(&self, index: u64) -> Option<u64> {
        if index >= self.len {
            return None;
        }
        // Ends: the network is a bijection, so the walk would come back to `index` at the latest.
        let mut number = self.pass(index);
        while number >= self.len {
            number = self.pass(number);
        }
        Some(number)
    }

    /// Puts in the place of each index, all of which must be under the length, what [`get`](Self::get)
    /// gives.
    ///
    /// A round waits for the one before it: numbers that go through the network side by side take a
    /// fraction of the time.
    #[cfg(feature = "std")]
    pub(crate) fn replace(&self, indices: &mut [u64]) {
        for numbers in indices.chunks_mut(Self::AT_ONCE) {
            let mut places = core::array::from_fn(|place| place);
            let mut left = numbers.len();
            while left > 0 {
                left = self.pass_all(numbers, &mut places, left);
            }
        }
    }

    /// Sends the numbers at the first `left` of these places through the network, and keeps the places
    /// of those that are outside.
    #[cfg(feature = "std")]
    fn pass_all(
        &self,
        numbers: &mut [u64],
        places: &mut [usize; Self::AT_ONCE],
        left: usize,
    ) -> usize {
        let mut outside = 0;
        for next in 0..left {
            let place = places[next];
            let number = self.pass(numbers[place]);
            numbers[place] = number;
            places[outside] = place;
            outside += usize::from(number >= self.len);
        }
        outside
    }

    /// The whole order.
    #[must_use]
    pub const fn iter(&self) -> PermutationIter {
        self.iter_from(0)
    }

    /// The order from `index` on: what [`iter`](Self::iter) gives after `index` numbers, at no cost.
    /// Nothing when `index` is past the end.
    #[must_use]
    pub const fn iter_from(&self, index: u64) -> PermutationIter {
        PermutationIter {
            permutation: *self,
            left: index..self.len,
        }
    }

    /// Sends a number of the domain once through the network.
    #[inline]
    const fn pass(&self, number: u64) -> u64 {
        let (mut low, mut high) = (number & self.low_mask, number >> self.low_bits);
        let mut pair = 0;
        while pair < self.keys.len() {
            low ^= mix(high ^ self.keys[pair][0]) & self.low_mask;
            high ^= mix(low ^ self.keys[pair][1]) & self.high_mask;
            pair += 1;
        }
        high << self.low_bits | low
    }
}

impl IntoIterator for Permutation {
    type Item = u64;
    type IntoIter = PermutationIter;

    fn into_iter(self) -> PermutationIter {
        self.iter()
    }
}

impl IntoIterator for &Permutation {
    type Item = u64;
    type IntoIter = PermutationIter;

    fn into_iter(self) -> PermutationIter {
        self.iter()
    }
}

/// The keys of all rounds, a SplitMix64 stream that begins at a point of the circle given by seed
/// and length.
const fn round_keys(len: u64, seed: u64) -> [[u64; 2]; Permutation::ROUNDS / 2] {
    // The length is mixed in, so that a set that grew by a sample is not shuffled nearly as before.
    let mut state = mix(mix(seed) ^ len);
    let mut keys = [[0; 2]; Permutation::ROUNDS / 2];
    let mut round = 0;
    while round < Permutation::ROUNDS {
        state = state.wrapping_add(GOLDEN_GAMMA);
        keys[round / 2][round % 2] = mix(state);
        round += 1;
    }
    keys
}

/// The step of SplitMix64: 2⁶⁴ over the golden ratio, made odd.
pub(crate) const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// The output function of SplitMix64.
#[inline]
pub(crate) const fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// The numbers of a [`Permutation`] in its order.
///
/// [`nth`](Iterator::nth) takes no longer than [`next`](Iterator::next). As the numbers left may be
/// more than a `usize` holds, [`remaining`](Self::remaining) stands for `ExactSizeIterator::len`.
#[derive(Clone, Debug)]
pub struct PermutationIter {
    permutation: Permutation,
    left: Range<u64>,
}

impl PermutationIter {
    /// How many numbers are left.
    #[must_use]
    pub const fn remaining(&self) -> u64 {
        self.left.end.saturating_sub(self.left.start)
    }

    /// The index in the order of the number that comes next: what to give to
    /// [`Permutation::iter_from`] to go on from here.
    #[must_use]
    pub const fn index(&self) -> u64 {
        self.left.start
    }
}

impl Iterator for PermutationIter {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        self.permutation.get(self.left.next()?)
    }

    #[inline]
    fn nth(&mut self, skipped: usize) -> Option<u64> {
        self.permutation.get(self.left.nth(skipped)?)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }
}

impl DoubleEndedIterator for PermutationIter {
    #[inline]
    fn next_back(&mut self) -> Option<u64> {
        self.permutation.get(self.left.next_back()?)
    }
}

impl FusedIterator for PermutationIter {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use std::vec;
    use std::vec::Vec;

    fn order(len: u64, seed: u64) -> Vec<u64> {
        Permutation::new(len, seed).iter().collect()
    }

    fn assert_bijection(len: u64, seed: u64) {
        let mut seen = vec![false; len as usize];
        for number in &Permutation::new(len, seed) {
            let seen = &mut seen[number as usize];
            assert!(!*seen, "{number} twice in the order of {len} by {seed}");
            *seen = true;
        }
        assert!(
            seen.into_iter().all(|seen| seen),
            "holes in the order of {len}"
        );
    }

    /// The sum of squared distances from even counts, in units of the even count.
    fn chi_square(counts: impl IntoIterator<Item = u32>, expected: f64) -> f64 {
        let distance = |count| (f64::from(count) - expected).powi(2) / expected;
        counts.into_iter().map(distance).sum()
    }

    #[cfg(feature = "std")]
    #[test]
    fn numbers_side_by_side_are_those_one_by_one() {
        for len in [1, 2, 63, 64, 65, 300, 1025, 5000] {
            let order = Permutation::new(len, 7);
            let mut numbers: Vec<u64> = (0..len).rev().collect();
            order.replace(&mut numbers);
            let expected: Vec<u64> = order.iter().rev().collect();
            assert_eq!(numbers, expected, "of {len}");
        }
    }

    #[test]
    fn pinned_orders() {
        // Computed by a second implementation, in another language.
        assert_eq!(order(10, 0), [2, 1, 9, 7, 4, 5, 8, 0, 3, 6]);
        assert_eq!(order(10, 1), [7, 3, 4, 6, 8, 5, 1, 9, 0, 2]);
        let corpus = Permutation::new(105_000_000, 42);
        let ends = [0, 1, 104_999_999].map(|index| corpus.get(index));
        assert_eq!(ends, [Some(53_559_155), Some(8_610_173), Some(71_245_627)]);
        let longest = Permutation::new(u64::MAX, 0x0123_4567_89ab_cdef);
        let ends = [0, 1, u64::MAX - 1].map(|index| longest.get(index));
        assert_eq!(
            ends,
            [
                Some(16_032_621_317_341_846_705),
                Some(14_525_703_108_299_222_638),
                Some(14_392_130_140_937_827_107)
            ]
        );
    }

    #[test]
    fn every_number_once() {
        let largest = if cfg!(miri) { 1025 } else { 70_001 };
        let powers = (0..17).flat_map(|bits| [(1 << bits) - 1, 1 << bits, (1 << bits) + 1]);
        let others = [3, 7, 999, 12_345, 70_001];
        for len in powers.chain(others).filter(|&len| len <= largest) {
            for seed in [0, 1, u64::MAX] {
                assert_bijection(len, seed);
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "slow")]
    fn all_orders_of_four_are_equally_likely() {
        const SEEDS: u64 = 24_000;
        let mut counts = BTreeMap::new();
        for seed in 0..SEEDS {
            *counts.entry(order(4, seed)).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 24);
        // 23 degrees of freedom: 49.7 is exceeded once in a thousand.
        let distance = chi_square(counts.into_values(), SEEDS as f64 / 24.0);
        assert!(distance < 49.7, "{distance}");
    }

    /// A Feistel network over 16 numbers reaches even permutations alone.
    #[test]
    #[cfg_attr(miri, ignore = "slow")]
    fn half_of_the_orders_of_sixteen_are_odd() {
        let is_odd = |order: &Vec<u64>| {
            let after = |index: usize| order[index..].iter();
            let inversions = (0..16).map(|i| after(i).filter(|&&n| n < order[i]).count());
            inversions.sum::<usize>() % 2 == 1
        };
        let odd = (0..10_000).filter(|&seed| is_odd(&order(16, seed))).count();
        // 5,000 ± 50.
        assert!((4_800..5_200).contains(&odd), "{odd}");
    }

    #[test]
    #[cfg_attr(miri, ignore = "slow")]
    fn first_and_last_numbers_are_spread_evenly() {
        const SEEDS: u64 = 100_000;
        for len in [100, 1_000, 1_024, 1_025, 3_000] {
            for index in [0, 1, len - 1] {
                let mut counts = [0; 50];
                for seed in 0..SEEDS {
                    let number = Permutation::new(len, seed).get(index).unwrap();
                    counts[(number * 50 / len) as usize] += 1;
                }
                // Bins of one length differ by a number where 50 does not divide it.
                let widths = (0..50)
                    .map(|bin| (0..len).filter(|number| number * 50 / len == bin).count() as f64);
                let distance: f64 = counts
                    .iter()
                    .zip(widths)
                    .map(|(&count, width)| chi_square([count], SEEDS as f64 * width / len as f64))
                    .sum();
                // 49 degrees of freedom: 85.4 is exceeded once in a thousand.
                assert!(distance < 85.4, "{len} {index}: {distance}");
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "slow")]
    fn steps_do_not_repeat() {
        for len in [1_000, 4_096, 65_537] {
            let order = order(len, 3);
            let mut steps: Vec<_> = order
                .windows(2)
                .map(|pair| (pair[1] + len - pair[0]) % len)
                .collect();
            steps.sort_unstable();
            steps.dedup();
            // Random steps miss a number e⁻¹ of the time.
            let share = steps.len() as f64 / len as f64;
            assert!((0.58..0.68).contains(&share), "{len}: {share}");
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "slow")]
    fn one_bit_of_the_seed_or_one_sample_changes_everything() {
        let len = 1_000;
        let base = order(len, 0x5eed);
        let same = |other: &[u64]| base.iter().zip(other).filter(|(a, b)| a == b).count();
        let mut total = 0;
        for bit in 0..64 {
            let same = same(&order(len, 0x5eed ^ 1 << bit));
            assert!(same < 8, "{same} numbers stayed with bit {bit}");
            total += same;
        }
        // One number in a thousand stays by chance: 64 ± 8.
        assert!((32..96).contains(&total), "{total}");
        assert!(same(&order(len + 1, 0x5eed)) < 8);
    }

    #[test]
    fn nothing_past_the_end() {
        assert_eq!(order(0, 5), [0; 0]);
        assert_eq!(order(1, 5), [0]);
        let three = Permutation::new(3, 5);
        assert_eq!(three.get(3), None);
        assert_eq!(three.get(u64::MAX), None);
        assert_eq!(three.iter_from(3).next(), None);
        assert_eq!(three.iter_from(u64::MAX).remaining(), 0);
        assert!(Permutation::new(0, 0).is_empty() && !three.is_empty());
    }

    #[test]
    fn the_longest_order() {
        let longest = Permutation::new(u64::MAX, 9);
        assert_eq!(longest.len(), u64::MAX);
        let mut numbers: Vec<_> = longest.iter().take(1_000).collect();
        numbers.extend(longest.iter().rev().take(1_000));
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 2_000);
        assert_eq!(longest.get(u64::MAX), None);
        assert_eq!(longest.iter().remaining(), u64::MAX);
    }

    #[test]
    fn iterators_go_on_from_anywhere() {
        let permutation = Permutation::new(100, 11);
        let all = order(100, 11);
        let mut iter = permutation.iter();
        assert_eq!(iter.nth(30), Some(all[30]));
        assert_eq!((iter.index(), iter.remaining()), (31, 69));
        assert_eq!(iter.size_hint(), (69, Some(69)));
        assert_eq!(iter.next_back(), Some(all[99]));
        let restarted = permutation.iter_from(iter.index());
        assert!(restarted.eq(all[31..].iter().copied()));
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: if cfg!(miri) { 4 } else { 64 },
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn any_length_and_seed_is_a_bijection(
            len in 0..if cfg!(miri) { 100u64 } else { 20_000 },
            seed: u64,
        ) {
            assert_bijection(len, seed);
        }
    }
}
