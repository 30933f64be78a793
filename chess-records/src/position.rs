//! A checked position: placement, side to move, rights and clocks.

use core::fmt;
use core::num::NonZeroU16;

use thiserror::Error;

use crate::{Board, Color, Label, Labelled, Piece, PieceType, Placement, Square};

/// A side of the board, as castling has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wing {
    /// Towards the h file.
    Kingside,
    /// Towards the a file.
    Queenside,
}

impl Wing {
    /// How many wings there are.
    pub const COUNT: usize = 2;
    /// Both wings, the kingside first.
    pub const ALL: [Self; Self::COUNT] = [Self::Kingside, Self::Queenside];
}

impl fmt::Display for Wing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Kingside => "kingside",
            Self::Queenside => "queenside",
        })
    }
}

/// The rooks that may still castle; Chess960 needs to know which rook, not just which side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CastlingRights {
    rooks: [[Option<Square>; Wing::COUNT]; Color::COUNT],
}

impl CastlingRights {
    /// No rights at all.
    pub const NONE: Self = Self {
        rooks: [[None; Wing::COUNT]; Color::COUNT],
    };

    /// The rook with which `color` may castle on `wing`.
    #[must_use]
    pub const fn rook(&self, color: Color, wing: Wing) -> Option<Square> {
        self.rooks[color.index()][wing as usize]
    }

    /// These rights with one replaced.
    #[must_use]
    pub const fn with_rook(mut self, color: Color, wing: Wing, rook: Option<Square>) -> Self {
        self.rooks[color.index()][wing as usize] = rook;
        self
    }

    /// The squares of all rooks that may castle.
    #[must_use]
    pub fn rooks(&self) -> u64 {
        let squares = self.rooks.as_flattened().iter().flatten();
        squares.fold(0, |mask, square| mask | square.bit())
    }
}

/// A position as far as a format tells it: placement and side to move always; castling rights, en
/// passant square and clocks where the format has them.
///
/// A `Position` is consistent: castling rights belong to a rook of the right colour on its king's
/// home rank and wing, and an en passant square is one that a pawn has just passed. It need not be
/// reachable, and the side that just moved may be in check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    pub(crate) placement: Placement,
    pub(crate) side_to_move: Color,
    pub(crate) castling: CastlingRights,
    pub(crate) en_passant: Option<Square>,
    pub(crate) halfmove_clock: Option<u8>,
    pub(crate) fullmove_number: Option<NonZeroU16>,
}

/// Why rights do not fit a placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PositionError {
    /// A castling right names a square where no rook of that side stands on its home rank.
    #[error("castling right on {square}, where no {color} rook stands on its home rank")]
    CastlingRook {
        /// The side.
        color: Color,
        /// The square named.
        square: Square,
    },
    /// A side may castle but its king is not on its home rank.
    #[error("{color} may castle but its king stands on {square}")]
    CastlingKing {
        /// The side.
        color: Color,
        /// Where its king is.
        square: Square,
    },
    /// A kingside rook stands left of its king, or a queenside rook right of it.
    #[error("the {color} rook on {square} stands on the wrong side of its king to castle")]
    CastlingWing {
        /// The side.
        color: Color,
        /// The rook's square.
        square: Square,
    },
    /// No enemy pawn can have just passed over the en passant square.
    #[error("no pawn can have just passed over the en passant square {square}")]
    EnPassant {
        /// The square named.
        square: Square,
    },
}

impl Position {
    /// A position without castling rights, en passant square or clocks.
    #[must_use]
    pub const fn new(placement: Placement, side_to_move: Color) -> Self {
        Self {
            placement,
            side_to_move,
            castling: CastlingRights::NONE,
            en_passant: None,
            halfmove_clock: None,
            fullmove_number: None,
        }
    }

    /// This position with these castling rights.
    ///
    /// # Errors
    ///
    /// When a right belongs to no rook on the home rank, on its own wing of a king there.
    pub fn with_castling(mut self, castling: CastlingRights) -> Result<Self, PositionError> {
        for color in Color::ALL {
            for wing in Wing::ALL {
                if let Some(rook) = castling.rook(color, wing) {
                    self.check_castling(color, wing, rook)?;
                }
            }
        }
        self.castling = castling;
        Ok(self)
    }

