//! What a step does, and what is remembered from step to step.

use std::vec;

use super::parameters::FloatWeights;

/// What one step is like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StepOptions {
    /// The learning rate.
    pub(crate) rate: f64,
    /// How much of a weight is lost, times the rate.
    pub(crate) weight_decay: f64,
    /// What weights are clipped to after the step.
    pub(crate) weight_limit: f32,
}

/// What an optimizer remembers, laid out like the parameters it steps: the same for every backend.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OptimizerState {
    /// How many steps were made.
    pub(crate) steps: u64,
    /// The moving means of the gradients.
    pub(crate) means: FloatWeights,
    /// The moving means of their squares.
    pub(crate) squares: FloatWeights,
}

impl OptimizerState {
    /// The state before the first step.
    pub(crate) fn new(weights: &FloatWeights) -> Self {
        let zero = |values: &[f32]| vec![0.0; values.len()];
        let zero = FloatWeights {
            feature_weights: zero(&weights.feature_weights),
            factoriser: zero(&weights.factoriser),
            feature_biases: zero(&weights.feature_biases),
            output_weights: zero(&weights.output_weights),
            output_biases: zero(&weights.output_biases),
        };
        Self {
            steps: 0,
            means: zero.clone(),
            squares: zero,
        }
    }
}
