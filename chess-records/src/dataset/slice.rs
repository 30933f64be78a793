//! A stretch of a dataset.

use std::ops::Range;
use std::vec::Vec;

use thiserror::Error;

use super::{Dataset, DatasetError};

/// The samples of a contiguous range of a dataset, numbered from 0.
///
/// Blocks are those of the dataset, the first and the last clipped to the range. Games start where
/// the dataset says; a range that begins inside a game begins with the rest of that game.
#[derive(Clone, Debug)]
pub struct Slice<D> {
    dataset: D,
    samples: Range<u64>,
    blocks: Range<u64>,
}

/// Why there is no such stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SliceError {
    /// The range ends past the end of the dataset, or before it starts.
    #[error("samples {start}..{end} asked for, the dataset holds {len}")]
    OutOfRange {
        /// The first sample asked for.
        start: u64,
        /// One past the last sample asked for.
        end: u64,
        /// How many samples the dataset holds.
        len: u64,
    },
}

impl<D: Dataset> Slice<D> {
    /// The samples `range` of `dataset`. The range may be empty.
    ///
    /// # Errors
    ///
    /// [`SliceError::OutOfRange`] when the range does not lie in the dataset.
    pub fn new(dataset: D, range: Range<u64>) -> Result<Self, SliceError> {
        let len = dataset.len();
        if range.start > range.end || range.end > len {
            return Err(SliceError::OutOfRange {
                start: range.start,
                end: range.end,
                len,
            });
        }
        let blocks = blocks_touched(&dataset, &range);
        Ok(Self {
            dataset,
            samples: range,
            blocks,
        })
    }

    /// The samples' numbers in the dataset.
    pub fn range(&self) -> Range<u64> {
        self.samples.clone()
    }

    /// The dataset.
    pub const fn get_ref(&self) -> &D {
        &self.dataset
    }

    /// The dataset, taken back.
    pub fn into_inner(self) -> D {
        self.dataset
    }

    fn index_in_dataset(&self, index: u64) -> Result<u64, DatasetError> {
        let len = self.len();
        if index >= len {
            return Err(DatasetError::OutOfRange { index, len });
        }
        Ok(self.samples.start + index)
    }
}

/// The blocks that hold the samples of a range.
fn blocks_touched(dataset: &impl Dataset, samples: &Range<u64>) -> Range<u64> {
    if samples.is_empty() {
        return 0..0;
    }
    block_of(dataset, samples.start)..block_of(dataset, samples.end - 1) + 1
}

/// The block that holds a sample, which must lie in the dataset.
fn block_of(dataset: &impl Dataset, sample: u64) -> u64 {
    let (mut low, mut high) = (0, dataset.block_count());
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if dataset.block(middle).start <= sample {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

impl<D: Dataset> Dataset for Slice<D> {
    type Batch = D::Batch;

    fn len(&self) -> u64 {
        self.samples.end - self.samples.start
    }

    /// # Errors
    ///
    /// As [`Dataset::gather`]; [`DatasetError::Record`] numbers records as the dataset does.
    fn gather(&self, indices: &[u64], batch: &mut D::Batch) -> Result<(), DatasetError> {
        let shifted: Result<Vec<_>, _> = indices
            .iter()
            .map(|&index| self.index_in_dataset(index))
            .collect();
        self.dataset.gather(&shifted?, batch)
    }

    fn block_count(&self) -> u64 {
        self.blocks.end - self.blocks.start
    }

    fn block(&self, block: u64) -> Range<u64> {
        assert!(
            block < self.block_count(),
            "block {block} asked for, the slice has {}",
            self.block_count()
        );
        let whole = self.dataset.block(self.blocks.start + block);
        let Range { start, end } = self.samples;
        whole.start.max(start) - start..whole.end.min(end) - start
    }

    fn game_start(&self, index: u64) -> Option<bool> {
        assert!(
            index < self.len(),
            "sample {index} asked for, the slice holds {}",
            self.len()
        );
        self.dataset.game_start(self.samples.start + index)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Memory, assert_blocks_hold_everything, gathered};
    use super::*;
    use std::string::ToString;

    fn seven() -> Memory {
        Memory::new([0, 1, 2, 0, 1, 2, 3])
    }

    #[test]
    fn samples_blocks_and_games_are_those_of_the_range() {
        let slice = Slice::new(seven(), 1..6).unwrap();
        assert_eq!(gathered(&slice, &[4, 0, 0]).unwrap(), [2, 1, 1]);
        assert_eq!((slice.len(), slice.range()), (5, 1..6));
        assert_eq!(slice.block_count(), 3);
        assert_eq!(
            [0, 1, 2].map(|block| slice.block(block)),
            [0..1, 1..3, 3..5]
        );
        let starts: Vec<_> = (0..5).filter_map(|index| slice.game_start(index)).collect();
        assert_eq!(starts, [false, false, true, false, false]);
    }

    #[test]
    fn every_range_has_its_blocks() {
        let memory = seven();
        for start in 0..=7 {
            for end in start..=7 {
                let slice = Slice::new(&memory, start..end).unwrap();
                assert_blocks_hold_everything(&slice);
                assert_eq!(slice.is_empty(), start == end);
            }
        }
        assert_eq!(
            Slice::new(Memory::default(), 0..0).unwrap().block_count(),
            0
        );
    }

    #[test]
    #[allow(clippy::reversed_empty_ranges)]
    fn what_lies_outside_is_refused() {
        let slice = Slice::new(seven(), 1..6).unwrap();
        assert_eq!(
            gathered(&slice, &[0, 5]).unwrap_err().to_string(),
            "sample 5 asked for, the dataset holds 5"
        );
        assert!(gathered(&slice, &[u64::MAX]).is_err());
        let text = |range| Slice::new(seven(), range).unwrap_err().to_string();
        assert_eq!(text(3..8), "samples 3..8 asked for, the dataset holds 7");
        assert_eq!(text(5..3), "samples 5..3 asked for, the dataset holds 7");
    }

    #[test]
    #[should_panic = "block 3 asked for, the slice has 3"]
    fn a_block_outside_is_a_misuse() {
        Slice::new(seven(), 1..6).unwrap().block(3);
    }

    #[test]
    #[should_panic = "sample 5 asked for, the slice holds 5"]
    fn a_game_start_outside_is_a_misuse() {
        Slice::new(seven(), 1..6).unwrap().game_start(5);
    }
}
