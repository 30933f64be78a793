//! Squares, and sets of squares as 64-bit masks.

use core::fmt;
use core::iter::FusedIterator;
use core::str::FromStr;

use thiserror::Error;

/// One of the 64 squares, numbered rank by rank from White's side: a1 = 0, b1 = 1, h1 = 7, a2 = 8,
/// h8 = 63.
///
/// Sets of squares are plain `u64` masks throughout the family; bit *i* stands for square *i*.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

/// A number or a text that names no square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SquareError {
    /// The number is over 63.
    #[error("square number {found} is over 63")]
    Number {
        /// The number given.
        found: u8,
    },
    /// The text is not a file a–h followed by a rank 1–8.
    #[error("a square is a file a-h and a rank 1-8, such as e4")]
    Text,
}

macro_rules! name_squares {
    ($($name:ident)*) => { name_squares!(@ 0; $($name)*); };
    (@ $index:expr; $name:ident $($rest:ident)*) => {
        #[doc = concat!("The square ", stringify!($name), ".")]
        pub const $name: Self = Self($index);
        name_squares!(@ $index + 1; $($rest)*);
    };
    (@ $index:expr;) => {};
}

impl Square {
    /// How many squares there are.
    pub const COUNT: usize = 64;

    /// Every square, from a1 to h8.
    pub const ALL: [Self; Self::COUNT] = {
        let mut all = [Self(0); Self::COUNT];
        let mut index = 0;
        while index < Self::COUNT {
            all[index] = Self(index as u8);
            index += 1;
        }
        all
    };

    name_squares! {
        A1 B1 C1 D1 E1 F1 G1 H1 A2 B2 C2 D2 E2 F2 G2 H2
        A3 B3 C3 D3 E3 F3 G3 H3 A4 B4 C4 D4 E4 F4 G4 H4
        A5 B5 C5 D5 E5 F5 G5 H5 A6 B6 C6 D6 E6 F6 G6 H6
        A7 B7 C7 D7 E7 F7 G7 H7 A8 B8 C8 D8 E8 F8 G8 H8
    }

    /// The square with this number, if it is under 64.
    #[must_use]
    pub const fn new(index: u8) -> Option<Self> {
        if index < 64 { Some(Self(index)) } else { None }
    }

    /// The square on a file (0 = a) and a rank (0 = the first), if both are under 8.
    #[must_use]
    pub const fn at(file: u8, rank: u8) -> Option<Self> {
        if file < 8 && rank < 8 {
            Some(Self(rank * 8 + file))
        } else {
            None
        }
    }

    /// The number, 0–63.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The file, 0 = a.
    #[must_use]
    pub const fn file(self) -> u8 {
        self.0 & 7
    }

    /// The rank, 0 = the first.
    #[must_use]
    pub const fn rank(self) -> u8 {
        self.0 >> 3
    }

    /// The mask with this square's bit alone.
    #[must_use]
    pub const fn bit(self) -> u64 {
        1 << self.0
    }

    /// The square at the same file seen from the other side: the number XOR 56.
    #[must_use]
    pub const fn flip_rank(self) -> Self {
        Self(self.0 ^ 56)
    }

    /// The square at the same rank with a and h exchanged: the number XOR 7.
    #[must_use]
    pub const fn flip_file(self) -> Self {
        Self(self.0 ^ 7)
    }

    /// The lowest square of a mask.
    pub(crate) const fn lowest(mask: u64) -> Option<Self> {
        Self::new(mask.trailing_zeros() as u8)
    }

    /// The highest square of a mask.
    pub(crate) const fn highest(mask: u64) -> Option<Self> {
        Self::new(63u8.wrapping_sub(mask.leading_zeros() as u8))
    }
}

impl TryFrom<u8> for Square {
    type Error = SquareError;

    fn try_from(index: u8) -> Result<Self, SquareError> {
        Self::new(index).ok_or(SquareError::Number { found: index })
    }
}

impl From<Square> for u8 {
    fn from(square: Square) -> Self {
        square.0
    }
}

impl From<Square> for usize {
    fn from(square: Square) -> Self {
        square.index()
    }
}

impl FromStr for Square {
    type Err = SquareError;

    fn from_str(text: &str) -> Result<Self, SquareError> {
        match *text.as_bytes() {
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => Ok(Self((rank - b'1') * 8 + file - b'a')),
            _ => Err(SquareError::Text),
        }
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = [b'a' + self.file(), b'1' + self.rank()].map(char::from);
        write!(f, "{}{}", name[0], name[1])
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The squares of a mask, from a1 upwards.
#[derive(Clone, Copy, Debug)]
pub struct Squares(u64);

impl Squares {
    /// The squares whose bits are set in `mask`.
    #[must_use]
    pub const fn new(mask: u64) -> Self {
        Self(mask)
    }
}

impl Iterator for Squares {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        let square = Square::lowest(self.0)?;
        self.0 &= self.0 - 1;
        Some(square)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.0.count_ones() as usize;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Squares {}
impl FusedIterator for Squares {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;
    use std::vec::Vec;

    #[test]
    fn numbers_names_and_directions() {
        assert_eq!(Square::H8.index(), 63);
        assert_eq!(Square::E4, Square::at(4, 3).unwrap());
        assert_eq!("e4".parse(), Ok(Square::E4));
        assert_eq!(Square::A1.flip_rank(), Square::A8);
        assert_eq!(Square::A1.flip_file(), Square::H1);
        for (index, square) in Square::ALL.into_iter().enumerate() {
            assert_eq!(square.index(), index);
            assert_eq!(square.to_string().parse(), Ok(square));
            assert_eq!(Square::try_from(index as u8), Ok(square));
        }
    }

    #[test]
    fn what_names_no_square() {
        assert_eq!(Square::new(64), None);
        assert_eq!(Square::at(8, 0), None);
        assert_eq!(Square::at(0, 8), None);
        for text in ["", "e", "e9", "i1", "e0", "E4", "e44", "é1"] {
            assert_eq!(text.parse::<Square>(), Err(SquareError::Text), "{text}");
        }
        assert_eq!(
            Square::try_from(64).unwrap_err().to_string(),
            "square number 64 is over 63"
        );
        assert_eq!(
            SquareError::Text.to_string(),
            "a square is a file a-h and a rank 1-8, such as e4"
        );
    }

    #[test]
    fn masks_are_walked_upwards() {
        let walked: Vec<_> = Squares::new(0x8000_0000_0000_0005).collect();
        assert_eq!(walked, [Square::A1, Square::C1, Square::H8]);
        assert_eq!(Squares::new(u64::MAX).len(), 64);
        assert_eq!(Squares::new(0).next(), None);
    }
}
