//! Pawns by themselves: doubled, isolated, passed.

use cozy_chess::{BitBoard, Board, Color, File, Piece, Rank, Square};

use super::phased::{Phased, s};

const DOUBLED: Phased = s(-6, -16);
const ISOLATED: Phased = s(-11, -10);
/// By the rank, seen from its own side.
const PASSED: [Phased; Rank::NUM] = [
    s(0, 0),
    s(2, 8),
    s(2, 14),
    s(10, 30),
    s(26, 58),
    s(52, 104),
    s(86, 160),
    s(0, 0),
];
/// For each square that a king is nearer to the square before a passed pawn than the other king is.
const KING_NEARER: Phased = s(0, 6);

/// What a side's pawns are worth beyond themselves.
pub(super) fn structure(board: &Board, color: Color) -> Phased {
    let own = board.colored_pieces(color, Piece::Pawn);
    let others = board.colored_pieces(!color, Piece::Pawn);
    let mut score = s(0, 0);
    for pawn in own {
        if !(own & ahead(pawn.file().bitboard(), pawn, color)).is_empty() {
            score += DOUBLED;
        }
        let neighbours = pawn.file().adjacent();
        if own.is_disjoint(neighbours) {
            score += ISOLATED;
        }
        let way = ahead(neighbours | pawn.file().bitboard(), pawn, color);
        if others.is_disjoint(way) {
            score += passed(board, pawn, color);
        }
    }
    score
}

fn passed(board: &Board, pawn: Square, color: Color) -> Phased {
    let rank = pawn.rank().relative_to(color) as usize;
    let stop = pawn.offset(0, if color == Color::White { 1 } else { -1 });
    let nearer = distance(board.king(!color), stop) - distance(board.king(color), stop);
    PASSED[rank] + KING_NEARER * nearer
}

/// The squares of `files` on the ranks before `square`.
fn ahead(files: BitBoard, square: Square, color: Color) -> BitBoard {
    let rank = square.rank() as u32;
    let ranks = match color {
        Color::White => u64::MAX.checked_shl(8 * (rank + 1)).unwrap_or(0),
        Color::Black => (1 << (8 * rank)) - 1,
    };
    files & BitBoard(ranks)
}

/// How many steps a king needs.
pub(super) fn distance(a: Square, b: Square) -> i32 {
    let files = (a.file() as i32).abs_diff(b.file() as i32);
    let ranks = (a.rank() as i32).abs_diff(b.rank() as i32);
    files.max(ranks) as i32
}

/// The squares that a side's pawns attack.
pub(super) fn attacks(board: &Board, color: Color) -> BitBoard {
    let BitBoard(pawns) = board.colored_pieces(color, Piece::Pawn);
    let (not_a, not_h) = (!File::A.bitboard().0, !File::H.bitboard().0);
    BitBoard(match color {
        Color::White => (pawns & not_a) << 7 | (pawns & not_h) << 9,
        Color::Black => (pawns & not_a) >> 9 | (pawns & not_h) >> 7,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(fen: &str) -> Board {
        fen.parse().unwrap()
    }

    #[test]
    fn faults_and_passed_pawns() {
        let sound = board("4k3/3p1p2/8/8/8/8/3P1P2/4K3 w - - 0 1");
        assert_eq!(structure(&sound, Color::White), ISOLATED * 2);
        let doubled = board("4k3/3p4/8/8/3P4/3P4/8/4K3 w - - 0 1");
        assert_eq!(structure(&doubled, Color::White), ISOLATED * 2 + DOUBLED);
        // Both kings are four steps from c6.
        let passed = board("6k1/8/8/2P5/8/8/8/6K1 w - - 0 1");
        assert_eq!(
            structure(&passed, Color::White),
            ISOLATED + PASSED[4] + KING_NEARER * (distance(Square::G8, Square::C6) - 5)
        );
        let stopped = board("6k1/1p6/8/2P5/8/8/8/6K1 w - - 0 1");
        assert_eq!(structure(&stopped, Color::White), ISOLATED);
        assert_eq!(structure(&stopped, Color::Black), ISOLATED);
    }

    #[test]
    fn attacked_squares() {
        let board = board("4k3/p6p/8/8/8/8/P6P/4K3 w - - 0 1");
        let both = |a: Square, b: Square| a.bitboard() | b.bitboard();
        assert_eq!(attacks(&board, Color::White), both(Square::B3, Square::G3));
        assert_eq!(attacks(&board, Color::Black), both(Square::B6, Square::G6));
    }
}
