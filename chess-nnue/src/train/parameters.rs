//! A network in floating point.

use std::vec;
use std::vec::Vec;

use chess_records::Board;
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use thiserror::Error;

use crate::network::lengths;
use crate::{Activation, Architecture, KingBuckets, Network, Weights, feature_index};

/// The numbers of a network in floating point, before quantization.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FloatWeights {
    /// The first layer: for each of the [`Architecture::inputs`] a row of N.
    pub feature_weights: Vec<f32>,
    /// Rows for the 768 inputs of one king bucket that are added to the rows of every bucket; or none.
    pub factoriser: Vec<f32>,
    /// N biases of the first layer.
    pub feature_biases: Vec<f32>,
    /// The output layer: for each output bucket 2N, N for the mover's view, then N for the opponent's.
    pub output_weights: Vec<f32>,
    /// The bias of each output bucket.
    pub output_biases: Vec<f32>,
}

impl FloatWeights {
    /// Weights of an architecture, all zero, without a factoriser.
    #[must_use]
    pub fn zero(architecture: &Architecture) -> Self {
        let [features, biases, outputs, output_biases] = lengths(architecture);
        Self {
            feature_weights: vec![0.0; features],
            factoriser: Vec::new(),
            feature_biases: vec![0.0; biases],
            output_weights: vec![0.0; outputs],
            output_biases: vec![0.0; output_biases],
        }
    }
}

/// A network in floating point: what training starts from, changes and gives.
///
/// Its output *y* is the logit of the expected points of the side to move: σ(*y*) is what a result
/// is expected to be, and *y* times the eval scale is the evaluation in centipawns.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    architecture: Architecture,
    weights: FloatWeights,
}

/// Why numbers cannot be the parameters of a network that is to be trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ParametersError {
    /// King buckets or mirrored views.
    #[error("king buckets cannot be trained yet, expected one set of weights, not mirrored")]
    KingBuckets,
    /// More than one output bucket.
    #[error("{found} output buckets cannot be trained yet, expected 1")]
    OutputBuckets {
        /// The architecture's.
        found: usize,
    },
    /// A list of another length than the architecture has.
    #[error("{field} has {found} values, expected {expected}")]
    Length {
        /// The field of [`FloatWeights`].
        field: &'static str,
        /// What the architecture asks for.
        expected: usize,
        /// The list's length.
        found: usize,
    },
    /// A value that is NaN or infinite.
    #[error("value {index} of {field} is not finite")]
    NotFinite {
        /// The field of [`FloatWeights`].
        field: &'static str,
        /// Where in the field.
        index: usize,
    },
}

/// A quantized network, and what it cost.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Quantized {
    /// The network in integers.
    pub network: Network,
    /// How many weights and biases were beyond [`Parameters::WEIGHT_LIMIT`], or what an `i16` holds,
    /// and were clipped to it. After training it is 0.
    pub clipped: usize,
}

impl Parameters {
    /// Training keeps the weights and biases of the first layer and the output weights within ± this,
    /// which makes the narrowest integer arithmetic of the evaluator exact. The output bias is free.
    pub const WEIGHT_LIMIT: f32 = 1.98;

    /// Where training starts: the same for the same seed, on every machine.
    ///
    /// First-layer weights and biases are uniform within ± 1/√768 and output weights within
    /// ± 1/√(2N): one over the root of the number of values that a sum is over. The output bias is
    /// 0. Of 768 inputs at most 32 are on, so hidden values start small; starting from ± 1/√32
    /// instead, a network fits a small training set no better and a validation set worse.
    ///
    /// # Errors
    ///
    /// For an architecture with king buckets, mirrored views or output buckets.
    pub fn random(architecture: &Architecture, seed: u64) -> Result<Self, ParametersError> {
        check_architecture(architecture)?;
        let mut generator = Pcg64::seed_from_u64(seed);
        let mut uniform = |len: usize, fan_in: usize| -> Vec<f32> {
            let limit = 1.0 / (fan_in as f32).sqrt();
            (0..len)
                .map(|_| limit * signed_unit(&mut generator))
                .collect()
        };
        let (inputs, hidden) = (architecture.inputs(), architecture.hidden());
        let weights = FloatWeights {
            feature_weights: uniform(inputs * hidden, inputs),
            feature_biases: uniform(hidden, inputs),
            output_weights: uniform(2 * hidden, 2 * hidden),
            ..FloatWeights::zero(architecture)
        };
        Ok(Self {
            architecture: architecture.clone(),
            weights,
        })
    }

    /// Parameters with these weights.
    ///
    /// # Errors
    ///
    /// For an architecture with king buckets, mirrored views or output buckets, for a list of the
    /// wrong length and for a value that is not finite.
    pub fn new(architecture: Architecture, weights: FloatWeights) -> Result<Self, ParametersError> {
        check_architecture(&architecture)?;
        let hidden = architecture.hidden();
        let fields = [
            (
                "feature_weights",
                weights.feature_weights.as_slice(),
                architecture.inputs() * hidden,
            ),
            ("feature_biases", &weights.feature_biases, hidden),
            ("output_weights", &weights.output_weights, 2 * hidden),
            ("output_biases", &weights.output_biases, 1),
            ("factoriser", &weights.factoriser, 0),
        ];
        for (field, values, expected) in fields {
            check_field(field, values, expected)?;
        }
        Ok(Self {
            architecture,
            weights,
        })
    }

