//! A batch with a buffer for each field.

use zerocopy::little_endian::U16;

use super::Sink;
use crate::{FlatFields, FlatRecord};

/// How a field of a row becomes an element of a buffer.
trait Store<T> {
    fn store(&self, to: &mut T);
}

impl<T: Copy> Store<T> for T {
    #[inline]
    fn store(&self, to: &mut T) {
        *to = *self;
    }
}

impl Store<u16> for U16 {
    #[inline]
    fn store(&self, to: &mut u16) {
        *to = self.get();
    }
}

impl Store<[u16; 64]> for [U16; 64] {
    #[inline]
    fn store(&self, to: &mut [u16; 64]) {
        for (to, number) in to.iter_mut().zip(self) {
            *to = number.get();
        }
    }
}

macro_rules! columns {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $zero:expr;)*) => {
        /// A batch of rows field by field, each in a buffer of its own without gaps: what a trainer
        /// hands to its tensors. Row *i* is element *i* of every buffer.
        ///
        /// Numbers are in the machine's own byte order. The byte at offset 199 is left out.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        #[allow(clippy::exhaustive_structs)] // The format has these.
        pub struct FlatColumns {
            $($(#[$doc])* pub $name: Vec<$type>,)*
        }

        impl FlatColumns {
            /// Makes room for as many rows, those that are new full of zeros.
            pub(crate) fn resize(&mut self, rows: usize) {
                $(self.$name.resize(rows, $zero);)*
            }

            /// The buffers, which must have one length.
            pub(crate) fn columns_mut(&mut self) -> ColumnsMut<'_> {
                ColumnsMut { $($name: &mut self.$name,)* }
            }
        }

        /// Some rows of the buffers of a [`FlatColumns`].
        pub(crate) struct ColumnsMut<'a> {
            $($name: &'a mut [$type],)*
        }

        impl Sink for ColumnsMut<'_> {
            // A function of its own: some loops around it that had it for a part were a fifth slower.
            #[inline(never)]
            fn put(&mut self, slot: usize, record: &FlatRecord) {
                $(record.$name.store(&mut self.$name[slot]);)*
            }

            fn split_at(self, slot: usize) -> (Self, Self) {
                $(let $name = self.$name.split_at_mut(slot);)*
                (Self { $($name: $name.0,)* }, Self { $($name: $name.1,)* })
            }
        }
    };
}

columns! {
    /// Men by square: 0 empty, 1–6 White's P N B R Q K, 7–12 Black's.
    position: [u8; 64] = [0; 64];
    /// Legal actions, the one played first, filled up with 4672.
    legal_idx: [u16; 64] = [0; 64];
    /// How many of them are legal actions.
    legal_cnt: u8 = 0;
    /// From squares of the moves played.
    from_square: u8 = 0;
    /// Planes of the moves played.
    action_plane: u8 = 0;
    /// Castling rights: 1 White O-O, 2 White O-O-O, 4 Black O-O, 8 Black O-O-O.
    castling_rights: u8 = 0;
    /// En passant: 0–7 = a–h, 8 = none.
    en_passant_file: u8 = 0;
    /// 1 = White to move.
    is_white: u8 = 0;
    /// 0 draw, 1 White won, 2 Black won.
    result: i8 = 0;
    /// Plies played before.
    move_number: u16 = 0;
}

impl FlatColumns {
    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.position.is_empty()
    }

    /// One row.
    ///
    /// # Panics
    ///
    /// When `row` is past the end of a buffer.
    #[must_use]
    pub fn fields(&self, row: usize) -> FlatFields {
        FlatFields {
            position: self.position[row],
            legal_idx: self.legal_idx[row],
            legal_cnt: self.legal_cnt[row],
            from_square: self.from_square[row],
            action_plane: self.action_plane[row],
            castling_rights: self.castling_rights[row],
            en_passant_file: self.en_passant_file[row],
            is_white: self.is_white[row],
            result: self.result[row],
            move_number: self.move_number[row],
        }
    }
}

impl<'a> FromIterator<&'a FlatRecord> for FlatColumns {
    fn from_iter<I: IntoIterator<Item = &'a FlatRecord>>(records: I) -> Self {
        let mut columns = Self::default();
        for (row, record) in records.into_iter().enumerate() {
            columns.resize(row + 1);
            columns.columns_mut().put(row, record);
        }
        columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back() {
        let record = |seed: u8| {
            let bytes: [u8; 202] = std::array::from_fn(|index| index as u8 ^ seed);
            FlatRecord::from_bytes(&bytes)
        };
        let records = [record(0), record(7), record(99)];
        let columns: FlatColumns = records.iter().collect();
        assert_eq!(columns.len(), 3);
        assert!(!columns.is_empty());
        for (row, record) in records.iter().enumerate() {
            assert_eq!(columns.fields(row), record.fields());
        }
    }

    #[test]
    fn parts_of_the_buffers() {
        let mut columns = FlatColumns::default();
        columns.resize(3);
        let (mut before, mut from) = columns.columns_mut().split_at(1);
        before.put(0, &FlatRecord::from_bytes(&[1; 202]));
        from.put(1, &FlatRecord::from_bytes(&[2; 202]));
        assert_eq!(columns.legal_cnt, [1, 0, 2]);
        assert_eq!(columns.move_number, [0x101, 0, 0x202]);
    }
}
