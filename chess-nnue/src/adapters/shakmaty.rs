//! [`Delta`] from shakmaty.

use ::shakmaty as sm;
use chess_records::{Piece, Square};

use crate::Delta;

impl Delta {
    /// What a move of [shakmaty](https://github.com/niklasf/shakmaty) changes on the board it is about
    /// to be played on by `color`.
    ///
    /// shakmaty is GPL-3.0-or-later: a binary built with the feature `shakmaty` must be distributed
    /// under its terms.
    ///
    /// # Panics
    ///
    /// When the move drops a piece, as only Crazyhouse does.
    #[must_use]
    pub fn from_shakmaty(color: sm::Color, mv: sm::Move) -> Self {
        let us = color.into();
        match mv {
            sm::Move::Normal {
                role,
                from,
                capture,
                to,
                promotion,
            } => {
                let (from, to) = (from.into(), to.into());
                match (promotion, capture) {
                    (None, None) => Self::quiet(Piece::new(us, role.into()), from, to),
                    (None, Some(captured)) => {
                        Self::capture(Piece::new(us, role.into()), from, to, captured.into())
                    }
                    (Some(promoted), None) => Self::promotion(us, from, to, promoted.into()),
                    (Some(promoted), Some(captured)) => {
                        Self::promotion_capture(us, from, to, promoted.into(), captured.into())
                    }
                }
            }
            sm::Move::EnPassant { from, to } => Self::en_passant(us, from.into(), to.into()),
            sm::Move::Castle { king, rook } => castling(color, king, rook),
            sm::Move::Put { .. } => panic!("a dropped piece is no move of chess"),
        }
    }
}

fn castling(color: sm::Color, king: sm::Square, rook: sm::Square) -> Delta {
    let side = sm::CastlingSide::from_king_side(king < rook);
    let to = |square: sm::Square| Square::from(square);
    Delta::castling(
        color.into(),
        king.into(),
        to(side.king_to(color)),
        rook.into(),
        to(side.rook_to(color)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess_records::Board;
    use sm::{CastlingMode, Chess, Position, fen::Fen};

    fn check(start: Chess, seed: u64) -> usize {
        let mut position = start;
        let mut checked = 0;
        let mut random = seed;
        for _ in 0..if cfg!(miri) { 4 } else { 120 } {
            let moves = position.legal_moves();
            for &mv in &moves {
                let delta = Delta::from_shakmaty(position.turn(), mv);
                let next = position.clone().play(mv).unwrap();
                let after = position.placement().after(delta.lifted(), delta.put());
                assert_eq!(after, Ok(next.placement()), "{position:?} {mv:?}");
                checked += 1;
            }
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let Some(&mv) = moves.get((random >> 33) as usize % moves.len().max(1)) else {
                break;
            };
            position.play_unchecked(mv);
        }
        checked
    }

    #[test]
    fn every_move_of_random_games() {
        let games = if cfg!(miri) { 1 } else { 40 };
        let checked = (0..games).map(|seed| check(Chess::default(), seed));
        assert!(checked.sum::<usize>() > 50);
    }

    #[test]
    fn every_move_of_random_chess960_games() {
        for fen in [
            "rkbqnrnb/pppppppp/8/8/8/8/PPPPPPPP/RKBQNRNB w KQkq - 0 1",
            "bnrqkrnb/pppppppp/8/8/8/8/PPPPPPPP/BNRQKRNB w KQkq - 0 1",
            "4k3/8/8/8/8/8/8/4KR2 w K - 0 1",
            "4k3/8/8/8/8/8/8/6KR w K - 0 1",
            "5kr1/8/8/8/8/8/8/K7 b k - 0 1",
        ] {
            let fen: Fen = fen.parse().unwrap();
            let start: Chess = fen.into_position(CastlingMode::Chess960).unwrap();
            for seed in 0..if cfg!(miri) { 1 } else { 10 } {
                assert!(check(start.clone(), seed) > 0);
            }
        }
    }
}
