//! Several sources mixed evenly, by weight.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::iter::FusedIterator;
use std::vec;
use std::vec::Vec;

use thiserror::Error;

use super::inputs::{CHUNK_BYTES, Input};
use super::{FilesError, Inputs, Meter, Output, Progress, ResumableFiles};
use crate::FixedRecord;

/// The order in which several sources are mixed: of every stretch of it, each source fills the share
/// of its weight, give or take a sample, and each source stays in its own order.
///
/// Sample `m` of a source of weight `w` has its turn at time (2`m` + 1) / 2`w`; of two with the same
/// turn the earlier source's comes first. The order ends where the next in turn is a sample that a
/// source no longer has: weights are kept to the end, and what is left of the other sources is left
/// out. With the sources' lengths as weights nothing is left out. A source of weight 0 takes no part.
///
/// Any part of the order can be had without the parts before it; nothing is stored but the sources'
/// lengths and weights.
///
/// ```
/// use chess_records::ops::InterleaveOrder;
///
/// // Ten samples of the first source, three of the second, two to one.
/// let order = InterleaveOrder::new([(10, 2), (3, 1)])?;
/// let sources: Vec<usize> = order.iter().map(|(source, _)| source).collect();
/// assert_eq!(sources, [0, 1, 0, 0, 1, 0, 0, 1, 0, 0]);
/// assert_eq!(order.locate(4), Some((1, 1))); // the fifth is the second source's sample 1
/// # Ok::<(), chess_records::ops::InterleaveError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterleaveOrder {
    sources: Vec<Source>,
    weights: u128,
    len: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Source {
    len: u64,
    weight: u64,
}

/// Why sources could not be interleaved.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum InterleaveError {
    /// A weight is too large.
    #[error(
        "the weight of source {index} is {found}, expected at most {}",
        InterleaveOrder::MAX_WEIGHT
    )]
    Weight {
        /// The source, counted from 0.
        index: usize,
        /// Its weight.
        found: u64,
    },
    /// There is not one weight for each source.
    #[error("{found} weights for {expected} sources")]
    Weights {
        /// How many sources there are.
        expected: usize,
        /// How many weights there are.
        found: usize,
    },
    /// A source has more samples than can be counted here.
    #[error(
        "source {index} has {found} samples, expected at most {}",
        InterleaveOrder::MAX_WEIGHT
    )]
    TooLong {
        /// The source, counted from 0.
        index: usize,
        /// How many samples it has.
        found: u64,
    },
    /// The files cannot be worked on.
    #[error(transparent)]
    Files(#[from] FilesError),
}

impl InterleaveOrder {
    /// The largest weight, and the length of the longest source.
    pub const MAX_WEIGHT: u64 = 1 << 56;

    /// The order of sources given as (length, weight).
    ///
    /// # Errors
    ///
    /// When a weight or a length is over [`InterleaveOrder::MAX_WEIGHT`].
    pub fn new(sources: impl IntoIterator<Item = (u64, u64)>) -> Result<Self, InterleaveError> {
        let sources = sources
            .into_iter()
            .map(|(len, weight)| Source { len, weight });
        let mut order = Self {
            sources: sources.collect(),
            weights: 0,
            len: 0,
        };
        for (index, &Source { len, weight }) in order.sources.iter().enumerate() {
            if weight > Self::MAX_WEIGHT {
                let found = weight;
                return Err(InterleaveError::Weight { index, found });
            }
            if len > Self::MAX_WEIGHT {
                return Err(InterleaveError::TooLong { index, found: len });
            }
            order.weights += u128::from(weight);
        }
        // The turn of the first sample that is missing ends the order.
        let ends = order
            .taking_part()
            .map(|(index, source)| order.rank(index, source.len));
        order.len = ends.min().unwrap_or(0);
        Ok(order)
    }

    /// How many samples there are.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The source of the sample at `index` and its number there; `None` past the end.
    #[must_use]
    pub fn locate(&self, index: u64) -> Option<(usize, u64)> {
        if index >= self.len {
            return None;
        }
        self.taking_part()
            .find_map(|(source, _)| Some((source, self.find_in(source, index)?)))
    }

