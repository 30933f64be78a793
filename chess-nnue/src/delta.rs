//! What a move changes on the board.

use chess_records::{Color, Piece, PieceType, Placement, Square};

use crate::arch::Counts;
use crate::features::PlainInput;

/// The pieces that a move lifts and the pieces that it puts down: at most two of each.
///
/// Everything is lifted before anything is put down, so castling in Chess960, where king and rook
/// may cross, change places or stay where they are, needs no special case.
///
/// A null move has no `Delta`; see [`AccumulatorStack::push_null`](crate::AccumulatorStack::push_null).
///
/// 32 bytes, aligned, so that two vector registers carry it onto a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(16))]
pub struct Delta {
    step: Step,
    lifted: Pieces,
    put: Pieces,
}

const _: () = assert!(size_of::<Delta>() == 32);

/// A move as hidden values see it: the inputs that it turns on and off.
///
/// They are numbered once, where the move is described, and not for every position it is made in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// For White's view and for Black's: two places for those turned on, two for those turned off, used
    /// or not.
    inputs: [[PlainInput; 4]; Color::COUNT],
    kind: Kind,
    /// [`Step::MOVES_KING`], and bit 0 where all pieces that are put down are White's, bit 1 where all are
    /// Black's.
    flags: u8,
}

/// How many pieces a move lifts and puts down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One, and one.
    Quiet,
    /// Two, and one.
    Capture,
    /// Two, and two.
    Castling,
    /// None at all.
    Null,
    /// Other numbers, which no move of chess has.
    Other,
}

impl Step {
    /// Whether one of the pieces is a king.
    const MOVES_KING: u8 = 4;

    const fn new(lifted: &Pieces, put: &Pieces) -> Self {
        let men = [
            put.pieces[0],
            put.pieces[1],
            lifted.pieces[0],
            lifted.pieces[1],
        ];
        let (piece, square) = men[0];
        let unused = PlainInput::new(Color::White, piece, square);
        let mut step = Self {
            inputs: [[unused; 4]; Color::COUNT],
            kind: match (lifted.len, put.len) {
                (1, 1) => Kind::Quiet,
                (2, 1) => Kind::Capture,
                (2, 2) => Kind::Castling,
                (0, 0) => Kind::Null,
                _ => Kind::Other,
            },
            flags: put.are_of(Color::White) as u8 | (put.are_of(Color::Black) as u8) << 1,
        };
        let mut place = 0;
        while place < men.len() {
            let (piece, square) = men[place];
            step.inputs[0][place] = PlainInput::new(Color::White, piece, square);
            step.inputs[1][place] = PlainInput::new(Color::Black, piece, square);
            // An unused place holds a pawn.
            if matches!(piece.piece_type, PieceType::King) {
                step.flags |= Self::MOVES_KING;
            }
            place += 1;
        }
        step
    }

    /// The inputs of a view without buckets and mirrors: two places for those turned on, two for those
    /// turned off.
    #[inline(always)]
    pub(crate) const fn inputs(&self, view: Color) -> &[PlainInput; 4] {
        &self.inputs[view.index()]
    }

    /// How many inputs are turned on and off.
    #[inline(always)]
    pub(crate) const fn kind(&self) -> Kind {
        self.kind
    }

    /// Whether one of the pieces is a king.
    #[inline(always)]
    pub(crate) const fn moves_king(&self) -> bool {
        self.flags & Self::MOVES_KING != 0
    }
}

/// Up to two pieces. The unused places hold what [`Pieces::NONE`] holds, so that equal lists compare
/// equal and every place holds a piece and a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pieces {
    pieces: [(Piece, Square); 2],
    len: u8,
}

impl Pieces {
    const NONE: Self = Self {
        pieces: [(Piece::new(Color::White, PieceType::Pawn), Square::A1); 2],
        len: 0,
    };

    const fn one(first: (Piece, Square)) -> Self {
        let mut list = Self::NONE;
        list.pieces[0] = first;
        list.len = 1;
        list
    }

    const fn two(first: (Piece, Square), second: (Piece, Square)) -> Self {
        Self {
            pieces: [first, second],
            len: 2,
        }
    }

    const fn are_of(&self, color: Color) -> bool {
        let mut place = 0;
        while place < self.len as usize {
            if self.pieces[place].0.color as u8 != color as u8 {
                return false;
            }
            place += 1;
        }
        true
    }

