//! Scores of the middlegame and the ending, mixed by what is left on the board.

use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// Two scores in centipawns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Phased {
    middlegame: i32,
    ending: i32,
}

/// `s(middlegame, ending)`.
pub(super) const fn s(middlegame: i32, ending: i32) -> Phased {
    Phased { middlegame, ending }
}

impl Phased {
    /// The phase of a full board; 0 is a pure ending.
    pub(super) const FULL: i32 = 24;

    pub(super) fn at(self, phase: i32) -> i32 {
        let phase = phase.min(Self::FULL);
        (self.middlegame * phase + self.ending * (Self::FULL - phase)) / Self::FULL
    }

    pub(super) const fn plus(self, other: Self) -> Self {
        s(
            self.middlegame + other.middlegame,
            self.ending + other.ending,
        )
    }
}

impl Add for Phased {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.plus(other)
    }
}

impl AddAssign for Phased {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Neg for Phased {
    type Output = Self;

    fn neg(self) -> Self {
        s(-self.middlegame, -self.ending)
    }
}

impl Sub for Phased {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl SubAssign for Phased {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Mul<i32> for Phased {
    type Output = Self;

    fn mul(self, factor: i32) -> Self {
        s(self.middlegame * factor, self.ending * factor)
    }
}
