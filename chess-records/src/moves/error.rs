//! Why a move cannot be played.

use thiserror::Error;

use crate::{Color, Piece, Square, Wing};

/// Why a move cannot be played in a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MoveError {
    /// The side to move has nothing on the square the move begins at.
    #[error("no {color} piece stands on {from}")]
    NoPiece {
        /// The side to move.
        color: Color,
        /// Where the move begins.
        from: Square,
    },
    /// The target holds a man of the same side.
    #[error("the {piece} on {from} cannot take its own man on {to}")]
    OwnMan {
        /// The piece that moves.
        piece: Piece,
        /// Where it stands.
        from: Square,
        /// Where it would go.
        to: Square,
    },
    /// The target holds the enemy's king.
    #[error("the {piece} on {from} cannot take the king on {to}")]
    King {
        /// The piece that moves.
        piece: Piece,
        /// Where it stands.
        from: Square,
        /// Where it would go.
        to: Square,
    },
    /// The piece does not move that way.
    #[error("a {piece} does not go from {from} to {to}")]
    Movement {
        /// The piece that moves.
        piece: Piece,
        /// Where it stands.
        from: Square,
        /// Where it would go.
        to: Square,
    },
    /// A man stands in the way.
    #[error("the way of the {piece} from {from} to {to} is blocked on {blocked}")]
    Blocked {
        /// The piece that moves.
        piece: Piece,
        /// Where it stands.
        from: Square,
        /// Where it would go.
        to: Square,
        /// The lowest square that is taken.
        blocked: Square,
    },
    /// A pawn reaches the last rank, and the move does not say what it becomes.
    #[error("the pawn that reaches {to} must become a piece")]
    NoPromotion {
        /// Where it goes.
        to: Square,
    },
    /// The move is a promotion, but not of a pawn that reaches the last rank.
    #[error("the {piece} that goes to {to} cannot become another piece")]
    Promotion {
        /// The piece that moves.
        piece: Piece,
        /// Where it goes.
        to: Square,
    },
    /// The move takes en passant where nothing can be taken so.
    #[error("the {piece} on {from} cannot take en passant on {to}")]
    EnPassant {
        /// The piece that moves.
        piece: Piece,
        /// Where it stands.
        from: Square,
        /// Where it would go.
        to: Square,
    },
    /// The move castles with a rook that has no right to.
    #[error("{color} may not castle from {from} with {to}")]
    NoCastlingRight {
        /// The side to move.
        color: Color,
        /// Where the move begins; the king's square, were the move right.
        from: Square,
        /// Where it ends; the rook's square, were the move right.
        to: Square,
    },
    /// A man stands where king or rook would pass when castling.
    #[error("{color} cannot castle {wing}: {blocked} is taken")]
    CastlingBlocked {
        /// The side to move.
        color: Color,
        /// The wing.
        wing: Wing,
        /// The lowest square that is taken.
        blocked: Square,
    },
    /// The king would castle out of or through check.
    #[error("{color} cannot castle {wing}: {square} is attacked")]
    CastlingAttacked {
        /// The side to move.
        color: Color,
        /// The wing.
        wing: Wing,
        /// The lowest square on the king's way that is attacked.
        square: Square,
    },
    /// The side that moved would be in check.
    #[error("the move leaves the {color} king on {king} in check")]
    LeavesInCheck {
        /// The side to move.
        color: Color,
        /// Where its king would be.
        king: Square,
    },
}
