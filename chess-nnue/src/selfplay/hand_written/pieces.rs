//! Pieces: where they can go, open files, the pair of bishops, and how many look at the king.

use cozy_chess::{
    BitBoard, Board, Color, Piece, Square, get_bishop_moves, get_king_moves, get_knight_moves,
    get_rook_moves,
};

use super::pawns;
use super::phased::{Phased, s};

/// For each square that a knight, bishop, rook or queen can go to beyond what is usual.
const MOBILITY: [(Phased, i32); 4] = [(s(4, 4), 4), (s(4, 5), 6), (s(2, 4), 7), (s(1, 2), 13)];
const BISHOP_PAIR: Phased = s(28, 44);
const OPEN_FILE: Phased = s(26, 8);
const HALF_OPEN_FILE: Phased = s(12, 6);
/// How much a knight, bishop, rook or queen adds to an attack for each square that it attacks beside
/// the king.
const ATTACK: [i32; 4] = [2, 2, 3, 5];
/// For a pawn before the king, on the next rank and on the one after.
const SHIELD: [Phased; 2] = [s(13, 0), s(6, 0)];

/// What a side's pieces are worth beyond themselves.
pub(super) fn activity(board: &Board, color: Color) -> Phased {
    let free = !(board.colors(color) | pawns::attacks(board, !color));
    let zone = get_king_moves(board.king(!color));
    let (mut score, mut attack, mut attackers) = (s(0, 0), 0, 0);
    for (kind, piece) in PIECES.into_iter().enumerate() {
        for square in board.colored_pieces(color, piece) {
            let moves = moves(piece, square, board.occupied());
            let (each, usual) = MOBILITY[kind];
            score += each * ((moves & free).len() as i32 - usual);
            let beside_king = (moves & zone).len() as i32;
            attack += ATTACK[kind] * beside_king;
            attackers += i32::from(beside_king > 0);
            if piece == Piece::Rook {
                score += on_file(board, square, color);
            }
        }
    }
    if board.colored_pieces(color, Piece::Bishop).len() >= 2 {
        score += BISHOP_PAIR;
    }
    score + s(danger(attack, attackers), 0)
}

const PIECES: [Piece; 4] = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];

fn moves(piece: Piece, square: Square, occupied: BitBoard) -> BitBoard {
    match piece {
        Piece::Knight => get_knight_moves(square),
        Piece::Bishop => get_bishop_moves(square, occupied),
        Piece::Rook => get_rook_moves(square, occupied),
        _ => get_bishop_moves(square, occupied) | get_rook_moves(square, occupied),
    }
}

/// One piece alone does little; more of them do more than their sum.
fn danger(attack: i32, attackers: i32) -> i32 {
    if attackers < 2 {
        return 0;
    }
    (attack * attack / 4 + attack * attackers).min(400)
}

fn on_file(board: &Board, rook: Square, color: Color) -> Phased {
    let pawns = board.pieces(Piece::Pawn) & rook.file().bitboard();
    if pawns.is_empty() {
        OPEN_FILE
    } else if pawns.is_disjoint(board.colors(color)) {
        HALF_OPEN_FILE
    } else {
        s(0, 0)
    }
}

/// The pawns that stand before a side's king.
pub(super) fn shield(board: &Board, color: Color) -> Phased {
    let king = board.king(color);
    let files = king.file().adjacent() | king.file().bitboard();
    let pawns = board.colored_pieces(color, Piece::Pawn) & files;
    let forward = if color == Color::White { 1 } else { -1 };
    let mut score = s(0, 0);
    let mut rank = king;
    for each in SHIELD {
        let Some(next) = rank.try_offset(0, forward) else {
            break;
        };
        rank = next;
        score += each * (pawns & rank.rank().bitboard()).len() as i32;
    }
    score
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(fen: &str) -> Board {
        fen.parse().unwrap()
    }

    #[test]
    fn a_rook_wants_an_open_file() {
        let activity = |fen| activity(&board(fen), Color::White);
        let closed = activity("4k3/p7/8/8/8/8/P7/RN2K3 w - - 0 1");
        let half = activity("4k3/p7/8/8/8/8/1P6/RN2K3 w - - 0 1");
        let open = activity("4k3/1p6/8/8/8/8/1P6/RN2K3 w - - 0 1");
        assert!(half.at(24) > closed.at(24) && open.at(24) > half.at(24));
    }

    #[test]
    fn an_attack_takes_two() {
        assert_eq!(danger(12, 1), 0);
        assert!(danger(12, 2) < danger(12, 3));
        assert_eq!(danger(1000, 8), 400);
    }

    #[test]
    fn pawns_before_the_king() {
        let shield = |fen| shield(&board(fen), Color::Black);
        assert_eq!(
            shield("6k1/5pp1/7p/8/8/8/8/4K3 w - - 0 1"),
            SHIELD[0] * 2 + SHIELD[1]
        );
        assert_eq!(shield("8/8/8/8/8/8/5ppp/3K2k1 w - - 0 1"), s(0, 0));
    }
}