    /// The whole order.
    #[must_use]
    pub fn iter(&self) -> InterleaveOrderIter<'_> {
        self.iter_after(vec![0; self.sources.len()])
    }

    /// What comes after so many samples of each source, which must be those that came first.
    fn iter_after(&self, taken: Vec<u64>) -> InterleaveOrderIter<'_> {
        InterleaveOrderIter {
            left: self.len.saturating_sub(taken.iter().sum()),
            order: self,
            taken,
        }
    }

    fn taking_part(&self) -> impl Iterator<Item = (usize, Source)> {
        let numbered = self.sources.iter().copied().enumerate();
        numbered.filter(|(_, source)| source.weight > 0)
    }

    /// The sample of a source that stands at `index`, if one of its does.
    fn find_in(&self, source: usize, index: u64) -> Option<u64> {
        // Up to any time, a source's samples differ by less than one from its share of the time, and
        // all samples by less than one for each source.
        let weight = u128::from(self.sources[source].weight);
        let guess = (u128::from(index) * weight / self.weights) as u64;
        let slack = self.sources.len() as u64 + 1;
        let (mut low, mut high) = (guess.saturating_sub(slack), guess + slack);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.rank(source, middle) < index {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        (self.rank(source, low) == index).then_some(low)
    }

    /// How many samples have their turn before sample `sample` of a source, were all sources endless.
    fn rank(&self, source: usize, sample: u64) -> u64 {
        let weight = u128::from(self.sources[source].weight);
        let others = self.taking_part().filter(|&(other, _)| other != source);
        let before = others.map(|(other, of)| {
            // Those with (2m + 1) / of.weight < (2 sample + 1) / weight, or equal if earlier.
            let bound = (2 * u128::from(sample) + 1) * u128::from(of.weight);
            let largest_odd = (bound - u128::from(other > source)) / weight;
            largest_odd.div_ceil(2)
        });
        (u128::from(sample) + before.sum::<u128>()).min(u128::from(u64::MAX)) as u64
    }
}

/// The samples of an [`InterleaveOrder`] as (source, number in the source).
#[derive(Clone, Debug)]
pub struct InterleaveOrderIter<'a> {
    order: &'a InterleaveOrder,
    taken: Vec<u64>,
    left: u64,
}

impl Iterator for InterleaveOrderIter<'_> {
    type Item = (usize, u64);

    fn next(&mut self) -> Option<(usize, u64)> {
        self.left = self.left.checked_sub(1)?;
        let turn = |(source, of): (usize, Source)| {
            let odd = 2 * u128::from(self.taken[source]) + 1;
            (source, odd, u128::from(of.weight))
        };
        let turns = self.order.taking_part().map(turn);
        let (source, ..) = turns.reduce(|first, other| {
            // Fractions odd / weight, compared without dividing.
            if other.1 * first.2 < first.1 * other.2 {
                other
            } else {
                first
            }
        })?;
        self.taken[source] += 1;
        Some((source, self.taken[source] - 1))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::try_from(self.left);
        (left.unwrap_or(usize::MAX), left.ok())
    }
}

impl FusedIterator for InterleaveOrderIter<'_> {}

/// Writes the records of `inputs` in the [`InterleaveOrder`] of these weights, one for each file;
/// without weights, by the files' lengths, so that every record is written. Gives how many of each
/// file were written.
///
/// A run that was killed or cancelled is gone on with, as [`ResumableFiles`] says.
/// [`Interleaved`](super::Interleaved) is the same without a copy.
///
/// # Errors
///
/// An [`InterleaveError`].
pub fn interleave<R: FixedRecord>(
    inputs: &Inputs<R>,
    weights: Option<&[u64]>,
    output: &Output,
    progress: &mut Progress<'_>,
) -> Result<Vec<u64>, InterleaveError> {
    let order = order_of_files(inputs, weights)?;
    let job = std::format!("interleave by {weights:?}, {} bytes a record", R::BYTES);
    let mut files = ResumableFiles::begin(&[output], inputs.paths(), &job)?;
    let noted = files
        .mark()
        .filter(|mark| mark.len() == inputs.files().len());
    let mut mixing =
        order.iter_after(noted.map_or_else(|| vec![0; inputs.files().len()], Vec::from));
    let mut meter = Meter::new(order.len() * R::BYTES as u64, progress);
    let work = mix::<R>(inputs, &mut mixing, &mut files, &mut meter);
    files.finish_or_keep(work, FilesError::is_cancelled)?;
    Ok(mixing.taken)
}

/// Writes what is left of an order.
fn mix<R: FixedRecord>(
    inputs: &Inputs<R>,
    order: &mut InterleaveOrderIter<'_>,
    files: &mut ResumableFiles,
    meter: &mut Meter<'_, '_>,
) -> Result<(), FilesError> {
    let readers = inputs.each().zip(&order.taken);
    let readers = readers.map(|(input, &taken)| Reader::open(input, taken * R::BYTES as u64));
    let mut readers = readers.collect::<Result<Vec<_>, _>>()?;
    let mut record = vec![0; R::BYTES];
    let mut unreported = 0;
    meter.advance(files.written(0))?;
    while let Some((source, _)) = order.next() {
        readers[source].read(&mut record)?;
        files.put(0, &record)?;
        unreported += R::BYTES;
        if unreported >= CHUNK_BYTES {
            meter.advance(unreported as u64)?;
            unreported = 0;
        }
        if files.is_due() {
            files.note(&order.taken)?;
        }
    }
    meter.advance(unreported as u64)
}

