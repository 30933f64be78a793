//! One meaning for the en passant square, whoever wrote it.

use crate::{Board, Color, Piece, PieceType, Placement, Position, Square, Squares};

impl Position {
    /// This position with its en passant square dropped unless some pawn may legally take there.
    ///
    /// Some writers set the square after every double push, some only if an enemy pawn stands
    /// beside, some only if the capture is legal. Without this step the same position has several
    /// forms: call it before hashing positions or removing duplicates.
    #[must_use]
    pub fn normalize_en_passant(self) -> Self {
        match self.en_passant() {
            Some(target) if !self.can_take_en_passant(target) => self.without_en_passant(),
            _ => self,
        }
    }

    fn can_take_en_passant(&self, target: Square) -> bool {
        let color = self.side_to_move();
        let placement = self.placement();
        let takers = placement.mask(Piece::new(color, PieceType::Pawn))
            & pawn_attacks(target, color.opponent());
        Squares::new(takers).any(|from| {
            after_en_passant(&placement, color, from, target)
                .is_some_and(|after| !attacked(&after, after.king(color), color.opponent()))
        })
    }
}

/// The placement after `color`'s pawn on `from` has taken en passant.
fn after_en_passant(
    placement: &Placement,
    color: Color,
    from: Square,
    target: Square,
) -> Option<Placement> {
    let pawn = Piece::new(color, PieceType::Pawn);
    let enemy = Piece::new(color.opponent(), PieceType::Pawn);
    let taken = Square::at(target.file(), from.rank())?;
    let lifted = [(pawn, from), (enemy, taken)];
    placement.after(&lifted, &[(pawn, target)]).ok()
}

/// Whether a piece of `by` attacks `square`, where the other side's king stands: kings give no check.
pub(crate) fn attacked(placement: &Placement, square: Square, by: Color) -> bool {
    const DIAGONAL: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
    const STRAIGHT: [(i8, i8); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
    let of = |piece_type| placement.mask(Piece::new(by, piece_type));
    let slides = |directions, with| {
        let reached = slide(placement.occupied(), square, directions);
        reached & (of(with) | of(PieceType::Queen)) != 0
    };
    of(PieceType::Pawn) & pawn_attacks(square, by.opponent()) != 0
        || of(PieceType::Knight) & knight_attacks(square) != 0
        || slides(DIAGONAL, PieceType::Bishop)
        || slides(STRAIGHT, PieceType::Rook)
}

/// What a pawn of `color` on `square` attacks: also where the other side's pawns attack it from.
fn pawn_attacks(square: Square, color: Color) -> u64 {
    let forward = match color {
        Color::White => 1,
        Color::Black => -1,
    };
    step(square, (-1, forward)) | step(square, (1, forward))
}

fn knight_attacks(square: Square) -> u64 {
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
    JUMPS.iter().fold(0, |mask, &by| mask | step(square, by))
}

fn slide(occupied: u64, from: Square, directions: [(i8, i8); 4]) -> u64 {
    let mut reached = 0;
    for direction in directions {
        let mut square = from;
        while let Some(next) = Square::lowest(step(square, direction)) {
            reached |= next.bit();
            if occupied & next.bit() != 0 {
                break;
            }
            square = next;
        }
    }
    reached
}

/// The square so many files and ranks away, as a mask; empty past the edge.
fn step(square: Square, (files, ranks): (i8, i8)) -> u64 {
    let to = Square::at(
        square.file().wrapping_add_signed(files),
        square.rank().wrapping_add_signed(ranks),
    );
    to.map_or(0, Square::bit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(fen: &str) -> bool {
        let position = Position::from_fen(fen).unwrap();
        let normal = position.normalize_en_passant();
        assert_eq!(normal.normalize_en_passant(), normal);
        assert_eq!(normal.placement(), position.placement());
        normal.en_passant().is_some()
    }

    #[test]
    fn the_square_stays_only_where_a_pawn_may_take() {
        assert!(kept("4k3/8/8/8/3pP3/8/8/4K3 b - e3"));
        assert!(kept("4k3/8/8/3pP3/8/8/8/4K3 w - d6"));
        assert!(!kept(
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3"
        ));
        // Beside is not across the edge of the board.
        assert!(!kept("4k3/8/8/7p/P7/8/8/4K3 b - a3"));
    }

    #[test]
    fn pins_and_checks_count() {
        // Both pawns leave the rank between king and rook.
        assert!(!kept("8/8/8/8/k2pP2R/8/8/4K3 b - e3"));
        // A pin on the file, on the diagonal, and a pin along which the capture goes.
        assert!(!kept("3k4/8/8/8/3pP3/8/8/3RK3 b - e3"));
        assert!(!kept("8/8/5k2/8/3pP3/8/1B6/4K3 b - e3"));
        assert!(kept("8/8/8/2k5/3pP3/8/5B2/4K3 b - e3"));
        // A check by a knight, by another pawn, by the pawn that is taken.
        assert!(!kept("3k4/8/2N5/8/3pP3/8/8/4K3 b - e3"));
        assert!(!kept("8/8/8/8/k2pP3/1P6/8/4K3 b - e3"));
        assert!(kept("8/8/8/3k4/3pP3/8/8/4K3 b - e3"));
    }

    #[test]
    fn either_of_two_takers_will_do() {
        assert!(kept("3k4/8/8/8/3pPp2/8/8/3RK3 b - e3"));
    }
}
