//! From bytes to a checked position.

use thiserror::Error;

use super::{BulletRecord, OPPONENT, RANK_BITS};
use crate::{
    Color, GameResult, Label, LabelledPosition, PieceType, Placement, PlacementError, Position,
    Score, Square, Squares,
};

/// Why a record is no position. Offsets are bytes from the start of the record; the mover is White.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BulletError {
    /// More squares are occupied than there are nibbles.
    #[error("{found} squares are occupied (offset 0), expected at most 32")]
    TooManyMen {
        /// How many.
        found: u32,
    },
    /// A piece code is none of the twelve.
    #[error("the piece on {square} (offset {offset}) is {found}, expected 0-5 or 8-13")]
    PieceCode {
        /// The square.
        square: Square,
        /// The byte that holds the code.
        offset: u8,
        /// The code.
        found: u8,
    },
    /// The kings are not one a side.
    #[error(transparent)]
    Placement(#[from] PlacementError),
    /// The result is over 2.
    #[error("the result (offset 26) is {found}, expected 0 lost, 1 drawn or 2 won")]
    Result {
        /// The number.
        found: u8,
    },
    /// The king square named is not where the mover's king stands.
    #[error("the mover's king square (offset 27) is {found}, expected {expected}")]
    OwnKing {
        /// The number.
        found: u8,
        /// Where the king stands.
        expected: u8,
    },
    /// The king square named is not where the opponent's king stands.
    #[error("the opponent's king square (offset 28) is {found}, expected {expected}")]
    OpponentKing {
        /// The number.
        found: u8,
        /// Where the king stands, XOR 56.
        expected: u8,
    },
}

impl BulletRecord {
    /// Checks the record and says what it holds, with the mover as White: White is to move, "White's"
    /// score and result are the mover's. There are no castling rights and no en passant square, and
    /// the clocks are unknown; [`extra`](Self::extra) is not part of a position.
    ///
    /// # Errors
    ///
    /// A [`BulletError`] for the first thing that is wrong.
    pub fn decode(&self) -> Result<LabelledPosition, BulletError> {
        let placement = self.placement()?;
        let found = self.result;
        let result = GameResult::new(found).ok_or(BulletError::Result { found })?;
        self.check_kings(&placement)?;
        let score = Score::Centipawns(self.score_cp());
        Ok(LabelledPosition {
            position: Position::new(placement, Color::White),
            label: Label::new(Some(score), Some(result)),
        })
    }

    fn placement(&self) -> Result<Placement, BulletError> {
        let found = self.occupied().count_ones();
        if found > Placement::MAX_MEN {
            return Err(BulletError::TooManyMen { found });
        }
        let (mut colors, mut types) = ([0; Color::COUNT], [0; 8]);
        let mut codes = self.pieces.get();
        for square in Squares::new(self.occupied()) {
            let code = (codes & 0xf) as u8;
            colors[usize::from(code / OPPONENT)] |= square.bit();
            types[usize::from(code % OPPONENT)] |= square.bit();
            codes >>= 4;
        }
        let [pawns, knights, bishops, rooks, queens, kings, bad, worse] = types;
        match Square::lowest(bad | worse) {
            Some(square) => Err(self.bad_code(square)),
            None => Ok(Placement::new(
                colors,
                [pawns, knights, bishops, rooks, queens, kings],
            )?),
        }
    }

    fn bad_code(&self, square: Square) -> BulletError {
        let index = (self.occupied() & (square.bit() - 1)).count_ones() as u8;
        BulletError::PieceCode {
            square,
            offset: 8 + index / 2,
            found: self.piece_code(index.into()).unwrap_or_default(),
        }
    }

    fn check_kings(&self, placement: &Placement) -> Result<(), BulletError> {
        let [own, opponent] = king_squares(placement);
        if self.own_king != own {
            return Err(BulletError::OwnKing {
                found: self.own_king,
                expected: own,
            });
        }
        if self.opponent_king != opponent {
            return Err(BulletError::OpponentKing {
                found: self.opponent_king,
                expected: opponent,
            });
        }
        Ok(())
    }
}

/// Offsets 27 and 28 of a board whose mover is White.
pub(super) fn king_squares(placement: &Placement) -> [u8; 2] {
    let [own, opponent] = Color::ALL.map(|color| u8::from(placement.king(color)));
    [own, opponent ^ RANK_BITS]
}

const _: () = assert!(PieceType::COUNT == 6 && OPPONENT == 8);

#[cfg(test)]
mod tests {
    use super::super::wire::tests::AFTER_E4;
    use super::*;
    use crate::Board;
    use std::string::{String, ToString};

    fn error(change: impl FnOnce(&mut [u8; 32])) -> String {
        let mut bytes = AFTER_E4;
        change(&mut bytes);
        let record = BulletRecord::from_bytes(&bytes);
        record.decode().unwrap_err().to_string()
    }

    #[test]
    fn the_mover_is_white() {
        let decoded = BulletRecord::from_bytes(&AFTER_E4).decode().unwrap();
        assert_eq!(
            decoded.position.fen().to_string(),
            "rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w - - 0 1"
        );
        assert_eq!(decoded.position.halfmove_clock(), None);
        assert_eq!(decoded.position.fullmove_number(), None);
        assert_eq!(decoded.side_to_move(), Color::White);
        assert_eq!(decoded.label.score, Some(Score::Centipawns(-17)));
        assert_eq!(decoded.label.result, Some(GameResult::BlackWon));
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert_eq!(
            error(|bytes| bytes[2] = 1),
            "33 squares are occupied (offset 0), expected at most 32"
        );
        for (code, text) in [(0x62, 6), (0x72, 7), (0xe2, 14), (0xf2, 15)] {
            assert_eq!(
                error(|bytes| bytes[9] = code),
                std::format!("the piece on d1 (offset 9) is {text}, expected 0-5 or 8-13")
            );
        }
        assert_eq!(
            error(|bytes| bytes[10] = 0x22),
            "White has 0 kings, expected 1"
        );
        assert_eq!(
            error(|bytes| bytes[26] = 3),
            "the result (offset 26) is 3, expected 0 lost, 1 drawn or 2 won"
        );
        assert_eq!(
            error(|bytes| bytes[27] = 60),
            "the mover's king square (offset 27) is 60, expected 4"
        );
        assert_eq!(
            error(|bytes| bytes[28] = 60),
            "the opponent's king square (offset 28) is 60, expected 4"
        );
    }
}
