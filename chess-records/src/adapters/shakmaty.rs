//! [`Board`] for `shakmaty::Chess`, and the family's words for that library's.

use ::shakmaty as sm;
use sm::Position as _;

use crate::{Board, Color, PieceType, Placement, Square};

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
    fn words_are_the_same_ones() {
        for square in Square::ALL {
            let theirs = sm::Square::new(square.index() as u32);
            assert_eq!(Square::from(theirs), square);
            assert_eq!(std::format!("{theirs}"), std::format!("{square}"));
        }
        for (theirs, ours) in sm::Role::ALL.into_iter().zip(PieceType::ALL) {
            assert_eq!(PieceType::from(theirs), ours);
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