    fn check_castling(&self, color: Color, wing: Wing, rook: Square) -> Result<(), PositionError> {
        let rooks = self.placement.mask(Piece::new(color, PieceType::Rook));
        if rooks & rook.bit() == 0 || rook.rank() != color.home_rank() {
            return Err(PositionError::CastlingRook {
                color,
                square: rook,
            });
        }
        let king = self.placement.king(color);
        if king.rank() != color.home_rank() {
            return Err(PositionError::CastlingKing {
                color,
                square: king,
            });
        }
        if (rook > king) != (wing == Wing::Kingside) {
            return Err(PositionError::CastlingWing {
                color,
                square: rook,
            });
        }
        Ok(())
    }

    /// This position with this en passant square: the one a pawn has just passed over, whether or
    /// not an enemy pawn can take it there.
    ///
    /// # Errors
    ///
    /// When the square is not on the sixth rank of the side to move, it or the square the pawn came
    /// from is taken, or no enemy pawn stands in front of it.
    pub fn with_en_passant(mut self, square: Option<Square>) -> Result<Self, PositionError> {
        if let Some(square) = square
            && !self.just_passed(square)
        {
            return Err(PositionError::EnPassant { square });
        }
        self.en_passant = square;
        Ok(self)
    }

    /// This position without an en passant square.
    pub(crate) const fn without_en_passant(mut self) -> Self {
        self.en_passant = None;
        self
    }

    fn just_passed(&self, square: Square) -> bool {
        let enemy_pawns = Piece::new(self.side_to_move.opponent(), PieceType::Pawn);
        let (rank, pawn_rank, start_rank) = match self.side_to_move {
            Color::White => (5, 4, 6),
            Color::Black => (2, 3, 1),
        };
        let on = |rank: u8| 1u64 << (rank * 8 + square.file());
        let (pawn, passed) = (on(pawn_rank), square.bit() | on(start_rank));
        square.rank() == rank
            && self.placement.occupied() & passed == 0
            && self.placement.mask(enemy_pawns) & pawn != 0
    }

    /// This position with the number of plies since the last capture or pawn move. Files hold values
    /// over 100; they are kept.
    #[must_use]
    pub const fn with_halfmove_clock(mut self, clock: Option<u8>) -> Self {
        self.halfmove_clock = clock;
        self
    }

    /// This position with the number of the move to be played, counted from 1 and raised after
    /// Black's moves.
    #[must_use]
    pub const fn with_fullmove_number(mut self, number: Option<NonZeroU16>) -> Self {
        self.fullmove_number = number;
        self
    }

    /// The rooks that may still castle.
    #[must_use]
    pub const fn castling(&self) -> CastlingRights {
        self.castling
    }

    /// The square a pawn has just passed over, if the format and its writer record it.
    #[must_use]
    pub const fn en_passant(&self) -> Option<Square> {
        self.en_passant
    }

    /// Plies since the last capture or pawn move, where known.
    #[must_use]
    pub const fn halfmove_clock(&self) -> Option<u8> {
        self.halfmove_clock
    }

    /// The number of the move to be played, where known.
    #[must_use]
    pub const fn fullmove_number(&self) -> Option<NonZeroU16> {
        self.fullmove_number
    }
}

impl Board for Position {
    fn side_to_move(&self) -> Color {
        self.side_to_move
    }

    fn placement(&self) -> Placement {
        self.placement
    }
}

/// A position with its label.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabelledPosition {
    /// The position.
    pub position: Position,
    /// Its score and the game's result, from White's side.
    pub label: Label,
}

impl Board for LabelledPosition {
    fn side_to_move(&self) -> Color {
        self.position.side_to_move
    }

    fn placement(&self) -> Placement {
        self.position.placement
    }
}

impl Labelled for LabelledPosition {
    fn label(&self) -> Label {
        self.label
    }
}
