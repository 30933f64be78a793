//! Learning rate and result weight over a run.

use std::vec;
use std::vec::Vec;

/// How the learning rate changes from step to step. Rates here are shares of
/// [`TrainConfig::learning_rate`](super::TrainConfig::learning_rate); how far a run has come is told
/// by steps, whatever an epoch is.
///
/// A warm-up of [`TrainConfig::warmup_steps`](super::TrainConfig::warmup_steps) comes on top: it
/// scales the first steps, the first one to one step's share, and moves nothing.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case", deny_unknown_fields)
)]
#[non_exhaustive]
pub enum RateSchedule {
    /// The same rate in every step.
    Constant,
    /// The rate is multiplied by `factor` at each of these points: 0.75 is when three quarters of
    /// the steps have been made.
    Step {
        /// What becomes of the rate at each point, 0 to 1.
        factor: f64,
        /// The points, in ascending order, each over 0 and under 1.
        at: Vec<f64>,
    },
    /// From the full rate in the first step to `last` in the last one, in a straight line.
    Linear {
        /// The share of the last step, 0 to 1.
        last: f64,
    },
    /// From the full rate in the first step to `last` in the last one, along half a cosine wave:
    /// slow at both ends.
    Cosine {
        /// The share of the last step, 0 to 1.
        last: f64,
    },
}

impl Default for RateSchedule {
    /// A tenth of the rate for the last quarter of the steps.
    fn default() -> Self {
        Self::Step {
            factor: 0.1,
            at: vec![0.75],
        }
    }
}

impl RateSchedule {
    /// The most points at which a rate may change.
    pub const MAX_POINTS: usize = 1000;

    /// The share of the full rate that a step is made with: number `step`, from 1, of `steps`.
    pub(super) fn share(&self, step: u64, steps: u64) -> f64 {
        match self {
            Self::Constant => 1.0,
            Self::Step { factor, at } => {
                let behind = (step - 1) as f64 / steps as f64;
                let passed = at.iter().filter(|&&point| behind >= point);
                // A product and no power: that is not the same on every machine.
                passed.fold(1.0, |share, _| share * factor)
            }
            Self::Linear { last } => between(1.0, *last, way(step, steps)),
            Self::Cosine { last } => {
                let fallen = (1.0 - cosine_of_half_turns(way(step, steps))) / 2.0;
                between(1.0, *last, fallen)
            }
        }
    }
}

/// The share of a warm-up over so many steps that a step is made with.
pub(super) fn warmup(step: u64, warmup_steps: u64) -> f64 {
    if step >= warmup_steps {
        return 1.0;
    }
    step as f64 / warmup_steps as f64
}

/// The share of the result in the targets of a step, on the straight line from that of the first
/// step to that of the last.
pub(super) fn result_weight(first: f32, last: f32, step: u64, steps: u64) -> f32 {
    if first == last {
        return first;
    }
    between(first.into(), last.into(), way(step, steps)) as f32
}

/// How far a step is on the way from the first one, 0, to the last one, 1.
fn way(step: u64, steps: u64) -> f64 {
    (step - 1) as f64 / (steps - 1).max(1) as f64
}

/// Exactly the ends at both ends.
fn between(first: f64, last: f64, way: f64) -> f64 {
    first * (1.0 - way) + last * way
}

/// cos(π·x) for 0 ≤ x ≤ 1, to 10⁻¹⁵, from plain arithmetic: the standard library's is the system's,
/// and systems round it differently.
fn cosine_of_half_turns(x: f64) -> f64 {
    // cos(πx) = sin(π(½ − x)), and the series of the sine is good within a quarter turn.
    let angle = core::f64::consts::PI * (0.5 - x);
    let square = angle * angle;
    let mut sum = 0.0;
    for k in (1..=11).rev() {
        let factorial_step = f64::from(2 * k * (2 * k + 1));
        sum = (1.0 + sum) * -square / factorial_step;
    }
    angle * (1.0 + sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(schedule: &RateSchedule, steps: u64) -> Vec<f64> {
        (1..=steps)
            .map(|step| schedule.share(step, steps))
            .collect()
    }

    #[test]
    fn the_last_quarter_is_slow() {
        let slow = |steps| {
            shares(&RateSchedule::default(), steps)
                .iter()
                .filter(|&&s| s < 0.5)
                .count()
        };
        assert_eq!((slow(20), slow(8), slow(7), slow(3)), (5, 2, 1, 0));
        assert_eq!(1e-3 * RateSchedule::default().share(20, 20), 1e-4);
    }

    #[test]
    fn steps_are_taken_at_their_points() {
        let schedule = RateSchedule::Step {
            factor: 0.5,
            at: vec![0.25, 0.5],
        };
        assert_eq!(shares(&schedule, 4), [1.0, 0.5, 0.25, 0.25]);
        assert_eq!(shares(&RateSchedule::Constant, 3), [1.0; 3]);
    }

    #[test]
    fn lines_and_waves_have_the_ends_asked_for() {
        let linear = RateSchedule::Linear { last: 0.2 };
        for (found, expected) in shares(&linear, 5).iter().zip([1.0, 0.8, 0.6, 0.4, 0.2]) {
            assert!((found - expected).abs() < 1e-15);
        }
        let cosine = shares(&RateSchedule::Cosine { last: 0.0 }, 5);
        assert_eq!((cosine[0], cosine[2], cosine[4]), (1.0, 0.5, 0.0));
        assert!((cosine[1] - (1.0 + 0.5f64.sqrt()) / 2.0).abs() < 1e-15);
        assert_eq!(shares(&RateSchedule::Linear { last: 0.2 }, 1), [1.0]);
    }

    #[test]
    fn the_cosine_is_the_cosine() {
        for i in 0..=1000 {
            let x = f64::from(i) / 1000.0;
            let expected = (core::f64::consts::PI * x).cos();
            assert!((cosine_of_half_turns(x) - expected).abs() < 1e-15, "{x}");
        }
    }

    #[test]
    fn a_warm_up_rises_to_one() {
        let shares: Vec<f64> = (1..=5).map(|step| warmup(step, 4)).collect();
        assert_eq!(shares, [0.25, 0.5, 0.75, 1.0, 1.0]);
        assert_eq!(warmup(1, 0), 1.0);
    }

    #[test]
    fn the_result_weight_goes_from_end_to_end() {
        let weights: Vec<f32> = (1..=3)
            .map(|step| result_weight(0.25, 0.75, step, 3))
            .collect();
        assert_eq!(weights, [0.25, 0.5, 0.75]);
        assert_eq!(result_weight(0.3, 0.3, 7, 9), 0.3);
        assert_eq!(result_weight(0.1, 0.9, 1, 1), 0.1);
    }
}
