//! Datasets end to end.

use std::boxed::Box;
use std::format;
use std::ops::Range;
use std::string::String;
use std::vec;
use std::vec::Vec;

use super::{Dataset, DatasetError};

/// Datasets laid end to end: the samples of the first, then those of the second, and so on.
///
/// Sources of different formats mix as `Concat<Box<dyn Dataset<Batch = Vec<T>>>>`. A batch is asked
/// of each source once, whatever order it is in. Blocks are those of the sources.
///
/// A source's first sample starts a game where the source knows its games; where it does not, its
/// samples answer `None` here as well.
///
/// ```
/// use chess_records::{Concat, Dataset, DatasetError};
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
/// # fn main() -> Result<(), DatasetError> {
/// // `Letters` is a dataset of the letters of a word.
/// let both = Concat::new([Letters("abc"), Letters("xy")]);
/// let mut batch = Vec::new();
/// both.gather(&[4, 0, 3], &mut batch)?;
/// assert_eq!(batch, b"yax");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Concat<D> {
    sources: Vec<Source<D>>,
    len: u64,
    block_count: u64,
}

#[derive(Clone, Debug)]
struct Source<D> {
    dataset: D,
    name: String,
    first_sample: u64,
    first_block: u64,
}

impl<D: Dataset> Concat<D> {
    /// Lays datasets end to end. Errors call them `source 0`, `source 1` and so on.
    ///
    /// # Panics
    ///
    /// When the sources hold more than `u64::MAX` samples together.
    pub fn new(datasets: impl IntoIterator<Item = D>) -> Self {
        let datasets = datasets.into_iter().enumerate();
        Self::named(datasets.map(|(number, dataset)| (format!("source {number}"), dataset)))
    }

    /// Lays datasets end to end, each with the name by which errors call it: a path, for a file.
    ///
    /// # Panics
    ///
    /// When the sources hold more than `u64::MAX` samples together.
    pub fn named<N: Into<String>>(datasets: impl IntoIterator<Item = (N, D)>) -> Self {
        let mut concat = Self {
            sources: Vec::new(),
            len: 0,
            block_count: 0,
        };
        for (name, dataset) in datasets {
            concat.push(name.into(), dataset);
        }
        concat
    }

    fn push(&mut self, name: String, dataset: D) {
        let (samples, blocks) = (dataset.len(), dataset.block_count());
        self.sources.push(Source {
            dataset,
            name,
            first_sample: self.len,
            first_block: self.block_count,
        });
        let len = self.len.checked_add(samples);
        self.len = len.expect("the sources hold at most u64::MAX samples together");
        // No block is empty, so that there are no more blocks than samples.
        self.block_count += blocks;
    }

    /// The sources, in order.
    pub fn sources(&self) -> impl ExactSizeIterator<Item = &D> {
        self.sources.iter().map(|source| &source.dataset)
    }

    /// The number of the source that holds a sample, which must be under the length.
    fn source_of(&self, sample: u64) -> usize {
        // The last of those that start there: the ones before it are empty.
        self.sources
            .partition_point(|source| source.first_sample <= sample)
            - 1
    }

    fn check(&self, index: u64) -> Result<(), DatasetError> {
        let len = self.len;
        if index >= len {
            return Err(DatasetError::OutOfRange { index, len });
        }
        Ok(())
    }

    /// Sorts a batch by source.
    fn route(&self, indices: &[u64]) -> Result<Routes, DatasetError> {
        let mut ends = vec![0; self.sources.len()];
        let mut sources = Vec::with_capacity(indices.len());
        for &index in indices {
            self.check(index)?;
            let source = self.source_of(index);
            sources.push(source);
            ends[source] += 1;
        }
        turn_counts_into_starts(&mut ends);
        let mut routes = Routes {
            local: vec![0; indices.len()],
            positions: vec![0; indices.len()],
            ends,
        };
        for (position, (&index, source)) in indices.iter().zip(sources).enumerate() {
            routes.place(source, index - self.sources[source].first_sample, position);
        }
        Ok(routes)
    }
}

impl<D: Dataset> FromIterator<D> for Concat<D> {
    /// As [`Concat::new`].
    fn from_iter<I: IntoIterator<Item = D>>(datasets: I) -> Self {
        Self::new(datasets)
    }
}

