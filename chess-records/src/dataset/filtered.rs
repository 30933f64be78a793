//! Some of the samples of a dataset.

use std::ops::Range;
use std::vec;
use std::vec::Vec;

use super::{Dataset, DatasetError};

/// The samples of a dataset that fulfil a condition, numbered from 0 in its order: for what is to be
/// left out of training without writing another file.
///
/// Which they are is found once, when this is made, and kept in 1⅛ bits for each sample of the
/// dataset. Blocks are the dataset's, without the samples left out and without those of which nothing
/// is left. A game starts at the first sample that is left of it.
///
/// ```
/// # #[cfg(feature = "formats")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use chess_records::{Dataset, Filtered, MarlinView};
/// use chess_records::ops::Filter;
///
/// # let bytes = [];
/// let mut quiet = Filter::default();
/// quiet.in_check = Some(false);
/// quiet.men = Some(4..=32);
/// let kept = Filtered::new(MarlinView::new(&bytes)?, |labelled| quiet.keeps(labelled))?;
/// // `kept` is a dataset, for a `Sampler` and a `Loader` as any other.
/// # assert!(kept.is_empty());
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "formats"))]
/// # fn main() {}
/// ```
#[derive(Clone, Debug)]
pub struct Filtered<D> {
    dataset: D,
    kept: Kept,
    /// Where each block starts.
    blocks: Vec<u64>,
}

impl<T, D: Dataset<Batch = Vec<T>>> Filtered<D> {
    /// Reads every sample, and keeps those that `keep` says.
    ///
    /// # Errors
    ///
    /// The first fault in the dataset.
    pub fn new(dataset: D, mut keep: impl FnMut(&T) -> bool) -> Result<Self, DatasetError> {
        let mut kept = Kept::new(dataset.len());
        let (mut indices, mut batch) = (Vec::new(), Vec::new());
        for block in 0..dataset.block_count() {
            for piece in pieces(dataset.block(block)) {
                indices.clear();
                indices.extend(piece.clone());
                dataset.gather(&indices, &mut batch)?;
                for (index, sample) in piece.zip(&batch) {
                    if keep(sample) {
                        kept.add(index);
                    }
                }
            }
        }
        Ok(Self::of(dataset, kept))
    }
}

/// Blocks may be large, as that of a file in memory is: they are read so many samples at a time.
fn pieces(block: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    const PIECE: u64 = 1 << 14;
    let starts = (block.start..block.end).step_by(PIECE as usize);
    starts.map(move |start| start..block.end.min(start + PIECE))
}

impl<D: Dataset> Filtered<D> {
    /// Keeps the samples whose numbers `keep` says; reads nothing.
    #[must_use]
    pub fn by_index(dataset: D, mut keep: impl FnMut(u64) -> bool) -> Self {
        let mut kept = Kept::new(dataset.len());
        for index in 0..dataset.len() {
            if keep(index) {
                kept.add(index);
            }
        }
        Self::of(dataset, kept)
    }

    pub(crate) fn of(dataset: D, mut kept: Kept) -> Self {
        kept.count();
        let starts = (0..dataset.block_count()).map(|block| kept.rank(dataset.block(block).start));
        let mut blocks: Vec<u64> = starts.collect();
        // A block of which nothing is left starts where the next does, or at the end.
        blocks.dedup();
        blocks.pop_if(|start| *start == kept.len);
        Self {
            dataset,
            kept,
            blocks,
        }
    }

    /// The number that a sample has in the dataset; `None` past the end.
    #[must_use]
    pub fn index_in_dataset(&self, index: u64) -> Option<u64> {
        (index < self.kept.len).then(|| self.kept.select(index))
    }

    /// The dataset that samples were left out of.
    #[must_use]
    pub const fn dataset(&self) -> &D {
        &self.dataset
    }
}

impl<D: Dataset> Dataset for Filtered<D> {
    type Batch = D::Batch;

    fn len(&self) -> u64 {
        self.kept.len
    }

    fn gather(&self, indices: &[u64], batch: &mut D::Batch) -> Result<(), DatasetError> {
        let len = self.len();
        let indices = indices.iter().map(|&index| {
            let found = self.index_in_dataset(index);
            found.ok_or(DatasetError::OutOfRange { index, len })
        });
        let indices = indices.collect::<Result<Vec<_>, _>>()?;
        self.dataset.gather(&indices, batch)
    }

    fn block_count(&self) -> u64 {
        self.blocks.len() as u64
    }

    fn block(&self, block: u64) -> Range<u64> {
        let count = self.block_count();
        assert!(block < count, "block {block} of {count}");
        let next = self.blocks.get(block as usize + 1);
        self.blocks[block as usize]..next.copied().unwrap_or(self.len())
    }

    fn game_start(&self, index: u64) -> Option<bool> {
        let len = self.len();
        assert!(index < len, "sample {index} of {len}");
        let here = self.kept.select(index);
        let after_last = match index.checked_sub(1) {
            Some(last) => self.kept.select(last) + 1,
            None => 0,
        };
        let mut starts = index == 0;
        for index in after_last..=here {
            starts |= self.dataset.game_start(index)?;
        }
        Some(starts)
    }
}

