//! From bytes to a checked position.

use core::num::NonZeroU16;

use thiserror::Error;

use super::wire::Fields;
use super::{BLACK_TO_MOVE, CASTLING_ROOK, MarlinRecord, NO_EN_PASSANT};
use crate::{
    CastlingRights, Color, GameResult, Label, LabelledPosition, PieceType, Placement,
    PlacementError, Position, PositionError, Score, Square, Squares, Wing,
};

/// Why a record is no position. Offsets are bytes from the start of the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MarlinError {
    /// More squares are occupied than there are nibbles.
    #[error("{found} squares are occupied (offset 0), expected at most 32")]
    TooManyMen {
        /// How many.
        found: u32,
    },
    /// A piece code is 7 or 15.
    #[error("the piece on {square} (offset {offset}) is {found}, expected 0-6 or 8-14")]
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
    /// Two rooks of a side may castle on the same wing.
    #[error("{found} {color} rooks on one wing may castle (code 6), expected at most 1")]
    CastlingRooks {
        /// The side.
        color: Color,
        /// The wing.
        wing: Wing,
        /// How many rooks.
        found: u32,
    },
    /// The en passant square is past 64.
    #[error("the en passant square (offset 24) is {found}, expected 0-63 or 64 for none")]
    EnPassant {
        /// The number, bits 0–6.
        found: u8,
    },
    /// Castling rights or en passant square do not fit the placement.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// The result is over 2.
    #[error("the result (offset 30) is {found}, expected 0 Black won, 1 draw or 2 White won")]
    Result {
        /// The number.
        found: u8,
    },
}

impl MarlinRecord {
    /// Checks the record and says what it holds. The halfmove clock and the score are kept as they
    /// are, however large; a fullmove number of 0 is unknown; [`extra`](Self::extra) is not part of
    /// a position.
    ///
    /// # Errors
    ///
    /// A [`MarlinError`] for the first thing that is wrong.
    pub fn decode(&self) -> Result<LabelledPosition, MarlinError> {
        let number = NonZeroU16::new(self.fullmove_number());
        let mut decoded = self.0.decode()?;
        decoded.position = decoded.position.with_fullmove_number(number);
        Ok(decoded)
    }
}

impl Fields {
    /// Everything but the fullmove number.
    pub(super) fn decode(&self) -> Result<LabelledPosition, MarlinError> {
        let men = self.men()?;
        let placement = men.placement()?;
        let (side_to_move, en_passant) = self.side_and_en_passant()?;
        let position = Position::new(placement, side_to_move)
            .with_castling(men.castling(&placement)?)?
            .with_en_passant(en_passant)?
            .with_halfmove_clock(Some(self.halfmove_clock));
        let found = self.result;
        let result = GameResult::new(found).ok_or(MarlinError::Result { found })?;
        let score = Score::Centipawns(self.score_cp.get());
        Ok(LabelledPosition {
            position,
            label: Label::new(Some(score), Some(result)),
        })
    }

    fn men(&self) -> Result<Men, MarlinError> {
        let occupied = self.occupied.get();
        let found = occupied.count_ones();
        if found > Placement::MAX_MEN {
            return Err(MarlinError::TooManyMen { found });
        }
        let mut men = Men::default();
        let mut codes = self.pieces.get();
        for square in Squares::new(occupied) {
            let code = (codes & 0xf) as usize;
            men.colors[code >> 3] |= square.bit();
            men.codes[code & 7] |= square.bit();
            codes >>= 4;
        }
        match Square::lowest(men.codes[7]) {
            Some(square) => Err(self.bad_code(square)),
            None => Ok(men),
        }
    }

    fn bad_code(&self, square: Square) -> MarlinError {
        let index = (self.occupied.get() & (square.bit() - 1)).count_ones() as u8;
        MarlinError::PieceCode {
            square,
            offset: 8 + index / 2,
            found: self.piece_code(index.into()).unwrap_or_default(),
        }
    }

    fn side_and_en_passant(&self) -> Result<(Color, Option<Square>), MarlinError> {
        let side_to_move = if self.side_and_en_passant & BLACK_TO_MOVE == 0 {
            Color::White
        } else {
            Color::Black
        };
        let found = self.side_and_en_passant & !BLACK_TO_MOVE;
        let en_passant = Square::new(found);
        if en_passant.is_none() && found != NO_EN_PASSANT {
            return Err(MarlinError::EnPassant { found });
        }
        Ok((side_to_move, en_passant))
    }
}

/// The men by colour and by piece code.
#[derive(Default)]
struct Men {
    colors: [u64; Color::COUNT],
    codes: [u64; 8],
}

impl Men {
    fn placement(&self) -> Result<Placement, PlacementError> {
        let [
            pawns,
            knights,
            bishops,
            rooks,
            queens,
            kings,
            castling_rooks,
            _,
        ] = self.codes;
        let rooks = rooks | castling_rooks;
        Placement::new(self.colors, [pawns, knights, bishops, rooks, queens, kings])
    }

