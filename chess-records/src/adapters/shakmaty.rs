//! [`Board`] for `shakmaty::Chess`, and the family's words for that library's.

use ::shakmaty as sm;
use sm::Position as _;

use crate::{Board, Color, PieceType, Placement, Square, UciMove};

impl From<sm::Color> for Color {
    fn from(color: sm::Color) -> Self {
        match color {
            sm::Color::White => Self::White,
            sm::Color::Black => Self::Black,
        }
    }
}

impl From<sm::Role> for PieceType {
    fn from(role: sm::Role) -> Self {
        match role {
            sm::Role::Pawn => Self::Pawn,
            sm::Role::Knight => Self::Knight,
            sm::Role::Bishop => Self::Bishop,
            sm::Role::Rook => Self::Rook,
            sm::Role::Queen => Self::Queen,
            sm::Role::King => Self::King,
        }
    }
}

impl From<sm::Square> for Square {
    fn from(square: sm::Square) -> Self {
        Self::ALL[usize::from(square)]
    }
}

impl From<PieceType> for sm::Role {
    fn from(piece_type: PieceType) -> Self {
        match piece_type {
            PieceType::Pawn => Self::Pawn,
            PieceType::Knight => Self::Knight,
            PieceType::Bishop => Self::Bishop,
            PieceType::Rook => Self::Rook,
            PieceType::Queen => Self::Queen,
            PieceType::King => Self::King,
        }
    }
}

impl From<Square> for sm::Square {
    fn from(square: Square) -> Self {
        Self::new(square.index() as u32)
    }
}

/// Conversions from and to moves of [shakmaty](https://github.com/niklasf/shakmaty), which is
/// GPL-3.0-or-later.
impl UciMove {
    /// A move of shakmaty's in standard chess: castling is the king's move by two squares. `None` if a
    /// piece is put on the board, as in Crazyhouse.
    #[must_use]
    pub fn from_shakmaty(played: sm::Move) -> Option<Self> {
        let (from, to) = match played {
            sm::Move::Normal { from, to, .. } | sm::Move::EnPassant { from, to } => (from, to),
            sm::Move::Castle { king, rook } => {
                let side = sm::CastlingSide::from_king_side(king < rook);
                (
                    king,
                    sm::Square::from_coords(side.king_to_file(), king.rank()),
                )
            }
            sm::Move::Put { .. } => return None,
        };
        Some(Self {
            from: from.into(),
            to: to.into(),
            promotion: played.promotion().map(PieceType::from),
        })
    }

    /// The move in a position of standard chess, if it is legal there. Castling may be written as the
    /// king's move by two squares or to its rook.
    #[must_use]
    pub fn to_shakmaty(self, position: &sm::Chess) -> Option<sm::Move> {
        let uci = sm::uci::UciMove::Normal {
            from: self.from.into(),
            to: self.to.into(),
            promotion: self.promotion.map(sm::Role::from),
        };
        uci.to_move(position).ok()
    }
}

/// A position of [shakmaty](https://github.com/niklasf/shakmaty).
///
/// shakmaty is GPL-3.0-or-later: a binary built with the feature `shakmaty` must be distributed
/// under its terms.
impl Board for sm::Chess {
    fn side_to_move(&self) -> Color {
        self.turn().into()
    }

    /// The placement, taken from the bitboards.
    ///
    /// # Panics
    ///
    /// When there are more than 32 men, which shakmaty refuses unless told otherwise
    /// (`ignore_too_much_material`). It makes no position without one king a side.
    fn placement(&self) -> Placement {
        let board = self.board();
        Placement::new(
            sm::Color::ALL.map(|color| board.by_color(color).0),
            sm::Role::ALL.map(|role| board.by_role(role).0),
        )
        .expect("shakmaty keeps one king a side, and at most 32 men unless told otherwise")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Permutation, Piece};

    fn piece_on(position: &sm::Chess, square: Square) -> Option<Piece> {
        let square = sm::Square::new(square.index() as u32);
        let piece = position.board().piece_at(square)?;
        Some(Piece::new(piece.color.into(), piece.role.into()))
    }

    #[test]
    fn moves_there_and_back() {
        let fens = [
            "r3k2r/8/8/8/8/8/8/R3K2R w KQkq -",
            "r3k2r/8/8/8/8/8/8/R3K2R b KQkq -",
            "1n2k3/P7/8/3pP3/8/8/6P1/R3K2R w KQ d6",
        ];
        for fen in fens {
            let fen: sm::fen::Fen = fen.parse().unwrap();
            let position: sm::Chess = fen.into_position(sm::CastlingMode::Standard).unwrap();
            for played in position.legal_moves() {
                let uci = UciMove::from_shakmaty(played).unwrap();
                assert_eq!(uci.to_shakmaty(&position), Some(played));
                let theirs = played.to_uci(sm::CastlingMode::Standard);
                assert_eq!(std::format!("{uci}"), std::format!("{theirs}"));
            }
        }
        let start = sm::Chess::default();
        let legal = |text: &str| text.parse::<UciMove>().unwrap().to_shakmaty(&start);
        assert!(legal("e2e4").is_some() && legal("e2e5").is_none());
        let put = sm::Move::Put {
            role: sm::Role::Pawn,
            to: sm::Square::E4,
        };
        assert_eq!(UciMove::from_shakmaty(put), None);
    }

    #[test]
    fn words_are_the_same_ones() {
        for square in Square::ALL {
            let theirs = sm::Square::new(square.index() as u32);
            assert_eq!(Square::from(theirs), square);
            assert_eq!(sm::Square::from(square), theirs);
            assert_eq!(std::format!("{theirs}"), std::format!("{square}"));
        }
        for (theirs, ours) in sm::Role::ALL.into_iter().zip(PieceType::ALL) {
            assert_eq!(PieceType::from(theirs), ours);
            assert_eq!(sm::Role::from(ours), theirs);
        }
    }

    #[test]
    fn every_square_of_random_games() {
        for seed in 0..if cfg!(miri) { 1 } else { 20 } {
            let mut position = sm::Chess::default();
            for ply in 0..if cfg!(miri) { 6 } else { 100 } {
                let placement = position.placement();
                for square in Square::ALL {
                    assert_eq!(placement.piece_at(square), piece_on(&position, square));
                }
                let expected = Color::ALL[ply as usize % 2];
                assert_eq!(position.side_to_move(), expected);
                let moves = position.legal_moves();
                let choice = Permutation::new(moves.len() as u64, seed << 32 | ply).get(0);
                let Some(choice) = choice else {
                    break;
                };
                position.play_unchecked(moves[choice as usize]);
            }
        }
    }

    #[test]
    #[should_panic = "at most 32 men unless told otherwise"]
    fn a_board_with_too_many_men_is_no_placement() {
        let fen: sm::fen::Fen = "k7/pppppppp/nnnnnnnn/8/NNNNNNNN/NNNNNNNN/PPPPPPPP/K7 w - -"
            .parse()
            .unwrap();
        let full: Result<sm::Chess, _> = fen.into_position(sm::CastlingMode::Standard);
        let full = full.or_else(sm::PositionError::ignore_too_much_material);
        let _ = full.unwrap().placement();
    }
}
