//! From a position to bytes, and what does not fit into them.

use zerocopy::little_endian::{I16, U64, U128};

use super::decode::king_squares;
use super::{BulletRecord, OPPONENT};
use crate::encode_error::centipawns_and_result;
use crate::{Board, Color, EncodeError, GameResult, LabelledPosition, Placement, Score};

impl BulletRecord {
    /// The record that holds what this format can hold of a labelled position, with `extra` as it
    /// is.
    ///
    /// The side to move, castling rights, en passant square and clocks are lost, as
    /// [`Format::loss_into`](crate::Format::loss_into) says. The score is turned to the mover's
    /// side: with Black to move, `i16::MIN` becomes `i16::MAX`, as in [`Score::flipped`].
    ///
    /// # Errors
    ///
    /// When the label has not both a score in centipawns and a result.
    pub fn from_labelled_lossy(
        labelled: &LabelledPosition,
        extra: [u8; 3],
    ) -> Result<Self, EncodeError> {
        let (score_cp, result) = centipawns_and_result(labelled)?;
        Ok(match labelled.side_to_move() {
            Color::White => {
                Self::with_mover_as_white(labelled.placement(), score_cp, result, extra)
            }
            Color::Black => Self::with_mover_as_white(
                labelled.placement().flipped(),
                flipped_cp(score_cp),
                result.flipped(),
                extra,
            ),
        })
    }

    fn with_mover_as_white(
        placement: Placement,
        score_cp: i16,
        result: GameResult,
        extra: [u8; 3],
    ) -> Self {
        let [own_king, opponent_king] = king_squares(&placement);
        Self {
            occupied: U64::new(placement.occupied()),
            pieces: U128::new(piece_codes(&placement)),
            score_cp: I16::new(score_cp),
            result: result.into(),
            own_king,
            opponent_king,
            extra,
        }
    }
}

fn flipped_cp(score_cp: i16) -> i16 {
    match Score::Centipawns(score_cp).flipped() {
        Score::Centipawns(flipped) => flipped,
        Score::Expected(_) => score_cp,
    }
}

fn piece_codes(placement: &Placement) -> u128 {
    let occupied = placement.occupied();
    let mut codes = 0;
    for (piece, square) in placement.pieces() {
        let code = u8::from(piece.piece_type) + OPPONENT * piece.color.index() as u8;
        let index = (occupied & (square.bit() - 1)).count_ones();
        codes |= u128::from(code) << (4 * index);
    }
    codes
}

#[cfg(test)]
mod tests {
    use super::super::wire::tests::AFTER_E4;
    use super::*;

    fn encoded(line: &str) -> BulletRecord {
        let labelled = LabelledPosition::from_text(line).unwrap();
        BulletRecord::from_labelled_lossy(&labelled, [0; 3]).unwrap()
    }

    #[test]
    fn black_to_move_is_turned_round() {
        let line = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1 | 17 | 1.0";
        assert_eq!(encoded(line).to_bytes(), AFTER_E4);
        let mirrored = "rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq e6 7 9 | -17 | 0.0";
        assert_eq!(encoded(mirrored).to_bytes(), AFTER_E4);
    }

    #[test]
    fn what_is_decoded_is_encoded_again() {
        let mut bytes = AFTER_E4;
        bytes[24..26].copy_from_slice(&i16::MIN.to_le_bytes());
        bytes[29..].copy_from_slice(&[1, 2, 3]);
        let record = BulletRecord::from_bytes(&bytes);
        let decoded = record.decode().unwrap();
        let again = BulletRecord::from_labelled_lossy(&decoded, record.extra()).unwrap();
        assert_eq!(again.to_bytes(), bytes);
    }

    #[test]
    fn scores_that_cannot_be_turned_round() {
        let record = encoded("4k3/8/8/8/8/8/8/4K3 b - - 0 1 | -32768 | 0.5");
        assert_eq!((record.score_cp(), record.result()), (i16::MAX, 1));
    }

    #[test]
    fn labels_must_be_whole() {
        let mut labelled = BulletRecord::from_bytes(&AFTER_E4).decode().unwrap();
        labelled.label.score = None;
        assert_eq!(
            BulletRecord::from_labelled_lossy(&labelled, [0; 3]),
            Err(EncodeError::NoScore)
        );
    }
}