    fn castling(&self, placement: &Placement) -> Result<CastlingRights, MarlinError> {
        let mut rights = CastlingRights::NONE;
        let rooks = self.codes[usize::from(CASTLING_ROOK)];
        if rooks == 0 {
            return Ok(rights);
        }
        for color in Color::ALL {
            let before_king = placement.king(color).bit() - 1;
            for wing in Wing::ALL {
                let side = match wing {
                    Wing::Queenside => before_king,
                    Wing::Kingside => !before_king,
                };
                let rook = only_rook(rooks & self.colors[color.index()] & side, color, wing)?;
                rights = rights.with_rook(color, wing, rook);
            }
        }
        Ok(rights)
    }
}

fn only_rook(rooks: u64, color: Color, wing: Wing) -> Result<Option<Square>, MarlinError> {
    let found = rooks.count_ones();
    if found > 1 {
        return Err(MarlinError::CastlingRooks { color, wing, found });
    }
    Ok(Square::lowest(rooks))
}

const _: () = assert!(PieceType::COUNT == CASTLING_ROOK as usize);

#[cfg(test)]
mod tests {
    use super::super::wire::tests::START;
    use super::*;
    use crate::Board;
    use std::string::{String, ToString};

    fn decode(bytes: &[u8; 32]) -> Result<LabelledPosition, MarlinError> {
        MarlinRecord::from_bytes(bytes).decode()
    }

    fn error(change: impl FnOnce(&mut [u8; 32])) -> String {
        let mut bytes = START;
        change(&mut bytes);
        decode(&bytes).unwrap_err().to_string()
    }

    #[test]
    fn the_start_position() {
        let decoded = decode(&START).unwrap();
        assert_eq!(
            decoded.position.fen().to_string(),
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
        );
        assert_eq!(decoded.label.score, Some(Score::Centipawns(17)));
        assert_eq!(decoded.label.result, Some(GameResult::WhiteWon));
    }

    #[test]
    fn odd_values_that_are_kept() {
        let mut bytes = START;
        bytes[25] = 255;
        bytes[26..28].fill(0);
        bytes[28..30].copy_from_slice(&i16::MIN.to_le_bytes());
        let decoded = decode(&bytes).unwrap();
        assert_eq!(decoded.position.halfmove_clock(), Some(255));
        assert_eq!(decoded.position.fullmove_number(), None);
        assert_eq!(decoded.label.score, Some(Score::Centipawns(i16::MIN)));
    }

    #[test]
    fn sides_and_en_passant_squares() {
        let mut bytes = START;
        bytes[24] = 0xc0;
        let decoded = decode(&bytes).unwrap();
        assert_eq!(decoded.side_to_move(), Color::Black);
        assert_eq!(decoded.position.en_passant(), None);
        assert_eq!(
            error(|bytes| bytes[24] = 65),
            "the en passant square (offset 24) is 65, expected 0-63 or 64 for none"
        );
        assert_eq!(
            error(|bytes| bytes[24] = 0xff),
            "the en passant square (offset 24) is 127, expected 0-63 or 64 for none"
        );
        assert_eq!(
            error(|bytes| bytes[24] = 44),
            "no pawn can have just passed over the en passant square e6"
        );
    }

    #[test]
    fn men_that_cannot_be() {
        assert_eq!(
            error(|bytes| bytes[2] = 1),
            "33 squares are occupied (offset 0), expected at most 32"
        );
        assert_eq!(
            error(|bytes| bytes[9] = 0x72),
            "the piece on d1 (offset 9) is 7, expected 0-6 or 8-14"
        );
        assert_eq!(
            error(|bytes| bytes[23] = 0xef),
            "the piece on g8 (offset 23) is 15, expected 0-6 or 8-14"
        );
        assert_eq!(
            error(|bytes| bytes[12] = 0x05),
            "White has 2 kings, expected 1"
        );
        assert_eq!(
            error(|bytes| bytes[22] = 0xac),
            "Black has 0 kings, expected 1"
        );
    }

    #[test]
    fn castling_rooks_that_cannot_be() {
        assert_eq!(
            error(|bytes| bytes[8] = 0x66),
            "2 White rooks on one wing may castle (code 6), expected at most 1"
        );
        assert_eq!(
            error(|bytes| (bytes[11], bytes[12]) = (0x31, 0x06)),
            "castling right on a2, where no White rook stands on its home rank"
        );
        assert_eq!(
            error(|bytes| (bytes[10], bytes[12]) = (0x24, 0x05)),
            "2 White rooks on one wing may castle (code 6), expected at most 1"
        );
        assert_eq!(
            error(|bytes| (bytes[10], bytes[11], bytes[12]) = (0x24, 0x31, 0x05)),
            "White may castle but its king stands on a2"
        );
    }

    #[test]
    fn results_over_two() {
        assert_eq!(
            error(|bytes| bytes[30] = 3),
            "the result (offset 30) is 3, expected 0 Black won, 1 draw or 2 White won"
        );
    }
}
