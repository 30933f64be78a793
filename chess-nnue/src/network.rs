//! A plain quantized network.

use alloc::vec::Vec;

use chess_records::{Board, Placement};
use thiserror::Error;

use crate::{Activation, Architecture};

/// The integers of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    /// One row of N per input.
    pub feature_weights: Vec<i16>,
    /// N.
    pub feature_biases: Vec<i16>,
    /// 2N, the mover's first.
    pub output_weights: Vec<i16>,
    /// One.
    pub output_biases: Vec<i32>,
}

/// Why integers are no network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// The number of weights does not fit the architecture.
    #[error("{found} weights, expected {expected}")]
    Length {
        /// By the architecture.
        expected: usize,
        /// As given.
        found: usize,
    },
}

/// A network that evaluates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    architecture: Architecture,
    weights: Weights,
}

impl Network {
    /// A network of these weights.
    ///
    /// # Errors
    ///
    /// When they do not fit the architecture.
    pub fn new(architecture: Architecture, weights: Weights) -> Result<Self, NetworkError> {
        let expected = architecture.inputs() * architecture.hidden();
        let found = weights.feature_weights.len();
        if found != expected {
            return Err(NetworkError::Length { expected, found });
        }
        Ok(Self {
            architecture,
            weights,
        })
    }

    /// Its integers.
    #[must_use]
    pub const fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Centipawns for the side to move.
    pub fn evaluate(&self, board: &impl Board) -> i32 {
        let (mover, placement) = (board.side_to_move(), board.placement());
        let qa = i64::from(self.architecture.qa());
        let n = self.architecture.hidden();
        let mut sum = 0;
        for (view, output) in [mover, !mover]
            .into_iter()
            .zip(self.weights.output_weights.chunks(n))
        {
            for (column, &weight) in output.iter().enumerate() {
                let clipped = self.hidden(&placement, view, column).clamp(0, qa);
                sum += i64::from(weight)
                    * match self.architecture.activation() {
                        Activation::Crelu => clipped,
                        Activation::Screlu => clipped * clipped,
                    };
            }
        }
        if self.architecture.activation() == Activation::Screlu {
            sum /= qa;
        }
        let bias = i64::from(self.weights.output_biases[0]);
        let scale = i64::from(self.architecture.eval_scale());
        ((sum + bias) * scale / (qa * i64::from(self.architecture.qb()))) as i32
    }

    fn hidden(&self, placement: &Placement, view: chess_records::Color, column: usize) -> i64 {
        let perspective = self.architecture.perspective(view, placement);
        let n = self.architecture.hidden();
        let rows = placement.pieces().map(|(piece, square)| {
            self.weights.feature_weights[perspective.input(piece, square) * n + column]
        });
        i64::from(self.weights.feature_biases[column]) + rows.map(i64::from).sum::<i64>()
    }
}
