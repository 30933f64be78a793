//! The 32 bytes, and what can be read from them without checking anything.

use zerocopy::little_endian::{I16, U64, U128};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::wire::{nibble, record_bytes, used_nibbles};

/// One bulletformat record: any 32 bytes, aligned to nothing. The [module](crate::bullet) has the
/// table.
///
/// The getters read bytes as they are; [`BulletRecord::decode`] checks them all.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct BulletRecord {
    pub(super) occupied: U64,
    pub(super) pieces: U128,
    pub(super) score_cp: I16,
    pub(super) result: u8,
    pub(super) own_king: u8,
    pub(super) opponent_king: u8,
    pub(super) extra: [u8; 3],
}

const _: () = assert!(size_of::<BulletRecord>() == 32 && align_of::<BulletRecord>() == 1);

record_bytes!(BulletRecord);

impl BulletRecord {
    /// This record with the nibbles past the last man set to 0.
    #[must_use]
    pub fn canonical(mut self) -> Self {
        let used = used_nibbles(self.pieces.get(), self.occupied());
        self.pieces = U128::new(used);
        self
    }

    /// Offset 0: the occupied squares as the mover sees them, bit *i* = square *i*.
    #[must_use]
    pub const fn occupied(&self) -> u64 {
        self.occupied.get()
    }

    /// Offset 8: the nibble of the `index`-th occupied square, 0–15. `None` from index 32 on.
    #[must_use]
    pub const fn piece_code(&self, index: usize) -> Option<u8> {
        nibble(self.pieces.get(), index)
    }

    /// Offset 24: the score in centipawns from the mover's side.
    #[must_use]
    pub const fn score_cp(&self) -> i16 {
        self.score_cp.get()
    }

    /// Offset 26: 0 the mover lost, 1 drew, 2 won; anything over is invalid.
    #[must_use]
    pub const fn result(&self) -> u8 {
        self.result
    }

    /// Offset 27: the mover's king square, as written.
    #[must_use]
    pub const fn own_king(&self) -> u8 {
        self.own_king
    }

    /// Offset 28: the opponent's king square XOR 56, as written.
    #[must_use]
    pub const fn opponent_king(&self) -> u8 {
        self.opponent_king
    }

    /// Offset 29: free for any use.
    #[must_use]
    pub const fn extra(&self) -> [u8; 3] {
        self.extra
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The dump in the module's docs.
    pub(in crate::bullet) const AFTER_E4: [u8; 32] = [
        0xff, 0xff, 0x00, 0x00, 0x10, 0x00, 0xef, 0xff, //
        0x13, 0x42, 0x25, 0x31, //
        0x00, 0x00, 0x00, 0x00, //
        0x88, 0x88, 0x88, 0x88, //
        0x9b, 0xca, 0xad, 0xb9, //
        0xef, 0xff, 0x00, 0x04, 0x04, 0x00, 0x00, 0x00,
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
        assert_eq!(documented(), AFTER_E4);
        let record = BulletRecord::from_bytes(&AFTER_E4);
        assert_eq!(record.as_bytes(), &AFTER_E4);
        assert_eq!(record.to_bytes(), AFTER_E4);
        assert_eq!(record.score_cp(), -17);
        assert_eq!(record.result(), 0);
    }

    #[test]
    fn every_field_has_bytes_of_its_own() {
        let bytes = core::array::from_fn(|i| i as u8 + 0x80);
        let record = BulletRecord::from_bytes(&bytes);
        assert_eq!(record.occupied(), 0x8786_8584_8382_8180);
        assert_eq!(record.piece_code(2), Some(0x9));
        assert_eq!(record.piece_code(31), Some(0x9));
        assert_eq!(record.piece_code(32), None);
        assert_eq!(record.score_cp(), i16::from_le_bytes([0x98, 0x99]));
        assert_eq!(record.result(), 0x9a);
        assert_eq!(record.own_king(), 0x9b);
        assert_eq!(record.opponent_king(), 0x9c);
        assert_eq!(record.extra(), [0x9d, 0x9e, 0x9f]);
    }

    #[test]
    fn nibbles_past_the_last_man_do_not_count() {
        let mut bytes = AFTER_E4;
        bytes[7] = 0x7f; // one man fewer: the last nibble is unused
        let dirty = BulletRecord::from_bytes(&bytes);
        let clean = dirty.canonical();
        assert_eq!((clean.as_bytes()[23], dirty.as_bytes()[23]), (0x09, 0xb9));
        assert_eq!(dirty, clean);
        bytes[31] = 1;
        assert_ne!(BulletRecord::from_bytes(&bytes), clean);
        let text = std::format!("{dirty:?}");
        assert!(text.starts_with("BulletRecord([ff, ff, 00, "), "{text}");
    }
}