fn order_of_files<R: FixedRecord>(
    inputs: &Inputs<R>,
    weights: Option<&[u64]>,
) -> Result<InterleaveOrder, InterleaveError> {
    let lens: Vec<u64> = inputs.files().map(|(_, records)| records).collect();
    let weights = weights.unwrap_or(&lens);
    if weights.len() != lens.len() {
        return Err(InterleaveError::Weights {
            expected: lens.len(),
            found: weights.len(),
        });
    }
    InterleaveOrder::new(lens.iter().copied().zip(weights.iter().copied()))
}

struct Reader<'a> {
    input: &'a Input,
    source: BufReader<File>,
}

impl<'a> Reader<'a> {
    fn open(input: &'a Input, byte_offset: u64) -> Result<Self, FilesError> {
        let mut file = input.open()?;
        let seek = file.seek(SeekFrom::Start(byte_offset));
        seek.map_err(|source| FilesError::read(&input.path, source))?;
        let source = BufReader::with_capacity(CHUNK_BYTES, file);
        Ok(Self { input, source })
    }

    fn read(&mut self, record: &mut [u8]) -> Result<(), FilesError> {
        let read = self.source.read_exact(record);
        read.map_err(|source| FilesError::read(&self.input.path, source))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::string::ToString;

    fn order(sources: &[(u64, u64)]) -> InterleaveOrder {
        InterleaveOrder::new(sources.iter().copied()).unwrap()
    }

    #[test]
    fn lengths_as_weights_leave_nothing_out() {
        for lens in [&[5, 5][..], &[7, 3, 0, 1], &[1_000, 1, 33], &[]] {
            let order = order(&lens.iter().map(|&len| (len, len)).collect::<Vec<_>>());
            assert_eq!(order.len(), lens.iter().sum::<u64>());
        }
    }

    #[test]
    fn the_first_source_to_run_out_ends_the_order() {
        let order = order(&[(100, 3), (10, 1), (50, 0)]);
        let mut counts = [0; 3];
        for (source, _) in order.iter() {
            counts[source] += 1;
        }
        // The second's sample 10 would have its turn at 21/2, as the first's sample 31.
        assert_eq!(counts, [32, 10, 0]);
        assert!(
            super::InterleaveOrder::new([(0, 1), (9, 1)])
                .unwrap()
                .is_empty()
        );
    }

    #[test]
    fn weights_and_lengths_that_are_too_large() {
        let text = |len, weight| {
            InterleaveOrder::new([(len, weight)])
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            text(1, u64::MAX),
            "the weight of source 0 is 18446744073709551615, expected at most 72057594037927936"
        );
        assert_eq!(
            text(u64::MAX, 1),
            "source 0 has 18446744073709551615 samples, expected at most 72057594037927936"
        );
        let largest = InterleaveOrder::MAX_WEIGHT;
        let order = order(&[(largest, largest), (largest, 1)]);
        let last = order.len() - 1;
        assert!(order.locate(last).is_some() && order.locate(last + 1).is_none());
        let error = InterleaveError::Weights {
            expected: 2,
            found: 3,
        };
        assert_eq!(error.to_string(), "3 weights for 2 sources");
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: if cfg!(miri) { 4 } else { 256 },
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn any_part_of_the_order_is_that_of_the_whole(
            sources in prop::collection::vec((0u64..60, 0u64..20), 0..6),
        ) {
            let order = order(&sources);
            let all: Vec<_> = order.iter().collect();
            prop_assert_eq!(all.len() as u64, order.len());
            for (index, &there) in (0..).zip(&all) {
                prop_assert_eq!(order.locate(index), Some(there));
            }
            let weights: u64 = sources.iter().map(|source| source.1).sum();
            for (source, &(len, weight)) in sources.iter().enumerate() {
                let mut taken = 0;
                for (index, &(from, sample)) in (1u64..).zip(&all) {
                    if from == source {
                        prop_assert_eq!(sample, taken);
                        taken += 1;
                    }
                    let share = index as f64 * weight as f64 / weights as f64;
                    let off = (taken as f64 - share).abs();
                    prop_assert!(off <= sources.len() as f64 / 2.0, "{} off", off);
                }
                prop_assert!(taken <= len);
            }
        }
    }
}
