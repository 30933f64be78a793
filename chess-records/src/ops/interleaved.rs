//! Datasets mixed by weight as they are read.

use std::ops::Range;
use std::string::String;
use std::vec::Vec;

use super::{InterleaveError, InterleaveOrder};
use crate::{Concat, Dataset, DatasetError};

/// Datasets mixed in an [`InterleaveOrder`], without a copy: sample `i` is what record `i` of the
/// file that [`interleave`](super::interleave) writes would be.
///
/// Blocks are stretches of [`Interleaved::SAMPLES_PER_BLOCK`]; games are not told, as they are no
/// longer whole.
#[derive(Clone, Debug)]
pub struct Interleaved<D> {
    concat: Concat<D>,
    /// For each source, the number of its first sample in `concat`.
    starts: Vec<u64>,
    order: InterleaveOrder,
}

impl<D: Dataset> Interleaved<D> {
    /// How many samples make a [block](Dataset::block); the last may have fewer.
    pub const SAMPLES_PER_BLOCK: u64 = 4096;

    /// Mixes datasets given with their names, by which errors call them, and weights.
    ///
    /// # Errors
    ///
    /// When a weight or a length is over [`InterleaveOrder::MAX_WEIGHT`].
    ///
    /// # Panics
    ///
    /// When the sources hold more than `u64::MAX` samples together.
    pub fn new<N: Into<String>>(
        sources: impl IntoIterator<Item = (N, D, u64)>,
    ) -> Result<Self, InterleaveError> {
        let mut weights = Vec::new();
        let named = sources.into_iter().map(|(name, dataset, weight)| {
            weights.push(weight);
            (name, dataset)
        });
        let concat = Concat::named(named);
        let lens: Vec<u64> = concat.sources().map(Dataset::len).collect();
        let mut next = 0;
        let starts = lens.iter().map(|len| {
            next += len;
            next - len
        });
        Ok(Self {
            starts: starts.collect(),
            order: InterleaveOrder::new(lens.iter().copied().zip(weights))?,
            concat,
        })
    }

    /// The order.
    #[must_use]
    pub const fn order(&self) -> &InterleaveOrder {
        &self.order
    }

    fn index_in_concat(&self, index: u64) -> Result<u64, DatasetError> {
        let len = self.order.len();
        let located = self.order.locate(index);
        let (source, sample) = located.ok_or(DatasetError::OutOfRange { index, len })?;
        Ok(self.starts[source] + sample)
    }
}

impl<T, D: Dataset<Batch = Vec<T>>> Dataset for Interleaved<D> {
    type Batch = Vec<T>;

    fn len(&self) -> u64 {
        self.order.len()
    }

    fn gather(&self, indices: &[u64], batch: &mut Vec<T>) -> Result<(), DatasetError> {
        batch.clear();
        let indices = indices.iter().map(|&index| self.index_in_concat(index));
        let indices = indices.collect::<Result<Vec<_>, _>>()?;
        self.concat.gather(&indices, batch)
    }

    fn block_count(&self) -> u64 {
        self.len().div_ceil(Self::SAMPLES_PER_BLOCK)
    }

    fn block(&self, block: u64) -> Range<u64> {
        let count = self.block_count();
        assert!(block < count, "block {block} of {count}");
        let start = block * Self::SAMPLES_PER_BLOCK;
        start..self.len().min(start + Self::SAMPLES_PER_BLOCK)
    }

    fn game_start(&self, index: u64) -> Option<bool> {
        assert!(index < self.len(), "sample {index} of {}", self.len());
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::tests::{Memory, assert_blocks_hold_everything, gathered};
    use std::string::ToString;

    fn mixed(bad: Option<u64>) -> Interleaved<Memory> {
        let tens = Memory {
            bad,
            ..Memory::new([10, 11, 12])
        };
        Interleaved::new([("a", Memory::new(0..10), 2), ("b", tens, 1)]).unwrap()
    }

    #[test]
    fn samples_come_by_weight() {
        let mixed = mixed(None);
        let all: Vec<u64> = (0..mixed.len()).collect();
        let expected = [0, 10, 1, 2, 11, 3, 4, 12, 5, 6];
        assert_eq!(gathered(&mixed, &all).unwrap(), expected);
        assert_eq!(gathered(&mixed, &[4, 4, 0]).unwrap(), [11, 11, 0]);
        assert_eq!(mixed.game_start(0), None);
        assert_blocks_hold_everything(&mixed);
    }

    #[test]
    fn faults_name_their_source() {
        let mixed = mixed(Some(1));
        let text = |indices: &[u64]| gathered(&mixed, indices).unwrap_err().to_string();
        assert_eq!(text(&[0, 4]), "b");
        assert_eq!(text(&[10]), "sample 10 asked for, the dataset holds 10");
    }

    #[test]
    #[should_panic(expected = "block 1 of 1")]
    fn a_block_past_the_end() {
        mixed(None).block(1);
    }
}
