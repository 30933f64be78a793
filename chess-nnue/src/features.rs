//! The 768 inputs of one view.

use chess_records::{Color, Piece, Square};

/// The input of `piece` on `square` as `view` sees it, 0…767: 0 for an own piece or 384 for the
/// opponent's, plus 64 × type (P N B R Q K), plus the square, its rank flipped (number XOR 56) for
/// Black's view.
#[must_use]
#[inline]
pub const fn feature_index(view: Color, piece: Piece, square: Square) -> usize {
    let theirs = (view.index() ^ piece.color.index()) * 384;
    let flip = view.index() * 56;
    theirs + piece.piece_type.index() * 64 + (square.index() ^ flip)
}

/// One of the 768 inputs of a view without buckets, as [`feature_index`] numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlainInput(u16);

impl PlainInput {
    /// How many there are. Every value is below this number, which tables of rows rely on.
    pub(crate) const COUNT: usize = 768;

    /// The input of `piece` on `square` as `view` sees it.
    pub(crate) const fn new(view: Color, piece: Piece, square: Square) -> Self {
        let index = feature_index(view, piece, square);
        assert!(index < Self::COUNT);
        Self(index as u16)
    }

    /// The input with its square's file XORed with `mirror`, of which three bits count.
    #[inline(always)]
    pub(crate) const fn mirrored(self, mirror: usize) -> Self {
        // Stays under 768, which is a multiple of 8.
        Self(self.0 ^ (mirror as u16 & 7))
    }

    /// The number, below [`PlainInput::COUNT`].
    #[inline(always)]
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess_records::PieceType;

    #[test]
    fn both_views_number_from_their_own_side() {
        let pawn = Piece::new(Color::White, PieceType::Pawn);
        assert_eq!(feature_index(Color::White, pawn, Square::A2), 8);
        assert_eq!(feature_index(Color::Black, pawn, Square::A2), 384 + 48);
        let king = Piece::new(Color::Black, PieceType::King);
        assert_eq!(feature_index(Color::Black, king, Square::E8), 320 + 4);
        assert_eq!(
            feature_index(Color::White, king, Square::E8),
            384 + 320 + 60
        );
    }

    #[test]
    fn every_input_is_named_once_a_view() {
        for view in Color::ALL {
            let mut seen = [false; 768];
            for piece in Piece::ALL {
                for square in Square::ALL {
                    let index = feature_index(view, piece, square);
                    assert!(!core::mem::replace(&mut seen[index], true));
                }
            }
            assert!(seen.into_iter().all(|input| input));
        }
    }
}
