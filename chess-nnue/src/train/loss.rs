//! What a miss costs.

use super::sigmoid::{power, sigmoid};

/// What a miss costs: |σ(output) − target| to this power.
///
/// The power is 2 unless chosen otherwise. A higher one, such as 2.6, makes little of small misses,
/// which are mostly noise, and more of large ones. Powers are made of plain additions,
/// multiplications and divisions, so that a loss is the same on every machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    power: f64,
}

impl Loss {
    /// The squared miss.
    pub const SQUARED: Self = Self { power: 2.0 };

    /// A miss to this power; `None` unless it is in 1…4.
    #[must_use]
    pub fn new(power: f64) -> Option<Self> {
        (1.0..=4.0).contains(&power).then_some(Self { power })
    }

    /// The power.
    #[must_use]
    pub const fn power(self) -> f64 {
        self.power
    }

    /// The loss of one output, a logit.
    #[must_use]
    pub fn loss(self, output: f32, target: f32) -> f64 {
        self.with_slope(output, target).0
    }

    /// The loss of one output, and how much it rises with the output.
    pub(super) fn with_slope(self, output: f32, target: f32) -> (f64, f64) {
        let expected = sigmoid(f64::from(output));
        let miss = expected - f64::from(target);
        let (loss, rise) = if self == Self::SQUARED {
            (miss * miss, 2.0 * miss)
        } else {
            // |miss|^(p − 1), signed: times the miss it is the loss, times p its slope.
            let root = power(miss.abs(), self.power - 1.0).copysign(miss);
            (root * miss, self.power * root)
        };
        (loss, rise * expected * (1.0 - expected))
    }
}

impl Default for Loss {
    fn default() -> Self {
        Self::SQUARED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_out_of_range_are_none() {
        for power in [0.99, 4.01, f64::NAN, f64::INFINITY] {
            assert_eq!(Loss::new(power), None);
        }
        assert_eq!(Loss::new(2.0), Some(Loss::SQUARED));
        assert_eq!(Loss::new(2.6).map(Loss::power), Some(2.6));
    }

    #[test]
    fn losses_are_powers_of_the_miss_and_slopes_their_differences() {
        for power in [1.0, 1.5, 2.0, 2.6, 4.0] {
            let loss = Loss::new(power).unwrap();
            for (output, target) in [(0.5, 0.2), (-3.0, 0.9), (2.0, 1.0), (-8.0, 0.0)] {
                let expected = 1.0 / (1.0 + (-f64::from(output)).exp());
                let miss = (expected - f64::from(target)).abs();
                let (found, slope) = loss.with_slope(output, target);
                assert!((found / miss.powf(power) - 1.0).abs() < 1e-13);
                assert_eq!(loss.loss(output, target), found);
                let step = 1.0 / 1024.0;
                let rise = loss.loss(output + step, target) - loss.loss(output - step, target);
                let difference = rise / (2.0 * f64::from(step));
                assert!((slope / difference - 1.0).abs() < 1e-4, "{power}");
            }
        }
    }

    #[test]
    fn no_miss_costs_nothing_and_nan_stays() {
        for power in [1.0, 2.0, 2.6] {
            let loss = Loss::new(power).unwrap();
            assert_eq!(loss.loss(0.0, 0.5), 0.0);
            assert!(loss.loss(f32::NAN, 0.5).is_nan());
            assert!(loss.loss(0.5, f32::NAN).is_nan());
        }
    }
}
