//! From a position to bytes.

use zerocopy::little_endian::{I16, U16, U64, U128};

use super::wire::Fields;
use super::{BLACK, BLACK_TO_MOVE, CASTLING_ROOK, MarlinRecord, NO_EN_PASSANT};
use crate::encode_error::centipawns_and_result;
use crate::{Board, Color, EncodeError, LabelledPosition, Piece, Position, Square};

impl MarlinRecord {
    /// The record that holds a labelled position. Clocks that are unknown are written as 0, and
    /// `extra` as it is.
    ///
    /// # Errors
    ///
    /// When the label has not both a score in centipawns and a result.
    pub fn encode(labelled: &LabelledPosition, extra: u8) -> Result<Self, EncodeError> {
        let number = labelled.position.fullmove_number().map_or(0, u16::from);
        Ok(Self(Fields::encode(labelled, number, extra)?))
    }
}

impl Fields {
    pub(super) fn encode(
        labelled: &LabelledPosition,
        number_or_move: u16,
        extra: u8,
    ) -> Result<Self, EncodeError> {
        let (score_cp, result) = centipawns_and_result(labelled)?;
        let position = &labelled.position;
        Ok(Self {
            occupied: U64::new(position.placement().occupied()),
            pieces: U128::new(piece_codes(position)),
            side_and_en_passant: side_and_en_passant(position),
            halfmove_clock: position.halfmove_clock().unwrap_or(0),
            number_or_move: U16::new(number_or_move),
            score_cp: I16::new(score_cp),
            result: result.into(),
            extra,
        })
    }
}

fn piece_codes(position: &Position) -> u128 {
    let occupied = position.placement().occupied();
    let castling_rooks = position.castling().rooks();
    let mut codes = 0;
    for (piece, square) in position.placement().pieces() {
        let index = (occupied & (square.bit() - 1)).count_ones();
        codes |= u128::from(piece_code(piece, square, castling_rooks)) << (4 * index);
    }
    codes
}

fn piece_code(piece: Piece, square: Square, castling_rooks: u64) -> u8 {
    let code = if castling_rooks & square.bit() != 0 {
        CASTLING_ROOK
    } else {
        piece.piece_type.into()
    };
    match piece.color {
        Color::White => code,
        Color::Black => code + BLACK,
    }
}

fn side_and_en_passant(position: &Position) -> u8 {
    let square = position.en_passant().map_or(NO_EN_PASSANT, u8::from);
    match position.side_to_move() {
        Color::White => square,
        Color::Black => square | BLACK_TO_MOVE,
    }
}

#[cfg(test)]
mod tests {
    use super::super::wire::tests::START;
    use super::*;
    use crate::{GameResult, Label, Score};

    #[test]
    fn the_start_position() {
        let decoded = MarlinRecord::from_bytes(&START).decode().unwrap();
        let encoded = MarlinRecord::encode(&decoded, 0).unwrap();
        assert_eq!(encoded.to_bytes(), START);
        let extra = MarlinRecord::encode(&decoded, 0xab).unwrap();
        assert_eq!(extra.extra(), 0xab);
    }

    #[test]
    fn unknown_clocks_are_written_as_zero() {
        let position = Position::from_fen("4k3/8/8/8/3pP3/8/8/4K3 b - e3").unwrap();
        let label = Label::new(Some(Score::Centipawns(-3)), Some(GameResult::BlackWon));
        let record = MarlinRecord::encode(&LabelledPosition { position, label }, 0).unwrap();
        assert_eq!((record.halfmove_clock(), record.fullmove_number()), (0, 0));
        assert_eq!(record.side_and_en_passant(), 0x80 | 20);
        assert_eq!((record.score_cp(), record.result()), (-3, 0));
    }

    #[test]
    fn labels_must_be_whole() {
        let mut labelled = MarlinRecord::from_bytes(&START).decode().unwrap();
        labelled.label.result = None;
        assert_eq!(
            MarlinRecord::encode(&labelled, 0),
            Err(EncodeError::NoResult)
        );
    }
}
