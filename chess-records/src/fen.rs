//! FEN, read and written.

use core::fmt;

use crate::{Piece, Placement, Square};

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
                write!(f, "/")?;
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
    write!(f, "{}", piece.fen_letter())
}
