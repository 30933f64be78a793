//! viriformat's packing of a move into 16 bits.
//!
//! | bits | field |
//! |---|---|
//! | 0–5 | from square |
//! | 6–11 | to square; of castling, the rook's |
//! | 12–13 | promotion: 0 knight, 1 bishop, 2 rook, 3 queen |
//! | 14–15 | kind: 0 normal, 1 en passant, 2 castling, 3 promotion |
//!
//! In files the 16 bits are little-endian. 1.e4 e5 2.Qh5 Ke7 3.Qxe5#, for example:
//!
//! ```text
//! 0c 07   0x070c   from 12 e2, to 28 e4
//! 34 09   0x0934   from 52 e7, to 36 e5
//! c3 09   0x09c3   from  3 d1, to 39 h5
//! 3c 0d   0x0d3c   from 60 e8, to 52 e7
//! 27 09   0x0927   from 39 h5, to 36 e5
//! ```

use core::fmt;

use thiserror::Error;

use crate::{Piece, PieceType, Square};

/// A move as viriformat packs it: two squares and what kind of move it is. Whether it is legal
/// anywhere is for a board to say.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ViriMove(u16);

/// The kinds of move that viriformat tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ViriMoveKind {
    /// 0: none of the others; captures and double pawn pushes too.
    Normal,
    /// 1: a pawn takes en passant.
    EnPassant,
    /// 2: castling, written as the king taking its own rook.
    Castling,
    /// 3: a pawn becomes the knight, bishop, rook or queen named.
    Promotion(PieceType),
}

/// Why 16 bits are no move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ViriMoveError {
    /// The promotion bits of a move that is no promotion are set.
    #[error("bits 12-13 of move {bits:#06x} are {found}, expected 0 in a move of kind {kind}")]
    PromotionBits {
        /// The whole move.
        bits: u16,
        /// The promotion bits, 1–3.
        found: u8,
        /// The kind, 0–2.
        kind: u8,
    },
    /// The move ends where it begins; writers use such bits for "no move".
    #[error("move {bits:#06x} goes from {square} to {square}")]
    SameSquare {
        /// The whole move.
        bits: u16,
        /// The square.
        square: Square,
    },
    /// A pawn cannot become this.
    #[error("a pawn cannot become a {found}, expected a knight, bishop, rook or queen")]
    Promotion {
        /// The type asked for.
        found: PieceType,
    },
}

/// The types a pawn can become, in the order of their bits.
const PROMOTIONS: [PieceType; 4] = [
    PieceType::Knight,
    PieceType::Bishop,
    PieceType::Rook,
    PieceType::Queen,
];

impl ViriMove {
    /// Packs a move.
    ///
    /// # Errors
    ///
    /// [`ViriMoveError::SameSquare`], or [`ViriMoveError::Promotion`] for a pawn or a king.
    pub fn new(from: Square, to: Square, kind: ViriMoveKind) -> Result<Self, ViriMoveError> {
        let (kind, promotion) = match kind {
            ViriMoveKind::Normal => (0, 0),
            ViriMoveKind::EnPassant => (1, 0),
            ViriMoveKind::Castling => (2, 0),
            ViriMoveKind::Promotion(found) => {
                let bits = PROMOTIONS.iter().position(|&promotion| promotion == found);
                (3, bits.ok_or(ViriMoveError::Promotion { found })? as u16)
            }
        };
        let squares = u16::from(u8::from(from)) | u16::from(u8::from(to)) << 6;
        Self::from_bits(squares | promotion << 12 | kind << 14)
    }

    /// The move with these bits.
    ///
    /// # Errors
    ///
    /// [`ViriMoveError::PromotionBits`] and [`ViriMoveError::SameSquare`]: such bits have no meaning,
    /// and are given none.
    pub fn from_bits(bits: u16) -> Result<Self, ViriMoveError> {
        let (kind, found) = ((bits >> 14) as u8, (bits >> 12 & 3) as u8);
        if kind != 3 && found != 0 {
            return Err(ViriMoveError::PromotionBits { bits, found, kind });
        }
        let packed = Self(bits);
        if packed.from() == packed.to() {
            let square = packed.from();
            return Err(ViriMoveError::SameSquare { bits, square });
        }
        Ok(packed)
    }

