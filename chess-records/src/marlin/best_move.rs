//! The variation with a best move in the place of the fullmove number.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::MarlinError;
use super::wire::{Fields, wire_record};
use crate::{EncodeError, LabelledPosition, ViriMove, ViriMoveError};

/// A marlinformat record with a best move at offset 26 instead of the fullmove number.
///
/// The engine cb2026 is known to keep occupied squares, piece codes, side to move, halfmove clock,
/// score, result and best move in 32 bytes. Its byte order is not published: **this view has not
/// been verified against that engine's files.** How an engine packs its moves is its own affair,
/// so that the move is offered both as [raw bits](Self::move_bits) and in
/// [viriformat's packing](Self::best_move).
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(transparent)]
pub struct MarlinMoveRecord(Fields);

wire_record!(MarlinMoveRecord);

impl MarlinMoveRecord {
    /// Offset 26: the move's 16 bits, read little-endian.
    #[must_use]
    pub const fn move_bits(&self) -> u16 {
        self.0.number_or_move.get()
    }

    /// The best move, taken to be packed as viriformat packs it.
    ///
    /// # Errors
    ///
    /// When the bits are no move in that packing.
    pub fn best_move(&self) -> Result<ViriMove, ViriMoveError> {
        ViriMove::from_bits(self.move_bits())
    }

    /// Checks all but the move and says what the record holds; the fullmove number is unknown.
    ///
    /// # Errors
    ///
    /// A [`MarlinError`] for the first thing that is wrong.
    pub fn decode(&self) -> Result<LabelledPosition, MarlinError> {
        self.0.decode()
    }

    /// The record that holds a labelled position and a move, whatever its packing. A halfmove clock
    /// that is unknown is written as 0; the fullmove number has no place here and is dropped.
    ///
    /// # Errors
    ///
    /// When the label has not both a score in centipawns and a result.
    pub fn encode(
        labelled: &LabelledPosition,
        move_bits: u16,
        extra: u8,
    ) -> Result<Self, EncodeError> {
        Ok(Self(Fields::encode(labelled, move_bits, extra)?))
    }
}

#[cfg(test)]
mod tests {
    use super::super::wire::tests::START;
    use super::*;
    use std::string::ToString;

    #[test]
    fn a_move_stands_where_the_number_was() {
        let mut bytes = START;
        bytes[26..28].copy_from_slice(&[0x0c, 0x07]);
        let record = MarlinMoveRecord::from_bytes(&bytes);
        assert_eq!(record.move_bits(), 0x070c);
        assert_eq!(record.best_move().unwrap().to_string(), "e2e4");
        let decoded = record.decode().unwrap();
        assert_eq!(decoded.position.fullmove_number(), None);
        assert_eq!(decoded.position.halfmove_clock(), Some(0));
        let encoded = MarlinMoveRecord::encode(&decoded, 0x070c, 0).unwrap();
        assert_eq!(encoded.to_bytes(), bytes);
    }

    #[test]
    fn bits_that_are_no_move_do_not_hinder_decoding() {
        let mut bytes = START;
        bytes[26..28].fill(0);
        let record = MarlinMoveRecord::from_bytes(&bytes);
        assert!(record.best_move().is_err());
        assert!(record.decode().is_ok());
    }
}
