//! From bytes to a checked position.

use std::num::NonZeroU16;

use chess_records::{
    CastlingRights, Color, GameResult, Label, LabelledPosition, Piece, Placement, PlacementError,
    Position, PositionError, Square, Wing,
};
use thiserror::Error;

use super::FlatRecord;

/// Why a record is no position. Offsets are bytes from the start of the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FlatError {
    /// A man has a number that there is not.
    #[error("the man on {square} (offset {offset}) is {found}, expected 0-12")]
    Man {
        /// The square.
        square: Square,
        /// The byte.
        offset: u8,
        /// The number.
        found: u8,
    },
    /// The kings are not one a side, or there are more than 32 men.
    #[error(transparent)]
    Placement(#[from] PlacementError),
    /// There are only four rights.
    #[error("the castling rights (offset 195) are {found}, expected 0-15")]
    CastlingRights {
        /// The number.
        found: u8,
    },
    /// A side may castle, but its king has moved.
    #[error("{color} may castle (offset 195) but its king stands on {square}, expected {expected}")]
    CastlingKing {
        /// The side.
        color: Color,
        /// Where its king stands.
        square: Square,
        /// Where it must stand.
        expected: Square,
    },
    /// The en passant file is past 8.
    #[error("the en passant file (offset 196) is {found}, expected 0-7 or 8 for none")]
    EnPassantFile {
        /// The number.
        found: u8,
    },
    /// Castling rights or en passant file do not fit the placement.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// The side to move is neither.
    #[error("the side to move (offset 197) is {found}, expected 1 White or 0 Black")]
    SideToMove {
        /// The number.
        found: u8,
    },
    /// The result is none of three.
    #[error("the result (offset 198) is {found}, expected 0 draw, 1 White won or 2 Black won")]
    Result {
        /// The number.
        found: i8,
    },
}

/// The result's number in a record.
pub(crate) const fn result_number(result: GameResult) -> i8 {
    match result {
        GameResult::Draw => 0,
        GameResult::WhiteWon => 1,
        GameResult::BlackWon => 2,
    }
}

/// Where a king that has not moved stands.
const fn king_home(color: Color) -> Square {
    match color {
        Color::White => Square::E1,
        Color::Black => Square::E8,
    }
}

/// Where the rook of a castling right stands.
pub(crate) const fn rook_home(color: Color, wing: Wing) -> Square {
    match (color, wing) {
        (Color::White, Wing::Kingside) => Square::H1,
        (Color::White, Wing::Queenside) => Square::A1,
        (Color::Black, Wing::Kingside) => Square::H8,
        (Color::Black, Wing::Queenside) => Square::A8,
    }
}

/// Every castling right in the order of its bit.
pub(crate) fn rights() -> impl Iterator<Item = (u8, Color, Wing)> {
    let wings = Color::ALL
        .into_iter()
        .flat_map(|color| Wing::ALL.map(|wing| (color, wing)));
    (0..)
        .zip(wings)
        .map(|(bit, (color, wing))| (1 << bit, color, wing))
}

impl FlatRecord {
    /// Checks the position and the result and says what they are. There is no score, and no halfmove
    /// clock. The fullmove number follows from the [plies played](Self::move_number), as games begin
    /// at the usual start.
    ///
    /// Neither the move played nor the legal moves are looked at; [`FlatRecord::verify`] does that.
    ///
    /// # Errors
    ///
    /// A [`FlatError`] for the first thing that is wrong.
    pub fn decode(&self) -> Result<LabelledPosition, FlatError> {
        let position = Position::new(self.placement()?, self.side_to_move()?)
            .with_fullmove_number(NonZeroU16::new(self.move_number() / 2 + 1));
        let position = self.with_castling(position)?;
        let position = position.with_en_passant(self.en_passant(&position)?)?;
        Ok(LabelledPosition {
            position,
            label: Label::new(None, Some(self.game_result()?)),
        })
    }

    /// Where the men stand.
    ///
    /// # Errors
    ///
    /// [`FlatError::Man`] and [`FlatError::Placement`].
    pub fn placement(&self) -> Result<Placement, FlatError> {
        let mut masks = [0u64; 16];
        for (square, &man) in self.position().iter().enumerate() {
            masks[usize::from(man & 15)] |= u64::from(man < 16) << square;
        }
        let known = masks[..=Piece::COUNT]
            .iter()
            .fold(0, |all, mask| all | mask);
        if let Some(square) = chess_records::Squares::new(!known).next() {
            return Err(FlatError::Man {
                square,
                offset: u8::from(square),
                found: self.position()[square.index()],
            });
        }
        let of = |color: usize, piece: usize| masks[1 + 6 * color + piece];
        let colors = [0, 1].map(|color| (0..6).fold(0, |all, piece| all | of(color, piece)));
        let pieces = [0, 1, 2, 3, 4, 5].map(|piece| of(0, piece) | of(1, piece));
        Ok(Placement::new(colors, pieces)?)
    }

    fn side_to_move(&self) -> Result<Color, FlatError> {
        match self.is_white_byte() {
            0 => Ok(Color::Black),
            1 => Ok(Color::White),
            found => Err(FlatError::SideToMove { found }),
        }
    }

