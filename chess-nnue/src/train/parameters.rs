//! A network in floating point.

use std::vec;
use std::vec::Vec;

use chess_records::Board;
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use thiserror::Error;

use crate::network::lengths;
use crate::{Activation, Architecture, Network, Weights};

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
    /// How many weights and biases were beyond [`Parameters::WEIGHT_LIMIT`], or what their integers
    /// hold, and were clipped to it.
    ///
    /// After training it is 0 for the usual factors. Over 16,548 a factor times the limit is more than
    /// an `i16` holds; and an output bias, which has no limit, times QA·QB may be more than an `i32`
    /// holds.
    pub clipped: usize,
}

impl Parameters {
    /// Training keeps the weights and biases of the first layer and the output weights within ± this,
    /// which makes the narrowest integer arithmetic of the evaluator exact. The output bias is free.
    pub const WEIGHT_LIMIT: f32 = 1.98;

    /// Where training starts: the same for the same seed, on every machine.
    ///
    /// First-layer weights and biases are uniform within ± 1/√768 and output weights within
    /// ± 1/√(2N): one over the root of the number of values that a sum is over. Output biases are 0.
    /// Of 768 inputs at most 32 are on, so hidden values start small; starting from ± 1/√32 instead, a
    /// network fits a small training set no better and a validation set worse. King buckets do not
    /// count: of all theirs, too, at most 32 inputs are on.
    #[must_use]
    pub fn random(architecture: &Architecture, seed: u64) -> Self {
        let mut generator = Pcg64::seed_from_u64(seed);
        let mut uniform = |len: usize, fan_in: usize| -> Vec<f32> {
            let limit = 1.0 / (fan_in as f32).sqrt();
            (0..len)
                .map(|_| limit * signed_unit(&mut generator))
                .collect()
        };
        let (inputs, hidden) = (Architecture::INPUTS_PER_BUCKET, architecture.hidden());
        let [features, biases, outputs, _] = lengths(architecture);
        let weights = FloatWeights {
            feature_weights: uniform(features, inputs),
            feature_biases: uniform(biases, inputs),
            output_weights: uniform(outputs, 2 * hidden),
            ..FloatWeights::zero(architecture)
        };
        Self {
            architecture: architecture.clone(),
            weights,
        }
    }

    /// Parameters with these weights.
    ///
    /// # Errors
    ///
    /// For a list of the wrong length and for a value that is not finite. The factoriser may be
    /// empty.
    pub fn new(architecture: Architecture, weights: FloatWeights) -> Result<Self, ParametersError> {
        let [features, biases, outputs, output_biases] = lengths(&architecture);
        let factoriser = match weights.factoriser.len() {
            0 => 0,
            _ => Architecture::INPUTS_PER_BUCKET * architecture.hidden(),
        };
        let fields = [
            ("feature_weights", &weights.feature_weights, features),
            ("factoriser", &weights.factoriser, factoriser),
            ("feature_biases", &weights.feature_biases, biases),
            ("output_weights", &weights.output_weights, outputs),
            ("output_biases", &weights.output_biases, output_biases),
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
        let (mover, placement) = (board.side_to_move(), board.placement());
        let (architecture, hidden) = (&self.architecture, self.architecture.hidden());
        let bucket = architecture.output_bucket(&placement);
        let row = &self.weights.output_weights[2 * hidden * bucket..][..2 * hidden];
        let mut output = self.weights.output_biases[bucket];
        for (view, half) in [mover, mover.opponent()]
            .into_iter()
            .zip(row.chunks(hidden))
        {
            let perspective = architecture.perspective(view, &placement);
            let mut sums = self.weights.feature_biases.clone();
            for (piece, square) in placement.pieces() {
                self.add_input(&mut sums, perspective.input(piece, square));
            }
            for (sum, weight) in sums.into_iter().zip(half) {
                output += weight * self.activate(sum);
            }
        }
        output
    }

    fn add_input(&self, sums: &mut [f32], input: usize) {
        let hidden = self.architecture.hidden();
        let own = &self.weights.feature_weights[input * hidden..][..hidden];
        for (sum, weight) in sums.iter_mut().zip(own) {
            *sum += weight;
        }
        let shared = self.weights.factoriser.chunks(hidden);
        for row in shared.skip(input % Architecture::INPUTS_PER_BUCKET).take(1) {
            for (sum, weight) in sums.iter_mut().zip(row) {
                *sum += weight;
            }
        }
    }

    /// The same network without a factoriser: its rows are added to those of every king bucket.
    #[must_use]
    pub fn folded(mut self) -> Self {
        let factoriser = core::mem::take(&mut self.weights.factoriser);
        if !factoriser.is_empty() {
            for bucket in self.weights.feature_weights.chunks_mut(factoriser.len()) {
                for (weight, shared) in bucket.iter_mut().zip(&factoriser) {
                    *weight += shared;
                }
            }
        }
        self
    }

    fn activate(&self, hidden_sum: f32) -> f32 {
        let clipped = hidden_sum.clamp(0.0, 1.0);
        match self.architecture.activation() {
            Activation::Crelu => clipped,
            Activation::Screlu => clipped * clipped,
        }
    }

    /// The network in integers: the factoriser [folded](Parameters::folded), weights clipped to
    /// [`Parameters::WEIGHT_LIMIT`], each value times its factor (QA for the first layer, QB for output
    /// weights, QA·QB for output biases) and rounded to the nearest integer, halves away from zero.
    #[must_use]
    pub fn quantize(&self) -> Quantized {
        if !self.weights.factoriser.is_empty() {
            return self.clone().folded().quantize();
        }
        let (qa, qb) = (self.architecture.qa(), self.architecture.qb());
        let mut clipped = 0;
        let mut round = |values: &[f32], factor: u16| -> Vec<i16> {
            let factor = f32::from(factor);
            // The second limit is that of the integers; it is lower for a factor over 16,548.
            let limit = Self::WEIGHT_LIMIT.min(f32::from(i16::MAX) / factor);
            clipped += values.iter().filter(|value| value.abs() > limit).count();
            let rounded = values
                .iter()
                .map(|value| (value.clamp(-limit, limit) * factor).round());
            rounded.map(|value| value as i16).collect()
        };
        let mut weights = Weights {
            feature_weights: round(&self.weights.feature_weights, qa),
            feature_biases: round(&self.weights.feature_biases, qa),
            output_weights: round(&self.weights.output_weights, qb),
            output_biases: Vec::new(),
        };
        for &bias in &self.weights.output_biases {
            let exact = (f64::from(bias) * f64::from(qa) * f64::from(qb)).round();
            let rounded = exact as i32;
            clipped += usize::from(f64::from(rounded) != exact);
            weights.output_biases.push(rounded);
        }
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
