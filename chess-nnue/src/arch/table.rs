//! Rows of equal length, which kernels reach with one comparison each.

// The one comparison stands for all that a slice of a slice would check.
#![allow(unsafe_code)]

use alloc::vec::Vec;

use super::lanes::Lanes;

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
        self.row_of(row, self.row_blocks)
    }

    /// A row, of so many blocks as the caller knows a row to have: rows of several tables that are asked
    /// for by the same number need no checks in a loop over all of them.
    #[inline(always)]
    pub(crate) fn row_of(&self, row: usize, row_blocks: usize) -> &[Lanes<T>] {
        if row_blocks != self.row_blocks || row >= self.rows {
            past_the_end();
        }
        // SAFETY: there are `rows` · `row_blocks` blocks, and `row` < `rows`.
        unsafe {
            let start = self.blocks.as_ptr().byte_add(row * self.row_bytes);
            core::slice::from_raw_parts(start, row_blocks)
        }
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

#[cold]
#[inline(never)]
fn past_the_end() -> ! {
    panic!("a row past the end of its table")
}

#[cfg(test)]
mod tests {
    use super::*;

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
        table().row_of(0, 3);
    }
}
