//! Which piece stands where: all that an evaluator needs of a board.

use core::fmt;

use thiserror::Error;

use crate::{Color, Piece, PieceType, Square, Squares};

/// Where the men stand, as two colour masks and six piece-type masks (bit *i* = square *i*).
///
/// A placement is checked once, when it is made: each side has exactly one king, there are at most
/// [`Placement::MAX_MEN`] men, and every man has one colour and one type. It is 64 bytes, `Copy`,
/// and knows neither whose move it is nor any rights; [`Position`](crate::Position) does.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Placement {
    colors: [u64; Color::COUNT],
    pieces: [u64; PieceType::COUNT],
}

/// Why masks are no placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PlacementError {
    /// A square is in both colour masks.
    #[error("{square} holds men of both colours")]
    BothColors {
        /// The lowest such square.
        square: Square,
    },
    /// A square is in two piece-type masks.
    #[error("{square} holds two types of piece")]
    TwoTypes {
        /// The lowest such square.
        square: Square,
    },
    /// A square is in a colour mask but in no piece-type mask.
    #[error("{square} has a colour but no type of piece")]
    NoType {
        /// The lowest such square.
        square: Square,
    },
    /// A square is in a piece-type mask but in no colour mask.
    #[error("{square} has a type of piece but no colour")]
    NoColor {
        /// The lowest such square.
        square: Square,
    },
    /// A side has no king or several.
    #[error("{color} has {found} kings, expected 1")]
    Kings {
        /// The side.
        color: Color,
        /// How many kings it has.
        found: u32,
    },
    /// More men than [`Placement::MAX_MEN`].
    #[error("{found} men on the board, expected at most 32")]
    TooManyMen {
        /// How many there are.
        found: u32,
    },
}

/// Why pieces cannot be lifted and put as asked; see [`Placement::after`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ChangeError {
    /// The piece to be lifted does not stand there.
    #[error("no {piece} stands on {square}")]
    NotThere {
        /// The piece.
        piece: Piece,
        /// The square.
        square: Square,
    },
    /// The square a piece is to be put on is taken.
    #[error("{square} is taken, the {piece} cannot be put there")]
    Taken {
        /// The piece.
        piece: Piece,
        /// The square.
        square: Square,
    },
    /// What results is no placement.
    #[error(transparent)]
    Placement(#[from] PlacementError),
}

impl Placement {
    /// The most men a placement holds.
    pub const MAX_MEN: u32 = 32;

    /// Checks masks and makes a placement of them.
    ///
    /// `colors` is indexed by [`Color::index`], `pieces` by [`PieceType::index`].
    ///
    /// # Errors
    ///
    /// A [`PlacementError`] when the masks contradict each other, a side has not exactly one king,
    /// or there are more than 32 men.
    pub const fn new(
        colors: [u64; Color::COUNT],
        pieces: [u64; PieceType::COUNT],
    ) -> Result<Self, PlacementError> {
        if let Some(square) = Square::lowest(colors[0] & colors[1]) {
            return Err(PlacementError::BothColors { square });
        }
        let (mut typed, mut twice, mut index) = (0, 0, 0);
        while index < PieceType::COUNT {
            twice |= typed & pieces[index];
            typed |= pieces[index];
            index += 1;
        }
        if let Some(square) = Square::lowest(twice) {
            return Err(PlacementError::TwoTypes { square });
        }
        let colored = colors[0] | colors[1];
        if let Some(square) = Square::lowest(colored & !typed) {
            return Err(PlacementError::NoType { square });
        }
        if let Some(square) = Square::lowest(typed & !colored) {
            return Err(PlacementError::NoColor { square });
        }
        let placement = Self { colors, pieces };
        if let Err(error) = placement.check_kings() {
            return Err(error);
        }
        if let Err(error) = placement.check_men() {
            return Err(error);
        }
        Ok(placement)
    }

    /// The placement with these men, each on a square of its own.
    ///
    /// # Errors
    ///
    /// As [`Placement::new`]; a square named twice is [`PlacementError::TwoTypes`].
    pub fn from_pieces(
        pieces: impl IntoIterator<Item = (Piece, Square)>,
    ) -> Result<Self, PlacementError> {
        let mut placed = Self {
            colors: [0; 2],
            pieces: [0; 6],
        };
        for (piece, square) in pieces {
            if placed.occupied() & square.bit() != 0 {
                return Err(PlacementError::TwoTypes { square });
            }
            placed.toggle(piece, square);
        }
        Self::new(placed.colors, placed.pieces)
    }