    /// These parameters with a [factoriser](FloatWeights::factoriser): its rows are 0 and change no
    /// output, unless there is one already.
    #[must_use]
    pub fn with_factoriser(mut self) -> Self {
        let rows = Architecture::INPUTS_PER_BUCKET * self.architecture.hidden();
        self.weights.factoriser.resize(rows, 0.0);
        self
    }

    /// Parameters from a trainer, which has checked the architecture. They may not be finite.
    pub(super) const fn of_training(architecture: Architecture, weights: FloatWeights) -> Self {
        Self {
            architecture,
            weights,
        }
    }

    /// The shape and the scales.
    #[must_use]
    pub const fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// The numbers.
    #[must_use]
    pub const fn weights(&self) -> &FloatWeights {
        &self.weights
    }

    /// The numbers, for keeps.
    #[must_use]
    pub fn into_weights(self) -> FloatWeights {
        self.weights
    }

    /// The output for one board, the logit of the expected points of the side to move.
    ///
    /// Slow and simple; [`Validator`](super::Validator) evaluates datasets.
    #[must_use]
    pub fn evaluate(&self, board: &impl Board) -> f32 {
        let mover = board.side_to_move();
        let mut output = self.weights.output_biases[0];
        let halves = self
            .weights
            .output_weights
            .chunks(self.architecture.hidden());
        for (view, output_weights) in [mover, mover.opponent()].into_iter().zip(halves) {
            let mut hidden = self.weights.feature_biases.clone();
            for (piece, square) in board.placement().pieces() {
                let row = self.row(feature_index(view, piece, square));
                for (sum, weight) in hidden.iter_mut().zip(row) {
                    *sum += weight;
                }
            }
            for (sum, weight) in hidden.into_iter().zip(output_weights) {
                output += weight * self.activate(sum);
            }
        }
        output
    }

    fn row(&self, input: usize) -> &[f32] {
        let hidden = self.architecture.hidden();
        &self.weights.feature_weights[input * hidden..][..hidden]
    }

    fn activate(&self, hidden_sum: f32) -> f32 {
        let clipped = hidden_sum.clamp(0.0, 1.0);
        match self.architecture.activation() {
            Activation::Crelu => clipped,
            Activation::Screlu => clipped * clipped,
        }
    }

    /// The network in integers: weights clipped to [`Parameters::WEIGHT_LIMIT`], each value times its
    /// factor (QA for the first layer, QB for output weights, QA·QB for the output bias) and rounded
    /// to the nearest integer, halves away from zero.
    #[must_use]
    pub fn quantize(&self) -> Quantized {
        let qa = f32::from(self.architecture.qa());
        let qb = f32::from(self.architecture.qb());
        let mut clipped = 0;
        let mut round = |values: &[f32], factor: f32| -> Vec<i16> {
            // The second limit is that of the integers; it is lower for a factor over 16,548.
            let limit = Self::WEIGHT_LIMIT.min(f32::from(i16::MAX) / factor);
            clipped += values.iter().filter(|value| value.abs() > limit).count();
            let rounded = values
                .iter()
                .map(|value| (value.clamp(-limit, limit) * factor).round());
            rounded.map(|value| value as i16).collect()
        };
        let weights = Weights {
            feature_weights: round(&self.weights.feature_weights, qa),
            feature_biases: round(&self.weights.feature_biases, qa),
            output_weights: round(&self.weights.output_weights, qb),
            output_biases: vec![(self.weights.output_biases[0] * qa * qb).round() as i32],
        };
        Quantized {
            network: Network::of_checked(self.architecture.clone(), &weights),
            clipped,
        }
    }
}

/// Uniform in −1…1, from the upper 24 bits.
fn signed_unit(generator: &mut Pcg64) -> f32 {
    let bits = generator.next_u64() >> 40;
    (bits as f32 + 0.5) / (1 << 23) as f32 - 1.0
}

fn check_architecture(architecture: &Architecture) -> Result<(), ParametersError> {
    if *architecture.king_buckets() != KingBuckets::NONE {
        return Err(ParametersError::KingBuckets);
    }
    match architecture.output_buckets() {
        1 => Ok(()),
        found => Err(ParametersError::OutputBuckets { found }),
    }
}

fn check_field(
    field: &'static str,
    values: &[f32],
    expected: usize,
) -> Result<(), ParametersError> {
    if values.len() != expected {
        let found = values.len();
        return Err(ParametersError::Length {
            field,
            expected,
            found,
        });
    }
    match values.iter().position(|value| !value.is_finite()) {
        Some(index) => Err(ParametersError::NotFinite { field, index }),
        None => Ok(()),
    }
}
