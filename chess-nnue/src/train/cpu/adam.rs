//! Adam's steps: see [`Optimizer`].

use super::lane::Lane;
use super::shape::Shape;
use super::tiles::Tiles;
use crate::train::optimizer::{Optimizer, OptimizerState, StepOptions};
use crate::train::step::{Step, Steps};

/// The state of the optimizer.
#[derive(Clone, Debug)]
pub(super) struct Adam {
    pub(super) means: Tiles,
    pub(super) squares: Tiles,
    steps: Steps,
}

impl Adam {
    /// The optimizer before the first step of these parameters.
    pub(super) fn new(kind: Optimizer, tiles: &Tiles) -> Self {
        let zero = tiles.zero();
        Self {
            means: zero.clone(),
            squares: zero,
            steps: Steps::new(kind, 0),
        }
    }

    pub(super) fn restore(&mut self, state: &OptimizerState, shape: Shape) {
        self.means = Tiles::of_weights(&state.means, shape);
        self.squares = Tiles::of_weights(&state.squares, shape);
        self.steps.restart(state.steps);
    }

    pub(super) fn state(&self) -> OptimizerState {
        OptimizerState {
            steps: self.steps.count(),
            means: self.means.to_weights(),
            squares: self.squares.to_weights(),
        }
    }

    /// Begins the next step.
    pub(super) fn next_step(&mut self, options: &StepOptions) -> Step {
        self.steps.next(options)
    }

    /// Steps the output biases, which neither decay nor are clipped.
    pub(super) fn step_output_biases(&mut self, step: Step, values: &mut [f32], gradients: &[f64]) {
        let moments = self.means.output_biases.iter_mut();
        let moments = moments.zip(&mut self.squares.output_biases);
        for ((value, (mean, square)), &gradient) in values.iter_mut().zip(moments).zip(gradients) {
            *value -= step.change(mean, square, gradient as f32);
        }
    }
}

impl Step {
    /// The same step for values that have only a share of the limit.
    pub(super) fn limited(self, share: f32) -> Self {
        Self {
            limit: self.limit * share,
            ..self
        }
    }

    /// Steps sixteen weights: decay, change, clip.
    #[inline(always)]
    pub(super) fn apply(
        self,
        values: &mut Lane,
        means: &mut Lane,
        squares: &mut Lane,
        gradient: &Lane,
    ) {
        let limit = self.limit;
        for i in 0..Lane::WIDTH {
            let change = self.change(&mut means.0[i], &mut squares.0[i], gradient.0[i]);
            values.0[i] = (values.0[i] * self.keep - change).clamp(-limit, limit);
        }
    }

    /// Takes a gradient into the moving means and gives what to subtract.
    #[inline(always)]
    fn change(self, mean: &mut f32, square: &mut f32, gradient: f32) -> f32 {
        const KEEP: (f32, f32) = Step::KEEP;
        const TAKE: (f32, f32) = Step::TAKE;
        *mean = normal(KEEP.0 * *mean + TAKE.0 * gradient);
        *square = normal(KEEP.1 * *square + TAKE.1 * (gradient * gradient));
        let root = square.sqrt() * self.root_correction + self.epsilon;
        self.rate * *mean / root
    }
}

/// Means of inputs that are never on again fade away, and processors are slow with numbers under
/// 2^−126. Far less than ε, they count as 0.
#[inline(always)]
fn normal(mean: f32) -> f32 {
    if mean.abs() < 1e-36 { 0.0 } else { mean }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Architecture;
    use crate::train::Parameters;
    use std::vec::Vec;

    const OPTIONS: StepOptions = StepOptions {
        rate: 0.1,
        weight_decay: 0.01,
        weight_limit: Parameters::WEIGHT_LIMIT,
    };

    fn optimizer(kind: Optimizer) -> Adam {
        let architecture = Architecture::new(16).unwrap();
        let parameters = Parameters::random(&architecture, 0);
        let tiles = Tiles::new(&parameters, Shape::new(16, 1));
        Adam::new(kind, &tiles)
    }

    /// The value of a weight after each of these gradients.
    fn weights_after(kind: Optimizer, start: f32, gradients: &[f32]) -> Vec<f32> {
        let mut optimizer = optimizer(kind);
        let mut lanes = [start, 0.0, 0.0].map(|value| Lane([value; Lane::WIDTH]));
        let steps = gradients.iter().map(|&gradient| {
            let step = optimizer.next_step(&OPTIONS);
            let [values, means, squares] = &mut lanes;
            step.apply(values, means, squares, &Lane([gradient; Lane::WIDTH]));
            values.0[7]
        });
        steps.collect()
    }

    #[track_caller]
    fn assert_near(found: &[f32], expected: &[f32]) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!(
                (found - expected).abs() < 2e-6,
                "{found}, expected {expected}"
            );
        }
    }

    /// By hand, with gradients 0.5, −0.25 and 0:
    /// 1. mean and root are both |0.5| once corrected: 1·0.999 − 0.1.
    /// 2. mean 0.02/0.19, square 0.00031225/0.001999: 0.899·0.999 − 0.1·0.105263/0.395226.
    /// 3. mean 0.018/0.271, square 0.00031193775/0.002997001:
    ///    0.8714673·0.999 − 0.1·0.0664207/0.3226185.
    #[test]
    fn steps_are_those_worked_out_by_hand() {
        let found = weights_after(Optimizer::AdamW, 1.0, &[0.5, -0.25, 0.0]);
        assert_near(&found, &[0.899, 0.871_467_3, 0.850_007_8]);
    }

    /// By hand, with gradients of 0.5: the corrected mean and root are 0.5 at each step. Steps 1 to 4
    /// take 0.1 · 0.5 whole, lengths being 1, 1.9995, 2.9987 and 3.9975; at step 5 the length is
    /// 4.99600 and the rectification √(0.99600 · 2.99600 · 1999 / (1995 · 1997 · 4.99600)).
    #[test]
    fn few_gradients_make_rectified_steps() {
        let found = weights_after(Optimizer::RAdam, 1.0, &[0.5; 5]);
        let mut expected = std::vec![1.0f32];
        for change in [0.05, 0.05, 0.05, 0.05, 0.1 * 0.017_311_5] {
            let last = expected[expected.len() - 1];
            expected.push(last * 0.999 - change);
        }
        assert_near(&found, &expected[1..]);
    }

    #[test]
    fn weights_are_clipped_after_the_step() {
        assert_near(
            &weights_after(Optimizer::AdamW, 1.97, &[-1.0, -1.0]),
            &[1.98, 1.98],
        );
        assert_near(&weights_after(Optimizer::AdamW, -1.97, &[1.0]), &[-1.98]);
    }

    #[test]
    fn the_output_bias_neither_decays_nor_is_clipped() {
        let (mut optimizer, mut bias) = (optimizer(Optimizer::AdamW), [5.0]);
        let step = optimizer.next_step(&OPTIONS);
        optimizer.step_output_biases(step, &mut bias, &[-2.0]);
        assert_near(&bias, &[5.1]);
        let step = optimizer.next_step(&OPTIONS);
        optimizer.step_output_biases(step, &mut bias, &[-2.0]);
        assert_near(&bias, &[5.2]);
    }
}
