//! Moves as numbers: 64 squares times 73 planes.
//!
//! An action is `from square · 73 + plane`, squares counted from a1 = 0 by rank to h8 = 63. The
//! planes are those of AlphaZero's 8×8×73, always seen from White's side of the board:
//!
//! | planes | moves |
//! |---|---|
//! | 0–55 | 7 · direction + distance − 1; directions N NE E SE S SW W NW, distances 1–7 |
//! | 56–63 | a knight's jumps: (1,2) (2,1) (2,−1) (1,−2) (−1,−2) (−2,−1) (−2,1) (−1,2), files first |
//! | 64–72 | 64 + 3 · (file step + 1) + {knight 0, bishop 1, rook 2}: underpromotions |
//!
//! A pawn that becomes a queen makes a plain move of the planes 0–55, and castling is the king's move
//! by two squares. Underpromotions go up from the seventh rank and down from the second.
//!
//! The planes are those of Silver et al., "A general reinforcement learning algorithm that masters
//! chess, shogi, and Go through self-play", 2018, in the order of the ChessTransformer project.

#[cfg(feature = "cozy-chess")]
mod cozy_chess;
#[cfg(feature = "shakmaty")]
mod shakmaty;

use std::fmt;

use chess_records::{
    Board, PieceType, Placement, Position, Square, UciMove, ViriMove, ViriMoveError, ViriMoveKind,
};
use thiserror::Error;

const DIRECTIONS: [(i8, i8); 8] = [
    (0, 1),
    (1, 1),
    (1, 0),
    (1, -1),
    (0, -1),
    (-1, -1),
    (-1, 0),
    (-1, 1),
];
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
const UNDERPROMOTIONS: [PieceType; 3] = [PieceType::Knight, PieceType::Bishop, PieceType::Rook];
const FIRST_JUMP: u8 = 56;
const FIRST_UNDERPROMOTION: u8 = 64;

/// In the place of a square: the plane leads off the board.
const OFF_BOARD: u8 = 64;
/// Where each action leads.
static TARGETS: [u8; Action::COUNT] = targets();

/// A move as a number under [`Action::COUNT`] that leads from a square of the board to another. The
/// [module](self) has the planes.
///
/// Whether a move is legal anywhere is for a board to say.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Action(u16);

/// Why a number or a move is no action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ActionError {
    /// The number is too large.
    #[error("action {found} is over 4671")]
    Number {
        /// The number.
        found: u16,
    },
    /// The plane is too large.
    #[error("plane {found} is over 72")]
    Plane {
        /// The plane.
        found: u8,
    },
    /// The plane leads off the board, or it is an underpromotion where no pawn makes its last step.
    #[error("plane {plane} leads nowhere from {from}")]
    Nowhere {
        /// The square.
        from: Square,
        /// The plane.
        plane: u8,
    },
    /// No piece moves like this.
    #[error("no plane leads from {from} to {to}")]
    NoPlane {
        /// The square left.
        from: Square,
        /// The square reached.
        to: Square,
    },
    /// No pawn becomes this on such a move.
    #[error("a move from {from} to {to} makes no {promotion}")]
    Promotion {
        /// The square left.
        from: Square,
        /// The square reached.
        to: Square,
        /// The type asked for.
        promotion: PieceType,
    },
    /// Castling with a king that is not on the e file, or onto no corner, as only Chess960 has it.
    #[error("castling from {king} with the rook on {rook} is Chess960's, which has no action")]
    Chess960 {
        /// Where the king stands.
        king: Square,
        /// Where the rook stands.
        rook: Square,
    },
}

impl Action {
    /// How many planes there are for each square.
    pub const PLANES: usize = 73;
    /// How many numbers there are. Not each of them is an action: most planes lead off the board
    /// from some squares.
    pub const COUNT: usize = Square::COUNT * Self::PLANES;
    /// What fills up a list of actions; no action itself.
    pub const PAD: u16 = Self::COUNT as u16;

    /// The action with this number.
    ///
    /// # Errors
    ///
    /// When the number is over 4671 or its plane leads nowhere.
    pub const fn new(index: u16) -> Result<Self, ActionError> {
        if index as usize >= Self::COUNT {
            return Err(ActionError::Number { found: index });
        }
        let action = Self(index);
        if TARGETS[index as usize] == OFF_BOARD {
            return Err(ActionError::Nowhere {
                from: action.from_square(),
                plane: action.plane(),
            });
        }
        Ok(action)
    }