impl<D: Dataset> Source<D> {
    fn gather(&self, indices: &[u64], batch: &mut D::Batch) -> Result<(), DatasetError> {
        let gathered = self.dataset.gather(indices, batch);
        gathered.map_err(|error| DatasetError::Source {
            name: self.name.clone(),
            source: Box::new(error),
        })
    }
}

/// A batch sorted by source; slots are the places in that order.
struct Routes {
    /// Per slot, the sample's number in its source.
    local: Vec<u64>,
    /// Per slot, the sample's place in the batch.
    positions: Vec<usize>,
    /// Per source, one past its last slot so far.
    ends: Vec<usize>,
}

impl Routes {
    fn place(&mut self, source: usize, local: u64, position: usize) {
        let slot = self.ends[source];
        self.local[slot] = local;
        self.positions[slot] = position;
        self.ends[source] += 1;
    }

    /// The sources with the slots they fill.
    fn slots(&self) -> impl Iterator<Item = (usize, Range<usize>)> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        let slots = starts.zip(&self.ends).map(|(start, &end)| start..end);
        slots.enumerate().filter(|(_, slots)| !slots.is_empty())
    }

    /// Moves samples from slots to the places they were asked for.
    fn restore_order<T>(mut self, batch: &mut [T]) {
        for slot in 0..batch.len() {
            // Each exchange brings a sample home, so that there are at most as many as samples.
            while self.positions[slot] != slot {
                let home = self.positions[slot];
                batch.swap(slot, home);
                self.positions.swap(slot, home);
            }
        }
    }
}

fn turn_counts_into_starts(counts: &mut [usize]) {
    let mut start = 0;
    for count in counts {
        start += std::mem::replace(count, start);
    }
}

impl<T, D: Dataset<Batch = Vec<T>>> Dataset for Concat<D> {
    type Batch = Vec<T>;

    fn len(&self) -> u64 {
        self.len
    }

    /// # Errors
    ///
    /// [`DatasetError::OutOfRange`] for an index past the end, and [`DatasetError::Source`] with the
    /// source's name around the fault of a source.
    ///
    /// # Panics
    ///
    /// When a source does not fill its batch with one element for each index.
    fn gather(&self, indices: &[u64], batch: &mut Vec<T>) -> Result<(), DatasetError> {
        batch.clear();
        let routes = self.route(indices)?;
        let mut part = Vec::new();
        for (source, slots) in routes.slots() {
            let source = &self.sources[source];
            source.gather(&routes.local[slots.clone()], &mut part)?;
            assert_eq!(
                part.len(),
                slots.len(),
                "{} fills a batch with one element for each index",
                source.name
            );
            batch.append(&mut part);
        }
        routes.restore_order(batch);
        Ok(())
    }

    fn block_count(&self) -> u64 {
        self.block_count
    }

    fn block(&self, block: u64) -> Range<u64> {
        assert!(
            block < self.block_count,
            "block {block} asked for, the dataset has {}",
            self.block_count
        );
        let behind = self
            .sources
            .partition_point(|source| source.first_block <= block);
        let source = &self.sources[behind - 1];
        let samples = source.dataset.block(block - source.first_block);
        source.first_sample + samples.start..source.first_sample + samples.end
    }

