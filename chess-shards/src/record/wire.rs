//! The bytes, and what can be read from them without checking anything.

use std::fmt;

use zerocopy::little_endian::U16;
use zerocopy::{
    FromBytes, FromZeros, Immutable, IntoBytes, KnownLayout, Unaligned, transmute, transmute_ref,
};

use crate::{Action, ActionError};

/// One sample: any 202 bytes, aligned to nothing. The [module](crate::record) has the table.
///
/// The getters read bytes as they are; [`FlatRecord::decode`] checks the position and
/// [`FlatRecord::verify`] everything.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub struct FlatRecord {
    pub(crate) position: [u8; 64],
    pub(crate) legal_idx: [U16; 64],
    pub(crate) legal_cnt: u8,
    pub(crate) from_square: u8,
    pub(crate) action_plane: u8,
    pub(crate) castling_rights: u8,
    pub(crate) en_passant_file: u8,
    pub(crate) is_white: u8,
    pub(crate) result: i8,
    pad: u8,
    pub(crate) move_number: U16,
}

const _: () = assert!(size_of::<FlatRecord>() == 202 && align_of::<FlatRecord>() == 1);

/// The fields of a record by the names they have in the `.npy` header, as plain numbers. The
/// [module](crate::record) has the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // The format has these.
pub struct FlatFields {
    /// Offset 0: men by square, 0 empty, 1–6 White's P N B R Q K, 7–12 Black's.
    pub position: [u8; 64],
    /// Offset 64: legal actions, the one played first, filled up with [`Action::PAD`].
    pub legal_idx: [u16; 64],
    /// Offset 192: how many of them are legal actions.
    pub legal_cnt: u8,
    /// Offset 193: the from square of the move played.
    pub from_square: u8,
    /// Offset 194: the plane of the move played.
    pub action_plane: u8,
    /// Offset 195: 1 White O-O, 2 White O-O-O, 4 Black O-O, 8 Black O-O-O.
    pub castling_rights: u8,
    /// Offset 196: 0–7 = a–h, 8 = no legal en passant capture.
    pub en_passant_file: u8,
    /// Offset 197: 1 = White to move.
    pub is_white: u8,
    /// Offset 198: 0 draw, 1 White won, 2 Black won.
    pub result: i8,
    /// Offset 200: plies played before.
    pub move_number: u16,
}

impl FlatRecord {
    /// The size of a record.
    pub const BYTES: usize = 202;
    /// The most legal actions that are written. Where there are more, the last ones are left out.
    pub const LEGAL_CAP: usize = 64;

    /// The record with these bytes. Any bytes will do; `verify` says whether they mean something.
    #[must_use]
    pub const fn from_bytes(bytes: &[u8; Self::BYTES]) -> Self {
        transmute!(*bytes)
    }

