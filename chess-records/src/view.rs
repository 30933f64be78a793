//! Bytes seen as records, without copying.

use core::error::Error;
use core::fmt;
use core::marker::PhantomData;

use thiserror::Error;
use zerocopy::FromBytes;

use crate::{
    BulletError, BulletRecord, LabelledPosition, MarlinError, MarlinMoveRecord, MarlinRecord,
};

pub(crate) mod sealed {
    use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

    /// What a record tells of its place in a game.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct GameClue {
        /// Rises by 1 with every ply; where it starts does not matter.
        pub ply: u32,
        /// Men on the board.
        pub men: u32,
        /// The game's result, as written.
        pub result: u8,
    }

    /// Records that may be any bytes and stand anywhere.
    pub trait Sealed: FromBytes + IntoBytes + Immutable + KnownLayout + Unaligned {
        /// Whether records of this kind ever give a clue.
        const TELLS_GAMES: bool;

        /// The clue, where the record gives one. Nothing is checked.
        fn game_clue(&self) -> Option<GameClue>;
    }
}

use sealed::GameClue;

/// Records that all have the same size: [`MarlinRecord`], [`MarlinMoveRecord`] and [`BulletRecord`].
///
/// The trait is sealed.
pub trait FixedRecord: sealed::Sealed + Copy + fmt::Debug + Send + Sync + 'static {
    /// The size of a record in bytes.
    const BYTES: usize;

    /// Why a record is no position.
    type Error: Error + Send + Sync + 'static;

    /// Checks a record and says what it holds.
    ///
    /// # Errors
    ///
    /// For the first thing that is wrong.
    fn decode(&self) -> Result<LabelledPosition, Self::Error>;
}

impl sealed::Sealed for MarlinRecord {
    const TELLS_GAMES: bool = true;

    fn game_clue(&self) -> Option<GameClue> {
        let number = u32::from(self.fullmove_number());
        let black = u32::from(self.side_and_en_passant() >> 7);
        (number > 0).then(|| GameClue {
            ply: 2 * number + black,
            men: self.occupied().count_ones(),
            result: self.result(),
        })
    }
}

impl FixedRecord for MarlinRecord {
    const BYTES: usize = Self::BYTES;
    type Error = MarlinError;

    fn decode(&self) -> Result<LabelledPosition, MarlinError> {
        self.decode()
    }
}

impl sealed::Sealed for MarlinMoveRecord {
    const TELLS_GAMES: bool = false;

    fn game_clue(&self) -> Option<GameClue> {
        None
    }
}

impl FixedRecord for MarlinMoveRecord {
    const BYTES: usize = Self::BYTES;
    type Error = MarlinError;

    fn decode(&self) -> Result<LabelledPosition, MarlinError> {
        self.decode()
    }
}

impl sealed::Sealed for BulletRecord {
    const TELLS_GAMES: bool = false;

    fn game_clue(&self) -> Option<GameClue> {
        None
    }
}

impl FixedRecord for BulletRecord {
    const BYTES: usize = Self::BYTES;
    type Error = BulletError;

    fn decode(&self) -> Result<LabelledPosition, BulletError> {
        self.decode()
    }
}

/// A view of bulletformat records.
pub type BulletView<D> = RecordView<BulletRecord, D>;

/// A view of marlinformat records.
pub type MarlinView<D> = RecordView<MarlinRecord, D>;

/// Bytes (`Vec<u8>`, `&[u8]`, `include_bytes!`, a `FileBytes`) seen as records.
///
/// Opening a view checks its length alone and copies nothing; records are checked as they are
/// decoded, or all at once by [`RecordView::verify`]. Records are numbered from 0.
///
/// With feature `std` a view is a `Dataset`.
#[derive(Clone)]
pub struct RecordView<R, D> {
    data: D,
    #[cfg(feature = "std")]
    pub(crate) in_game_order: std::sync::OnceLock<bool>,
    record: PhantomData<R>,
}

/// Why bytes are no records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ViewError {
    /// The length is not a multiple of the size of a record.
    #[error("{trailing} trailing bytes after {records} records of {record_bytes} bytes each")]
    TrailingBytes {
        /// How many whole records there are.
        records: u64,
        /// The size of a record.
        record_bytes: usize,
        /// How many bytes are left over.
        trailing: usize,
    },
}

/// A record that is not what its format says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("record {index} at byte {byte_offset}")]
#[non_exhaustive]
pub struct Fault<E: Error + 'static> {
    /// The record's number.
    pub index: u64,
    /// Where it starts, in bytes.
    pub byte_offset: u64,
    /// What is wrong with it.
    #[source]
    pub error: E,
}

impl<R: FixedRecord, D: AsRef<[u8]>> RecordView<R, D> {
    /// Sees `data` as records.
    ///
    /// # Errors
    ///
    /// [`ViewError::TrailingBytes`] when the length is not a multiple of the size of a record.
    pub fn new(data: D) -> Result<Self, ViewError> {
        let bytes = data.as_ref().len();
        let trailing = bytes % R::BYTES;
        if trailing != 0 {
            return Err(ViewError::TrailingBytes {
                records: (bytes / R::BYTES) as u64,
                record_bytes: R::BYTES,
                trailing,
            });
        }
        Ok(Self {
            data,
            #[cfg(feature = "std")]
            in_game_order: std::sync::OnceLock::new(),
            record: PhantomData,
        })
    }

