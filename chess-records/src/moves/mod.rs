//! Playing moves: is a move legal, and what follows from it. Chess960 included.

mod attacks;
mod castling;
mod error;

pub(crate) use attacks::{gives_check, pawn_attacks};
pub use error::MoveError;

use crate::{Board, Color, Piece, PieceType, Placement, Position, Square, ViriMove, ViriMoveKind};
use attacks::{attacked, between, reached};

impl Position {
    /// Whether the side to move is in check.
    #[must_use]
    pub fn in_check(&self) -> bool {
        in_check(&self.placement(), self.side_to_move())
    }

    /// Whether a move of this position takes a man or promotes a pawn. It need not be legal; a move
    /// that castles onto its own rook takes nothing.
    #[must_use]
    pub fn is_tactical(&self, played: ViriMove) -> bool {
        match played.kind() {
            ViriMoveKind::EnPassant | ViriMoveKind::Promotion(_) => true,
            ViriMoveKind::Castling => false,
            ViriMoveKind::Normal => self.placement().occupied() & played.to().bit() != 0,
        }
    }

    /// The position after a move, which must be legal.
    ///
    /// Castling is the king taking its own rook, as in Chess960 and viriformat; its kind must be
    /// [`ViriMoveKind::Castling`], and en passant and promotion must be named too.
    ///
    /// The en passant square is set after every double push of a pawn, whether or not an enemy pawn
    /// can take it ([`Position::normalize_en_passant`] drops it where none can). The halfmove clock
    /// starts again from 0 after a capture or pawn move, also if it was unknown, and stays at 255
    /// once there. An unknown fullmove number stays unknown, and 65535 stays 65535.
    ///
    /// ```
    /// use chess_records::{Position, Square, ViriMove, ViriMoveKind};
    ///
    /// let start = Position::from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")?;
    /// let e4 = ViriMove::new(Square::E2, Square::E4, ViriMoveKind::Normal)?;
    /// assert_eq!(
    ///     start.after_move(e4)?.fen().to_string(),
    ///     "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"
    /// );
    /// assert!(start.after_move(e4)?.after_move(e4).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A [`MoveError`] that says which rule the move breaks.
    pub fn after_move(&self, played: ViriMove) -> Result<Self, MoveError> {
        let (from, to) = (played.from(), played.to());
        let color = self.side_to_move();
        let piece = self.own_piece(from)?;
        let change = match played.kind() {
            ViriMoveKind::Castling => self.castle(piece, from, to)?,
            ViriMoveKind::EnPassant => self.take_en_passant(piece, from, to)?,
            ViriMoveKind::Normal => self.move_normally(piece, from, to)?,
            ViriMoveKind::Promotion(promoted) => self.promote(piece, from, to, promoted)?,
        };
        let king = change.placement.king(color);
        if in_check(&change.placement, color) {
            return Err(MoveError::LeavesInCheck { color, king });
        }
        Ok(self.with_change(piece, played, change))
    }

    fn own_piece(&self, from: Square) -> Result<Piece, MoveError> {
        let color = self.side_to_move();
        match self.placement().piece_at(from) {
            Some(piece) if piece.color == color => Ok(piece),
            _ => Err(MoveError::NoPiece { color, from }),
        }
    }

    fn move_normally(&self, piece: Piece, from: Square, to: Square) -> Result<Change, MoveError> {
        if piece.piece_type == PieceType::Pawn && to.rank() == piece.color.opponent().home_rank() {
            return Err(MoveError::NoPromotion { to });
        }
        self.move_to(piece, from, to, piece)
    }

    fn promote(
        &self,
        piece: Piece,
        from: Square,
        to: Square,
        promoted: PieceType,
    ) -> Result<Change, MoveError> {
        if piece.piece_type != PieceType::Pawn || to.rank() != piece.color.opponent().home_rank() {
            return Err(MoveError::Promotion { piece, to });
        }
        self.move_to(piece, from, to, Piece::new(piece.color, promoted))
    }