    fn with_castling(&self, position: Position) -> Result<Position, FlatError> {
        let found = self.castling_rights();
        if found > 15 {
            return Err(FlatError::CastlingRights { found });
        }
        let mut castling = CastlingRights::NONE;
        for (_, color, wing) in rights().filter(|(bit, ..)| found & bit != 0) {
            let square = chess_records::Board::placement(&position).king(color);
            let expected = king_home(color);
            if square != expected {
                return Err(FlatError::CastlingKing {
                    color,
                    square,
                    expected,
                });
            }
            castling = castling.with_rook(color, wing, Some(rook_home(color, wing)));
        }
        Ok(position.with_castling(castling)?)
    }

    fn en_passant(&self, position: &Position) -> Result<Option<Square>, FlatError> {
        let rank = match chess_records::Board::side_to_move(position) {
            Color::White => 5,
            Color::Black => 2,
        };
        match self.en_passant_file() {
            8 => Ok(None),
            found => match Square::at(found, rank) {
                Some(square) => Ok(Some(square)),
                None => Err(FlatError::EnPassantFile { found }),
            },
        }
    }

    fn game_result(&self) -> Result<GameResult, FlatError> {
        match self.result() {
            0 => Ok(GameResult::Draw),
            1 => Ok(GameResult::WhiteWon),
            2 => Ok(GameResult::BlackWon),
            found => Err(FlatError::Result { found }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FlatFields;
    use chess_records::Board;

    /// A record of this position, with no moves.
    fn fields(fen: &str) -> FlatFields {
        let position = Position::from_fen(fen).unwrap();
        let mut men = [0; 64];
        for (piece, square) in position.placement().pieces() {
            men[square.index()] = piece.index() as u8 + 1;
        }
        FlatFields {
            position: men,
            legal_idx: [crate::Action::PAD; 64],
            legal_cnt: 0,
            from_square: 0,
            action_plane: 0,
            castling_rights: 0,
            en_passant_file: 8,
            is_white: 1,
            result: 0,
            move_number: 0,
        }
    }

    fn decode(fields: &FlatFields) -> Result<LabelledPosition, FlatError> {
        FlatRecord::from_fields(fields).decode()
    }

    #[test]
    fn positions() {
        let mut of = fields("r3k2r/8/8/3pP3/8/8/8/R3K2R w - - 0 1");
        (of.castling_rights, of.en_passant_file, of.move_number) = (0b1011, 3, 24);
        let decoded = decode(&of).unwrap();
        assert_eq!(
            decoded.position.fen().to_string(),
            "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQq d6 0 13"
        );
        assert_eq!(decoded.label, Label::new(None, Some(GameResult::Draw)));
        (
            of.is_white,
            of.result,
            of.en_passant_file,
            of.castling_rights,
        ) = (0, 2, 8, 4);
        (of.move_number, of.position[28]) = (u16::MAX, 1);
        let decoded = decode(&of).unwrap();
        assert_eq!(decoded.label.result, Some(GameResult::BlackWon));
        assert_eq!(decoded.position.side_to_move(), Color::Black);
        let number = decoded.position.fullmove_number().unwrap();
        assert_eq!(number.get(), 32768);
        of.en_passant_file = 4;
        of.position[36] = 0;
        let decoded = decode(&of).unwrap();
        assert_eq!(decoded.position.en_passant(), Some(Square::E3));
        of.result = 1;
        assert_eq!(
            decode(&of).unwrap().label.result,
            Some(GameResult::WhiteWon)
        );
    }

    #[test]
    fn texts() {
        let good = fields("4k3/8/8/8/8/8/8/4K2R w - - 0 1");
        let text = |change: &dyn Fn(&mut FlatFields)| {
            let mut bad = good;
            change(&mut bad);
            decode(&bad).unwrap_err().to_string()
        };
        assert_eq!(
            text(&|of| of.position[9] = 13),
            "the man on b2 (offset 9) is 13, expected 0-12"
        );
        assert_eq!(
            text(&|of| of.position[63] = 255),
            "the man on h8 (offset 63) is 255, expected 0-12"
        );
        assert_eq!(
            text(&|of| of.position[9] = 16),
            "the man on b2 (offset 9) is 16, expected 0-12"
        );
        assert_eq!(
            text(&|of| of.position[9] = 6),
            "White has 2 kings, expected 1"
        );
        assert_eq!(
            text(&|of| of.castling_rights = 16),
            "the castling rights (offset 195) are 16, expected 0-15"
        );
        assert_eq!(
            text(&|of| of.castling_rights = 2),
            "castling right on a1, where no White rook stands on its home rank"
        );
        assert_eq!(
            text(&|of| {
                of.castling_rights = 1;
                of.position.swap(4, 3);
            }),
            "White may castle (offset 195) but its king stands on d1, expected e1"
        );
        assert_eq!(
            text(&|of| of.en_passant_file = 9),
            "the en passant file (offset 196) is 9, expected 0-7 or 8 for none"
        );
        assert_eq!(
            text(&|of| of.en_passant_file = 0),
            "no pawn can have just passed over the en passant square a6"
        );
        assert_eq!(
            text(&|of| of.is_white = 2),
            "the side to move (offset 197) is 2, expected 1 White or 0 Black"
        );
        assert_eq!(
            text(&|of| of.result = -1),
            "the result (offset 198) is -1, expected 0 draw, 1 White won or 2 Black won"
        );
    }
}
