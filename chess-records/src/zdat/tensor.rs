//! Batches as plain numbers, for training.

use std::ops::Range;
use std::vec::Vec;

use half::{bf16, f16};

use super::layout::{Layout, RankOrder};
use super::plane::Plane;
use super::policy::{CELLS, probability};
use super::record::ZdatRecord;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for half::f16 {}
    impl Sealed for half::bf16 {}
}

/// A number of a tensor: `f32`, [`half::f16`] or [`half::bf16`]. The trait is sealed.
pub trait Element: sealed::Sealed + Copy + Send + Sync + 'static {
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;

    /// The nearest number of this type.
    #[must_use]
    fn from_f32(number: f32) -> Self;
}

impl Element for f32 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;

    fn from_f32(number: f32) -> Self {
        number
    }
}

impl Element for f16 {
    const ZERO: Self = Self::ZERO;
    const ONE: Self = Self::ONE;

    fn from_f32(number: f32) -> Self {
        Self::from_f32(number)
    }
}

impl Element for bf16 {
    const ZERO: Self = Self::ZERO;
    const ONE: Self = Self::ONE;

    fn from_f32(number: f32) -> Self {
        Self::from_f32(number)
    }
}

/// How many numbers the planes of a record are: 46 × 8 × 8.
pub const PLANE_ELEMENTS: usize = Plane::COUNT * 64;
/// How many numbers the policy of a record is: 64 × 64.
pub const POLICY_ELEMENTS: usize = CELLS;

/// Unpacks the planes of a batch: `out[record][plane][rank][file]` is 1 or 0, rank 1 and file a
/// first, whatever the layout of the records.
///
/// # Panics
///
/// When `out` has not [`PLANE_ELEMENTS`] elements for each record.
pub fn unpack_planes<T: Element>(records: &[ZdatRecord], rows: RankOrder, out: &mut [T]) {
    assert_len(records, PLANE_ELEMENTS, out.len());
    let planes = records.iter().flat_map(|record| record.planes());
    for (plane, out) in planes.zip(out.as_chunks_mut::<64>().0) {
        let mut plane = *plane;
        if rows == RankOrder::Rank8First {
            plane.reverse();
        }
        for (row, out) in plane.into_iter().zip(out.as_chunks_mut::<8>().0) {
            *out = core::array::from_fn(|file| {
                if row & 0x80 >> file == 0 {
                    T::ZERO
                } else {
                    T::ONE
                }
            });
        }
    }
}

/// Unpacks the policies of a batch: `out[record][from][to]` is the probability of a legal move,
/// `illegal` where there is none, squares from a1 on, whatever the layout of the records. As
/// `illegal`, 0 suits a loss that takes the probabilities as they are; a number under 0 keeps legal
/// moves of probability 0 apart.
///
/// # Panics
///
/// When `out` has not [`POLICY_ELEMENTS`] elements for each record.
pub fn unpack_policy<T: Element>(
    records: &[ZdatRecord],
    layout: Layout,
    illegal: T,
    out: &mut [T],
) {
    assert_len(records, POLICY_ELEMENTS, out.len());
    out.fill(illegal);
    let values: [T; 256] = core::array::from_fn(|cell| T::from_f32(probability(cell as u8)));
    for (record, out) in records.iter().zip(out.as_chunks_mut::<CELLS>().0) {
        for entry in record.policy(layout) {
            out[cell(entry.from.index(), entry.to.index())] = values[usize::from(entry.value)];
        }
    }
}

/// The scores of a batch, as they stand: in no unit that the format gives.
///
/// # Panics
///
/// When `out` has not one element for each record.
pub fn unpack_scores<T: Element>(records: &[ZdatRecord], out: &mut [T]) {
    unpack_each(records, out, ZdatRecord::score);
}

/// The outcomes of a batch: −1, 0 or 1 for the side to move.
///
/// # Panics
///
/// When `out` has not one element for each record.
pub fn unpack_outcomes<T: Element>(records: &[ZdatRecord], out: &mut [T]) {
    unpack_each(records, out, ZdatRecord::outcome);
}

/// The plies to the end of a batch, 255 = that or more, 0 = unknown. Every type of element holds
/// them exactly but `bf16`, which has no odd numbers over 256 and so just does.
///
/// # Panics
///
/// When `out` has not one element for each record.
pub fn unpack_moves_to_go<T: Element>(records: &[ZdatRecord], out: &mut [T]) {
    unpack_each(records, out, |record| f32::from(record.moves_to_go()));
}

/// The scalars of a batch: `out[record][scalar]`, as they stand.
///
/// # Panics
///
/// When `out` has not [`ZdatRecord::SCALARS`] elements for each record.
pub fn unpack_scalars<T: Element>(records: &[ZdatRecord], out: &mut [T]) {
    assert_len(records, ZdatRecord::SCALARS, out.len());
    for (record, out) in records
        .iter()
        .zip(out.chunks_exact_mut(ZdatRecord::SCALARS))
    {
        for (scalar, out) in record.scalars().into_iter().zip(out) {
            *out = T::from_f32(scalar);
        }
    }
}

fn unpack_each<T: Element>(
    records: &[ZdatRecord],
    out: &mut [T],
    number: impl Fn(&ZdatRecord) -> f32,
) {
    assert_len(records, 1, out.len());
    for (record, out) in records.iter().zip(out) {
        *out = T::from_f32(number(record));
    }
}

fn assert_len(records: &[ZdatRecord], elements: usize, found: usize) {
    let records = records.len();
    let expected = records.saturating_mul(elements);
    assert!(
        found == expected,
        "{found} elements for {records} records, expected {expected}"
    );
}

const fn cell(from: usize, to: usize) -> usize {
    from * 64 + to
}

/// The policies of a batch as lists of legal moves: some 30 numbers a record instead of 4096.
///
/// The lists lie end to end, those of the *i*-th record at [`SparsePolicies::range`]`(i)`, as
/// matrices in compressed rows have them. The memory is used again by the next
/// [`SparsePolicies::fill`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparsePolicies {
    /// Where lists start, and the end of the last.
    starts: Vec<usize>,
    moves: Vec<u16>,
    probabilities: Vec<f32>,
}

impl SparsePolicies {
    /// Of no record.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Replaces the contents with the policies of `records`.
    pub fn fill(&mut self, records: &[ZdatRecord], layout: Layout) {
        self.starts.clear();
        self.moves.clear();
        self.probabilities.clear();
        self.starts.push(0);
        for record in records {
            for entry in record.policy(layout) {
                self.moves
                    .push(cell(entry.from.index(), entry.to.index()) as u16);
                self.probabilities.push(entry.probability());
            }
            self.starts.push(self.moves.len());
        }
    }

    /// How many records there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where the moves of a record are in the lists.
    ///
    /// # Panics
    ///
    /// When `record` is not under [`SparsePolicies::len`].
    #[must_use]
    pub fn range(&self, record: usize) -> Range<usize> {
        self.starts[record]..self.starts[record + 1]
    }

    /// Where each record's moves start, and the end of the last: one more than records, unless
    /// nothing was filled yet.
    #[must_use]
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// All moves, from·64 + to, squares from a1 on, whatever the layout of the records.
    #[must_use]
    pub fn moves(&self) -> &[u16] {
        &self.moves
    }

    /// Their probabilities.
    #[must_use]
    pub fn probabilities(&self) -> &[f32] {
        &self.probabilities
    }
}
