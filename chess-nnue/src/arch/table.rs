//! Rows of equal length, which kernels reach with one comparison each.

// The one comparison stands for all that a slice of a slice would check.
#![allow(unsafe_code)]

use alloc::vec::Vec;

use super::lanes::Lanes;
use crate::features::PlainInput;

/// Rows of equal length, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table<T> {
    /// `rows` · `row_blocks` of them.
    blocks: Vec<Lanes<T>>,
    row_blocks: usize,
    /// The size of a row.
    row_bytes: usize,
    rows: usize,
}

impl<T: Copy> Table<T> {
    /// Rows of `row_blocks` blocks.
    ///
    /// # Panics
    ///
    /// Unless the blocks make whole rows.
    pub(crate) fn new(blocks: Vec<Lanes<T>>, row_blocks: usize) -> Self {
        let rows = blocks.len() / row_blocks;
        assert_eq!(rows * row_blocks, blocks.len(), "a row is cut short");
        Self {
            blocks,
            row_blocks,
            row_bytes: row_blocks * size_of::<Lanes<T>>(),
            rows,
        }
    }

    /// The blocks of one row.
    #[inline(always)]
    pub(crate) fn row_blocks(&self) -> usize {
        self.row_blocks
    }

    /// How many rows there are.
    #[inline(always)]
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// All rows.
    #[inline(always)]
    pub(crate) fn as_slice(&self) -> &[Lanes<T>] {
        &self.blocks
    }

    /// A row.
    #[inline(always)]
    pub(crate) fn row(&self, row: usize) -> &[Lanes<T>] {
        if row >= self.rows {
            past_the_end();
        }
        // SAFETY: there are `rows` · `row_blocks` blocks, and `row` < `rows`.
        unsafe { self.row_unchecked(row) }
    }

    /// A row.
    ///
    /// # Safety
    ///
    /// `row` < `rows`.
    #[inline(always)]
    unsafe fn row_unchecked(&self, row: usize) -> &[Lanes<T>] {
        // SAFETY: there are `rows` · `row_blocks` blocks, and the caller sees to it that `row` < `rows`.
        unsafe {
            let start = self.blocks.as_ptr().byte_add(row * self.row_bytes);
            core::slice::from_raw_parts(start, self.row_blocks)
        }
    }

    /// The rows of the inputs of a bucket, whose first row this is.
    #[inline(always)]
    pub(crate) fn bucket(&self, first: usize) -> Bucket<'_, T> {
        if self.rows < PlainInput::COUNT || first > self.rows - PlainInput::COUNT {
            past_the_end();
        }
        Bucket { table: self, first }
    }

    /// Two neighbouring rows, of so many blocks as the caller knows a row to have.
    #[inline(always)]
    pub(crate) fn pair_of(&self, first: usize, row_blocks: usize) -> [&[Lanes<T>]; 2] {
        if row_blocks != self.row_blocks || self.rows < 2 || first > self.rows - 2 {
            past_the_end();
        }
        // SAFETY: there are `rows` · `row_blocks` blocks, and `first` + 1 < `rows`.
        unsafe {
            let first = self.blocks.as_ptr().byte_add(first * self.row_bytes);
            let second = first.byte_add(self.row_bytes);
            [
                core::slice::from_raw_parts(first, row_blocks),
                core::slice::from_raw_parts(second, row_blocks),
            ]
        }
    }

    /// A row, to be written.
    #[inline(always)]
    pub(crate) fn row_mut(&mut self, row: usize) -> &mut [Lanes<T>] {
        let [only] = self.rows_mut(row, self.row_blocks);
        only
    }

    /// Some neighbouring rows, to be written, of so many blocks as the caller knows a row to have.
    #[inline(always)]
    pub(crate) fn rows_mut<const ROWS: usize>(
        &mut self,
        first: usize,
        row_blocks: usize,
    ) -> [&mut [Lanes<T>]; ROWS] {
        let is_inside = ROWS <= self.rows && first <= self.rows - ROWS;
        if row_blocks != self.row_blocks || !is_inside {
            past_the_end();
        }
        // SAFETY: there are `rows` · `row_blocks` blocks, and `first` + `ROWS` ≤ `rows`.
        let start = unsafe { self.blocks.as_mut_ptr().byte_add(first * self.row_bytes) };
        let row_bytes = self.row_bytes;
        core::array::from_fn(|row| {
            // SAFETY: as above, and no two of these rows have a block in common.
            unsafe { core::slice::from_raw_parts_mut(start.byte_add(row * row_bytes), row_blocks) }
        })
    }
}

