//! Numbered samples that can be fetched in any order.

use std::boxed::Box;
use std::error::Error;
use std::ops::Range;
use std::string::String;

use thiserror::Error;

mod concat;
mod filtered;
mod forward;
mod slice;

pub use concat::Concat;
pub use filtered::Filtered;
#[cfg(feature = "formats")]
pub(crate) use filtered::Kept;
pub use slice::{Slice, SliceError};

/// Samples numbered from 0, fetched in batches.
///
/// The trait is object-safe for any one batch type: sources of different formats that fill the same
/// batch mix as `Box<dyn Dataset<Batch = _>>`, and [`Concat`] lays those whose batch is a `Vec` end to
/// end. A batch that is a `Vec` holds one element for each index.
pub trait Dataset: Send + Sync {
    /// What a gather fills; a buffer that is used again and again.
    type Batch;

    /// How many samples there are.
    fn len(&self) -> u64;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Replaces the contents of `batch` with the samples `indices`, in that order. An index may
    /// stand there more than once.
    ///
    /// # Errors
    ///
    /// [`DatasetError::OutOfRange`] for an index past the end, [`DatasetError::Record`] for a record
    /// that is not what its format says. The batch then holds nothing to rely on.
    fn gather(&self, indices: &[u64], batch: &mut Self::Batch) -> Result<(), DatasetError>;

    /// How many blocks the samples lie in: pieces that are best read whole, such as a compressed
    /// group or a stretch of storage. Blocks are not empty.
    fn block_count(&self) -> u64;

    /// The samples of a block. Blocks follow each other without gaps and together hold every sample.
    ///
    /// # Panics
    ///
    /// When `block` is not under [`Dataset::block_count`].
    fn block(&self, block: u64) -> Range<u64>;

    /// Whether a game starts at sample `index`; `None` where the samples do not tell, or lie in an
    /// order in which games are not whole.
    ///
    /// # Panics
    ///
    /// When `index` is past the end.
    fn game_start(&self, index: u64) -> Option<bool>;
}

