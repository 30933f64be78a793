//! [`Delta`] from cozy-chess.

use ::cozy_chess as cozy;
use chess_records::{Color, Piece, PieceType, Square};

use crate::Delta;

impl Delta {
    /// What a move of [cozy-chess](https://github.com/analog-hors/cozy-chess) changes on the board it is
    /// about to be played on. Castling is the king's move to its own rook's square, as that library
    /// has it.
    ///
    /// # Panics
    ///
    /// When no piece stands on the square the move leaves; any legal move leaves one.
    #[must_use]
    pub fn from_cozy_chess(board: &cozy::Board, mv: cozy::Move) -> Self {
        let Some(moved) = board.piece_on(mv.from) else {
            panic!("no piece stands on {} to be moved", mv.from)
        };
        let color = board.side_to_move();
        if board.colors(color).has(mv.to) {
            return castling(color.into(), mv);
        }
        let (from, to) = (mv.from.into(), mv.to.into());
        let color = Color::from(color);
        let captured = board.piece_on(mv.to).map(PieceType::from);
        let changes_file = mv.from.file() != mv.to.file();
        match (mv.promotion.map(PieceType::from), captured) {
            (Some(promoted), None) => Self::promotion(color, from, to, promoted),
            (Some(promoted), Some(captured)) => {
                Self::promotion_capture(color, from, to, promoted, captured)
            }
            (None, None) if moved == cozy::Piece::Pawn && changes_file => {
                Self::en_passant(color, from, to)
            }
            (None, None) => Self::quiet(Piece::new(color, moved.into()), from, to),
            (None, Some(captured)) => {
                Self::capture(Piece::new(color, moved.into()), from, to, captured)
            }
        }
    }
}

fn castling(color: Color, mv: cozy::Move) -> Delta {
    let (king_to, rook_to) = if mv.to > mv.from {
        (Square::G1, Square::F1)
    } else {
        (Square::C1, Square::D1)
    };
    let at_home = |square: Square| match color {
        Color::White => square,
        Color::Black => square.flip_rank(),
    };
    Delta::castling(
        color,
        mv.from.into(),
        at_home(king_to),
        mv.to.into(),
        at_home(rook_to),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess_records::Board;

    /// Plays every legal move of every position of some random games.
    fn check(start: cozy::Board, seed: u64) -> usize {
        let mut board = start;
        let mut checked = 0;
        let mut random = seed;
        for _ in 0..if cfg!(miri) { 4 } else { 120 } {
            let mut moves = alloc::vec::Vec::new();
            board.generate_moves(|of_piece| {
                moves.extend(of_piece);
                false
            });
            for &mv in &moves {
                let delta = Delta::from_cozy_chess(&board, mv);
                let mut next = board.clone();
                next.play(mv);
                let placement = board.placement();
                let after = placement.after(delta.lifted(), delta.put());
                assert_eq!(after, Ok(next.placement()), "{board} {mv}");
                checked += 1;
            }
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let Some(&mv) = moves.get((random >> 33) as usize % moves.len().max(1)) else {
                break;
            };
            board.play(mv);
        }
        checked
    }

    #[test]
    fn every_move_of_random_games() {
        let games = if cfg!(miri) { 1 } else { 40 };
        let usual = (0..games).map(|seed| check(cozy::Board::default(), seed));
        assert!(usual.sum::<usize>() > 50);
        for (seed, number) in (0..games).zip((0..960u32).step_by(23).cycle()) {
            check(cozy::Board::chess960_startpos(number), seed);
        }
    }

    #[test]
    fn castling_where_pieces_stay_or_change_places() {
        for (fen, mv) in [
            ("6k1/8/8/8/8/8/8/5RK1 w F - 0 1", "g1f1"), // legal only as queenside: f is left of g
            ("4k3/8/8/8/8/8/8/4KR2 w F - 0 1", "e1f1"), // the rook stays
            ("4k3/8/8/8/8/8/8/6KR w H - 0 1", "g1h1"),  // the king stays
            ("5kr1/8/8/8/8/8/8/K7 b g - 0 1", "f8g8"),  // they change places
            ("rk6/8/8/8/8/8/8/4K3 b a - 0 1", "b8a8"),
        ] {
            let board = cozy::Board::from_fen(fen, true).unwrap();
            let mv: cozy::Move = mv.parse().unwrap();
            assert!(board.is_legal(mv), "{fen}");
            let delta = Delta::from_cozy_chess(&board, mv);
            let mut next = board.clone();
            next.play(mv);
            let after = board.placement().after(delta.lifted(), delta.put());
            assert_eq!(after, Ok(next.placement()), "{fen}");
        }
    }

    #[test]
    #[should_panic(expected = "no piece stands on e4 to be moved")]
    fn a_move_from_an_empty_square() {
        let mv = "e4e5".parse().unwrap();
        let _ = Delta::from_cozy_chess(&cozy::Board::default(), mv);
    }
}