    /// The bits.
    #[must_use]
    pub const fn to_bits(self) -> u16 {
        self.0
    }

    /// Where the piece that moves stands.
    #[must_use]
    pub const fn from(self) -> Square {
        Square::ALL[(self.0 & 63) as usize]
    }

    /// Where it goes; of castling, where the rook stands.
    #[must_use]
    pub const fn to(self) -> Square {
        Square::ALL[(self.0 >> 6 & 63) as usize]
    }

    /// What kind of move it is.
    #[must_use]
    pub const fn kind(self) -> ViriMoveKind {
        match self.0 >> 14 {
            0 => ViriMoveKind::Normal,
            1 => ViriMoveKind::EnPassant,
            2 => ViriMoveKind::Castling,
            _ => ViriMoveKind::Promotion(PROMOTIONS[(self.0 >> 12 & 3) as usize]),
        }
    }
}

impl TryFrom<u16> for ViriMove {
    type Error = ViriMoveError;

    fn try_from(bits: u16) -> Result<Self, ViriMoveError> {
        Self::from_bits(bits)
    }
}

impl From<ViriMove> for u16 {
    fn from(packed: ViriMove) -> Self {
        packed.to_bits()
    }
}

/// As in UCI with castling as in Chess960: `e2e4`, `e7e8q`, `e1h1`.
impl fmt::Display for ViriMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from(), self.to())?;
        if let ViriMoveKind::Promotion(piece_type) = self.kind() {
            let letter = Piece::new(crate::Color::Black, piece_type).fen_letter();
            write!(f, "{letter}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for ViriMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ViriMove({self}, {:?})", self.kind())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn the_worked_example() {
        let bytes = [0x0c, 0x07, 0x34, 0x09, 0xc3, 0x09, 0x3c, 0x0d, 0x27, 0x09];
        let moves = ["e2e4", "e7e5", "d1h5", "e8e7", "h5e5"];
        for (bytes, text) in bytes.as_chunks().0.iter().zip(moves) {
            let packed = ViriMove::from_bits(u16::from_le_bytes(*bytes)).unwrap();
            assert_eq!(packed.to_string(), text);
            assert_eq!(packed.kind(), ViriMoveKind::Normal);
        }
    }

    #[test]
    fn kinds_and_promotions() {
        for (bits, text, kind) in [
            (0x4b64, "e5f6", ViriMoveKind::EnPassant),
            (0x81c4, "e1h1", ViriMoveKind::Castling),
            (0xcf34, "e7e8n", ViriMoveKind::Promotion(PieceType::Knight)),
            (0xdf34, "e7e8b", ViriMoveKind::Promotion(PieceType::Bishop)),
            (0xef34, "e7e8r", ViriMoveKind::Promotion(PieceType::Rook)),
            (0xff34, "e7e8q", ViriMoveKind::Promotion(PieceType::Queen)),
        ] {
            let packed = ViriMove::from_bits(bits).unwrap();
            assert_eq!((packed.to_string().as_str(), packed.kind()), (text, kind));
            assert_eq!(ViriMove::new(packed.from(), packed.to(), kind), Ok(packed));
        }
    }

    #[test]
    fn bits_are_kept_or_refused() {
        let mut kept = 0;
        for bits in 0..=u16::MAX {
            if let Ok(packed) = ViriMove::from_bits(bits) {
                let again = ViriMove::new(packed.from(), packed.to(), packed.kind());
                assert_eq!(again.map(u16::from), Ok(bits));
                assert_eq!(ViriMove::try_from(bits), Ok(packed));
                kept += 1;
            }
        }
        assert_eq!(kept, 64 * 63 * (3 + 4));
    }

    #[test]
    fn what_is_no_move() {
        assert_eq!(
            ViriMove::from_bits(0x6f34).unwrap_err().to_string(),
            "bits 12-13 of move 0x6f34 are 2, expected 0 in a move of kind 1"
        );
        assert_eq!(
            ViriMove::from_bits(0).unwrap_err().to_string(),
            "move 0x0000 goes from a1 to a1"
        );
        let king = ViriMoveKind::Promotion(PieceType::King);
        assert_eq!(
            ViriMove::new(Square::E7, Square::E8, king)
                .unwrap_err()
                .to_string(),
            "a pawn cannot become a king, expected a knight, bishop, rook or queen"
        );
    }
}