/// Why samples could not be fetched.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DatasetError {
    /// An index past the end.
    #[error("sample {index} asked for, the dataset holds {len}")]
    OutOfRange {
        /// The index.
        index: u64,
        /// How many samples there are.
        len: u64,
    },
    /// A record is not what its format says.
    #[error("record {index} at byte {byte_offset}")]
    Record {
        /// The record's number in its file.
        index: u64,
        /// Where it starts in its file, in bytes.
        byte_offset: u64,
        /// What is wrong with it.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A fault in one of several sources.
    #[error("{name}")]
    Source {
        /// The source's name: a path, where it came from a file.
        name: String,
        /// The fault.
        source: Box<DatasetError>,
    },
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Permutation;
    use proptest::prelude::*;
    use std::string::ToString;
    use std::sync::Arc;
    use std::vec;
    use std::vec::Vec;

    /// Numbers in memory, in blocks of two, a game where a number is 0.
    #[derive(Clone, Debug, Default)]
    pub(crate) struct Memory {
        pub(crate) samples: Vec<u32>,
        pub(crate) knows_games: bool,
        pub(crate) bad: Option<u64>,
    }

    impl Memory {
        pub(crate) fn new(samples: impl IntoIterator<Item = u32>) -> Self {
            Self {
                samples: samples.into_iter().collect(),
                knows_games: true,
                bad: None,
            }
        }

        fn sample(&self, index: u64) -> Result<u32, DatasetError> {
            if self.bad == Some(index) {
                return Err(DatasetError::Record {
                    index,
                    byte_offset: 4 * index,
                    source: "no number".into(),
                });
            }
            let sample = self.samples.get(index as usize).copied();
            sample.ok_or(DatasetError::OutOfRange {
                index,
                len: self.len(),
            })
        }
    }

    impl Dataset for Memory {
        type Batch = Vec<u32>;

        fn len(&self) -> u64 {
            self.samples.len() as u64
        }

        fn gather(&self, indices: &[u64], batch: &mut Vec<u32>) -> Result<(), DatasetError> {
            batch.clear();
            for &index in indices {
                batch.push(self.sample(index)?);
            }
            Ok(())
        }

        fn block_count(&self) -> u64 {
            self.len().div_ceil(2)
        }

        fn block(&self, block: u64) -> Range<u64> {
            assert!(block < self.block_count());
            2 * block..self.len().min(2 * block + 2)
        }

        fn game_start(&self, index: u64) -> Option<bool> {
            let sample = self.samples[index as usize];
            self.knows_games.then_some(sample == 0)
        }
    }

    pub(crate) fn gathered<D>(dataset: &D, indices: &[u64]) -> Result<Vec<u32>, DatasetError>
    where
        D: Dataset<Batch = Vec<u32>> + ?Sized,
    {
        let mut batch = vec![77; 3];
        dataset.gather(indices, &mut batch)?;
        Ok(batch)
    }

    /// What the trait says of blocks.
    pub(crate) fn assert_blocks_hold_everything(dataset: &(impl Dataset + ?Sized)) {
        let mut next = 0;
        for block in 0..dataset.block_count() {
            let samples = dataset.block(block);
            assert_eq!(samples.start, next, "block {block}");
            assert!(!samples.is_empty(), "block {block} is empty");
            next = samples.end;
        }
        assert_eq!(next, dataset.len());
    }

    #[test]
    fn texts() {
        let memory = Memory {
            bad: Some(1),
            ..Memory::new(0..3)
        };
        let text = |indices: &[u64]| gathered(&memory, indices).unwrap_err().to_string();
        assert_eq!(text(&[0, 3]), "sample 3 asked for, the dataset holds 3");
        assert_eq!(text(&[0, 1]), "record 1 at byte 4");
    }

    #[test]
    fn pointers_are_the_dataset_they_point_to() {
        fn check(dataset: impl Dataset<Batch = Vec<u32>>) {
            assert_eq!(gathered(&dataset, &[4, 0, 4]).unwrap(), [1, 0, 1]);
            assert_eq!(dataset.len(), 5);
            assert!(!dataset.is_empty());
            assert_eq!(dataset.block(2), 4..5);
            assert_eq!(dataset.game_start(3), Some(true));
            assert_blocks_hold_everything(&dataset);
        }
        let memory = Memory::new([0, 1, 2, 0, 1]);
        check(&memory);
        check(Box::new(memory.clone()));
        check(Arc::new(memory.clone()));
        check(Box::new(memory) as Box<dyn Dataset<Batch = Vec<u32>>>);
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: if cfg!(miri) { 4 } else { 256 },
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        /// Any slice of any concatenation holds what a plain list would.
        #[test]
        fn combinations_hold_what_a_list_would(
            lens in prop::collection::vec(0u32..9, 0..7),
            ends in (0u64..64, 0u64..64),
            seed: u64,
        ) {
            let mut next = 100;
            let sources: Vec<_> = lens.iter().map(|len| {
                next += len;
                Memory::new(next - len..next)
            }).collect();
            let list: Vec<u32> = (100..next).collect();
            let whole = Concat::new(&sources);
            let ends = (ends.0.min(whole.len()), ends.1.min(whole.len()));
            let range = ends.0.min(ends.1)..ends.0.max(ends.1);
            let slice = Slice::new(&whole, range.clone()).unwrap();
            assert_blocks_hold_everything(&whole);
            assert_blocks_hold_everything(&slice);
            let order = Permutation::new(2 * slice.len(), seed);
            let indices: Vec<u64> = order.iter().map(|index| index / 2).collect();
            let list = &list[range.start as usize..range.end as usize];
            let expected: Vec<u32> = indices.iter().map(|&i| list[i as usize]).collect();
            prop_assert_eq!(gathered(&slice, &indices).unwrap(), expected);
        }
    }
}
