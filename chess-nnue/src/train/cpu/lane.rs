//! Sixteen numbers side by side: the unit in which hidden columns are worked on.
//!
//! Operations are element by element, each rounded by itself, so that any vector width the compiler
//! chooses gives the same bits. None of them is a fused multiplication and addition, which rounds
//! once where others round twice: a processor that has it would give other bits than one that has
//! not. They are loops and not closures, which would not be compiled with the caller's instructions.

use crate::Activation;

/// Sixteen neighbouring columns, one cache line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Lane(pub(super) [f32; Lane::WIDTH]);

impl Lane {
    pub(super) const WIDTH: usize = 16;
    pub(super) const ZERO: Self = Self([0.0; Self::WIDTH]);

    #[inline(always)]
    pub(super) fn plus(mut self, other: Self) -> Self {
        for i in 0..Self::WIDTH {
            self.0[i] += other.0[i];
        }
        self
    }

    #[inline(always)]
    pub(super) fn times(mut self, other: Self) -> Self {
        for i in 0..Self::WIDTH {
            self.0[i] *= other.0[i];
        }
        self
    }

    #[inline(always)]
    pub(super) fn scaled(mut self, factor: f32) -> Self {
        for i in 0..Self::WIDTH {
            self.0[i] *= factor;
        }
        self
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
    pub(super) fn clipped(mut self) -> Self {
        for i in 0..Self::WIDTH {
            let x = self.0[i];
            let above = if 0.0 > x { 0.0 } else { x };
            self.0[i] = if 1.0 < above { 1.0 } else { above };
        }
        self
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
    pub(super) fn activation_slope(mut self, activation: Activation) -> Self {
        for i in 0..Self::WIDTH {
            let x = self.0[i];
            let slope = match activation {
                Activation::Crelu => 1.0,
                Activation::Screlu => x + x,
            };
            // `&`, not `&&`: without branches all sixteen are worked out at once.
            self.0[i] = if (x > 0.0) & (x < 1.0) { slope } else { 0.0 };
        }
        self
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
        let lane = Lane(core::array::from_fn(|i| (1 << i) as f32));
        assert_eq!(lane.sum(), 65_535.0);
    }
}
