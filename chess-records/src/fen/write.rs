//! Writing FEN.

use core::fmt::{self, Write};

use super::outermost_rook;
use crate::{Board, Color, Piece, Placement, Position, Square, Wing};

/// A position as FEN; see [`Position::fen`].
#[derive(Clone, Copy, Debug)]
pub struct Fen<'a>(&'a Position);

impl Position {
    /// This position as a FEN of six fields.
    ///
    /// Castling rights are written as in X-FEN: `KQkq` where the right belongs to the outermost rook
    /// of its wing, else the letter of the rook's file. Unknown clocks become `0 1`.
    #[must_use]
    pub const fn fen(&self) -> Fen<'_> {
        Fen(self)
    }
}

impl fmt::Display for Fen<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let position = self.0;
        let side = match position.side_to_move() {
            Color::White => 'w',
            Color::Black => 'b',
        };
        write!(f, "{} {side} ", PlacementField(&position.placement()))?;
        write_castling(f, position)?;
        match position.en_passant() {
            Some(square) => write!(f, " {square}")?,
            None => f.write_str(" -")?,
        }
        let clock = position.halfmove_clock().unwrap_or(0);
        let number = position.fullmove_number().map_or(1, u16::from);
        write!(f, " {clock} {number}")
    }
}

fn write_castling(f: &mut fmt::Formatter<'_>, position: &Position) -> fmt::Result {
    let mut none = true;
    for color in Color::ALL {
        for wing in Wing::ALL {
            if let Some(rook) = position.castling().rook(color, wing) {
                f.write_char(castling_letter(&position.placement(), color, wing, rook))?;
                none = false;
            }
        }
    }
    if none { f.write_char('-') } else { Ok(()) }
}

fn castling_letter(placement: &Placement, color: Color, wing: Wing, rook: Square) -> char {
    let letter = match (outermost_rook(placement, color, wing), wing) {
        (Some(outermost), Wing::Kingside) if outermost == rook => 'k',
        (Some(outermost), Wing::Queenside) if outermost == rook => 'q',
        _ => char::from(b'a' + rook.file()),
    };
    match color {
        Color::White => letter.to_ascii_uppercase(),
        Color::Black => letter,
    }
}

/// The first field of a FEN.
pub(crate) struct PlacementField<'a>(pub(crate) &'a Placement);

impl fmt::Display for PlacementField<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..8).rev() {
            let mut empty = 0;
            for file in 0..8 {
                match Square::at(file, rank).and_then(|square| self.0.piece_at(square)) {
                    None => empty += 1,
                    Some(piece) => write_piece_after(f, &mut empty, piece)?,
                }
            }
            if empty > 0 {
                write!(f, "{empty}")?;
            }
            if rank > 0 {
                f.write_char('/')?;
            }
        }
        Ok(())
    }
}

fn write_piece_after(f: &mut fmt::Formatter<'_>, empty: &mut u8, piece: Piece) -> fmt::Result {
    if *empty > 0 {
        write!(f, "{empty}")?;
    }
    *empty = 0;
    f.write_char(piece.fen_letter())
}
