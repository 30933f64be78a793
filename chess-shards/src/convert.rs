//! To other formats.

use std::fmt;

use chess_records::{EncodeError, Field, Fields, MarlinRecord, Score};
use thiserror::Error;

use crate::{FlatError, FlatRecord};

/// What becomes of a row in marlinformat, for a tool to print before it converts. Displays as a
/// sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MarlinLoss {
    /// What a row has and marlinformat has no place for, beside the legal moves.
    pub lost: Fields,
    /// What a row has not and marlinformat must have: the caller's score, and 0 for a clock that is
    /// unknown.
    pub made_up: Fields,
}

impl MarlinLoss {
    /// That of every row.
    pub const ALL: Self = Self {
        lost: Fields::of(&[Field::BestMove]),
        made_up: Fields::of(&[Field::Score, Field::HalfmoveClock]),
    };
}

impl fmt::Display for MarlinLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lost, made_up } = self;
        write!(
            f,
            "flat shards to marlinformat loses: {lost}, legal moves; makes up: {made_up}"
        )
    }
}

/// Why a row cannot be converted.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum FlatConvertError {
    /// The row is no position.
    #[error(transparent)]
    Decode(#[from] FlatError),
    /// The other format cannot hold it.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

impl FlatRecord {
    /// The position and the result in marlinformat, extra byte 0. Castling rights become rooks that
    /// may castle. A row has no score, which marlinformat must have: `score_cp`, from White's side, is
    /// written for it, so that a trainer must not learn from it. The halfmove clock is unknown and
    /// written as 0; the move played and the legal moves are lost ([`MarlinLoss`]).
    ///
    /// # Errors
    ///
    /// When the row is no position.
    pub fn to_marlin_lossy(&self, score_cp: i16) -> Result<MarlinRecord, FlatConvertError> {
        let mut labelled = self.decode()?;
        labelled.label.score = Some(Score::Centipawns(score_cp));
        Ok(MarlinRecord::encode(&labelled, 0)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_and_what_is_made_up() {
        let mut bytes = crate::record::tests::dump();
        bytes[200] = 7;
        let row = FlatRecord::from_bytes(&bytes);
        let marlin = row.to_marlin_lossy(-30).unwrap();
        let back = marlin.decode().unwrap();
        assert_eq!(
            back.text().unwrap().to_string(),
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 4 | -30 | 1.0"
        );
        assert_eq!(
            MarlinLoss::ALL.to_string(),
            "flat shards to marlinformat loses: best move, legal moves; \
             makes up: halfmove clock, score"
        );
        bytes[0] = 13;
        let error = FlatRecord::from_bytes(&bytes).to_marlin_lossy(0);
        assert_eq!(
            error.unwrap_err().to_string(),
            "the man on a1 (offset 0) is 13, expected 0-12"
        );
    }
}