    /// All records.
    #[must_use]
    #[inline]
    pub fn records(&self) -> &[R] {
        // Records are aligned to 1 and any bytes will do for one, so this never fails; bytes that
        // an odd `AsRef` has added since `new` are left out.
        match <[R]>::ref_from_prefix(self.data.as_ref()) {
            Ok((records, _)) => records,
            Err(_) => &[],
        }
    }

    /// How many records there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.records().len() as u64
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records().is_empty()
    }

    /// A record, unless `index` is past the end.
    #[must_use]
    pub fn get(&self, index: u64) -> Option<&R> {
        self.records().get(usize::try_from(index).ok()?)
    }

    /// Checks a record and says what it holds.
    ///
    /// # Errors
    ///
    /// A [`Fault`] with the record's number and byte offset.
    ///
    /// # Panics
    ///
    /// When `index` is past the end.
    pub fn decode(&self, index: u64) -> Result<LabelledPosition, Fault<R::Error>> {
        let Some(record) = self.get(index) else {
            panic!("record {index} of {}", self.len());
        };
        decode_as(index, record)
    }

    /// Checks every record and yields those that are at fault, in order.
    pub fn verify(&self) -> impl Iterator<Item = Fault<R::Error>> {
        let numbered = (0..).zip(self.records());
        numbered.filter_map(|(index, record)| decode_as(index, record).err())
    }

    /// Checks and decodes the records one after another.
    pub fn iter(&self) -> impl Iterator<Item = Result<LabelledPosition, Fault<R::Error>>> {
        let numbered = (0..).zip(self.records());
        numbered.map(|(index, record)| decode_as(index, record))
    }

    /// The bytes.
    pub fn into_inner(self) -> D {
        self.data
    }
}

pub(crate) fn decode_as<R: FixedRecord>(
    index: u64,
    record: &R,
) -> Result<LabelledPosition, Fault<R::Error>> {
    record.decode().map_err(|error| Fault {
        index,
        byte_offset: index * R::BYTES as u64,
        error,
    })
}

impl<R: FixedRecord, D: AsRef<[u8]>> fmt::Debug for RecordView<R, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RecordView({} records)", self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;
    use std::vec::Vec;

    /// Bare kings, White to move: e1 and e8, draw.
    const KINGS: [u8; 32] = {
        let mut bytes = [0; 32];
        (bytes[0], bytes[7], bytes[8]) = (0x10, 0x10, 0xd5);
        (bytes[24], bytes[30]) = (64, 1);
        bytes
    };

    #[test]
    fn any_bytes_can_be_seen_as_records() {
        static STATIC: [u8; 64] = [7; 64];
        let borrowed = MarlinView::new(&STATIC).unwrap();
        assert_eq!(borrowed.len(), 2);
        assert_eq!(
            borrowed.records().as_ptr().cast::<u8>(),
            STATIC.as_ptr(),
            "nothing is copied"
        );
        let owned = MarlinView::new(KINGS.to_vec()).unwrap();
        assert_eq!(owned.get(0).unwrap().to_bytes(), KINGS);
        assert_eq!(owned.get(1), None);
        assert_eq!(
            owned.decode(0),
            owned.get(0).unwrap().decode().map_err(|_| unreachable!())
        );
        assert_eq!(std::format!("{owned:?}"), "RecordView(1 records)");
        assert_eq!(owned.into_inner(), KINGS);
        assert!(MarlinView::new([]).unwrap().is_empty());
    }

    #[test]
    fn odd_addresses_will_do() {
        let mut bytes = Vec::from([0; 3]);
        bytes.extend(KINGS);
        let view = MarlinView::new(&bytes[3..]).unwrap();
        assert!(view.decode(0).is_ok());
    }

    #[test]
    fn trailing_bytes_are_named() {
        let error = MarlinView::new(&[0; 70][..]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "6 trailing bytes after 2 records of 32 bytes each"
        );
    }

    #[test]
    fn faults_say_where_they_are() {
        let mut bytes = [KINGS; 3];
        bytes[1][30] = 3;
        bytes[2][8] = 0x05;
        let view = MarlinView::new(bytes.as_flattened()).unwrap();
        let faults: Vec<_> = view.verify().collect();
        assert_eq!(faults.len(), 2);
        assert_eq!(faults[0].to_string(), "record 1 at byte 32");
        assert_eq!(
            faults[0].source().unwrap().to_string(),
            "the result (offset 30) is 3, expected 0 Black won, 1 draw or 2 White won"
        );
        assert_eq!((faults[1].index, faults[1].byte_offset), (2, 64));
        assert_eq!(view.decode(1), Err(faults[0]));
        assert_eq!(view.iter().filter(Result::is_ok).count(), 1);
    }

    #[test]
    #[should_panic(expected = "record 1 of 1")]
    fn decoding_past_the_end() {
        let _ = MarlinView::new(KINGS).unwrap().decode(1);
    }
}
