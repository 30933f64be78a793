//! The 46 bitplanes by name.

use crate::PieceType;

/// One of the 46 bitplanes of a record.
///
/// Planes are seen from the side to move ("own"): when Black moves, the board is turned upside down
/// and the colours are exchanged. Planes 22–27, 31–33 and 36–43 are internal to the engine that
/// made the format; [`Plane::new`] reaches them too.
///
/// Names and numbers are those of the format's description. Where the constants below say "as
/// written here", it is silent, and files by others may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Plane(u8);

impl Plane {
    /// How many planes a record has.
    pub const COUNT: usize = 46;

    /// Files without pawns.
    pub const OPEN_FILES: Self = Self(28);
    /// Files half-open for the side to move; as written here: with no own pawn and an enemy one.
    pub const OWN_HALF_OPEN_FILES: Self = Self(29);
    /// Passed pawns of the side to move; as written here: with no enemy pawn ahead on their own file
    /// and its neighbours.
    pub const OWN_PASSED_PAWNS: Self = Self(30);
    /// As [`Plane::OWN_HALF_OPEN_FILES`], the opponent's.
    pub const OPPONENT_HALF_OPEN_FILES: Self = Self(34);
    /// As [`Plane::OWN_PASSED_PAWNS`], the opponent's.
    pub const OPPONENT_PASSED_PAWNS: Self = Self(35);
    /// The square on which a pawn may be taken in passing; as written here: only if that is legal.
    pub const EN_PASSANT: Self = Self(44);
    /// Square colours, the same in every record; as written here: the light squares.
    pub const SQUARE_COLORS: Self = Self(45);

    /// The plane with this number, if it is under 46.
    #[must_use]
    pub const fn new(index: u8) -> Option<Self> {
        if index < Self::COUNT as u8 {
            Some(Self(index))
        } else {
            None
        }
    }

    /// 0–5: where the side to move has pieces of this type.
    #[must_use]
    pub const fn own(piece_type: PieceType) -> Self {
        Self(piece_type as u8)
    }

    /// 6–11: where the opponent has pieces of this type.
    #[must_use]
    pub const fn opponent(piece_type: PieceType) -> Self {
        Self(6 + piece_type as u8)
    }

    /// 12–21: attack maps. As written here 12–16 are what own pawns, knights, bishops, rooks and
    /// queens attack, squares of own men included. Kings have none.
    #[must_use]
    pub const fn own_attacks(piece_type: PieceType) -> Option<Self> {
        match piece_type {
            PieceType::King => None,
            _ => Some(Self(12 + piece_type as u8)),
        }
    }

    /// 12–21: attack maps. As written here 17–21 are the opponent's; see [`Plane::own_attacks`].
    #[must_use]
    pub const fn opponent_attacks(piece_type: PieceType) -> Option<Self> {
        match piece_type {
            PieceType::King => None,
            _ => Some(Self(17 + piece_type as u8)),
        }
    }

    /// The number, 0–45.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(Plane::own(PieceType::King).index(), 5);
        assert_eq!(Plane::opponent(PieceType::Pawn).index(), 6);
        let index = |plane: Option<Plane>| plane.map(Plane::index);
        assert_eq!(index(Plane::own_attacks(PieceType::Queen)), Some(16));
        assert_eq!(index(Plane::opponent_attacks(PieceType::Pawn)), Some(17));
        assert_eq!(Plane::own_attacks(PieceType::King), None);
        assert_eq!(Plane::opponent_attacks(PieceType::King), None);
        assert_eq!(Plane::new(45), Some(Plane::SQUARE_COLORS));
        assert_eq!(Plane::new(46), None);
    }
}
