//! Reading FEN.

use core::fmt;
use core::num::NonZeroU16;
use core::str::FromStr;

use thiserror::Error;

use super::outermost_rook;
use crate::{
    CastlingRights, Color, Excerpt, Piece, Placement, PlacementError, Position, PositionError,
    Square, Wing,
};

/// A field of a FEN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FenField {
    /// The first: which piece stands where.
    Placement,
    /// The second: `w` or `b`.
    SideToMove,
    /// The third: who may castle with which rook.
    Castling,
    /// The fourth: the square a pawn has just passed over.
    EnPassant,
    /// The fifth: plies since the last capture or pawn move.
    HalfmoveClock,
    /// The sixth: the number of the move to be played.
    FullmoveNumber,
}

impl fmt::Display for FenField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Placement => "placement",
            Self::SideToMove => "side to move",
            Self::Castling => "castling",
            Self::EnPassant => "en passant",
            Self::HalfmoveClock => "halfmove clock",
            Self::FullmoveNumber => "fullmove number",
        })
    }
}

/// Why a text is no FEN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FenError {
    /// The text ends before one of the first four fields.
    #[error("the {field} field is missing")]
    Missing {
        /// The first field that is missing.
        field: FenField,
    },
    /// Something follows the sixth field.
    #[error("{found} follows the fullmove number, expected the end")]
    Trailing {
        /// What follows.
        found: Excerpt,
    },
    /// The placement has not eight ranks.
    #[error("the placement field has {found} ranks, expected 8")]
    RankCount {
        /// How many it has.
        found: usize,
    },
    /// A rank has not eight squares.
    #[error("rank {rank} of the placement field has {found} squares, expected 8")]
    RankWidth {
        /// The rank, 1–8.
        rank: u8,
        /// How many squares it has.
        found: usize,
    },
    /// A rank holds something else than pieces and gaps.
    #[error("rank {rank} of the placement field holds {found:?}, expected PNBRQKpnbrqk or 1-8")]
    Letter {
        /// The rank, 1–8.
        rank: u8,
        /// What it holds.
        found: char,
    },
    /// The side to move is neither `w` nor `b`.
    #[error("the side to move is {found}, expected w or b")]
    SideToMove {
        /// What stands there.
        found: Excerpt,
    },
    /// A letter that names no castling right.
    #[error("the castling field holds {found:?}, expected KQkq, a file's letter or a lone -")]
    CastlingLetter {
        /// The letter.
        found: char,
    },
    /// `K`, `Q`, `k` or `q`, but there is no rook on that wing.
    #[error("the castling field holds {letter}, but no {color} rook stands on that wing")]
    CastlingRook {
        /// The letter.
        letter: char,
        /// Whose right it names.
        color: Color,
    },
    /// A second right for the same wing.
    #[error("the castling field gives {color} a second right on one wing with {letter}")]
    CastlingTwice {
        /// The letter that gives it.
        letter: char,
        /// Whose right it names.
        color: Color,
    },
    /// The en passant field is neither `-` nor a square.
    #[error("the en passant field is {found}, expected a square or -")]
    EnPassant {
        /// What stands there.
        found: Excerpt,
    },
    /// A clock is no number, or one that is too large.
    #[error("the {field} is {found}, expected a number from 0 to {max}")]
    Number {
        /// Which clock.
        field: FenField,
        /// What stands there.
        found: Excerpt,
        /// The largest number it may be.
        max: u16,
    },
    /// The men make no placement.
    #[error(transparent)]
    Placement(#[from] PlacementError),
    /// Castling rights or en passant square do not fit the placement.
    #[error(transparent)]
    Position(#[from] PositionError),
}

impl Position {
    /// Reads a FEN: four to six fields, separated by spaces.
    ///
    /// Castling rights may be those of FEN, X-FEN and Shredder-FEN, even mixed: `K`, `Q`, `k` and
    /// `q` mean the outermost rook of that wing, any other letter the rook on its file. The halfmove
    /// clock and the fullmove number may be missing, and are then unknown, as is a fullmove
    /// number of 0.
    ///
    /// # Errors
    ///
    /// A [`FenError`] that names the field and what was found there.
    pub fn from_fen(text: &str) -> Result<Self, FenError> {
        let mut fields = text.split(' ').filter(|field| !field.is_empty());
        let mut next = |field| fields.next().ok_or(FenError::Missing { field });
        let placement = read_placement(next(FenField::Placement)?)?;
        let side_to_move = read_side(next(FenField::SideToMove)?)?;
        let castling = read_castling(next(FenField::Castling)?, &placement)?;
        let en_passant = read_en_passant(next(FenField::EnPassant)?)?;
        let clock = fields.next().map(read_halfmove_clock).transpose()?;
        let number = fields.next().map(read_fullmove_number).transpose()?;
        if let Some(found) = fields.next() {
            let found = Excerpt::of(found);
            return Err(FenError::Trailing { found });
        }
        Ok(Self::new(placement, side_to_move)
            .with_castling(castling)?
            .with_en_passant(en_passant)?
            .with_halfmove_clock(clock)
            .with_fullmove_number(number.flatten()))
    }
}

impl FromStr for Position {
    type Err = FenError;

    fn from_str(text: &str) -> Result<Self, FenError> {
        Self::from_fen(text)
    }
}

fn read_placement(text: &str) -> Result<Placement, FenError> {
    let found = text.split('/').count();
    if found != 8 {
        return Err(FenError::RankCount { found });
    }
    let (mut colors, mut pieces) = ([0; 2], [0; 6]);
    for (rank, text) in (0..8).rev().zip(text.split('/')) {
        read_rank(text, rank, |piece, square| {
            colors[piece.color.index()] |= square.bit();
            pieces[piece.piece_type.index()] |= square.bit();
        })?;
    }
    Ok(Placement::new(colors, pieces)?)
}

fn read_rank(text: &str, rank: u8, mut put: impl FnMut(Piece, Square)) -> Result<(), FenError> {
    let mut file = 0;
    for found in text.chars() {
        if let Some(gap @ 1..=8) = found.to_digit(10) {
            file += gap as usize;
        } else if let Some(piece) = Piece::from_fen_letter(found) {
            // A file past h is reported below, with the whole width.
            if let Some(square) = u8::try_from(file).ok().and_then(|f| Square::at(f, rank)) {
                put(piece, square);
            }
            file += 1;
        } else {
            let rank = rank + 1;
            return Err(FenError::Letter { rank, found });
        }
    }
    if file == 8 {
        return Ok(());
    }
    Err(FenError::RankWidth {
        rank: rank + 1,
        found: file,
    })
}

fn read_side(text: &str) -> Result<Color, FenError> {
    match text {
        "w" => Ok(Color::White),
        "b" => Ok(Color::Black),
        _ => Err(FenError::SideToMove {
            found: Excerpt::of(text),
        }),
    }
}

fn read_castling(text: &str, placement: &Placement) -> Result<CastlingRights, FenError> {
    let mut rights = CastlingRights::NONE;
    if text == "-" {
        return Ok(rights);
    }
    for letter in text.chars() {
        let (color, wing, rook) = read_castling_letter(letter, placement)?;
        if rights.rook(color, wing).is_some() {
            return Err(FenError::CastlingTwice { letter, color });
        }
        rights = rights.with_rook(color, wing, Some(rook));
    }
    Ok(rights)
}

/// Whether a rook stands on a square named by its file is for [`Position::with_castling`] to say.
fn read_castling_letter(
    letter: char,
    placement: &Placement,
) -> Result<(Color, Wing, Square), FenError> {
    let color = if letter.is_ascii_uppercase() {
        Color::White
    } else {
        Color::Black
    };
    let outermost = |wing| {
        let rook = outermost_rook(placement, color, wing);
        let rook = rook.ok_or(FenError::CastlingRook { letter, color })?;
        Ok((color, wing, rook))
    };
    match letter.to_ascii_lowercase() {
        'k' => outermost(Wing::Kingside),
        'q' => outermost(Wing::Queenside),
        file => {
            let file = u32::from(file).wrapping_sub(u32::from('a'));
            let rook = u8::try_from(file)
                .ok()
                .and_then(|file| Square::at(file, color.home_rank()))
                .ok_or(FenError::CastlingLetter { found: letter })?;
            let wing = if rook.file() > placement.king(color).file() {
                Wing::Kingside
            } else {
                Wing::Queenside
            };
            Ok((color, wing, rook))
        }
    }
}

fn read_en_passant(text: &str) -> Result<Option<Square>, FenError> {
    if text == "-" {
        return Ok(None);
    }
    let found = Excerpt::of(text);
    let square = text.parse().map_err(|_| FenError::EnPassant { found })?;
    Ok(Some(square))
}

fn read_halfmove_clock(text: &str) -> Result<u8, FenError> {
    let field = FenField::HalfmoveClock;
    let max = u8::MAX.into();
    read_digits(text).ok_or(FenError::Number {
        field,
        found: Excerpt::of(text),
        max,
    })
}

fn read_fullmove_number(text: &str) -> Result<Option<NonZeroU16>, FenError> {
    let field = FenField::FullmoveNumber;
    let number = read_digits(text).ok_or(FenError::Number {
        field,
        found: Excerpt::of(text),
        max: u16::MAX,
    })?;
    Ok(NonZeroU16::new(number))
}

/// Digits alone: the standard parser would take a sign too.
fn read_digits<T: FromStr>(text: &str) -> Option<T> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::{String, ToString};

    fn error(text: &str) -> String {
        Position::from_fen(text).unwrap_err().to_string()
    }

    #[test]
    fn missing_and_trailing_fields() {
        assert_eq!(error(""), "the placement field is missing");
        assert_eq!(
            error("4k3/8/8/8/8/8/8/4K3"),
            "the side to move field is missing"
        );
        assert_eq!(
            error("4k3/8/8/8/8/8/8/4K3 w"),
            "the castling field is missing"
        );
        assert_eq!(
            error("4k3/8/8/8/8/8/8/4K3 w -"),
            "the en passant field is missing"
        );
        assert_eq!(
            error("4k3/8/8/8/8/8/8/4K3 w - - 0 1 bm"),
            "\"bm\" follows the fullmove number, expected the end"
        );
        assert_eq!(
            error("4k3/8/8/8/8/8/8/4K3 w - - 0 1\n"),
            "the fullmove number is \"1\\n\", expected a number from 0 to 65535"
        );
    }

    #[test]
    fn bad_placements() {
        assert_eq!(
            error("8/8/8 w - -"),
            "the placement field has 3 ranks, expected 8"
        );
        assert_eq!(
            error("4k3/8/8/8/8/8/8/4K3/8 w - -"),
            "the placement field has 9 ranks, expected 8"
        );
        assert_eq!(
            error("4k3/8/8/8/8/7/8/4K3 w - -"),
            "rank 3 of the placement field has 7 squares, expected 8"
        );
        assert_eq!(
            error("4k4/8/8/8/8/8/8/4K3 w - -"),
            "rank 8 of the placement field has 9 squares, expected 8"
        );
        assert_eq!(
            error("4k3/8/8/8/8/8/4x3/4K3 w - -"),
            "rank 2 of the placement field holds 'x', expected PNBRQKpnbrqk or 1-8"
        );
        assert_eq!(
            error("4k3/9/8/8/8/8/8/4K3 w - -"),
            "rank 7 of the placement field holds '9', expected PNBRQKpnbrqk or 1-8"
        );
        assert_eq!(
            error("8/8/8/8/8/8/8/4K3 w - -"),
            "Black has 0 kings, expected 1"
        );
    }

    #[test]
    fn bad_sides_squares_and_clocks() {
        assert_eq!(
            error("4k3/8/8/8/8/8/8/4K3 W - -"),
            "the side to move is \"W\", expected w or b"
        );
        assert_eq!(
            error("4k3/8/8/8/8/8/8/4K3 w - e9"),
            "the en passant field is \"e9\", expected a square or -"
        );
        assert_eq!(
            error("4k3/8/8/8/8/8/8/4K3 w - e6"),
            "no pawn can have just passed over the en passant square e6"
        );
        assert_eq!(
            error("4k3/8/8/8/8/8/8/4K3 w - - 256 1"),
            "the halfmove clock is \"256\", expected a number from 0 to 255"
        );
        assert_eq!(
            error("4k3/8/8/8/8/8/8/4K3 w - - +1 1"),
            "the halfmove clock is \"+1\", expected a number from 0 to 255"
        );
        assert_eq!(
            error("4k3/8/8/8/8/8/8/4K3 w - - 0 65536"),
            "the fullmove number is \"65536\", expected a number from 0 to 65535"
        );
    }

    #[test]
    fn bad_castling_rights() {
        let castling = |field: &str| error(&std::format!("1r2k1rr/8/8/8/8/8/8/R3K3 w {field} -"));
        assert_eq!(
            castling("QX"),
            "the castling field holds 'X', expected KQkq, a file's letter or a lone -"
        );
        assert_eq!(
            castling("Q-"),
            "the castling field holds '-', expected KQkq, a file's letter or a lone -"
        );
        assert_eq!(
            castling("K"),
            "the castling field holds K, but no White rook stands on that wing"
        );
        assert_eq!(
            castling("QA"),
            "the castling field gives White a second right on one wing with A"
        );
        assert_eq!(
            castling("gk"),
            "the castling field gives Black a second right on one wing with k"
        );
        assert_eq!(
            castling("H"),
            "castling right on h1, where no White rook stands on its home rank"
        );
        assert_eq!(
            castling("e"),
            "castling right on e8, where no Black rook stands on its home rank"
        );
        assert_eq!(
            error("4k3/8/8/8/8/8/4K3/R7 w Q -"),
            "White may castle but its king stands on e2"
        );
    }
}