    const fn check_kings(&self) -> Result<(), PlacementError> {
        let mut index = 0;
        while index < Color::COUNT {
            let color = Color::ALL[index];
            let found = self.mask(Piece::new(color, PieceType::King)).count_ones();
            if found != 1 {
                return Err(PlacementError::Kings { color, found });
            }
            index += 1;
        }
        Ok(())
    }

    const fn check_men(&self) -> Result<(), PlacementError> {
        let found = self.men();
        if found > Self::MAX_MEN {
            return Err(PlacementError::TooManyMen { found });
        }
        Ok(())
    }

    /// Every square that holds a man.
    #[must_use]
    pub const fn occupied(&self) -> u64 {
        self.colors[0] | self.colors[1]
    }

    /// The squares of one side's men.
    #[must_use]
    pub const fn color(&self, color: Color) -> u64 {
        self.colors[color.index()]
    }

    /// The squares of both sides' pieces of one type.
    #[must_use]
    pub const fn piece_type(&self, piece_type: PieceType) -> u64 {
        self.pieces[piece_type.index()]
    }

    /// The squares of one side's pieces of one type.
    #[must_use]
    pub const fn mask(&self, piece: Piece) -> u64 {
        self.color(piece.color) & self.piece_type(piece.piece_type)
    }

    /// Where a side's king stands.
    #[must_use]
    pub const fn king(&self, color: Color) -> Square {
        match Square::lowest(self.mask(Piece::new(color, PieceType::King))) {
            Some(square) => square,
            // `new` and `after` refuse a side without a king.
            None => Square::A1,
        }
    }

    /// The man on a square.
    #[must_use]
    #[inline]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        let on = |mask: u64| (mask >> square.index()) as u8 & 1;
        if on(self.occupied()) == 0 {
            return None;
        }
        let color = Color::ALL[usize::from(on(self.colors[Color::Black.index()]))];
        // One type has the square: its number is the sum of numbers without a branch for each.
        let numbered = (0..).zip(self.pieces);
        let number = numbered.fold(0, |sum, (number, mask)| sum + number * on(mask));
        Some(Piece::new(color, PieceType::new(number)?))
    }

    /// How many men there are, 2 to 32.
    #[must_use]
    pub const fn men(&self) -> u32 {
        self.occupied().count_ones()
    }

    /// Every man with its square: White's pawns from a1 upwards, then White's knights, and so on to
    /// Black's king.
    pub fn pieces(&self) -> impl Iterator<Item = (Piece, Square)> + use<> {
        let placement = *self;
        Piece::ALL.into_iter().flat_map(move |piece| {
            Squares::new(placement.mask(piece)).map(move |square| (piece, square))
        })
    }

    /// The same position with the colours exchanged and the board turned upside down (rank 1 becomes
    /// rank 8): what the side that was Black sees as White.
    #[must_use]
    pub const fn flipped(&self) -> Self {
        let mut flipped = *self;
        flipped.colors = [self.colors[1].swap_bytes(), self.colors[0].swap_bytes()];
        let mut index = 0;
        while index < PieceType::COUNT {
            flipped.pieces[index] = self.pieces[index].swap_bytes();
            index += 1;
        }
        flipped
    }

    /// The placement after the pieces of `lifted` have been taken off and then those of `put` set
    /// down; see [`Placement::change`].
    ///
    /// # Errors
    ///
    /// As [`Placement::change`].
    pub fn after(
        &self,
        lifted: &[(Piece, Square)],
        put: &[(Piece, Square)],
    ) -> Result<Self, ChangeError> {
        let mut next = *self;
        next.change(lifted, put)?;
        Ok(next)
    }

    /// Takes the pieces of `lifted` off and then sets those of `put` down.
    ///
    /// Everything is lifted before anything is put, so that king and rook may exchange squares or
    /// stay where they are.
    ///
    /// # Errors
    ///
    /// A [`ChangeError`] when a piece to be lifted is not there, a square to put one on is taken, or
    /// the result is no placement. The placement is then as it was.
    #[inline]
    pub fn change(
        &mut self,
        lifted: &[(Piece, Square)],
        put: &[(Piece, Square)],
    ) -> Result<(), ChangeError> {
        let mut kings_moved = false;
        for (done, &(piece, square)) in lifted.iter().enumerate() {
            if self.mask(piece) & square.bit() == 0 {
                self.undo(&lifted[..done], &[]);
                return Err(ChangeError::NotThere { piece, square });
            }
            self.toggle(piece, square);
            kings_moved |= piece.piece_type == PieceType::King;
        }
        for (done, &(piece, square)) in put.iter().enumerate() {
            if self.occupied() & square.bit() != 0 {
                self.undo(lifted, &put[..done]);
                return Err(ChangeError::Taken { piece, square });
            }
            self.toggle(piece, square);
            kings_moved |= piece.piece_type == PieceType::King;
        }
        if kings_moved || put.len() > lifted.len() {
            let checked = self.check_kings().and_then(|()| self.check_men());
            checked.inspect_err(|_| self.undo(lifted, put))?;
        }
        Ok(())
    }

    /// Undoes a part of a change.
    #[cold]
    fn undo(&mut self, lifted: &[(Piece, Square)], put: &[(Piece, Square)]) {
        for &(piece, square) in lifted.iter().chain(put) {
            self.toggle(piece, square);
        }
    }

    /// Lifts or puts a piece without checking anything: callers leave a placement behind.
    #[inline]
    pub(crate) const fn toggle(&mut self, piece: Piece, square: Square) {
        self.colors[piece.color.index()] ^= square.bit();
        self.pieces[piece.piece_type.index()] ^= square.bit();
    }
}

