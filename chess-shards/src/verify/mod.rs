//! Whether everything in a row fits together.

mod files;
#[cfg(feature = "meta")]
mod games;
mod legal;
mod men;

use chess_records::{Board, Color, Position, Square};
use thiserror::Error;

pub use files::FlatFault;
#[cfg(feature = "meta")]
pub use games::GameOverlap;

use crate::{Action, ActionError, FlatError, FlatRecord, FlatTargetError};

/// What does not fit in a row. Offsets are bytes from the start of the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RowFault {
    /// It is no position.
    #[error(transparent)]
    Position(#[from] FlatError),
    /// A side has too many men.
    #[error("{color} has {found} men, expected at most 16")]
    Men {
        /// The side.
        color: Color,
        /// How many.
        found: u32,
    },
    /// A side has too many pawns.
    #[error("{color} has {found} pawns, expected at most 8")]
    Pawns {
        /// The side.
        color: Color,
        /// How many.
        found: u32,
    },
    /// A pawn where none can stand.
    #[error("a pawn stands on {square} (offset {square_offset})", square_offset = square.index())]
    PawnRank {
        /// The square.
        square: Square,
    },
    /// More pieces than promotions can have made.
    #[error(
        "{color} has {promoted} promoted pieces and {pawns} pawns, expected at most 8 together"
    )]
    Promoted {
        /// The side.
        color: Color,
        /// How many pieces it has more than at the start.
        promoted: u32,
        /// How many pawns.
        pawns: u32,
    },
    /// The side that has just moved is in check.
    #[error("{color} is in check but it is not {color}'s move")]
    Check {
        /// The side.
        color: Color,
    },
    /// An en passant file where no such capture is legal.
    #[error("the en passant file (offset 196) is {file}, but no such capture is legal")]
    EnPassant {
        /// The file, 0 = a.
        file: u8,
    },
    /// The pad byte is set.
    #[error("the pad byte (offset 199) is {found}, expected 0")]
    Pad {
        /// Its value.
        found: u8,
    },
    /// The number of plies does not fit the side to move.
    #[error("the ply (offset 200) is {ply}, but {color} is to move")]
    Ply {
        /// The plies played.
        ply: u16,
        /// The side to move.
        color: Color,
    },
    /// There must be at least the move played, and room for 64.
    #[error("the number of legal actions (offset 192) is {found}, expected 1-64")]
    LegalCount {
        /// The number.
        found: u8,
    },
    /// What stands in the list is no action.
    #[error("legal action {index} (offset {offset}) is none: {error}", offset = 64 + 2 * index)]
    LegalAction {
        /// Its place in the list.
        index: usize,
        /// What is wrong with it.
        error: ActionError,
    },
    /// What follows the list is not its padding.
    #[error("legal action {index} (offset {offset}) is {found}, expected 4672 after the last", offset = 64 + 2 * index)]
    Padding {
        /// Its place in the list.
        index: usize,
        /// The number.
        found: u16,
    },
    /// The move played is none.
    #[error("the move played is none")]
    Target(#[from] FlatTargetError),
    /// The move played is not the first of the list.
    #[error("the first legal action (offset 64) is {found}, expected the move played, {target}")]
    TargetNotFirst {
        /// The first.
        found: Action,
        /// The move played.
        target: Action,
    },
    /// An action is listed that is not legal.
    #[error("{action} is listed but not legal")]
    Illegal {
        /// The action.
        action: Action,
    },
    /// A legal action is not listed.
    #[error("{action} is legal but not listed")]
    Unlisted {
        /// The action.
        action: Action,
    },
    /// The list has another order, or names an action twice.
    #[error("legal action {index} (offset {offset}) is {found}, expected {expected} by the order of moves", offset = 64 + 2 * index)]
    Order {
        /// The place in the list.
        index: usize,
        /// What stands there.
        found: Action,
        /// What should.
        expected: Action,
    },
}

/// Checks rows; keeps its buffers from one to the next.
#[derive(Clone, Debug, Default)]
pub struct Verifier {
    legal: Vec<Action>,
}

impl Verifier {
    /// A verifier.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Checks everything that a row says: what [`FlatRecord::decode`] does; that the men can come of
    /// a game and the side that has just moved is not in check; the en passant file, the ply and the
    /// pad byte; and that the list has the move played first and then all other legal moves in their
    /// [order](crate::legal_actions), the first 63 where there are more, and padding after them.
    ///
    /// # Errors
    ///
    /// A [`RowFault`] for the first thing that does not fit.
    pub fn check(&mut self, row: &FlatRecord) -> Result<(), RowFault> {
        let position = row.decode()?.position;
        men::check(&position.placement())?;
        check_state(row, &position)?;
        legal::check(row, &position, &mut self.legal)
    }
}

impl FlatRecord {
    /// Checks everything that the row says, as [`Verifier::check`] does.
    ///
    /// # Errors
    ///
    /// A [`RowFault`] for the first thing that does not fit.
    pub fn verify(&self) -> Result<(), RowFault> {
        Verifier::new().check(self)
    }
}

fn check_state(row: &FlatRecord, position: &Position) -> Result<(), RowFault> {
    let color = position.side_to_move();
    let opponent = color.opponent();
    if Position::new(position.placement(), opponent).in_check() {
        return Err(RowFault::Check { color: opponent });
    }
    let normal = position.normalize_en_passant();
    if position.en_passant() != normal.en_passant() {
        let file = row.en_passant_file();
        return Err(RowFault::EnPassant { file });
    }
    let ply = row.move_number();
    if ply.is_multiple_of(2) != (color == Color::White) {
        return Err(RowFault::Ply { ply, color });
    }
    match row.pad() {
        0 => Ok(()),
        found => Err(RowFault::Pad { found }),
    }
}

#[cfg(test)]
mod tests;
