//! The 32 bytes, and what can be read from them without checking anything.

use zerocopy::little_endian::{I16, U16, U64, U128};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::wire::{nibble, used_nibbles};

/// The fields of both kinds of record; see the [module](super) for the table.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Fields {
    pub(super) occupied: U64,
    pub(super) pieces: U128,
    pub(super) side_and_en_passant: u8,
    pub(super) halfmove_clock: u8,
    /// The fullmove number or the best move.
    pub(super) number_or_move: U16,
    pub(super) score_cp: I16,
    pub(super) result: u8,
    pub(super) extra: u8,
}

const _: () = assert!(size_of::<Fields>() == 32 && align_of::<Fields>() == 1);

impl Fields {
    pub(super) const fn piece_code(&self, index: usize) -> Option<u8> {
        nibble(self.pieces.get(), index)
    }

    pub(super) fn canonical(mut self) -> Self {
        let used = used_nibbles(self.pieces.get(), self.occupied.get());
        self.pieces = U128::new(used);
        self
    }
}

/// What both kinds of record have in common.
macro_rules! wire_record {
    ($record:ident) => {
        crate::wire::record_bytes!($record);

        impl $record {
            /// This record with the nibbles past the last man set to 0.
            #[must_use]
            pub fn canonical(self) -> Self {
                Self(self.0.canonical())
            }

            /// Offset 0: the occupied squares, bit *i* = square *i*.
            #[must_use]
            pub const fn occupied(&self) -> u64 {
                self.0.occupied.get()
            }

            /// Offset 8: the nibble of the `index`-th occupied square, 0–15. `None` from index 32
            /// on.
            #[must_use]
            pub const fn piece_code(&self, index: usize) -> Option<u8> {
                self.0.piece_code(index)
            }

            /// Offset 24: bit 7 set = Black to move; bits 0–6 en passant square, 64 = none.
            #[must_use]
            pub const fn side_and_en_passant(&self) -> u8 {
                self.0.side_and_en_passant
            }

            /// Offset 25: plies since the last capture or pawn move, as written.
            #[must_use]
            pub const fn halfmove_clock(&self) -> u8 {
                self.0.halfmove_clock
            }

            /// Offset 28: the score in centipawns from White's side.
            #[must_use]
            pub const fn score_cp(&self) -> i16 {
                self.0.score_cp.get()
            }

            /// Offset 30: 0 Black won, 1 draw, 2 White won; anything over is invalid.
            #[must_use]
            pub const fn result(&self) -> u8 {
                self.0.result
            }

            /// Offset 31: free for any use.
            #[must_use]
            pub const fn extra(&self) -> u8 {
                self.0.extra
            }
        }
    };
}
pub(super) use wire_record;

/// One marlinformat record: any 32 bytes, aligned to nothing. The [module](crate::marlin) has the
/// table.
///
/// The getters read bytes as they are; [`MarlinRecord::decode`] checks them all.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(transparent)]
pub struct MarlinRecord(pub(super) Fields);

wire_record!(MarlinRecord);

impl MarlinRecord {
    /// Offset 26: the number of the move to be played, 0 = unknown.
    #[must_use]
    pub const fn fullmove_number(&self) -> u16 {
        self.0.number_or_move.get()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The dump in the module's docs.
    pub(in crate::marlin) const START: [u8; 32] = [
        0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, //
        0x16, 0x42, 0x25, 0x61, //
        0x00, 0x00, 0x00, 0x00, //
        0x88, 0x88, 0x88, 0x88, //
        0x9e, 0xca, 0xad, 0xe9, //
        0x40, 0x00, 0x01, 0x00, 0x11, 0x00, 0x02, 0x00,
    ];

    /// The bytes of the dump in the module's docs.
    fn documented() -> std::vec::Vec<u8> {
        let docs = include_str!("mod.rs").split("```").nth(1).unwrap();
        let columns = docs.lines().skip(1).filter_map(|line| line.get(4..28));
        let bytes = columns.flat_map(str::split_whitespace);
        bytes
            .map(|byte| u8::from_str_radix(byte, 16).unwrap())
            .collect()
    }

    #[test]
    fn the_dump_in_the_docs() {
        assert_eq!(documented(), START);
        let record = MarlinRecord::from_bytes(&START);
        assert_eq!(record.as_bytes(), &START);
        assert_eq!(record.to_bytes(), START);
        assert_eq!(record.occupied(), 0xffff_0000_0000_ffff);
        assert_eq!(record.piece_code(0), Some(6));
        assert_eq!(record.piece_code(1), Some(1));
        assert_eq!(record.piece_code(31), Some(14));
        assert_eq!(record.piece_code(32), None);
        assert_eq!(record.side_and_en_passant(), 64);
        assert_eq!(record.halfmove_clock(), 0);
        assert_eq!(record.fullmove_number(), 1);
        assert_eq!(record.score_cp(), 17);
        assert_eq!(record.result(), 2);
        assert_eq!(record.extra(), 0);
    }

    #[test]
    fn every_field_has_bytes_of_its_own() {
        let bytes = core::array::from_fn(|i| i as u8 + 0x80);
        let record = MarlinRecord::from_bytes(&bytes);
        assert_eq!(record.occupied(), 0x8786_8584_8382_8180);
        assert_eq!(record.piece_code(0), Some(0x8));
        assert_eq!(record.piece_code(2), Some(0x9));
        assert_eq!(record.piece_code(31), Some(0x9));
        assert_eq!(record.side_and_en_passant(), 0x98);
        assert_eq!(record.halfmove_clock(), 0x99);
        assert_eq!(record.fullmove_number(), 0x9b9a);
        assert_eq!(record.score_cp(), i16::from_le_bytes([0x9c, 0x9d]));
        assert_eq!(record.result(), 0x9e);
        assert_eq!(record.extra(), 0x9f);
    }

    #[test]
    fn nibbles_past_the_last_man_do_not_count() {
        let mut bytes = START;
        bytes[0] = 0x7f; // one man fewer: the last nibble is unused
        let clean = MarlinRecord::from_bytes(&bytes).canonical();
        assert_eq!(clean.as_bytes()[23], 0x09);
        let dirty = MarlinRecord::from_bytes(&bytes);
        assert_eq!(dirty.as_bytes()[23], 0xe9);
        assert_eq!(dirty, clean);
        assert_eq!(
            MarlinRecord::from_bytes(&START).canonical().to_bytes(),
            START
        );
        bytes[31] = 1;
        assert_ne!(MarlinRecord::from_bytes(&bytes), clean);
    }

    #[test]
    fn debug_shows_the_bytes() {
        let text = std::format!("{:?}", MarlinRecord::from_bytes(&START));
        assert!(text.starts_with("MarlinRecord([ff, ff, 00, "), "{text}");
    }
}