    /// Moves a piece that is `put` on its target, taking what is there.
    fn move_to(
        &self,
        piece: Piece,
        from: Square,
        to: Square,
        put: Piece,
    ) -> Result<Change, MoveError> {
        let before = self.placement();
        let taken = before.piece_at(to);
        match taken {
            Some(taken) if taken.color == piece.color => {
                return Err(MoveError::OwnMan { piece, from, to });
            }
            Some(taken) if taken.piece_type == PieceType::King => {
                return Err(MoveError::King { piece, from, to });
            }
            _ => {}
        }
        check_way(&before, piece, from, to, taken.is_some())?;
        let mut placement = before;
        placement.toggle(piece, from);
        if let Some(taken) = taken {
            placement.toggle(taken, to);
        }
        placement.toggle(put, to);
        let takes = taken.is_some();
        Ok(Change { placement, takes })
    }

    fn take_en_passant(&self, piece: Piece, from: Square, to: Square) -> Result<Change, MoveError> {
        let error = MoveError::EnPassant { piece, from, to };
        let attacks = pawn_attacks(from, piece.color);
        if piece.piece_type != PieceType::Pawn
            || self.en_passant() != Some(to)
            || attacks & to.bit() == 0
        {
            return Err(error);
        }
        let taken = Square::at(to.file(), from.rank()).ok_or(error)?;
        let enemy = Piece::new(piece.color.opponent(), PieceType::Pawn);
        // `Position` has no en passant square without that pawn.
        let mut placement = self.placement();
        placement.toggle(piece, from);
        placement.toggle(enemy, taken);
        placement.toggle(piece, to);
        Ok(Change {
            placement,
            takes: true,
        })
    }

    /// Everything but the placement.
    fn with_change(&self, piece: Piece, played: ViriMove, change: Change) -> Self {
        let is_pawn = piece.piece_type == PieceType::Pawn;
        let mut next = *self;
        next.placement = change.placement;
        next.side_to_move = piece.color.opponent();
        next.castling = self.castling().after(piece, played);
        next.en_passant = passed_over(is_pawn, played);
        next.halfmove_clock = if is_pawn || change.takes {
            Some(0)
        } else {
            self.halfmove_clock().map(|clock| clock.saturating_add(1))
        };
        if piece.color == Color::Black {
            let number = self.fullmove_number();
            next.fullmove_number = number.map(|number| number.saturating_add(1));
        }
        next
    }
}

/// The board after a move.
struct Change {
    placement: Placement,
    takes: bool,
}

fn in_check(placement: &Placement, color: Color) -> bool {
    let king = placement.king(color);
    attacked(placement, placement.occupied(), king, color.opponent())
}

/// Whether a piece moves like this and nothing stands in its way.
fn check_way(
    placement: &Placement,
    piece: Piece,
    from: Square,
    to: Square,
    takes: bool,
) -> Result<(), MoveError> {
    let (passed, way) = match piece.piece_type {
        PieceType::Pawn if takes => (0, pawn_attacks(from, piece.color)),
        PieceType::Pawn => (to.bit(), pawn_pushes(from, piece.color)),
        piece_type => (0, reached(piece_type, from)),
    };
    if way & to.bit() == 0 {
        return Err(MoveError::Movement { piece, from, to });
    }
    let blocking = (between(from, to) | passed) & placement.occupied();
    match Square::lowest(blocking) {
        None => Ok(()),
        Some(blocked) => Err(MoveError::Blocked {
            piece,
            from,
            to,
            blocked,
        }),
    }
}

/// Where a pawn goes without taking.
const fn pawn_pushes(from: Square, color: Color) -> u64 {
    let second = color.home_rank() ^ 1;
    let doubled = from.rank() == second;
    match color {
        Color::White => from.bit() << 8 | (doubled as u64 * from.bit()) << 16,
        Color::Black => from.bit() >> 8 | (doubled as u64 * from.bit()) >> 16,
    }
}

/// The square a pawn has passed over by a double push.
fn passed_over(is_pawn: bool, played: ViriMove) -> Option<Square> {
    let (from, to) = (played.from(), played.to());
    if is_pawn && from.rank().abs_diff(to.rank()) == 2 {
        Square::at(from.file(), from.rank().midpoint(to.rank()))
    } else {
        None
    }
}

#[cfg(test)]
mod tests;
