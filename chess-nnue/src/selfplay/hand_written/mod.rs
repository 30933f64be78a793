//! An evaluation by rules: what an engine has before its first network, and where a network's data
//! has nothing to teach.
//!
//! It is frozen: generations of networks are measured against it, so that a change would make old
//! results meaningless. The engine's bench signature tells.

mod bare_king;
mod pawns;
mod phased;
mod pieces;
mod squares;

use cozy_chess::{Board, Color, Piece};

use self::phased::{Phased, s};

/// For the move.
const TEMPO: i32 = 12;

/// The evaluation by rules: tapered material and squares, mobility, pawns, the safety of kings, and
/// for a side against a bare king the way to the mate.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct HandWritten;

impl HandWritten {
    /// The evaluation.
    #[must_use]
    pub const fn new() -> Self {
        Self
    }

    /// The score of a position in centipawns for its side to move.
    #[must_use]
    pub fn score_cp(&self, board: &Board) -> i32 {
        let mover = board.side_to_move();
        if let Some(white) = bare_king::score(board) {
            return seen_by(mover, white);
        }
        let white = side(board, Color::White) - side(board, Color::Black);
        TEMPO + seen_by(mover, white.at(phase(board)))
    }
}

const fn seen_by(color: Color, white: i32) -> i32 {
    match color {
        Color::White => white,
        Color::Black => -white,
    }
}

/// All that one side has.
fn side(board: &Board, color: Color) -> Phased {
    let mut score = s(0, 0);
    for piece in Piece::ALL {
        for square in board.colored_pieces(color, piece) {
            score += squares::value(piece, square, color);
        }
    }
    score
        + pawns::structure(board, color)
        + pieces::activity(board, color)
        + pieces::shield(board, color)
}

/// How much there is on the board besides pawns: [`Phased::FULL`] at the start, 0 in a pawn ending.
fn phase(board: &Board) -> i32 {
    let count = |piece| board.pieces(piece).len() as i32;
    count(Piece::Knight) + count(Piece::Bishop) + 2 * count(Piece::Rook) + 4 * count(Piece::Queen)
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use rand_core::{Rng, SeedableRng};
    use rand_pcg::Pcg64;

    use super::*;

    fn score(fen: &str) -> i32 {
        HandWritten::new().score_cp(&Board::from_fen(fen, false).unwrap())
    }

    #[test]
    fn the_start_is_even_but_for_the_move() {
        let start = Board::default();
        assert_eq!(HandWritten::new().score_cp(&start), TEMPO);
        assert_eq!(phase(&start), Phased::FULL);
    }

    #[test]
    fn a_mirrored_position_scores_the_same() {
        for (fen, mirrored) in [
            (
                "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
                "r3k2r/pppbbppp/2n2q1P/1P2p3/3pn3/BN2PNP1/P1PPQPB1/R3K2R b KQkq - 0 1",
            ),
            (
                "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
                "8/4p1p1/8/1r3P1K/kp5R/3P4/2P5/8 b - - 0 1",
            ),
        ] {
            assert_eq!(score(fen), score(mirrored), "{fen}");
        }
    }

    #[test]
    fn a_missing_piece_costs_its_value() {
        let without = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1";
        assert!(
            (-1200..-850).contains(&score(without)),
            "{}",
            score(without)
        );
    }

    /// All scores of the positions of some random games, in one number. It changes when the evaluation
    /// does, which it must not: results of matches against it would no longer compare.
    #[test]
    fn the_evaluation_is_frozen() {
        let mut signature: i64 = 0;
        for seed in 0..50 {
            let mut random = Pcg64::seed_from_u64(seed);
            let mut board = Board::default();
            for ply in 0..120 {
                let mut moves = Vec::new();
                board.generate_moves(|of_piece| {
                    moves.extend(of_piece);
                    false
                });
                if moves.is_empty() {
                    break;
                }
                board.play(moves[random.next_u64() as usize % moves.len()]);
                let score = i64::from(HandWritten::new().score_cp(&board));
                signature = signature.wrapping_mul(31).wrapping_add(score * (ply + 1));
            }
        }
        assert_eq!(signature, 326_499_673_863_196_280);
    }
}