    /// The action of a square and a plane.
    ///
    /// # Errors
    ///
    /// When the plane is over 72 or leads nowhere from there.
    pub const fn at(from: Square, plane: u8) -> Result<Self, ActionError> {
        if plane as usize >= Self::PLANES {
            return Err(ActionError::Plane { found: plane });
        }
        Self::new((from.index() * Self::PLANES) as u16 + plane as u16)
    }

    /// The action of a move.
    ///
    /// # Errors
    ///
    /// When no piece moves like this, or no pawn becomes what is asked for.
    pub fn from_move(played: UciMove) -> Result<Self, ActionError> {
        let UciMove { from, to, .. } = played;
        let promotion = played.promotion.filter(|&made| made != PieceType::Queen);
        if let Some(promotion) = promotion {
            let plane = underpromotion_plane(from, to, promotion);
            let plane = plane.filter(|&plane| Self::at(from, plane).is_ok());
            let plane = plane.ok_or(ActionError::Promotion {
                from,
                to,
                promotion,
            })?;
            return Self::at(from, plane);
        }
        let plane = plain_plane(from, to).ok_or(ActionError::NoPlane { from, to })?;
        let promotes = from.rank().abs_diff(to.rank()) == 1
            && from.file().abs_diff(to.file()) < 2
            && is_last_step(from, to);
        match played.promotion {
            Some(promotion) if !promotes => Err(ActionError::Promotion {
                from,
                to,
                promotion,
            }),
            _ => Self::at(from, plane),
        }
    }

    /// The action of a move of this position. Castling is a king's move onto its own rook.
    ///
    /// # Errors
    ///
    /// When no piece moves like this, and for castling that only Chess960 has.
    pub fn from_viri(played: ViriMove) -> Result<Self, ActionError> {
        let (from, to) = (played.from(), played.to());
        let (to, promotion) = match played.kind() {
            ViriMoveKind::Castling => (castled_king(from, to)?, None),
            ViriMoveKind::Promotion(promotion) => (to, Some(promotion)),
            ViriMoveKind::Normal | ViriMoveKind::EnPassant => (to, None),
        };
        Self::from_move(UciMove {
            from,
            to,
            promotion,
        })
    }

    /// The number, 0–4671.
    #[must_use]
    pub const fn index(self) -> u16 {
        self.0
    }

    /// Where the piece that moves stands.
    #[must_use]
    pub const fn from_square(self) -> Square {
        Square::ALL[self.0 as usize / Self::PLANES]
    }

    /// Where it goes.
    #[must_use]
    pub const fn to_square(self) -> Square {
        // Not off the board, as `new` has looked.
        Square::ALL[(TARGETS[self.0 as usize] & 63) as usize]
    }

    /// The plane, 0–72.
    #[must_use]
    pub const fn plane(self) -> u8 {
        (self.0 as usize % Self::PLANES) as u8
    }

    /// What a pawn becomes, unless it is a queen or no promotion.
    #[must_use]
    pub const fn underpromotion(self) -> Option<PieceType> {
        match self.plane().checked_sub(FIRST_UNDERPROMOTION) {
            Some(number) => Some(UNDERPROMOTIONS[number as usize % 3]),
            None => None,
        }
    }

    /// The move, on a board: a pawn's move to the last rank makes a queen unless it makes something
    /// else.
    #[must_use]
    pub fn to_move(self, placement: &Placement) -> UciMove {
        let (from, to) = (self.from_square(), self.to_square());
        let is_pawn = placement.piece_type(PieceType::Pawn) & from.bit() != 0;
        let queens = is_pawn && is_last_step(from, to);
        UciMove {
            from,
            to,
            promotion: self.underpromotion().or(queens.then_some(PieceType::Queen)),
        }
    }

    /// The move as a position of chess-records plays it. It need not be legal.
    ///
    /// # Errors
    ///
    /// Never: an action goes from one square to another and promotes to what a pawn can become.
    pub fn to_viri(self, position: &Position) -> Result<ViriMove, ViriMoveError> {
        let placement = position.placement();
        let UciMove {
            from,
            to,
            promotion,
        } = self.to_move(&placement);
        if let Some(promotion) = promotion {
            return ViriMove::new(from, to, ViriMoveKind::Promotion(promotion));
        }
        let moved = placement.piece_at(from).map(|piece| piece.piece_type);
        let files = from.file().abs_diff(to.file());
        match moved {
            Some(PieceType::King) if files == 2 && from.rank() == to.rank() => {
                let file = if to > from { 7 } else { 0 };
                let rook = Square::at(file, from.rank()).unwrap_or(to);
                ViriMove::new(from, rook, ViriMoveKind::Castling)
            }
            Some(PieceType::Pawn) if files == 1 && position.en_passant() == Some(to) => {
                ViriMove::new(from, to, ViriMoveKind::EnPassant)
            }
            _ => ViriMove::new(from, to, ViriMoveKind::Normal),
        }
    }
}

