//! Games as they were played on a board.

use std::vec::Vec;

use shakmaty as sm;

use crate::{Game, GameResult, PieceType, Square, UciMove};

/// A game with its moves as shakmaty plays them, from the usual start.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PgnReplay {
    /// The moves, all legal.
    pub moves: Vec<sm::Move>,
    /// How the game ended.
    pub result: GameResult,
    /// White's rating, if it has one.
    pub white_elo: Option<i32>,
    /// Black's rating, if it has one.
    pub black_elo: Option<i32>,
}

impl From<PgnReplay> for Game {
    fn from(replay: PgnReplay) -> Self {
        Self {
            moves: replay.moves.into_iter().filter_map(uci_move).collect(),
            result: replay.result,
            white_elo: replay.white_elo,
            black_elo: replay.black_elo,
        }
    }
}

/// A move as in UCI. Putting a piece on the board is none.
pub(super) fn uci_move(played: sm::Move) -> Option<UciMove> {
    let uci = |from: sm::Square, to: sm::Square, promotion: Option<sm::Role>| {
        Some(UciMove {
            from: Square::from(from),
            to: Square::from(to),
            promotion: promotion.map(PieceType::from),
        })
    };
    match played {
        sm::Move::Normal {
            from,
            to,
            promotion,
            ..
        } => uci(from, to, promotion),
        sm::Move::EnPassant { from, to } => uci(from, to, None),
        sm::Move::Castle { king, rook } => {
            let side = sm::CastlingSide::from_king_side(king < rook);
            let file = side.king_to_file();
            uci(king, sm::Square::from_coords(file, king.rank()), None)
        }
        sm::Move::Put { .. } => None,
    }
}
