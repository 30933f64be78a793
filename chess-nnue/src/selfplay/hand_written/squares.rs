//! What a man is worth by itself on each square, by rules of thumb: towards the centre, forward, and
//! for the king behind its pawns until the board is empty.

use cozy_chess::{Color, Piece, Square};

use super::phased::{Phased, s};

/// What the men are worth, pawn to king.
const MATERIAL: [Phased; 6] = [
    s(82, 108),
    s(330, 300),
    s(348, 322),
    s(490, 545),
    s(1010, 980),
    s(0, 0),
];

/// Material and place, by piece and square, seen from the side that owns it.
static VALUES: [[Phased; Square::NUM]; Piece::NUM] = values();

/// What a man is worth on its square.
pub(super) fn value(piece: Piece, square: Square, color: Color) -> Phased {
    VALUES[piece as usize][square.relative_to(color) as usize]
}

const fn values() -> [[Phased; Square::NUM]; Piece::NUM] {
    let mut values = [[s(0, 0); Square::NUM]; Piece::NUM];
    let mut piece = 0;
    while piece < Piece::NUM {
        let mut square = 0;
        while square < Square::NUM {
            values[piece][square] = MATERIAL[piece].plus(place(piece, square));
            square += 1;
        }
        piece += 1;
    }
    values
}

const fn place(piece: usize, square: usize) -> Phased {
    let (file, rank) = ((square % 8) as i32, (square / 8) as i32);
    let centre = centrality(file) + centrality(rank);
    match piece {
        0 => pawn(file, rank),
        1 => s(
            7 * centre - 26 + forward(rank, 4),
            6 * centre - 22 + forward(rank, 2),
        ),
        2 => s(4 * centre - 12 + forward(rank, 1), 3 * centre - 8),
        3 => s(
            3 * centrality(file) + if rank == 6 { 16 } else { 0 } - 5,
            if rank == 6 { 14 } else { 0 },
        ),
        4 => s(centre - 4, 5 * centre - 14),
        _ => king(file, rank, centre),
    }
}

/// 0 on the edge, 3 on the middle files or ranks.
const fn centrality(line: i32) -> i32 {
    if line < 4 { line } else { 7 - line }
}

/// A little for each rank up to the sixth.
const fn forward(rank: i32, each: i32) -> i32 {
    each * if rank < 6 { rank } else { 5 } - 2 * each
}

const fn pawn(file: i32, rank: i32) -> Phased {
    const ADVANCE: [Phased; 8] = [
        s(0, 0),
        s(-2, -4),
        s(-1, -2),
        s(4, 4),
        s(12, 14),
        s(28, 36),
        s(60, 80),
        s(0, 0),
    ];
    let middle = if rank >= 2 && rank <= 4 {
        5 * centrality(file) - 5
    } else {
        0
    };
    ADVANCE[rank as usize].plus(s(middle, 0))
}

const fn king(file: i32, rank: i32, centre: i32) -> Phased {
    // At home from the middle files to the edge; away from home it is in danger everywhere.
    const HOME: [i32; 4] = [0, 6, 22, 12];
    let from_edge = centrality(file);
    let middlegame = if rank == 0 {
        HOME[3 - from_edge as usize]
    } else {
        -22 * if rank < 3 { rank } else { 3 } - 10 * from_edge
    };
    s(middlegame, 8 * centre - 24)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_see_the_same_board() {
        let piece = Piece::Pawn;
        assert_eq!(
            value(piece, Square::E6, Color::White),
            value(piece, Square::E3, Color::Black)
        );
        assert_ne!(
            value(piece, Square::E6, Color::White),
            value(piece, Square::E6, Color::Black)
        );
    }
}
