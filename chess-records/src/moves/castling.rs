//! Castling, with king and rooks wherever Chess960 put them.

use super::attacks::{attacked, between};
use super::{Change, MoveError};
use crate::{Board, CastlingRights, Color, Piece, PieceType, Position, Square, ViriMove, Wing};

impl Position {
    /// Castles with the king on `from` and the rook on `to`.
    pub(super) fn castle(
        &self,
        piece: Piece,
        from: Square,
        to: Square,
    ) -> Result<Change, MoveError> {
        let color = piece.color;
        let has_right = |&wing: &Wing| self.castling().rook(color, wing) == Some(to);
        let wing = Wing::ALL.into_iter().find(has_right);
        let (PieceType::King, Some(wing)) = (piece.piece_type, wing) else {
            return Err(MoveError::NoCastlingRight { color, from, to });
        };
        let way = Way::new(color, wing, from, to);
        self.check_way_free(color, wing, &way)?;
        self.check_way_safe(color, wing, &way)?;
        let rook = Piece::new(color, PieceType::Rook);
        let mut placement = self.placement();
        placement.toggle(piece, from);
        placement.toggle(rook, to);
        placement.toggle(piece, way.king_to);
        placement.toggle(rook, way.rook_to);
        Ok(Change {
            placement,
            takes: false,
        })
    }

    fn check_way_free(&self, color: Color, wing: Wing, way: &Way) -> Result<(), MoveError> {
        let others = self.placement().occupied() & !(way.king.bit() | way.rook.bit());
        match Square::lowest(others & way.passed()) {
            None => Ok(()),
            Some(blocked) => Err(MoveError::CastlingBlocked {
                color,
                wing,
                blocked,
            }),
        }
    }

    /// The king must not stand on or pass an attacked square. Where it arrives is looked at when the
    /// rook has moved too.
    fn check_way_safe(&self, color: Color, wing: Wing, way: &Way) -> Result<(), MoveError> {
        let placement = self.placement();
        let without_king = placement.occupied() & !way.king.bit();
        let passed = way.king.bit() | between(way.king, way.king_to);
        let unsafe_square = crate::Squares::new(passed)
            .find(|&square| attacked(&placement, without_king, square, color.opponent()));
        match unsafe_square {
            None => Ok(()),
            Some(square) => Err(MoveError::CastlingAttacked {
                color,
                wing,
                square,
            }),
        }
    }
}

/// Where king and rook go.
struct Way {
    king: Square,
    rook: Square,
    king_to: Square,
    rook_to: Square,
}

impl Way {
    fn new(color: Color, wing: Wing, king: Square, rook: Square) -> Self {
        let [king_to, rook_to] = match (color, wing) {
            (Color::White, Wing::Kingside) => [Square::G1, Square::F1],
            (Color::White, Wing::Queenside) => [Square::C1, Square::D1],
            (Color::Black, Wing::Kingside) => [Square::G8, Square::F8],
            (Color::Black, Wing::Queenside) => [Square::C8, Square::D8],
        };
        Self {
            king,
            rook,
            king_to,
            rook_to,
        }
    }

    /// Every square that king or rook passes or arrives on.
    fn passed(&self) -> u64 {
        between(self.king, self.king_to)
            | between(self.rook, self.rook_to)
            | self.king_to.bit()
            | self.rook_to.bit()
    }
}

impl CastlingRights {
    /// What is left after a piece has moved: a king that moves loses both rights, a rook that moves
    /// or is taken its own.
    pub(super) fn after(mut self, piece: Piece, played: ViriMove) -> Self {
        let touched = played.from().bit() | played.to().bit();
        if piece.piece_type != PieceType::King && self.rooks() & touched == 0 {
            return self;
        }
        for color in Color::ALL {
            for wing in Wing::ALL {
                let king_moved = piece.piece_type == PieceType::King && piece.color == color;
                let rook = self.rook(color, wing);
                if king_moved || rook.is_some_and(|rook| rook.bit() & touched != 0) {
                    self = self.with_rook(color, wing, None);
                }
            }
        }
        self
    }
}