    fn push(&mut self, piece: (Piece, Square)) -> Option<()> {
        *self.pieces.get_mut(usize::from(self.len))? = piece;
        self.len += 1;
        Some(())
    }

    #[inline]
    fn as_slice(&self) -> &[(Piece, Square)] {
        match self.len {
            0 => &[],
            1 => &self.pieces[..1],
            _ => &self.pieces,
        }
    }
}

impl Delta {
    const fn new(lifted: Pieces, put: Pieces) -> Self {
        Self {
            step: Step::new(&lifted, &put),
            lifted,
            put,
        }
    }

    /// A piece moves to an empty square.
    #[must_use]
    pub const fn quiet(piece: Piece, from: Square, to: Square) -> Self {
        Self::new(Pieces::one((piece, from)), Pieces::one((piece, to)))
    }

    /// A piece takes an enemy piece of type `captured` on the square it moves to.
    #[must_use]
    pub const fn capture(piece: Piece, from: Square, to: Square, captured: PieceType) -> Self {
        let captured = Piece::new(piece.color.opponent(), captured);
        Self::new(
            Pieces::two((piece, from), (captured, to)),
            Pieces::one((piece, to)),
        )
    }

    /// A pawn takes another in passing: from `from` to `to`, the taken pawn standing on `to`'s file
    /// and `from`'s rank.
    #[must_use]
    pub fn en_passant(color: Color, from: Square, to: Square) -> Self {
        let pawn = Piece::new(color, PieceType::Pawn);
        let taken = Piece::new(color.opponent(), PieceType::Pawn);
        let beside = Square::ALL[usize::from(from.rank()) * 8 + usize::from(to.file())];
        Self::new(
            Pieces::two((pawn, from), (taken, beside)),
            Pieces::one((pawn, to)),
        )
    }

    /// A pawn moves to an empty square and becomes a piece of type `promoted`.
    #[must_use]
    pub const fn promotion(color: Color, from: Square, to: Square, promoted: PieceType) -> Self {
        Self::new(
            Pieces::one((Piece::new(color, PieceType::Pawn), from)),
            Pieces::one((Piece::new(color, promoted), to)),
        )
    }

    /// A pawn takes an enemy piece of type `captured` and becomes a piece of type `promoted`.
    #[must_use]
    pub const fn promotion_capture(
        color: Color,
        from: Square,
        to: Square,
        promoted: PieceType,
        captured: PieceType,
    ) -> Self {
        let pawn = Piece::new(color, PieceType::Pawn);
        let captured = Piece::new(color.opponent(), captured);
        Self::new(
            Pieces::two((pawn, from), (captured, to)),
            Pieces::one((Piece::new(color, promoted), to)),
        )
    }

    /// A king castles with a rook. Squares may coincide as Chess960 allows: each piece may end where
    /// it or the other one started.
    #[must_use]
    pub const fn castling(
        color: Color,
        king_from: Square,
        king_to: Square,
        rook_from: Square,
        rook_to: Square,
    ) -> Self {
        let king = Piece::new(color, PieceType::King);
        let rook = Piece::new(color, PieceType::Rook);
        Self::new(
            Pieces::two((king, king_from), (rook, rook_from)),
            Pieces::two((king, king_to), (rook, rook_to)),
        )
    }

    /// What leads from one placement to another, if at most two pieces have gone and at most two
    /// have come: right for every move, for engines that rather compare than classify.
    #[must_use]
    pub fn between(before: &Placement, after: &Placement) -> Option<Self> {
        let (mut lifted, mut put) = (Pieces::NONE, Pieces::NONE);
        for piece in Piece::ALL {
            let (old, new) = (before.mask(piece), after.mask(piece));
            for square in chess_records::Squares::new(old & !new) {
                lifted.push((piece, square))?;
            }
            for square in chess_records::Squares::new(new & !old) {
                put.push((piece, square))?;
            }
        }
        Some(Self::new(lifted, put))
    }

    /// Nothing changes.
    pub(crate) const NONE: Self = Self::new(Pieces::NONE, Pieces::NONE);

    /// The inputs that the move turns on and off.
    #[inline(always)]
    pub(crate) const fn step(&self) -> &Step {
        &self.step
    }

    /// How many inputs are turned on and how many off.
    #[inline(always)]
    pub(crate) const fn counts(&self) -> Counts {
        Counts {
            added: self.put.len as usize,
            removed: self.lifted.len as usize,
        }
    }

