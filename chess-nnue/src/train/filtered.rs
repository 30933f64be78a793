//! Samples left out.

use core::ops::Range;
use std::vec;
use std::vec::Vec;

use chess_records::{Dataset, DatasetError};

/// The samples of a dataset that a condition keeps, numbered from 0, in the dataset's order.
///
/// Every sample is looked at once, when this is made; then it takes a bit a sample. Blocks are those
/// of the dataset without what was left out. Games are not told, as they may no longer be whole: split
/// by games first and filter the parts.
///
/// ```
/// use chess_nnue::train::Filtered;
/// use chess_records::ops::Filter;
/// use chess_records::{Dataset, DatasetError, LabelledPosition};
///
/// /// Quiet positions that are not decided yet.
/// fn quiet<D>(dataset: D) -> Result<Filtered<D>, DatasetError>
/// where
///     D: Dataset<Batch = Vec<LabelledPosition>>,
/// {
///     let mut filter = Filter::default();
///     filter.score_cp = Some(-1000..=1000);
///     filter.in_check = Some(false);
///     filter.ply = Some(16..=u32::MAX);
///     Filtered::new(dataset, |labelled| filter.keeps(labelled))
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Filtered<D> {
    dataset: D,
    kept: Bits,
    /// Where each block that is not empty starts, and at the end how many samples there are.
    block_starts: Vec<u64>,
}

impl<D: Dataset> Filtered<D> {
    /// How many samples are fetched at once.
    const CHUNK: u64 = 16_384;

    /// Keeps the samples for which `keeps` is true.
    ///
    /// # Errors
    ///
    /// When the dataset cannot fetch its samples.
    pub fn new<S>(dataset: D, mut keeps: impl FnMut(&S) -> bool) -> Result<Self, DatasetError>
    where
        D: Dataset<Batch = Vec<S>>,
    {
        let mut kept = Bits::default();
        let (mut block_starts, mut batch) = (vec![0], Vec::new());
        for block in 0..dataset.block_count() {
            let Range { mut start, end } = dataset.block(block);
            while start < end {
                let next = end.min(start + Self::CHUNK);
                let indices: Vec<u64> = (start..next).collect();
                dataset.gather(&indices, &mut batch)?;
                batch.iter().for_each(|sample| kept.push(keeps(sample)));
                start = next;
            }
            block_starts.push(kept.count_ones());
        }
        block_starts.dedup();
        Ok(Self {
            dataset,
            kept,
            block_starts,
        })
    }
}

impl<D> Filtered<D> {
    /// The dataset.
    pub const fn get_ref(&self) -> &D {
        &self.dataset
    }
}

impl<D: Dataset> Dataset for Filtered<D> {
    type Batch = D::Batch;

    fn len(&self) -> u64 {
        self.kept.count_ones()
    }

    fn gather(&self, indices: &[u64], batch: &mut D::Batch) -> Result<(), DatasetError> {
        let len = self.len();
        let in_dataset = indices.iter().map(|&index| {
            let found = self.kept.find(index);
            found.ok_or(DatasetError::OutOfRange { index, len })
        });
        let in_dataset = in_dataset.collect::<Result<Vec<_>, _>>()?;
        self.dataset.gather(&in_dataset, batch)
    }

    fn block_count(&self) -> u64 {
        self.block_starts.len() as u64 - 1
    }

    fn block(&self, block: u64) -> Range<u64> {
        let count = self.block_count();
        assert!(block < count, "block {block} of {count}");
        let block = block as usize;
        self.block_starts[block]..self.block_starts[block + 1]
    }

    fn game_start(&self, index: u64) -> Option<bool> {
        assert!(index < self.len(), "sample {index} of {}", self.len());
        None
    }
}

/// A list of bits in which the ones are found by their number.
#[derive(Clone, Debug, Default)]
struct Bits {
    words: Vec<u64>,
    /// How many ones there are before each stretch of words.
    before: Vec<u64>,
    len: u64,
    ones: u64,
}

impl Bits {
    /// How many words are counted together.
    const STRETCH: usize = 8;