/// The rows of a bucket's inputs: one comparison has seen to all of them.
#[derive(Clone, Copy)]
pub(crate) struct Bucket<'a, T> {
    table: &'a Table<T>,
    /// `first` + [`PlainInput::COUNT`] ≤ `rows`.
    first: usize,
}

impl<'a, T: Copy> Bucket<'a, T> {
    /// The row of an input, counted from the bucket's first.
    #[inline(always)]
    pub(crate) fn row(&self, input: PlainInput) -> &'a [Lanes<T>] {
        // SAFETY: `first` + `input` < `first` + `PlainInput::COUNT` ≤ `rows`.
        unsafe { self.table.row_unchecked(self.first + input.index()) }
    }
}

#[cold]
#[inline(never)]
fn past_the_end() -> ! {
    panic!("a row past the end of its table")
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess_records::{Color, Piece, Square};

    fn table() -> Table<i16> {
        let blocks = (0..6).map(|block| Lanes([block; 32]));
        Table::new(blocks.collect(), 2)
    }

    #[test]
    fn rows_follow_each_other() {
        let mut table = table();
        assert_eq!((table.rows(), table.row_blocks()), (3, 2));
        assert_eq!(table.row(2)[1].0[0], 5);
        let [first, second] = table.pair_of(1, 2);
        assert_eq!((first[0].0[0], second[1].0[0]), (2, 5));
        let [first, second] = table.rows_mut(1, 2);
        assert_eq!((first[0].0[0], second[0].0[0]), (2, 4));
        second[1].0[31] = 7;
        assert_eq!(table.row_mut(2)[1].0[31], 7);
    }

    #[test]
    #[should_panic(expected = "a row past the end of its table")]
    fn a_row_too_far() {
        table().row(3);
    }

    #[test]
    #[should_panic(expected = "a row past the end of its table")]
    fn a_row_that_ends_too_far() {
        let _: [_; 2] = table().rows_mut(2, 2);
    }

    #[test]
    #[should_panic(expected = "a row past the end of its table")]
    fn more_rows_than_there_are() {
        let _: [_; 4] = table().rows_mut(usize::MAX, 2);
    }

    #[test]
    #[should_panic(expected = "a row past the end of its table")]
    fn a_pair_that_ends_too_far() {
        table().pair_of(2, 2);
    }

    #[test]
    #[should_panic(expected = "a row past the end of its table")]
    fn rows_of_another_length() {
        table().pair_of(0, 3);
    }

    #[test]
    fn rows_of_a_bucket() {
        let blocks = (0..2 * 768 + 1).map(|block| Lanes([block; 32]));
        let table = Table::new(blocks.collect(), 1);
        let first = PlainInput::new(Color::White, Piece::ALL[0], Square::A1);
        let last = PlainInput::new(Color::White, Piece::ALL[11], Square::H8);
        for bucket in [0, 768, 769] {
            let rows = table.bucket(bucket);
            for input in [first, last] {
                let expected = (bucket + input.index()) as i16;
                assert_eq!(rows.row(input)[0].0[0], expected);
            }
        }
        assert_eq!((first.index(), last.index()), (0, 767));
    }

    #[test]
    #[should_panic(expected = "a row past the end of its table")]
    fn a_bucket_that_ends_too_far() {
        let table = Table::new(alloc::vec![Lanes([0_i16; 32]); 768], 1);
        table.bucket(1);
    }

    #[test]
    #[should_panic(expected = "a row past the end of its table")]
    fn a_bucket_of_a_small_table() {
        table().bucket(0);
    }
}
