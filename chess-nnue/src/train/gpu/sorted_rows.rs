//! Which samples switch an input on, for every input: the order in which a device can sum gradients
//! without two of its threads writing to the same place.
//!
//! A counting sort, in shares of the samples that are sorted on several threads and joined in their
//! order. Entries come out by input, then sample, then man, however many shares there were.

use core::ops::Range;
use std::vec::Vec;

use rayon::prelude::*;

use super::part::Part;
use crate::train::inputs::Man;

/// The sorted entries of a part of a batch, and how they are cut.
#[derive(Debug, Default)]
pub(super) struct SortedRows {
    /// Twice the number of the sample, plus 1 for the opponent's view.
    pub(super) entries: Vec<u32>,
    /// Where each segment starts, up to [`SortedRows::SEGMENT`] entries of one row; at last the end.
    pub(super) segments: Vec<u32>,
    /// Which segment is the first of each row; at last their number.
    pub(super) row_starts: Vec<u32>,
    shares: Vec<Share>,
}

/// The sorted entries of one share.
#[derive(Debug, Default)]
struct Share {
    entries: Vec<u32>,
    /// Where the entries of each row start; at last the end.
    starts: Vec<u32>,
}

impl SortedRows {
    /// The most entries that one thread of a device sums.
    pub(super) const SEGMENT: usize = 256;
    /// The fewest samples that are worth a share of their own, which has all rows to count.
    const MIN_SHARE: usize = 1024;
    /// Into so many parts the rows are cut when shares are joined.
    const JOINTS: usize = 16;

    /// How many segments there can be of this many samples.
    pub(super) fn max_segments(samples: usize, rows: usize) -> usize {
        let entries = samples * Part::MAX_MEN * 2;
        entries / Self::SEGMENT + rows.min(entries)
    }

    /// Sorts a part's men, on the threads of the pool that calls.
    pub(super) fn sort(&mut self, part: &Part<'_>, rows: usize) {
        let shares = rayon::current_num_threads() * 2;
        self.sort_in_shares(part, rows, shares.min(part.len() / Self::MIN_SHARE).max(1));
    }

    fn sort_in_shares(&mut self, part: &Part<'_>, rows: usize, shares: usize) {
        self.shares.resize_with(shares, Share::default);
        let share_len = part.len().div_ceil(shares);
        let work = self.shares.par_iter_mut().enumerate();
        work.for_each(|(number, share)| {
            let at = |number: usize| part.len().min(number * share_len);
            share.sort(part, at(number)..at(number + 1), rows);
        });
        let row_ends = self.cut_rows(rows);
        self.join(&row_ends);
    }

    /// Cuts the rows into segments and gives the end of each row's entries.
    fn cut_rows(&mut self, rows: usize) -> Vec<u32> {
        self.segments.clear();
        self.row_starts.clear();
        let mut end = 0;
        let row_ends = (0..rows).map(|row| {
            let start = end;
            let counts = self.shares.iter().map(|share| share.of_row(row).len());
            end += counts.sum::<usize>() as u32;
            self.row_starts.push(self.segments.len() as u32);
            self.segments.extend((start..end).step_by(Self::SEGMENT));
            end
        });
        let row_ends = row_ends.collect();
        self.row_starts.push(self.segments.len() as u32);
        self.segments.push(end);
        row_ends
    }

    /// Puts the shares' entries row by row behind each other.
    fn join(&mut self, row_ends: &[u32]) {
        let end = row_ends.last().copied().unwrap_or(0);
        self.entries.resize(end as usize, 0);
        let rows_len = row_ends.len().div_ceil(Self::JOINTS).max(1);
        let (mut rest, mut start) = (self.entries.as_mut_slice(), 0);
        let mut joints = Vec::with_capacity(Self::JOINTS);
        for (number, ends) in row_ends.chunks(rows_len).enumerate() {
            let end = ends.last().copied().unwrap_or(start);
            let entries = rest.split_off_mut(..(end - start) as usize);
            let rows = number * rows_len..number * rows_len + ends.len();
            joints.push((rows, entries.unwrap_or_default()));
            start = end;
        }
        let shares = &self.shares;
        joints.into_par_iter().for_each(|(rows, mut entries)| {
            for piece in rows.flat_map(|row| shares.iter().map(move |share| share.of_row(row))) {
                if let Some(place) = entries.split_off_mut(..piece.len()) {
                    place.copy_from_slice(piece);
                }
            }
        });
    }
}