    const fn count_ones(&self) -> u64 {
        self.ones
    }

    fn push(&mut self, bit: bool) {
        if self.len.is_multiple_of(64) {
            if self.words.len().is_multiple_of(Self::STRETCH) {
                self.before.push(self.ones);
            }
            self.words.push(0);
        }
        if let Some(word) = self.words.last_mut() {
            *word |= u64::from(bit) << (self.len % 64);
        }
        self.len += 1;
        self.ones += u64::from(bit);
    }

    /// Where the one is that so many others come before.
    fn find(&self, number: u64) -> Option<u64> {
        if number >= self.ones {
            return None;
        }
        // The last stretch with no more ones before it: those that start with as many are empty.
        let stretch = self.before.partition_point(|&before| before <= number) - 1;
        let mut left = number - self.before[stretch];
        let first = stretch * Self::STRETCH;
        for (word, &bits) in (first..).zip(&self.words[first..]) {
            let ones = u64::from(bits.count_ones());
            if left < ones {
                return Some(64 * word as u64 + nth_one(bits, left));
            }
            left -= ones;
        }
        None
    }
}

/// The place of the one in a word that so many others, fewer than there are, come before.
fn nth_one(mut bits: u64, number: u64) -> u64 {
    for _ in 0..number {
        bits &= bits - 1;
    }
    bits.trailing_zeros().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::train_common::{Numbers, Positions, random_positions};
    use chess_records::{Board, Concat};
    use std::string::ToString;

    fn sources() -> Concat<Positions> {
        Concat::new((0..5).map(|seed| random_positions(700, seed)))
    }

    #[test]
    fn what_is_kept_is_what_a_list_would_keep() {
        for few in [1u32, 8, 20, 33] {
            let keeps = |men: u32| men <= few || few == 33;
            let filtered = Filtered::new(sources(), |sample: &chess_records::LabelledPosition| {
                keeps(sample.placement().men())
            });
            let filtered = filtered.unwrap();
            let all = (0..5).flat_map(|seed| random_positions(700, seed).0);
            let expected: Vec<_> = all
                .filter(|sample| keeps(sample.placement().men()))
                .collect();
            assert_eq!(filtered.len(), expected.len() as u64);
            let mut numbers = Numbers(3);
            let indices: Vec<u64> = match expected.len() as u64 {
                0 => Vec::new(),
                len => (0..500).map(|_| numbers.below(len)).collect(),
            };
            let mut batch = Vec::new();
            filtered.gather(&indices, &mut batch).unwrap();
            for (sample, &index) in batch.iter().zip(&indices) {
                assert_eq!(*sample, expected[index as usize]);
            }
            let blocks = (0..filtered.block_count()).map(|block| filtered.block(block));
            assert!(blocks.clone().all(|block| !block.is_empty()));
            assert!(blocks.flatten().eq(0..filtered.len()));
            let past = filtered.gather(&[filtered.len()], &mut batch).unwrap_err();
            let len = filtered.len();
            assert_eq!(
                past.to_string(),
                std::format!("sample {len} asked for, the dataset holds {len}")
            );
        }
    }

    #[test]
    fn ones_are_found_by_their_number() {
        let mut numbers = Numbers(1);
        for rarity in [1, 2, 700] {
            let list: Vec<bool> = (0..5000).map(|_| numbers.below(rarity) == 0).collect();
            let mut bits = Bits::default();
            list.iter().for_each(|&bit| bits.push(bit));
            let places = (0..)
                .zip(&list)
                .filter(|(_, bit)| **bit)
                .map(|(place, _)| place);
            for (number, place) in (0..).zip(places) {
                assert_eq!(bits.find(number), Some(place));
            }
            assert_eq!(bits.find(bits.count_ones()), None);
        }
    }

    #[test]
    #[should_panic(expected = "block 0 of 0")]
    fn a_block_of_nothing() {
        let nothing = Filtered::new(sources(), |_| false).unwrap();
        assert_eq!(nothing.get_ref().len(), 3500);
        nothing.block(0);
    }
}
