//! [`Board`] for `cozy_chess::Board`, and the family's words for that library's.

use ::cozy_chess as cozy;

use crate::{Board, Color, PieceType, Placement, Square};

impl From<cozy::Color> for Color {
    fn from(color: cozy::Color) -> Self {
        match color {
            cozy::Color::White => Self::White,
            cozy::Color::Black => Self::Black,
        }
    }
}

impl From<cozy::Piece> for PieceType {
    fn from(piece: cozy::Piece) -> Self {
        match piece {
            cozy::Piece::Pawn => Self::Pawn,
            cozy::Piece::Knight => Self::Knight,
            cozy::Piece::Bishop => Self::Bishop,
            cozy::Piece::Rook => Self::Rook,
            cozy::Piece::Queen => Self::Queen,
            cozy::Piece::King => Self::King,
        }
    }
}

impl From<cozy::Square> for Square {
    fn from(square: cozy::Square) -> Self {
        Self::ALL[square as usize]
    }
}

/// A position of [cozy-chess](https://github.com/analog-hors/cozy-chess) (MIT).
impl Board for cozy::Board {
    fn side_to_move(&self) -> Color {
        cozy::Board::side_to_move(self).into()
    }

    /// The placement, taken from the bitboards.
    ///
    /// # Panics
    ///
    /// Never: cozy-chess makes no board without one king and at most 16 men a side.
    fn placement(&self) -> Placement {
        let colors = [cozy::Color::White, cozy::Color::Black];
        let pieces = [
            cozy::Piece::Pawn,
            cozy::Piece::Knight,
            cozy::Piece::Bishop,
            cozy::Piece::Rook,
            cozy::Piece::Queen,
            cozy::Piece::King,
        ];
        Placement::new(
            colors.map(|color| self.colors(color).0),
            pieces.map(|piece| self.pieces(piece).0),
        )
        .expect("cozy-chess keeps one king and at most 16 men a side")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Permutation, Piece};
    use std::vec::Vec;

    fn piece_on(board: &cozy::Board, square: Square) -> Option<Piece> {
        let square = cozy::Square::index(square.index());
        let color = board.color_on(square)?.into();
        Some(Piece::new(color, board.piece_on(square)?.into()))
    }

    fn random_move(board: &cozy::Board, seed: u64) -> Option<cozy::Move> {
        let mut moves = Vec::new();
        board.generate_moves(|of_piece| {
            moves.extend(of_piece);
            false
        });
        let choice = Permutation::new(moves.len() as u64, seed).get(0)?;
        Some(moves[choice as usize])
    }

    #[test]
    fn words_are_the_same_ones() {
        for square in Square::ALL {
            let theirs = cozy::Square::index(square.index());
            assert_eq!(Square::from(theirs), square);
            assert_eq!(std::format!("{theirs}"), std::format!("{square}"));
        }
        for (theirs, ours) in cozy::Piece::ALL.into_iter().zip(PieceType::ALL) {
            assert_eq!(PieceType::from(theirs), ours);
        }
    }

    #[test]
    fn every_square_of_random_games() {
        for seed in 0..if cfg!(miri) { 1 } else { 20 } {
            let mut board = cozy::Board::default();
            for ply in 0..if cfg!(miri) { 6 } else { 100 } {
                let placement = board.placement();
                for square in Square::ALL {
                    assert_eq!(placement.piece_at(square), piece_on(&board, square));
                }
                let expected = Color::ALL[ply as usize % 2];
                assert_eq!(Board::side_to_move(&board), expected);
                let Some(next) = random_move(&board, seed << 32 | ply) else {
                    break;
                };
                board.play(next);
            }
        }
    }
}
