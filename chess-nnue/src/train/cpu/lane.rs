//! Sixteen numbers side by side: the unit in which hidden columns are worked on.
//!
//! Operations are element by element and in a fixed order, so that any vector width the compiler
//! chooses gives the same bits.

use core::array;

use crate::Activation;

/// Sixteen neighbouring columns, one cache line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Lane(pub(super) [f32; Lane::WIDTH]);

impl Lane {
    pub(super) const WIDTH: usize = 16;
    pub(super) const ZERO: Self = Self([0.0; Self::WIDTH]);

    #[inline(always)]
    pub(super) fn plus(self, other: Self) -> Self {
        Self(array::from_fn(|i| self.0[i] + other.0[i]))
    }

    #[inline(always)]
    pub(super) fn times(self, other: Self) -> Self {
        Self(array::from_fn(|i| self.0[i] * other.0[i]))
    }

    #[inline(always)]
    pub(super) fn scaled(self, factor: f32) -> Self {
        Self(self.0.map(|value| factor * value))
    }

    /// The sum of all sixteen, as a tree of halves.
    #[inline(always)]
    pub(super) fn sum(self) -> f32 {
        let mut sums = self.0;
        let mut half = Self::WIDTH / 2;
        while half > 0 {
            for i in 0..half {
                sums[i] += sums[i + half];
            }
            half /= 2;
        }
        sums[0]
    }

    /// Hidden sums clipped to 0…1. NaN stays NaN.
    #[inline(always)]
    pub(super) fn clipped(self) -> Self {
        Self(self.0.map(|x| {
            let above = if 0.0 > x { 0.0 } else { x };
            if 1.0 < above { 1.0 } else { above }
        }))
    }

    /// What clipped values become.
    #[inline(always)]
    pub(super) fn activated(self, activation: Activation) -> Self {
        match activation {
            Activation::Crelu => self,
            Activation::Screlu => self.times(self),
        }
    }

    /// How much the activation rises with the hidden sum, from the clipped value. On both corners
    /// of the clip, which a clipped value cannot tell from beyond, it is 0.
    #[inline(always)]
    pub(super) fn activation_slope(self, activation: Activation) -> Self {
        // `&`, not `&&`: without branches all sixteen are worked out at once.
        let inside = |clipped: f32| (clipped > 0.0) & (clipped < 1.0);
        match activation {
            Activation::Crelu => Self(self.0.map(|x| if inside(x) { 1.0 } else { 0.0 })),
            Activation::Screlu => Self(self.0.map(|x| if inside(x) { x + x } else { 0.0 })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clips_and_slopes_at_the_corners() {
        let mut lane = Lane::ZERO;
        lane.0[..6].copy_from_slice(&[-0.5, 0.0, 0.25, 1.0, 1.5, f32::NAN]);
        let clipped = lane.clipped();
        assert_eq!(clipped.0[..5], [0.0, 0.0, 0.25, 1.0, 1.0]);
        assert!(clipped.0[5].is_nan());
        assert_eq!(clipped.activated(Activation::Screlu).0[2], 0.0625);
        assert_eq!(clipped.activated(Activation::Crelu).0[2], 0.25);
        let slopes = clipped.activation_slope(Activation::Screlu);
        assert_eq!(slopes.0[..5], [0.0, 0.0, 0.5, 0.0, 0.0]);
        let slopes = clipped.activation_slope(Activation::Crelu);
        assert_eq!(slopes.0[..5], [0.0, 0.0, 1.0, 0.0, 0.0]);
    }

    #[test]
    fn sums_every_column() {
        let lane = Lane(array::from_fn(|i| (1 << i) as f32));
        assert_eq!(lane.sum(), 65_535.0);
    }
}