    /// The bytes, borrowed.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; Self::BYTES] {
        transmute_ref!(self)
    }

    /// The bytes, copied.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; Self::BYTES] {
        transmute!(self)
    }

    /// A record of zeros, to be filled by a gather.
    #[must_use]
    pub fn zeroed() -> Self {
        Self::new_zeroed()
    }

    /// The record with these fields and a 0 at offset 199. Nothing is checked.
    #[must_use]
    pub const fn from_fields(fields: &FlatFields) -> Self {
        let mut legal_idx = [U16::ZERO; 64];
        let mut index = 0;
        while index < legal_idx.len() {
            legal_idx[index] = U16::new(fields.legal_idx[index]);
            index += 1;
        }
        Self {
            position: fields.position,
            legal_idx,
            legal_cnt: fields.legal_cnt,
            from_square: fields.from_square,
            action_plane: fields.action_plane,
            castling_rights: fields.castling_rights,
            en_passant_file: fields.en_passant_file,
            is_white: fields.is_white,
            result: fields.result,
            pad: 0,
            move_number: U16::new(fields.move_number),
        }
    }

    /// The fields, as they are. The byte at offset 199 is not among them.
    #[must_use]
    pub const fn fields(&self) -> FlatFields {
        FlatFields {
            position: self.position,
            legal_idx: self.legal_idx(),
            legal_cnt: self.legal_cnt,
            from_square: self.from_square,
            action_plane: self.action_plane,
            castling_rights: self.castling_rights,
            en_passant_file: self.en_passant_file,
            is_white: self.is_white,
            result: self.result,
            move_number: self.move_number.get(),
        }
    }

    /// Offset 0: men by square, 0 empty, 1–6 White's P N B R Q K, 7–12 Black's.
    #[must_use]
    pub const fn position(&self) -> &[u8; 64] {
        &self.position
    }

    /// Offset 64: legal actions as written, filled up with [`Action::PAD`].
    #[must_use]
    pub const fn legal_idx(&self) -> [u16; 64] {
        let mut numbers = [0; 64];
        let mut index = 0;
        while index < numbers.len() {
            numbers[index] = self.legal_idx[index].get();
            index += 1;
        }
        numbers
    }

    /// Offset 192: how many legal actions there are, as written.
    #[must_use]
    pub const fn legal_cnt(&self) -> u8 {
        self.legal_cnt
    }

    /// Offset 193: the from square of the move played, as written.
    #[must_use]
    pub const fn from_square(&self) -> u8 {
        self.from_square
    }

    /// Offset 194: the plane of the move played, as written.
    #[must_use]
    pub const fn action_plane(&self) -> u8 {
        self.action_plane
    }

    /// Offset 195: 1 White O-O, 2 White O-O-O, 4 Black O-O, 8 Black O-O-O, as written.
    #[must_use]
    pub const fn castling_rights(&self) -> u8 {
        self.castling_rights
    }

    /// Offset 196: 0–7 = a–h, 8 = no legal en passant capture, as written.
    #[must_use]
    pub const fn en_passant_file(&self) -> u8 {
        self.en_passant_file
    }

    /// Offset 197: whether White is to move; any number but 0 says so.
    #[must_use]
    pub const fn is_white(&self) -> bool {
        self.is_white != 0
    }

    /// Offset 198: 0 draw, 1 White won, 2 Black won, as written. Not the numbers of
    /// [`GameResult`](chess_records::GameResult).
    #[must_use]
    pub const fn result(&self) -> i8 {
        self.result
    }

    /// Offset 199: 0 in what numpy writes.
    #[must_use]
    pub const fn pad(&self) -> u8 {
        self.pad
    }

    /// Offset 200: how many plies were played before.
    #[must_use]
    pub const fn move_number(&self) -> u16 {
        self.move_number.get()
    }

    /// The move played.
    ///
    /// # Errors
    ///
    /// When the from square is over 63, the plane over 72, or the plane leads nowhere.
    pub fn target(&self) -> Result<Action, FlatTargetError> {
        let from = chess_records::Square::try_from(self.from_square)?;
        Ok(Action::at(from, self.action_plane)?)
    }

    /// The legal actions that are written, the one played first: as many as
    /// [`legal_cnt`](Self::legal_cnt) says, 64 at most.
    pub fn legal_actions(&self) -> impl ExactSizeIterator<Item = Result<Action, ActionError>> + '_ {
        let used = usize::from(self.legal_cnt).min(Self::LEGAL_CAP);
        let numbers = self.legal_idx[..used].iter();
        numbers.map(|number| Action::new(number.get()))
    }

    /// Copies another record here, without the call that copying 202 bytes at once is.
    #[inline]
    pub(crate) fn copy_from(&mut self, other: &Self) {
        const HALF: usize = 128;
        let (head, tail) = self.as_mut_bytes().split_at_mut(HALF);
        let (other_head, other_tail) = other.as_bytes().split_at(HALF);
        head.copy_from_slice(other_head);
        tail.copy_from_slice(other_tail);
    }

    pub(crate) const fn is_white_byte(&self) -> u8 {
        self.is_white
    }
}

/// Why the move played is no move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FlatTargetError {
    /// The from square is no square.
    #[error("the from square (offset 193) is no square")]
    From(#[from] chess_records::SquareError),
    /// The plane is none, or leads nowhere.
    #[error("the plane (offset 194) is none of that square")]
    Plane(#[from] ActionError),
}

/// The bytes in hexadecimal.
impl fmt::Debug for FlatRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FlatRecord({:02x?})", self.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_fields_are_the_same_thing() {
        let bytes: [u8; 202] = std::array::from_fn(|index| index as u8);
        let record = FlatRecord::from_bytes(&bytes);
        assert_eq!(record.as_bytes(), &bytes);
        assert_eq!(record.to_bytes(), bytes);
        assert_eq!(record.position()[63], 63);
        assert_eq!(record.legal_idx()[0], 0x4140);
        assert_eq!(record.legal_idx()[63], 0xbfbe);
        let singles = [
            record.legal_cnt(),
            record.from_square(),
            record.action_plane(),
            record.castling_rights(),
            record.en_passant_file(),
            record.is_white_byte(),
            record.result() as u8,
            record.pad(),
        ];
        assert_eq!(singles, [192, 193, 194, 195, 196, 197, 198, 199]);
        assert_eq!(record.move_number(), 0xc9c8);
        let mut again = bytes;
        again[199] = 0;
        assert_eq!(FlatRecord::from_fields(&record.fields()).to_bytes(), again);
        assert_eq!(FlatRecord::zeroed().to_bytes(), [0; 202]);
        assert!(format!("{record:?}").starts_with("FlatRecord([00, 01, "));
        assert_eq!(record.legal_actions().len(), 64, "never past the list");
    }

    #[test]
    fn targets_that_are_none() {
        let mut bytes = [0; 202];
        bytes[193] = 64;
        let text = |bytes: [u8; 202]| {
            use std::error::Error;
            let error = FlatRecord::from_bytes(&bytes).target().unwrap_err();
            (error.to_string(), error.source().unwrap().to_string())
        };
        let (outer, leaf) = text(bytes);
        assert_eq!(outer, "the from square (offset 193) is no square");
        assert_eq!(leaf, "square number 64 is over 63");
        (bytes[193], bytes[194]) = (0, 28);
        let (outer, leaf) = text(bytes);
        assert_eq!(outer, "the plane (offset 194) is none of that square");
        assert_eq!(leaf, "plane 28 leads nowhere from a1");
    }
}