    fn game_start(&self, index: u64) -> Option<bool> {
        assert!(
            index < self.len,
            "sample {index} asked for, the dataset holds {}",
            self.len
        );
        let source = &self.sources[self.source_of(index)];
        let local = index - source.first_sample;
        let starts = source.dataset.game_start(local)?;
        Some(starts || local == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Memory, assert_blocks_hold_everything, gathered};
    use super::*;
    use std::error::Error;
    use std::string::ToString;
    use std::sync::Mutex;

    fn three() -> Concat<Memory> {
        Concat::new([
            Memory::default(),
            Memory::new([10, 11, 12]),
            Memory::default(),
            Memory::new([20, 0]),
            Memory::default(),
        ])
    }

    #[test]
    fn order_is_kept_and_indices_repeat() {
        let indices = [4, 0, 3, 2, 4, 1, 0];
        let expected = [0, 10, 20, 12, 0, 11, 10];
        assert_eq!(gathered(&three(), &indices).unwrap(), expected);
        assert_eq!(gathered(&three(), &[]).unwrap(), [0; 0]);
        assert_eq!(gathered(&three(), &[1, 1]).unwrap(), [11, 11]);
    }

    #[test]
    fn each_source_is_asked_once() {
        struct Counted(Memory, Mutex<u32>);
        impl Dataset for Counted {
            type Batch = Vec<u32>;
            fn len(&self) -> u64 {
                self.0.len()
            }
            fn gather(&self, indices: &[u64], batch: &mut Vec<u32>) -> Result<(), DatasetError> {
                *self.1.lock().unwrap() += 1;
                self.0.gather(indices, batch)
            }
            fn block_count(&self) -> u64 {
                self.0.block_count()
            }
            fn block(&self, block: u64) -> Range<u64> {
                self.0.block(block)
            }
            fn game_start(&self, index: u64) -> Option<bool> {
                self.0.game_start(index)
            }
        }
        let counted = |base| Counted(Memory::new(base..base + 4), Mutex::new(0));
        let both: Concat<_> = [counted(0), counted(4), counted(8)].into_iter().collect();
        assert_eq!(
            gathered(&both, &[0, 5, 1, 4, 7, 2]).unwrap(),
            [0, 5, 1, 4, 7, 2]
        );
        let calls: Vec<_> = both.sources().map(|s| *s.1.lock().unwrap()).collect();
        assert_eq!(calls, [1, 1, 0]);
    }

    #[test]
    fn blocks_and_games_are_those_of_the_sources() {
        let three = three();
        assert_eq!((three.len(), three.sources().len()), (5, 5));
        let blocks: Vec<_> = (0..three.block_count()).map(|b| three.block(b)).collect();
        assert_eq!(blocks, [0..2, 2..3, 3..5]);
        assert_blocks_hold_everything(&three);
        let starts: Vec<_> = (0..5).map(|index| three.game_start(index)).collect();
        assert_eq!(starts, [true, false, false, true, true].map(Some));
    }

    #[test]
    fn a_source_that_knows_no_games_does_not_learn_them() {
        let mut shuffled = Memory::new([0, 1]);
        shuffled.knows_games = false;
        let both = Concat::new([Memory::new([5, 6]), shuffled]);
        let starts: Vec<_> = (0..4).map(|index| both.game_start(index)).collect();
        assert_eq!(starts, [Some(true), Some(false), None, None]);
    }

    #[test]
    fn nothing_at_all() {
        let none = Concat::<Memory>::new([]);
        assert!(none.is_empty());
        assert_eq!(none.block_count(), 0);
        assert_eq!(
            gathered(&none, &[0]).unwrap_err().to_string(),
            "sample 0 asked for, the dataset holds 0"
        );
    }

    #[test]
    fn faults_name_their_source() {
        let bad = Memory {
            bad: Some(1),
            ..Memory::new(0..3)
        };
        let error = |concat: &Concat<Memory>| {
            let error = gathered(concat, &[0, 4]).unwrap_err();
            (error.to_string(), error.source().unwrap().to_string())
        };
        let record = "record 1 at byte 4";
        let unnamed = Concat::new([Memory::new(0..3), bad.clone()]);
        assert_eq!(error(&unnamed), ("source 1".into(), record.into()));
        let named = Concat::named([("a.marlin", Memory::new(0..3)), ("b.marlin", bad)]);
        assert_eq!(error(&named), ("b.marlin".into(), record.into()));
        assert_eq!(
            gathered(&named, &[6]).unwrap_err().to_string(),
            "sample 6 asked for, the dataset holds 6"
        );
    }

    #[test]
    fn mixed_sources_go_through_boxes() {
        let inner = Concat::new([Memory::new([1]), Memory::new([2])]);
        let sources: [Box<dyn Dataset<Batch = Vec<u32>>>; 2] =
            [Box::new(Memory::new([0])), Box::new(inner)];
        let mixed = Concat::new(sources);
        assert_eq!(gathered(&mixed, &[2, 0, 1]).unwrap(), [2, 0, 1]);
    }

    #[test]
    #[should_panic = "block 3 asked for, the dataset has 3"]
    fn a_block_outside_is_a_misuse() {
        three().block(3);
    }

    #[test]
    #[should_panic = "sample 5 asked for, the dataset holds 5"]
    fn a_game_start_outside_is_a_misuse() {
        three().game_start(5);
    }
}
