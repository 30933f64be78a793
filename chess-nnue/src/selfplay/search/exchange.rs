//! Static exchange evaluation: what a series of captures on one square is worth, if both sides take
//! with their least valuable man as long as it pays.

use cozy_chess::{
    BitBoard, Board, Color, Move, Piece, Square, get_bishop_moves, get_king_moves,
    get_knight_moves, get_pawn_attacks, get_rook_moves,
};

/// What the men count in exchanges, pawn to king.
pub(super) const VALUES: [i32; 6] = [100, 320, 330, 500, 950, 20_000];

/// What a move of a `moved` piece takes: the man of the other side on its square, or the pawn en passant.
pub(super) fn captured(board: &Board, moved: Piece, played: Move) -> Option<Piece> {
    if board.colors(!board.side_to_move()).has(played.to) {
        return board.piece_on(played.to);
    }
    let in_passing = moved == Piece::Pawn && played.from.file() != played.to.file();
    in_passing.then_some(Piece::Pawn)
}

/// Whether the exchange that a move begins brings the mover at least `threshold` centipawns. Pins are
/// not looked at.
pub(super) fn is_worth(board: &Board, played: Move, threshold: i32) -> bool {
    let Some(moved) = board.piece_on(played.from) else {
        return threshold <= 0;
    };
    let taken = captured(board, moved, played);
    let gained = taken.map_or(0, worth) + played.promotion.map_or(0, more_than_a_pawn);
    let on_square = played.promotion.unwrap_or(moved);
    // What follows costs nothing at best, and at worst the man that stands there then.
    if gained < threshold || gained - worth(on_square) >= threshold {
        return gained >= threshold;
    }
    let mut occupied = board.occupied() ^ played.from.bitboard();
    if taken.is_some() && !occupied.has(played.to) {
        occupied ^= Square::new(played.to.file(), played.from.rank()).bitboard();
    }
    let lost = reply(board, played.to, !board.side_to_move(), on_square, occupied);
    gained - lost >= threshold
}

const fn worth(piece: Piece) -> i32 {
    VALUES[piece as usize]
}

const fn more_than_a_pawn(made: Piece) -> i32 {
    worth(made) - worth(Piece::Pawn)
}

/// What the side to move gains on a square where the other side's `target` stands: never less than 0, as
/// it need not take.
fn reply(board: &Board, square: Square, side: Color, target: Piece, occupied: BitBoard) -> i32 {
    // What is taken by one capture after the other.
    let mut taken = [0; 32];
    let (mut side, mut target, mut occupied, mut count) = (side, target, occupied, 0);
    while count < taken.len()
        && let Some((piece, from)) = least_attacker(board, square, side, occupied)
    {
        occupied ^= from.bitboard();
        if piece == Piece::King && least_attacker(board, square, !side, occupied).is_some() {
            break;
        }
        taken[count] = worth(target);
        count += 1;
        (side, target) = (!side, piece);
    }
    // From the end, each side takes only if it gains by it.
    let captures = taken[..count].iter().rev();
    captures.fold(0, |best, value| (value - best).max(0))
}

/// The least valuable man of a side that attacks a square, and where it stands.
fn least_attacker(
    board: &Board,
    square: Square,
    side: Color,
    occupied: BitBoard,
) -> Option<(Piece, Square)> {
    let own = board.colors(side) & occupied;
    Piece::ALL.into_iter().find_map(|piece| {
        let men = own & board.pieces(piece);
        if men.is_empty() {
            return None;
        }
        let attackers = men & seen(piece, square, side, occupied);
        attackers.next_square().map(|from| (piece, from))
    })
}

/// From where a man of a side attacks a square.
fn seen(piece: Piece, square: Square, side: Color, occupied: BitBoard) -> BitBoard {
    match piece {
        Piece::Pawn => get_pawn_attacks(square, !side),
        Piece::Knight => get_knight_moves(square),
        Piece::Bishop => get_bishop_moves(square, occupied),
        Piece::Rook => get_rook_moves(square, occupied),
        Piece::Queen => get_bishop_moves(square, occupied) | get_rook_moves(square, occupied),
        Piece::King => get_king_moves(square),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchanges() {
        for (fen, played, expected) in [
            (
                "1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1",
                "e1e5",
                100,
            ),
            (
                "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1",
                "d3e5",
                -220,
            ),
            ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 100),
            ("4k3/8/4p3/3p4/8/3R4/8/4K3 w - - 0 1", "d3d5", -400),
            ("3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", 100),
            ("3rk3/3r4/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", -400),
            // En passant, with a rook behind the pawn that goes.
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "e5d6", 100),
            ("3rk3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "e5d6", 0),
            // The king must not take what is defended.
            ("4k3/3p4/8/8/8/8/8/R2R2K1 w - - 0 1", "d1d7", -400),
            ("4k3/3p4/8/8/8/8/3R4/3R2K1 w - - 0 1", "d2d7", 100),
            // Promotions, safe and not.
            ("8/4P3/8/8/8/8/k7/4K3 w - - 0 1", "e7e8q", 850),
            ("3r4/4P3/8/8/8/8/k7/4K3 w - - 0 1", "e7e8q", -100),
            // Castling, the king on its own rook.
            ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1h1", 0),
        ] {
            let board = Board::from_fen(fen, false).unwrap();
            let played = played.parse().unwrap();
            let thresholds = [expected - 900, expected, expected + 1, expected + 900];
            let worth = thresholds.map(|threshold| is_worth(&board, played, threshold));
            assert_eq!(worth, [true, true, false, false], "{fen} {played}");
        }
    }
}