    /// Whether the pieces that are put down are this side's.
    #[inline(always)]
    pub(crate) const fn is_move_of(&self, mover: Color) -> bool {
        self.step.flags & (1 << mover.index()) != 0
    }

    /// The pieces taken off, each with the square it stood on.
    #[must_use]
    #[inline]
    pub fn lifted(&self) -> &[(Piece, Square)] {
        self.lifted.as_slice()
    }

    /// The pieces set down, each with the square it stands on then.
    #[must_use]
    #[inline]
    pub fn put(&self) -> &[(Piece, Square)] {
        self.put.as_slice()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn white(piece_type: PieceType) -> Piece {
        Piece::new(Color::White, piece_type)
    }

    const fn black(piece_type: PieceType) -> Piece {
        Piece::new(Color::Black, piece_type)
    }

    /// Kings on c1 and a8 and these men, then these men instead.
    fn between(
        before: &[(Piece, Square)],
        after: &[(Piece, Square)],
    ) -> (Placement, Placement, Option<Delta>) {
        let with_black_king = |men: &[(Piece, Square)]| {
            let king = [(black(PieceType::King), Square::A8)];
            Placement::from_pieces(men.iter().copied().chain(king)).unwrap()
        };
        let (before, after) = (with_black_king(before), with_black_king(after));
        (before, after, Delta::between(&before, &after))
    }

    fn check(delta: Delta, before: &[(Piece, Square)], after: &[(Piece, Square)]) {
        let (before, after, found) = between(before, after);
        assert_eq!(before.after(delta.lifted(), delta.put()), Ok(after));
        let found = found.unwrap();
        assert_eq!(before.after(found.lifted(), found.put()), Ok(after));
    }

    #[test]
    fn every_kind_of_move_changes_what_it_should() {
        use PieceType::{Bishop, King, Knight, Pawn, Queen, Rook};
        use Square as S;
        let king = (white(King), S::C1);
        let pawn = |square| (white(Pawn), square);
        check(
            Delta::quiet(white(Pawn), S::E2, S::E4),
            &[king, pawn(S::E2)],
            &[king, pawn(S::E4)],
        );
        check(
            Delta::capture(white(Pawn), S::E4, S::D5, Bishop),
            &[king, pawn(S::E4), (black(Bishop), S::D5)],
            &[king, pawn(S::D5)],
        );
        check(
            Delta::en_passant(Color::White, S::E5, S::D6),
            &[king, pawn(S::E5), (black(Pawn), S::D5)],
            &[king, pawn(S::D6)],
        );
        check(
            Delta::promotion(Color::White, S::E7, S::E8, Knight),
            &[king, pawn(S::E7)],
            &[king, (white(Knight), S::E8)],
        );
        check(
            Delta::promotion_capture(Color::White, S::E7, S::D8, Queen, Rook),
            &[king, pawn(S::E7), (black(Rook), S::D8)],
            &[king, (white(Queen), S::D8)],
        );
    }

    #[test]
    fn castling_of_every_kind() {
        use PieceType::{King, Rook};
        use Square as S;
        let cases = [
            (S::E1, S::G1, S::H1, S::F1), // as usual
            (S::E1, S::C1, S::A1, S::D1), // queenside
            (S::G1, S::G1, S::H1, S::F1), // the king stays
            (S::E1, S::G1, S::F1, S::F1), // the rook stays
            (S::F1, S::G1, S::G1, S::F1), // they change places
            (S::B1, S::C1, S::A1, S::D1), // the rook jumps the king
            (S::C1, S::C1, S::D1, S::D1), // nothing moves
        ];
        for (king_from, king_to, rook_from, rook_to) in cases {
            check(
                Delta::castling(Color::White, king_from, king_to, rook_from, rook_to),
                &[(white(King), king_from), (white(Rook), rook_from)],
                &[(white(King), king_to), (white(Rook), rook_to)],
            );
        }
    }

    #[test]
    fn more_than_a_move_is_no_delta() {
        let start = [(white(PieceType::King), Square::C1)];
        let queen = white(PieceType::Queen);
        let three = [Square::E1, Square::E2, Square::E3].map(|square| (queen, square));
        let (_, _, delta) = between(&start, &[&start[..], &three].concat());
        assert_eq!(delta, None);
    }
}
