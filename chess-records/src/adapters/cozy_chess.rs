//! [`Board`] for `cozy_chess::Board`.

use ::cozy_chess as cozy;

use crate::{Board, Color, Placement};

/// A position of [cozy-chess](https://crates.io/crates/cozy-chess) (MIT).
impl Board for cozy::Board {
    fn side_to_move(&self) -> Color {
        match cozy::Board::side_to_move(self) {
            cozy::Color::White => Color::White,
            cozy::Color::Black => Color::Black,
        }
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
    use crate::{Permutation, Piece, PieceType, Square};
    use std::vec::Vec;

    fn piece_on(board: &cozy::Board, square: Square) -> Option<Piece> {
        let square = cozy::Square::index(square.index());
        let color = match board.color_on(square)? {
            cozy::Color::White => Color::White,
            cozy::Color::Black => Color::Black,
        };
        let piece_type = match board.piece_on(square)? {
            cozy::Piece::Pawn => PieceType::Pawn,
            cozy::Piece::Knight => PieceType::Knight,
            cozy::Piece::Bishop => PieceType::Bishop,
            cozy::Piece::Rook => PieceType::Rook,
            cozy::Piece::Queen => PieceType::Queen,
            cozy::Piece::King => PieceType::King,
        };
        Some(Piece::new(color, piece_type))
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
