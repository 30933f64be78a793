//! Colours, types of piece and pieces.

use core::fmt;
use core::ops::Not;

use thiserror::Error;

/// A side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Color {
    /// White, who moves first.
    White,
    /// Black.
    Black,
}

impl Color {
    /// How many sides there are.
    pub const COUNT: usize = 2;
    /// Both sides, White first.
    pub const ALL: [Self; Self::COUNT] = [Self::White, Self::Black];

    /// 0 for White, 1 for Black.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The other side.
    #[must_use]
    pub const fn opponent(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }

    /// The rank on which this side's pieces start: 0 for White, 7 for Black.
    #[must_use]
    pub const fn home_rank(self) -> u8 {
        match self {
            Self::White => 0,
            Self::Black => 7,
        }
    }
}

impl Not for Color {
    type Output = Self;

    fn not(self) -> Self {
        self.opponent()
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::White => "White",
            Self::Black => "Black",
        })
    }
}

/// A type of piece; the numbers are those of every format of this family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PieceType {
    /// 0.
    Pawn,
    /// 1.
    Knight,
    /// 2.
    Bishop,
    /// 3.
    Rook,
    /// 4.
    Queen,
    /// 5.
    King,
}

/// A number over 5, which is no type of piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("piece type {found} is over 5")]
pub struct PieceTypeError {
    /// The number given.
    pub found: u8,
}

impl PieceType {
    /// How many types there are.
    pub const COUNT: usize = 6;
    /// Every type, from pawn to king.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Pawn,
        Self::Knight,
        Self::Bishop,
        Self::Rook,
        Self::Queen,
        Self::King,
    ];

    /// The type with this number, if it is under 6.
    #[must_use]
    pub const fn new(index: u8) -> Option<Self> {
        if index < Self::COUNT as u8 {
            Some(Self::ALL[index as usize])
        } else {
            None
        }
    }

    /// The number, 0 (pawn) to 5 (king).
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl TryFrom<u8> for PieceType {
    type Error = PieceTypeError;

    fn try_from(index: u8) -> Result<Self, PieceTypeError> {
        Self::new(index).ok_or(PieceTypeError { found: index })
    }
}

impl From<PieceType> for u8 {
    fn from(piece_type: PieceType) -> Self {
        piece_type as u8
    }
}

impl fmt::Display for PieceType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Pawn => "pawn",
            Self::Knight => "knight",
            Self::Bishop => "bishop",
            Self::Rook => "rook",
            Self::Queen => "queen",
            Self::King => "king",
        })
    }
}

/// A piece of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Piece {
    /// Whose it is.
    pub color: Color,
    /// What it is.
    pub piece_type: PieceType,
}

impl Piece {
    /// How many pieces there are.
    pub const COUNT: usize = 12;

    /// Every piece: White's from pawn to king, then Black's.
    pub const ALL: [Self; Self::COUNT] = {
        let mut all = [Self::new(Color::White, PieceType::Pawn); Self::COUNT];
        let mut index = 0;
        while index < Self::COUNT {
            let color = Color::ALL[index / PieceType::COUNT];
            all[index] = Self::new(color, PieceType::ALL[index % PieceType::COUNT]);
            index += 1;
        }
        all
    };

    /// The piece of this colour and type.
    #[must_use]
    pub const fn new(color: Color, piece_type: PieceType) -> Self {
        Self { color, piece_type }
    }

    /// The number, 0 (White's pawn) to 11 (Black's king): its place in [`Piece::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self.color.index() * PieceType::COUNT + self.piece_type.index()
    }

    /// The piece with this FEN letter: `P N B R Q K` for White, lower case for Black.
    #[must_use]
    pub const fn from_fen_letter(letter: char) -> Option<Self> {
        let mut index = 0;
        while index < Self::COUNT {
            if Self::ALL[index].fen_letter() == letter {
                return Some(Self::ALL[index]);
            }
            index += 1;
        }
        None
    }

    /// The FEN letter: `P N B R Q K` for White, lower case for Black.
    #[must_use]
    pub const fn fen_letter(self) -> char {
        const LETTERS: [[char; PieceType::COUNT]; Color::COUNT] = [
            ['P', 'N', 'B', 'R', 'Q', 'K'],
            ['p', 'n', 'b', 'r', 'q', 'k'],
        ];
        LETTERS[self.color.index()][self.piece_type.index()]
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.color, self.piece_type)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn numbers_and_letters_name_every_piece_once() {
        for (index, piece) in Piece::ALL.into_iter().enumerate() {
            assert_eq!(piece.index(), index);
            assert_eq!(Piece::from_fen_letter(piece.fen_letter()), Some(piece));
            assert_eq!(
                PieceType::try_from(u8::from(piece.piece_type)),
                Ok(piece.piece_type)
            );
        }
        assert_eq!(Piece::from_fen_letter('x'), None);
        assert_eq!(PieceType::new(6), None);
        assert_eq!(!Color::White, Color::Black);
    }

    #[test]
    fn texts() {
        let piece = Piece::new(Color::Black, PieceType::Queen);
        assert_eq!(piece.to_string(), "Black queen");
        assert_eq!(
            PieceType::try_from(7).unwrap_err().to_string(),
            "piece type 7 is over 5"
        );
    }
}
