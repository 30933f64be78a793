//! From one format to another, and what is lost on the way.

mod format;
mod report;

pub use format::{Field, Fields, Format, Loss};
pub use report::ConversionReport;

use thiserror::Error;

use crate::{
    BulletError, BulletRecord, EncodeError, LabelledPosition, MarlinError, MarlinMoveRecord,
    MarlinRecord,
};

/// A position in marlinformat, extra byte 0. A halfmove clock that is unknown is written as 0; all
/// else fits.
impl TryFrom<&LabelledPosition> for MarlinRecord {
    type Error = EncodeError;

    fn try_from(labelled: &LabelledPosition) -> Result<Self, EncodeError> {
        Self::encode(labelled, 0)
    }
}

impl MarlinRecord {
    /// The same record without its best move; the fullmove number is unknown. Nothing is checked.
    #[must_use]
    pub fn from_move_record_lossy(record: &MarlinMoveRecord) -> Self {
        Self::from_bytes(&with_number_or_move(record.as_bytes(), 0))
    }

    /// The position of a bulletformat record, with the mover as White and the first extra byte; the
    /// other two are lost. Halfmove clock 0 and fullmove number 0 stand for the clocks that were
    /// never there.
    ///
    /// # Errors
    ///
    /// When the record is no position.
    pub fn from_bullet_lossy(record: &BulletRecord) -> Result<Self, ConvertError<BulletError>> {
        let decoded = record.decode().map_err(ConvertError::Decode)?;
        Ok(Self::encode(&decoded, record.extra()[0])?)
    }
}

impl MarlinMoveRecord {
    /// The same record with a move, whatever its packing, in the place of the fullmove number, which
    /// is lost. Nothing is checked.
    #[must_use]
    pub fn from_marlin_lossy(record: &MarlinRecord, move_bits: u16) -> Self {
        Self::from_bytes(&with_number_or_move(record.as_bytes(), move_bits))
    }
}

impl BulletRecord {
    /// The position of a marlinformat record as its mover sees it, with the extra byte as first of
    /// three. Side to move, castling rights, en passant square and clocks are lost. Unlike
    /// bulletformat 1.8.0's own conversion this leaves rooks that may castle rooks.
    ///
    /// # Errors
    ///
    /// When the record is no position.
    pub fn from_marlin_lossy(record: &MarlinRecord) -> Result<Self, ConvertError<MarlinError>> {
        let decoded = record.decode().map_err(ConvertError::Decode)?;
        let extra = [record.extra(), 0, 0];
        Ok(Self::from_labelled_lossy(&decoded, extra)?)
    }
}

/// The bytes of a marlinformat record with others at offset 26.
fn with_number_or_move(bytes: &[u8; 32], number_or_move: u16) -> [u8; 32] {
    let mut bytes = *bytes;
    bytes[26..28].copy_from_slice(&number_or_move.to_le_bytes());
    bytes
}

/// Why a record cannot be converted.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ConvertError<E: core::error::Error + 'static> {
    /// The record is no position.
    #[error(transparent)]
    Decode(E),
    /// The other format cannot hold it.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    fn marlin(line: &str) -> MarlinRecord {
        MarlinRecord::try_from(&LabelledPosition::from_text(line).unwrap()).unwrap()
    }

    const E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1 | 17 | 1.0";

    #[test]
    fn marlin_with_and_without_a_move() {
        let record = marlin(E4);
        let with_move = MarlinMoveRecord::from_marlin_lossy(&record, 0x070c);
        assert_eq!(with_move.move_bits(), 0x070c);
        let back = MarlinRecord::from_move_record_lossy(&with_move);
        assert_eq!(back.fullmove_number(), 0);
        assert_eq!(back.as_bytes()[..26], record.as_bytes()[..26]);
        assert_eq!(back.as_bytes()[28..], record.as_bytes()[28..]);
    }

    #[test]
    fn marlin_and_bullet() {
        let mut bytes = marlin(E4).to_bytes();
        bytes[31] = 9;
        let bullet = BulletRecord::from_marlin_lossy(&MarlinRecord::from_bytes(&bytes)).unwrap();
        assert_eq!((bullet.score_cp(), bullet.result()), (-17, 0));
        assert_eq!(bullet.extra(), [9, 0, 0]);
        let back = MarlinRecord::from_bullet_lossy(&bullet).unwrap();
        assert_eq!(back.extra(), 9);
        assert_eq!(
            back.decode().unwrap().text().unwrap().to_string(),
            "rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w - - 0 1 | -17 | 0.0"
        );
    }

    #[test]
    fn records_that_are_no_positions() {
        let bad = MarlinRecord::from_bytes(&[0; 32]);
        let error = BulletRecord::from_marlin_lossy(&bad).unwrap_err();
        assert_eq!(error.to_string(), "White has 0 kings, expected 1");
        let bad = BulletRecord::from_bytes(&[0; 32]);
        let error = MarlinRecord::from_bullet_lossy(&bad).unwrap_err();
        assert_eq!(error.to_string(), "White has 0 kings, expected 1");
    }
}
