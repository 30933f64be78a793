//! Whether men can come of a game.

use chess_records::{Color, Piece, PieceType, Placement, Squares};

use super::RowFault;

/// The first and the eighth rank.
const PAWNLESS: u64 = 0xff00_0000_0000_00ff;

pub(super) fn check(placement: &Placement) -> Result<(), RowFault> {
    let pawns = placement.piece_type(PieceType::Pawn);
    if let Some(square) = Squares::new(pawns & PAWNLESS).next() {
        return Err(RowFault::PawnRank { square });
    }
    Color::ALL
        .into_iter()
        .try_for_each(|color| check_side(placement, color))
}

fn check_side(placement: &Placement, color: Color) -> Result<(), RowFault> {
    let count = |piece_type| placement.mask(Piece::new(color, piece_type)).count_ones();
    let found = placement.color(color).count_ones();
    if found > 16 {
        return Err(RowFault::Men { color, found });
    }
    let pawns = count(PieceType::Pawn);
    if pawns > 8 {
        return Err(RowFault::Pawns {
            color,
            found: pawns,
        });
    }
    let at_start = [
        (PieceType::Knight, 2),
        (PieceType::Bishop, 2),
        (PieceType::Rook, 2),
        (PieceType::Queen, 1),
    ];
    let more = at_start.map(|(piece_type, start)| count(piece_type).saturating_sub(start));
    let promoted = more.iter().sum();
    if promoted + pawns > 8 {
        return Err(RowFault::Promoted {
            color,
            promoted,
            pawns,
        });
    }
    Ok(())
}