impl Share {
    fn sort(&mut self, part: &Part<'_>, samples: Range<usize>, rows: usize) {
        // Counted one place further on, so that the sum gives where each row starts.
        self.starts.clear();
        self.starts.resize(rows + 1, 0);
        let men = part.men_of(samples.clone());
        for input in men.iter().flatten() {
            self.starts[usize::from(*input) + 1] += 1;
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.entries.resize(2 * men.len(), 0);
        self.place(part, samples);
    }

    /// Puts every entry in its row. Each row's start moves to its end, which is the next one's start,
    /// and is then moved back.
    fn place(&mut self, part: &Part<'_>, samples: Range<usize>) {
        for sample in samples {
            let men: &[Man] = part.men_of(sample..sample + 1);
            for man in men {
                for (view, &input) in man.iter().enumerate() {
                    let next = &mut self.starts[usize::from(input)];
                    self.entries[*next as usize] = (2 * sample + view) as u32;
                    *next += 1;
                }
            }
        }
        self.starts.rotate_right(1);
        self.starts[0] = 0;
    }

    fn of_row(&self, row: usize) -> &[u32] {
        &self.entries[self.starts[row] as usize..self.starts[row + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Architecture;
    use crate::train::Targets;
    use crate::train::batch::{Batch, Samples};
    use crate::train::train_common::random_positions;
    use std::vec;

    fn batch(samples: u64) -> Batch {
        let (mut fetched, mut batch) = (Samples::new(), Batch::new());
        let positions = random_positions(samples as usize, 1);
        fetched.fetch(&positions, 0..samples).unwrap();
        let targets = Targets::new(200, 0.25).unwrap();
        let architecture = Architecture::new(16).unwrap();
        batch.load(&fetched, &targets, &architecture).unwrap();
        batch
    }

    /// The entries of each row, plainly.
    fn lists(part: &Part<'_>) -> Vec<Vec<u32>> {
        let mut lists = vec![Vec::new(); 768];
        for sample in 0..part.len() {
            for man in part.men_of(sample..sample + 1) {
                for view in 0..2 {
                    lists[usize::from(man[view])].push((2 * sample + view) as u32);
                }
            }
        }
        lists
    }

    #[test]
    fn every_number_of_shares_sorts_alike() {
        let batch = batch(3000);
        for samples in [0..3000, 100..1205, 0..1, 7..7] {
            let part = Part::new(&batch, samples);
            let expected = lists(&part);
            for shares in [1, 2, 7] {
                let mut rows = SortedRows::default();
                // Twice: a part must not remember the one before.
                rows.sort_in_shares(&Part::new(&batch, 5..2000), 768, 3);
                rows.sort_in_shares(&part, 768, shares);
                assert!(rows.entries == expected.concat(), "{shares} shares");
                check_segments(&rows, &expected, part.len());
            }
        }
    }

    fn check_segments(rows: &SortedRows, lists: &[Vec<u32>], samples: usize) {
        assert_eq!(rows.row_starts.len(), lists.len() + 1);
        let segments = |row: usize| {
            let numbers = rows.row_starts[row]..rows.row_starts[row + 1];
            numbers.map(|number| {
                let ends = &rows.segments[number as usize..][..2];
                &rows.entries[ends[0] as usize..ends[1] as usize]
            })
        };
        for (row, list) in lists.iter().enumerate() {
            assert!(segments(row).eq(list.chunks(SortedRows::SEGMENT)));
        }
        assert!(rows.segments.len() <= SortedRows::max_segments(samples, 768) + 1);
    }
}
