//! What a step does, and what is remembered from step to step.

use std::vec;

use super::parameters::FloatWeights;

/// How gradients become steps.
///
/// Both keep moving means of each gradient and of its square (β 0.9 and 0.999), step by the one over
/// the root of the other (ε 10⁻⁸), and take a share of every weight, the decay, apart from that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "lowercase")
)]
#[non_exhaustive]
pub enum Optimizer {
    /// Adam with decoupled decay (Loshchilov & Hutter, "Decoupled Weight Decay Regularization", 2019).
    #[default]
    AdamW,
    /// Rectified Adam (Liu et al., "On the Variance of the Adaptive Learning Rate and Beyond", 2020),
    /// with decoupled decay too: small steps while the mean of the squares is of few gradients.
    RAdam,
}

/// What one step is like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StepOptions {
    /// The learning rate.
    pub(crate) rate: f64,
    /// How much of a weight is lost, times the rate.
    pub(crate) weight_decay: f64,
    /// What weights are clipped to after the step. Where rows add up, each is clipped to half of it.
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
