//! What pieces attack, from tables made at compile time.

use crate::{Color, Piece, PieceType, Placement, Square, Squares};

type Table = [u64; Square::COUNT];
type Steps = [(i8, i8)];

const DIAGONAL: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
const STRAIGHT: [(i8, i8); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const JUMPS: [(i8, i8); 8] = [
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
];

/// Where a knight goes.
static KNIGHT: Table = reach(&JUMPS, 1);
/// Where a king goes.
static KING: Table = join(reach(&DIAGONAL, 1), reach(&STRAIGHT, 1));
/// The squares on a square's diagonals, that one left out.
static DIAGONALS: Table = reach(&DIAGONAL, 7);
/// The squares on a square's rank and file, that one left out.
static STRAIGHTS: Table = reach(&STRAIGHT, 7);
/// What the pawns of each side attack.
static PAWN: [Table; Color::COUNT] = [reach(&[(-1, 1), (1, 1)], 1), reach(&[(-1, -1), (1, -1)], 1)];
/// The squares strictly between two on a line; none for others.
static BETWEEN: [Table; Square::COUNT] = between_all();

/// The square so many files and ranks away, as a mask; empty past the edge.
const fn step(square: Square, (files, ranks): (i8, i8)) -> u64 {
    let file = square.file().wrapping_add_signed(files);
    let rank = square.rank().wrapping_add_signed(ranks);
    match Square::at(file, rank) {
        Some(to) => to.bit(),
        None => 0,
    }
}

/// What up to `most` steps in one direction reach on an empty board.
const fn ray(from: Square, direction: (i8, i8), most: usize) -> u64 {
    let (mut reached, mut at, mut steps) = (0, from, 0);
    while steps < most {
        let next = step(at, direction);
        reached |= next;
        match Square::lowest(next) {
            Some(next) => at = next,
            None => break,
        }
        steps += 1;
    }
    reached
}

const fn reach(directions: &Steps, most: usize) -> Table {
    let mut table = [0; Square::COUNT];
    let mut from = 0;
    while from < Square::COUNT {
        let mut direction = 0;
        while direction < directions.len() {
            table[from] |= ray(Square::ALL[from], directions[direction], most);
            direction += 1;
        }
        from += 1;
    }
    table
}

const fn join(mut one: Table, other: Table) -> Table {
    let mut square = 0;
    while square < Square::COUNT {
        one[square] |= other[square];
        square += 1;
    }
    one
}

const fn between_all() -> [Table; Square::COUNT] {
    let mut table = [[0; Square::COUNT]; Square::COUNT];
    let mut from = 0;
    while from < Square::COUNT {
        let mut direction = 0;
        while direction < 4 {
            table[from] = between_along(table[from], Square::ALL[from], DIAGONAL[direction]);
            table[from] = between_along(table[from], Square::ALL[from], STRAIGHT[direction]);
            direction += 1;
        }
        from += 1;
    }
    table
}

const fn between_along(mut table: Table, from: Square, direction: (i8, i8)) -> Table {
    let (mut passed, mut at) = (0, from);
    while let Some(next) = Square::lowest(step(at, direction)) {
        table[next.index()] = passed;
        passed |= next.bit();
        at = next;
    }
    table
}

/// What a pawn of `color` on `square` attacks: also where the other side's pawns attack it from.
#[inline]
pub(crate) fn pawn_attacks(square: Square, color: Color) -> u64 {
    PAWN[color.index()][square.index()]
}

/// The squares strictly between two on a rank, file or diagonal; none for others.
#[inline]
pub(crate) fn between(from: Square, to: Square) -> u64 {
    BETWEEN[from.index()][to.index()]
}

/// Where a piece (not a pawn) goes on an empty board.
#[inline]
pub(crate) fn reached(piece_type: PieceType, from: Square) -> u64 {
    let from = from.index();
    match piece_type {
        PieceType::Pawn => 0,
        PieceType::Knight => KNIGHT[from],
        PieceType::Bishop => DIAGONALS[from],
        PieceType::Rook => STRAIGHTS[from],
        PieceType::Queen => DIAGONALS[from] | STRAIGHTS[from],
        PieceType::King => KING[from],
    }
}

impl Piece {
    /// The squares that the piece attacks from `from` on a board whose men stand on `occupied`, as a mask:
    /// up to the first man of either side in each direction, that one included. Of a pawn they are those
    /// on which it takes.
    ///
    /// ```
    /// use chess_records::{Color, Piece, PieceType, Square, Squares};
    ///
    /// let bishop = Piece::new(Color::White, PieceType::Bishop);
    /// let attacked = bishop.attacks(Square::C1, Square::E3.bit() | Square::B2.bit());
    /// assert!(Squares::new(attacked).eq([Square::B2, Square::D2, Square::E3]));
    /// ```
    #[must_use]
    pub fn attacks(self, from: Square, occupied: u64) -> u64 {
        let reached = match self.piece_type {
            PieceType::Pawn => pawn_attacks(from, self.color),
            piece_type => reached(piece_type, from),
        };
        let clear = |to: &Square| between(from, *to) & occupied == 0;
        let attacked = Squares::new(reached).filter(clear);
        attacked.fold(0, |mask, to| mask | to.bit())
    }
}

/// Whether a man of `by`, its king apart, attacks `square` past what `occupied` holds.
#[inline]
pub(crate) fn gives_check(placement: &Placement, occupied: u64, square: Square, by: Color) -> bool {
    let of = |piece_type| placement.mask(Piece::new(by, piece_type));
    let queens = of(PieceType::Queen);
    let near = of(PieceType::Pawn) & pawn_attacks(square, by.opponent())
        | of(PieceType::Knight) & KNIGHT[square.index()];
    let sliders = (of(PieceType::Bishop) | queens) & DIAGONALS[square.index()]
        | (of(PieceType::Rook) | queens) & STRAIGHTS[square.index()];
    near != 0 || Squares::new(sliders).any(|from| between(from, square) & occupied == 0)
}

/// Whether a man of `by`, its king included, attacks `square` past what `occupied` holds.
#[inline]
pub(crate) fn attacked(placement: &Placement, occupied: u64, square: Square, by: Color) -> bool {
    KING[square.index()] & placement.king(by).bit() != 0
        || gives_check(placement, occupied, square, by)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Board, Position};

    #[test]
    fn tables() {
        assert_eq!(KNIGHT[0], Square::B3.bit() | Square::C2.bit());
        let beside = Square::G1.bit() | Square::G2.bit() | Square::H2.bit();
        assert_eq!(KING[Square::H1.index()], beside);
        assert_eq!(DIAGONALS[0].count_ones(), 7);
        assert_eq!(DIAGONALS[Square::E4.index()].count_ones(), 13);
        assert!(STRAIGHTS.iter().all(|mask| mask.count_ones() == 14));
        assert_eq!(pawn_attacks(Square::A2, Color::White), Square::B3.bit());
        assert_eq!(pawn_attacks(Square::A2, Color::Black), Square::B1.bit());
        assert_eq!(pawn_attacks(Square::A8, Color::White), 0);
        assert_eq!(
            between(Square::A1, Square::D4),
            Square::B2.bit() | Square::C3.bit()
        );
        assert_eq!(between(Square::A1, Square::B3), 0);
        for one in Square::ALL {
            for other in Square::ALL {
                assert_eq!(between(one, other), between(other, one));
            }
        }
    }

    #[test]
    fn pieces_attack_up_to_the_first_man() {
        let attacks = |color, piece_type, from, occupied| {
            let attacked = Piece::new(color, piece_type).attacks(from, occupied);
            attacked.count_ones()
        };
        let (white, black) = (Color::White, Color::Black);
        assert_eq!(attacks(white, PieceType::Queen, Square::D4, 0), 27);
        let around = Piece::new(white, PieceType::King).attacks(Square::D4, 0);
        assert_eq!(attacks(black, PieceType::Queen, Square::D4, around), 8);
        // Nothing shields from a knight or a pawn.
        assert_eq!(attacks(black, PieceType::Knight, Square::D4, around), 8);
        let pawn = |color| Piece::new(color, PieceType::Pawn).attacks(Square::A4, u64::MAX);
        assert_eq!(pawn(white), Square::B5.bit());
        assert_eq!(pawn(black), Square::B3.bit());
    }

    #[test]
    fn what_stands_between_shields() {
        let position = Position::from_fen("4k3/8/8/r2P2K1/8/8/8/4q3 b - -").unwrap();
        let placement = position.placement();
        let (open, king) = (placement.occupied(), placement.king(Color::White));
        assert!(!attacked(&placement, open, king, Color::Black));
        let lifted = open & !Square::D5.bit();
        assert!(attacked(&placement, lifted, king, Color::Black));
        // By the king alone.
        assert!(attacked(&placement, open, Square::F8, Color::Black));
        assert!(!gives_check(&placement, open, Square::F8, Color::Black));
    }
}
