//! Moves as UCI writes them, and games as lists of them.

use core::fmt;
use core::str::FromStr;

use thiserror::Error;

use crate::{Color, Piece, PieceType, Square};

/// The squares of a move and what a pawn becomes, as in UCI: castling is the king's move by two
/// squares (in Chess960 the king's to its rook), and every promotion is named.
///
/// Whether it is legal anywhere is for a board to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::exhaustive_structs)] // There is nothing else in UCI's notation.
pub struct UciMove {
    /// Where the piece that moves stands.
    pub from: Square,
    /// Where it goes.
    pub to: Square,
    /// What it becomes, if it is a pawn on its last step.
    pub promotion: Option<PieceType>,
}

/// Why a text is no move in UCI's notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected two squares and what a pawn becomes, like e2e4 or e7e8q")]
#[non_exhaustive]
pub struct UciMoveError;

impl UciMove {
    /// The move of a text in UCI's notation: `e2e4`, `e1g1`, `e7e8q`.
    ///
    /// # Errors
    ///
    /// When the text is anything else, the null move among it.
    pub fn from_ascii(text: &[u8]) -> Result<Self, UciMoveError> {
        let &[a, b, c, d, ref made @ ..] = text else {
            return Err(UciMoveError);
        };
        let promotion = match made {
            [] => None,
            [b'n'] => Some(PieceType::Knight),
            [b'b'] => Some(PieceType::Bishop),
            [b'r'] => Some(PieceType::Rook),
            [b'q'] => Some(PieceType::Queen),
            _ => return Err(UciMoveError),
        };
        Ok(Self {
            from: square(a, b).ok_or(UciMoveError)?,
            to: square(c, d).ok_or(UciMoveError)?,
            promotion,
        })
    }
}

fn square(file: u8, rank: u8) -> Option<Square> {
    Square::at(file.wrapping_sub(b'a'), rank.wrapping_sub(b'1'))
}

impl FromStr for UciMove {
    type Err = UciMoveError;

    fn from_str(text: &str) -> Result<Self, UciMoveError> {
        Self::from_ascii(text.as_bytes())
    }
}

impl fmt::Display for UciMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from, self.to)?;
        match self.promotion {
            Some(made) => {
                let letter = Piece::new(Color::Black, made).fen_letter();
                write!(f, "{letter}")
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::string::ToString;

    use super::*;

    #[test]
    fn texts() {
        let text = |text: &str| text.parse::<UciMove>().map(|played| played.to_string());
        for legible in ["e2e4", "a7a8q", "a2b1n", "h7g8r", "b7b8b"] {
            assert_eq!(text(legible).unwrap(), legible);
        }
        for illegible in [
            "", "e2e", "i2e4", "e2e9", "0000", "e7e8k", "e7e8Q", "e7e8qq", "é2e",
        ] {
            assert_eq!(
                text(illegible).unwrap_err().to_string(),
                "expected two squares and what a pawn becomes, like e2e4 or e7e8q"
            );
        }
    }
}