/// The square of the king after castling from the e file with a rook in the corner.
pub(crate) fn castled_king(king: Square, rook: Square) -> Result<Square, ActionError> {
    let error = ActionError::Chess960 { king, rook };
    let is_home = |square: Square| matches!(square.rank(), 0 | 7);
    if king.file() != 4 || !is_home(king) || king.rank() != rook.rank() {
        return Err(error);
    }
    let file = match rook.file() {
        0 => 2,
        7 => 6,
        _ => return Err(error),
    };
    Square::at(file, king.rank()).ok_or(error)
}

/// Whether a pawn that goes from one square to the other is on its last step.
const fn is_last_step(from: Square, to: Square) -> bool {
    matches!((from.rank(), to.rank()), (6, 7) | (1, 0))
}

const fn steps(from: Square, to: Square) -> (i8, i8) {
    (
        to.file() as i8 - from.file() as i8,
        to.rank() as i8 - from.rank() as i8,
    )
}

fn plain_plane(from: Square, to: Square) -> Option<u8> {
    let (files, ranks) = steps(from, to);
    if let Some(jump) = JUMPS.iter().position(|&jump| jump == (files, ranks)) {
        return Some(FIRST_JUMP + jump as u8);
    }
    let straight = files == 0 || ranks == 0 || files.abs() == ranks.abs();
    let distance = files.abs().max(ranks.abs());
    if !straight || distance == 0 {
        return None;
    }
    let direction = (files.signum(), ranks.signum());
    let number = DIRECTIONS.iter().position(|&found| found == direction)?;
    Some((7 * number) as u8 + distance as u8 - 1)
}

fn underpromotion_plane(from: Square, to: Square, promotion: PieceType) -> Option<u8> {
    let files = to.file() as i8 - from.file() as i8;
    let made = UNDERPROMOTIONS.iter().position(|&made| made == promotion)?;
    let is_step = is_last_step(from, to) && files.abs() <= 1;
    is_step.then(|| FIRST_UNDERPROMOTION + 3 * (files + 1) as u8 + made as u8)
}

const fn targets() -> [u8; Action::COUNT] {
    let mut targets = [OFF_BOARD; Action::COUNT];
    let mut index = 0;
    while index < targets.len() {
        let from = Square::ALL[index / Action::PLANES];
        targets[index] = target(from, (index % Action::PLANES) as u8);
        index += 1;
    }
    targets
}

const fn target(from: Square, plane: u8) -> u8 {
    let (files, ranks) = if plane < FIRST_JUMP {
        let (files, ranks) = DIRECTIONS[plane as usize / 7];
        let distance = plane as i8 % 7 + 1;
        (files * distance, ranks * distance)
    } else if plane < FIRST_UNDERPROMOTION {
        JUMPS[(plane - FIRST_JUMP) as usize]
    } else {
        let ranks = match from.rank() {
            6 => 1,
            1 => -1,
            _ => return OFF_BOARD,
        };
        ((plane - FIRST_UNDERPROMOTION) as i8 / 3 - 1, ranks)
    };
    let file = from.file().wrapping_add_signed(files);
    match Square::at(file, from.rank().wrapping_add_signed(ranks)) {
        Some(to) => to.index() as u8,
        None => OFF_BOARD,
    }
}

impl TryFrom<u16> for Action {
    type Error = ActionError;

    fn try_from(index: u16) -> Result<Self, ActionError> {
        Self::new(index)
    }
}

impl From<Action> for u16 {
    fn from(action: Action) -> Self {
        action.0
    }
}

/// The squares and what a pawn becomes, if it is no queen: `e2e4`, `a7b8n`.
impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let played = UciMove {
            from: self.from_square(),
            to: self.to_square(),
            promotion: self.underpromotion(),
        };
        fmt::Display::fmt(&played, f)
    }
}

impl fmt::Debug for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Action({} {self})", self.0)
    }
}

#[cfg(test)]
mod tests;