/// Eight lines from rank 8 to rank 1, FEN letters and dots.
impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..8).rev() {
            for file in 0..8 {
                let piece = Square::at(file, rank).and_then(|square| self.piece_at(square));
                let letter = piece.map_or('.', Piece::fen_letter);
                let separator = if file == 0 { "" } else { " " };
                write!(f, "{separator}{letter}")?;
            }
            if rank > 0 {
                writeln!(f)?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Placement({})", crate::fen::PlacementField(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;
    use std::vec::Vec;

    const WHITE_KING: Piece = Piece::new(Color::White, PieceType::King);
    const BLACK_KING: Piece = Piece::new(Color::Black, PieceType::King);
    const WHITE_ROOK: Piece = Piece::new(Color::White, PieceType::Rook);

    fn kings_and(others: &[(Piece, Square)]) -> Result<Placement, PlacementError> {
        let kings = [(WHITE_KING, Square::E1), (BLACK_KING, Square::E8)];
        Placement::from_pieces(kings.into_iter().chain(others.iter().copied()))
    }

    #[test]
    fn men_are_found_where_they_were_put() {
        let placement = kings_and(&[(WHITE_ROOK, Square::H1)]).unwrap();
        assert_eq!(placement.men(), 3);
        assert_eq!(placement.king(Color::Black), Square::E8);
        assert_eq!(placement.piece_at(Square::H1), Some(WHITE_ROOK));
        assert_eq!(placement.piece_at(Square::H2), None);
        let pieces: Vec<_> = placement.pieces().collect();
        assert_eq!(
            pieces,
            [
                (WHITE_ROOK, Square::H1),
                (WHITE_KING, Square::E1),
                (BLACK_KING, Square::E8)
            ]
        );
        assert_eq!(size_of::<Placement>(), 64);
    }

    #[test]
    fn flipping_exchanges_sides_and_ranks() {
        let placement = kings_and(&[(WHITE_ROOK, Square::H1)]).unwrap();
        let black_rook = Piece::new(Color::Black, PieceType::Rook);
        let expected = kings_and(&[(black_rook, Square::H8)]).unwrap();
        assert_eq!(placement.flipped(), expected);
        assert_eq!(placement.flipped().flipped(), placement);
    }

    #[test]
    fn contradictions_are_refused_and_named() {
        let king = |square: Square| square.bit();
        let kings = [0, 0, 0, 0, 0, king(Square::E1) | king(Square::E8)];
        let sides = [king(Square::E1), king(Square::E8)];
        let with = |colors: [u64; 2], pieces: [u64; 6]| {
            Placement::new(
                [sides[0] | colors[0], sides[1] | colors[1]],
                core::array::from_fn(|i| kings[i] | pieces[i]),
            )
            .unwrap_err()
            .to_string()
        };
        let a3 = Square::A3.bit();
        assert_eq!(
            with([a3, a3], [a3, 0, 0, 0, 0, 0]),
            "a3 holds men of both colours"
        );
        assert_eq!(
            with([a3, 0], [a3, a3, 0, 0, 0, 0]),
            "a3 holds two types of piece"
        );
        assert_eq!(
            with([a3, 0], [0; 6]),
            "a3 has a colour but no type of piece"
        );
        assert_eq!(
            with([0, 0], [a3, 0, 0, 0, 0, 0]),
            "a3 has a type of piece but no colour"
        );
        assert_eq!(
            with([0, a3], [0, 0, 0, 0, 0, a3]),
            "Black has 2 kings, expected 1"
        );
        assert_eq!(
            Placement::new([0; 2], [0; 6]).unwrap_err().to_string(),
            "White has 0 kings, expected 1"
        );
        let two_ranks_more = 0x0000_ffff_ffff_0000;
        assert_eq!(
            with([two_ranks_more, 0], [two_ranks_more, 0, 0, 0, 0, 0]),
            "34 men on the board, expected at most 32"
        );
        assert_eq!(
            kings_and(&[(WHITE_ROOK, Square::E1)]),
            Err(PlacementError::TwoTypes { square: Square::E1 })
        );
    }

    #[test]
    fn changes_lift_before_they_put() {
        let start = kings_and(&[(WHITE_ROOK, Square::F1)]).unwrap();
        let lifted = [(WHITE_KING, Square::E1), (WHITE_ROOK, Square::F1)];
        let put = [(WHITE_KING, Square::F1), (WHITE_ROOK, Square::E1)];
        let swapped = start.after(&lifted, &put).unwrap();
        assert_eq!(swapped.piece_at(Square::E1), Some(WHITE_ROOK));
        assert_eq!(swapped.king(Color::White), Square::F1);
        assert_eq!(swapped.after(&put, &lifted), Ok(start));
    }

    #[test]
    fn changes_that_cannot_be() {
        let start = kings_and(&[(WHITE_ROOK, Square::H1)]).unwrap();
        let text = |lifted: &[_], put: &[_]| {
            let mut changed = start;
            let error = changed.change(lifted, put).unwrap_err();
            assert_eq!(changed, start, "a change that fails leaves no trace");
            error.to_string()
        };
        assert_eq!(
            text(&[(WHITE_ROOK, Square::A1)], &[]),
            "no White rook stands on a1"
        );
        assert_eq!(
            text(&[], &[(WHITE_ROOK, Square::H1)]),
            "h1 is taken, the White rook cannot be put there"
        );
        let rook_and_h1 = [(WHITE_ROOK, Square::H1), (WHITE_ROOK, Square::H1)];
        assert_eq!(text(&rook_and_h1, &[]), "no White rook stands on h1");
        assert_eq!(
            text(&[(BLACK_KING, Square::E8)], &[(WHITE_ROOK, Square::E8)]),
            "Black has 0 kings, expected 1"
        );
        let pawn = Piece::new(Color::White, PieceType::Pawn);
        let full: Vec<_> = (16..45).map(|i| (pawn, Square::ALL[i])).collect();
        let full = kings_and(&full).unwrap();
        let one_more = [(pawn, Square::A7), (pawn, Square::B7)];
        assert_eq!(full.men(), 31);
        assert_eq!(
            full.after(&[], &one_more).unwrap_err().to_string(),
            "33 men on the board, expected at most 32"
        );
    }

    #[test]
    fn boards_are_drawn_from_the_eighth_rank_down() {
        let drawn = kings_and(&[(WHITE_ROOK, Square::H1)]).unwrap();
        let text = drawn.to_string();
        assert_eq!(text.lines().next(), Some(". . . . k . . ."));
        assert_eq!(text.lines().last(), Some(". . . . K . . R"));
        assert_eq!(text.lines().count(), 8);
        assert_eq!(std::format!("{drawn:?}"), "Placement(4k3/8/8/8/8/8/8/4K2R)");
    }
}
