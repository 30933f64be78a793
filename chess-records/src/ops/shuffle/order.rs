//! The order of a shuffle.

use std::ops::Range;
use std::vec;
use std::vec::Vec;

use crate::permutation::{GOLDEN_GAMMA, mix};

/// Every record draws a bucket, buckets follow one another, and each is shuffled within (Rao, 1961;
/// Sandelius, 1962): with ideal draws every order is equally likely. How many buckets there are
/// depends on the number of records alone, so that the order does not depend on the memory.
///
/// The draws are SplitMix64's (Steele, Lea and Flood, 2014). A record's is computed from its number,
/// so that any part of the draws can be had without those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Order {
    records: u64,
    bucket_bits: u32,
    /// Where the draws of records begin.
    records_start: u64,
    /// What the draws within buckets begin from.
    buckets_start: u64,
}

/// A bucket is shuffled in the cache of a core.
const BUCKET_BYTES: u64 = 1 << 20;

impl Order {
    pub(super) fn new(records: u64, record_bytes: u64, seed: u64) -> Self {
        Self::by_buckets_of(BUCKET_BYTES / record_bytes, records, seed)
    }

    /// With so many records in a bucket at most, on average.
    fn by_buckets_of(bucket: u64, records: u64, seed: u64) -> Self {
        let buckets = records.div_ceil(bucket).max(1).next_power_of_two();
        // The number is mixed in, so that a file that grew by a record is not shuffled as before.
        let records_start = mix(mix(seed) ^ records);
        Self {
            records,
            bucket_bits: buckets.trailing_zeros(),
            records_start,
            buckets_start: mix(!records_start),
        }
    }

    pub(super) const fn records(&self) -> u64 {
        self.records
    }

    pub(super) const fn buckets(&self) -> usize {
        1 << self.bucket_bits
    }

    /// The bucket that a record draws.
    #[inline]
    pub(super) const fn bucket(&self, record: u64) -> usize {
        let draw = draw(self.records_start, record);
        // In two steps: a single bucket shifts all 64 bits out.
        (draw >> 1 >> (63 - self.bucket_bits)) as usize
    }

    /// Where each bucket starts in the output, and the end.
    pub(super) fn starts(&self) -> Vec<u64> {
        let mut starts = vec![0; self.buckets() + 1];
        for record in 0..self.records {
            starts[self.bucket(record) + 1] += 1;
        }
        for bucket in 0..self.buckets() {
            starts[bucket + 1] += starts[bucket];
        }
        starts
    }

    /// Shuffles the records of a bucket, which stand in the order of their numbers (Fisher and Yates
    /// 1938, as Durstenfeld 1964 gives it).
    pub(super) fn shuffle<T>(&self, bucket: usize, records: &mut [T]) {
        let start = draw(self.buckets_start, bucket as u64);
        for last in (1..records.len()).rev() {
            let draw = u128::from(draw(start, last as u64));
            // Off from uniform by less than the length in 2⁶⁴.
            let chosen = (draw * (last as u128 + 1)) >> 64;
            records.swap(last, chosen as usize);
        }
    }
}

/// Output `index` of the SplitMix64 that begins at `start`.
#[inline]
const fn draw(start: u64, index: u64) -> u64 {
    mix(start.wrapping_add(index.wrapping_add(1).wrapping_mul(GOLDEN_GAMMA)))
}

/// Buckets that follow one another.
pub(super) type Buckets = Range<usize>;

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// The numbers of records in the order of the output, by the plainest means.
    fn shuffled(order: &Order) -> Vec<u64> {
        let mut buckets = vec![Vec::new(); order.buckets()];
        for record in 0..order.records() {
            buckets[order.bucket(record)].push(record);
        }
        for (number, bucket) in buckets.iter_mut().enumerate() {
            order.shuffle(number, bucket);
        }
        buckets.concat()
    }

    /// How far counts are from even, in standard deviations of χ² with as many degrees of freedom.
    fn unevenness(counts: impl ExactSizeIterator<Item = u32>, total: u32) -> f64 {
        let cells = counts.len() as f64;
        let expected = f64::from(total) / cells;
        let squares = counts.map(|count| (f64::from(count) - expected).powi(2) / expected);
        (squares.sum::<f64>() - (cells - 1.0)) / (2.0 * (cells - 1.0)).sqrt()
    }

    #[test]
    fn every_order_of_a_few_records_is_equally_likely() {
        const SEEDS: u32 = 120_000;
        for bucket in [1, 2, 5] {
            let mut counts: HashMap<Vec<u64>, u32> = HashMap::new();
            for seed in 0..SEEDS {
                let order = Order::by_buckets_of(bucket, 5, seed.into());
                *counts.entry(shuffled(&order)).or_default() += 1;
            }
            assert_eq!(counts.len(), 120);
            let off = unevenness(counts.into_values().collect::<Vec<_>>().into_iter(), SEEDS);
            assert!(off.abs() < 4.0, "{off} with buckets of {bucket}");
        }
    }

    #[test]
    fn every_record_lands_anywhere_and_beside_any() {
        const RECORDS: usize = 60;
        const SEEDS: u32 = 20_000;
        let mut places = vec![0u32; RECORDS * RECORDS];
        let mut neighbours = vec![0u32; RECORDS * RECORDS];
        for seed in 0..SEEDS {
            let all = shuffled(&Order::by_buckets_of(8, RECORDS as u64, seed.into()));
            for (place, &record) in all.iter().enumerate() {
                places[place * RECORDS + record as usize] += 1;
            }
            for pair in all.windows(2) {
                neighbours[pair[0] as usize * RECORDS + pair[1] as usize] += 1;
            }
        }
        let off = unevenness(places.into_iter(), SEEDS * RECORDS as u32);
        assert!(off.abs() < 5.0, "{off}");
        // No record is its own neighbour.
        let pairs: Vec<u32> = (0..)
            .zip(neighbours)
            .filter(|&(cell, _): &(usize, u32)| cell / RECORDS != cell % RECORDS)
            .map(|(_, count)| count)
            .collect();
        let off = unevenness(pairs.into_iter(), SEEDS * (RECORDS as u32 - 1));
        assert!(off.abs() < 5.0, "{off}");
    }

    #[test]
    fn a_large_order_is_a_shuffle() {
        let order = Order::new(200_000, 32, 9);
        assert_eq!(order.buckets(), 8);
        let all = shuffled(&order);
        let mut sorted = all.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..200_000));
        let starts = order.starts();
        assert_eq!((starts[0], starts[8]), (0, 200_000));
        // Rises and falls are even: (n - 1) / 2 of each, with variance (n + 1) / 12.
        let rises = all.windows(2).filter(|pair| pair[0] < pair[1]).count();
        assert!(rises.abs_diff(100_000) < 5 * 130, "{rises}");
        let mean_step = all
            .windows(2)
            .map(|pair| pair[0].abs_diff(pair[1]))
            .sum::<u64>()
            / 199_999;
        assert!(mean_step.abs_diff(66_666) < 700, "{mean_step}");
        assert_ne!(all, shuffled(&Order::new(200_000, 32, 10)));
    }

    #[test]
    fn orders_are_pinned() {
        let order = Order::by_buckets_of(3, 10, 7);
        assert_eq!(order.buckets(), 4);
        assert_eq!(shuffled(&order), PINNED);
        assert!(shuffled(&Order::new(0, 32, 7)).is_empty());
        assert_eq!(shuffled(&Order::new(1, 32, 7)), [0]);
    }

    /// Computed by a second implementation, in another language.
    const PINNED: [u64; 10] = [1, 9, 3, 8, 2, 5, 0, 6, 4, 7];
}
