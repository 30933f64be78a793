//! What can be wrong with a game, and where.

use core::fmt;

use thiserror::Error;

use super::{PLY_BYTES, START_BYTES};
use crate::{MarlinError, MoveError, ViriMove, ViriMoveError};

/// What is wrong with a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ViriError {
    /// The record the game starts with is no position. Often the game before has lost its end, or
    /// got a false one.
    #[error(transparent)]
    Start(#[from] MarlinError),
    /// The file ends inside the start record.
    #[error("the file ends {found} bytes into the start record, expected 32")]
    CutStart {
        /// How many of its bytes there are.
        found: usize,
    },
    /// The file ends inside a ply.
    #[error("the file ends {found} bytes into the ply, expected 4")]
    CutPly {
        /// How many of its bytes there are.
        found: usize,
    },
    /// The file ends after a ply.
    #[error("the file ends without the game's four zero bytes")]
    NoEnd,
    /// The bits of a move have no meaning.
    #[error(transparent)]
    Bits(#[from] ViriMoveError),
    /// A move breaks a rule.
    #[error("{played} cannot be played")]
    Move {
        /// The move.
        played: ViriMove,
        /// The rule.
        source: MoveError,
    },
}

/// A game that is not what its format says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViriFault {
    /// The game's number, from 0.
    pub game: u64,
    /// Where the game starts, in bytes.
    pub game_offset: u64,
    /// The ply at fault, from 0: so many moves were sound. `None` if it is the start record.
    pub ply: Option<u64>,
    /// What is wrong.
    pub error: ViriError,
}

impl ViriFault {
    /// Where the ply at fault stands in bytes, or the game if it is its start record.
    #[must_use]
    pub const fn byte_offset(&self) -> u64 {
        match self.ply {
            Some(ply) => self.game_offset + START_BYTES as u64 + PLY_BYTES as u64 * ply,
            None => self.game_offset,
        }
    }
}

impl fmt::Display for ViriFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "game {} at byte {}", self.game, self.game_offset)?;
        match self.ply {
            Some(ply) => write!(f, ", ply {ply} at byte {}", self.byte_offset()),
            None => Ok(()),
        }
    }
}

impl core::error::Error for ViriFault {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        Some(&self.error)
    }
}