/// A set of numbers, of which the `i`-th is found fast.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    /// A bit for each number.
    bits: Vec<u64>,
    /// How many numbers stand before each group of words.
    ranks: Vec<u64>,
    len: u64,
}

/// Words between two ranks.
const GROUP: usize = 8;

impl Kept {
    /// Numbers under `end`, none yet.
    pub(crate) fn new(end: u64) -> Self {
        Self {
            bits: vec![0; end.div_ceil(64) as usize],
            ranks: Vec::new(),
            len: 0,
        }
    }

    pub(crate) fn add(&mut self, number: u64) {
        self.bits[(number / 64) as usize] |= 1 << (number % 64);
    }

    /// To be called when all are added.
    fn count(&mut self) {
        self.len = 0;
        self.ranks.clear();
        for group in self.bits.chunks(GROUP) {
            self.ranks.push(self.len);
            self.len += ones(group);
        }
    }

    /// How many numbers are under `end`.
    fn rank(&self, end: u64) -> u64 {
        let word = (end / 64) as usize;
        let group = word / GROUP;
        let Some(&before) = self.ranks.get(group) else {
            return self.len;
        };
        let last = self.bits.get(word).copied().unwrap_or(0) & !(u64::MAX << (end % 64));
        before + ones(&self.bits[group * GROUP..word]) + u64::from(last.count_ones())
    }

    /// The number with `rank` others before it, which must be there.
    fn select(&self, rank: u64) -> u64 {
        let group = self.ranks.partition_point(|&before| before <= rank) - 1;
        let mut left = rank - self.ranks[group];
        let mut word = group * GROUP;
        loop {
            let here = u64::from(self.bits[word].count_ones());
            if left < here {
                break;
            }
            left -= here;
            word += 1;
        }
        let mut bits = self.bits[word];
        for _ in 0..left {
            bits &= bits - 1;
        }
        word as u64 * 64 + u64::from(bits.trailing_zeros())
    }
}

fn ones(words: &[u64]) -> u64 {
    words.iter().map(|word| u64::from(word.count_ones())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::tests::{Memory, assert_blocks_hold_everything, gathered};
    use proptest::prelude::*;
    use std::string::ToString;

    fn even(memory: Memory) -> Filtered<Memory> {
        Filtered::new(memory, |sample| sample % 2 == 0).unwrap()
    }

    #[test]
    fn samples_and_games_that_are_left() {
        let kept = even(Memory::new([0, 1, 2, 0, 1, 1, 3, 0, 2, 4, 1]));
        assert_eq!(gathered(&kept, &[5, 0, 1]).unwrap(), [4, 0, 2]);
        assert_eq!((kept.len(), kept.index_in_dataset(3)), (6, Some(7)));
        assert_eq!(kept.index_in_dataset(6), None);
        let starts = (0..6).map(|index| kept.game_start(index));
        assert!(starts.eq([true, false, true, true, false, false].map(Some)));
        // The third block, of 1 and 1, is gone, and the last; the fourth began with a 3.
        assert_eq!(kept.block_count(), 4);
        assert_eq!(kept.block(2), 3..4);
        assert_blocks_hold_everything(&kept);
        assert_eq!(kept.dataset().samples.len(), 11);
    }

    #[test]
    fn a_game_whose_first_samples_are_gone_starts_all_the_same() {
        let kept = Filtered::by_index(Memory::new([0, 1, 0, 1, 2]), |index| {
            index == 1 || index == 4
        });
        assert_eq!(
            (kept.game_start(0), kept.game_start(1)),
            (Some(true), Some(true))
        );
        let silent = Memory {
            knows_games: false,
            ..Memory::new([0, 1])
        };
        assert_eq!(even(silent).game_start(0), None);
    }

    #[test]
    fn faults_and_ends() {
        let bad = Memory {
            bad: Some(1),
            ..Memory::new(0..3)
        };
        let error = Filtered::new(bad.clone(), |_| true).unwrap_err();
        assert_eq!(error.to_string(), "record 1 at byte 4");
        let kept = Filtered::by_index(bad, |index| index < 2);
        let text = |index| gathered(&kept, &[index]).unwrap_err().to_string();
        assert_eq!(text(1), "record 1 at byte 4");
        assert_eq!(text(2), "sample 2 asked for, the dataset holds 2");
        let none = Filtered::by_index(Memory::new(0..3), |_| false);
        assert_eq!((none.len(), none.block_count()), (0, 0));
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: if cfg!(miri) { 4 } else { 64 },
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn any_choice_is_that_of_a_list(chosen in prop::collection::vec(any::<bool>(), 0..2000)) {
            let memory = Memory::new(0..chosen.len() as u32);
            let list: Vec<u32> = (0..).zip(&chosen).filter(|(_, c)| **c).map(|(n, _)| n).collect();
            let kept = Filtered::by_index(memory, |index| chosen[index as usize]);
            let all: Vec<u64> = (0..kept.len()).collect();
            prop_assert_eq!(gathered(&kept, &all).unwrap(), list);
            assert_blocks_hold_everything(&kept);
        }
    }
}
