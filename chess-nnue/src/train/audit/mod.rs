//! What a network is worth, measured on samples that it has not seen.

mod baselines;
mod neurons;
mod questions;
mod table;
#[cfg(test)]
mod tests;
mod warning;

use core::ops::ControlFlow;
use std::string::{String, ToString};
use std::vec::Vec;

use chess_records::{Board, Dataset, Labelled, PieceType, Position};
use thiserror::Error;

use super::eval_scale::for_each_sample;
use super::parameters::Parameters;
use super::sigmoid::sigmoid;
use super::target::{SampleError, Targets};
use super::validator::Validator;
use crate::Network;

pub use baselines::Baselines;
pub use neurons::HiddenValues;
pub use questions::PieceValue;
pub use warning::AuditWarning;

/// A network's examination on a dataset held out: losses, what quantization cost, and questions
/// that every sound network answers alike.
///
/// As text it is a table for people, ending in its [warnings](Self::warnings); with the feature `serde`
/// it is `Serialize`.
///
/// ```
/// # use chess_nnue::train::{Audit, Baselines, Parameters, Validator};
/// # use chess_records::{Dataset, LabelledPosition};
/// fn examine<D>(
///     parameters: &Parameters,
///     training: &D,
///     held_out: &D,
///     validator: &Validator,
/// ) -> Result<(), Box<dyn std::error::Error>>
/// where
///     D: Dataset<Batch = Vec<LabelledPosition>>,
/// {
///     let network = parameters.quantize().network;
///     let baselines = Baselines::of_datasets(training, held_out, validator.targets())?;
///     let audit = Audit::of_dataset(validator, parameters, &network, held_out)?
///         .with_baselines(baselines);
///     println!("{audit}");
///     assert!(audit.warnings().is_empty());
///     Ok(())
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Audit {
    /// How many positions were looked at.
    pub positions: u64,
    /// The mean of (σ(score / eval scale) − target)², of the integers' scores.
    pub integer_loss: f64,
    /// How the integers compare with the floating point they came from, if it was given.
    pub quantization: Option<QuantizationAudit>,
    /// What the loss must be below, if it was given.
    pub baselines: Option<Baselines>,
    /// Hidden values that the positions did not move.
    pub hidden_values: HiddenValues,
    /// How many positions score differently with colours exchanged and the board turned round. A
    /// network sees both sides alike: anything but 0 is a fault of the evaluator.
    pub turned_round: u64,
    /// By how many centipawns scores change in the mean when the files a–h are exchanged. Castling
    /// apart it should not matter, so this tells what the network has not learnt yet.
    pub file_mirror_cp: f64,
    /// What a pawn, knight, bishop, rook and queen are worth: how much worse the side to move stands
    /// when one of its own is taken off a position that is balanced by its label (|score| ≤ 50
    /// centipawns, or 0.4 to 0.6 expected points).
    pub piece_values: [PieceValue; 5],
}

/// Scores in integers against those in floating point.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct QuantizationAudit {
    /// The mean of (σ(output) − target)² of the parameters in floating point, whatever they were
    /// trained on.
    pub float_loss: f64,
    /// The mean difference of the scores, in centipawns.
    pub mean_cp: f64,
    /// Where they differ most.
    pub largest: Difference,
    /// How many weights and biases were beyond what the integers are allowed to hold.
    pub clipped: usize,
    /// Whether the network is what these parameters quantize to, number by number.
    pub is_of_parameters: bool,
}

/// A position that integers and floating point score differently, both in centipawns for the side to
/// move.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Difference {
    /// Its number in the dataset.
    pub index: u64,
    /// The position; only men and side to move are known.
    pub fen: String,
    /// The integers' score.
    pub integer_cp: i32,
    /// The parameters' output times the eval scale.
    pub float_cp: f64,
}

impl Difference {
    /// How far the two scores are from each other, in centipawns.
    #[must_use]
    pub fn cp(&self) -> f64 {
        (f64::from(self.integer_cp) - self.float_cp).abs()
    }
}

/// Why there is no audit.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AuditError {
    /// The network cannot have come from the parameters.
    #[error("the network is of another architecture than the parameters")]
    Architecture,
    /// The samples held out.
    #[error("samples held out")]
    Samples(#[from] SampleError),
}

impl Audit {
    /// How many samples are fetched at once.
    const CHUNK: u64 = 16_384;
    /// A queen's absence from fewer positions than this is no average.
    const FEWEST_PIECES: u64 = 20;

    /// Examines a network and the parameters that it was quantized from.
    ///
    /// # Errors
    ///
    /// [`AuditError::Architecture`] when the two are of different architectures; otherwise as
    /// [`Audit::of_network`].
    pub fn of_dataset<D, S>(
        validator: &Validator,
        parameters: &Parameters,
        network: &Network,
        dataset: &D,
    ) -> Result<Self, AuditError>
    where
        D: Dataset<Batch = Vec<S>> + ?Sized,
        S: Labelled + Send + Sync,
    {
        if parameters.architecture() != network.architecture() {
            return Err(AuditError::Architecture);
        }
        let quantization = QuantizationAudit::of(validator, parameters, network, dataset)?;
        let mut audit = Self::of_network(network, validator.targets(), dataset)?;
        audit.quantization = Some(quantization);
        Ok(audit)
    }

    /// Examines a network alone, on one thread.
    ///
    /// # Errors
    ///
    /// When there are no samples, they cannot be fetched, or a label lacks what the targets need.
    pub fn of_network<D, S>(
        network: &Network,
        targets: &Targets,
        dataset: &D,
    ) -> Result<Self, AuditError>
    where
        D: Dataset<Batch = Vec<S>> + ?Sized,
        S: Labelled,
    {
        let eval_scale = f64::from(network.architecture().eval_scale());
        let (mut loss, mut turned_round, mut mirrored_cp) = (0.0, 0, 0);
        let mut watch = neurons::Watch::new(network);
        let mut costs = questions::PieceCosts::default();
        for_each_sample(dataset, Self::CHUNK, |index, sample| {
            let target = targets.target(sample.label(), sample.side_to_move());
            let target = target.map_err(|source| SampleError::Target { index, source })?;
            let score_cp = network.evaluate(sample);
            let error = sigmoid(f64::from(score_cp) / eval_scale) - f64::from(target);
            loss += error * error;
            watch.see(&sample.placement());
            costs.see(network, sample, score_cp);
            let differs = questions::differs_turned_round(network, sample, score_cp);
            turned_round += u64::from(differs);
            let mirrored = questions::file_mirror_difference(network, sample, score_cp);
            mirrored_cp += u64::from(mirrored.unwrap_or(0));
            Ok(())
        })?;
        let positions = dataset.len();
        Ok(Self {
            positions,
            integer_loss: loss / positions as f64,
            quantization: None,
            baselines: None,
            hidden_values: watch.finish(),
            turned_round,
            file_mirror_cp: mirrored_cp as f64 / positions as f64,
            piece_values: costs.finish(),
        })
    }

    /// This audit with what the loss must be below.
    #[must_use]
    pub const fn with_baselines(mut self, baselines: Baselines) -> Self {
        self.baselines = Some(baselines);
        self
    }

    /// Whether the integers' loss is below that of both baselines; `None` without baselines.
    #[must_use]
    pub fn beats_baselines(&self) -> Option<bool> {
        let baselines = self.baselines?;
        Some(self.integer_loss < baselines.best())
    }

    /// Whether pieces are worth more the stronger they are: 0 < P < N ≤ B < R < Q, where a bishop may
    /// also be worth up to a tenth less than a knight. `None` where fewer than 20 of a type could be
    /// taken off.
    #[must_use]
    pub fn material_is_in_order(&self) -> Option<bool> {
        let is_known = |value: &PieceValue| value.pieces >= Self::FEWEST_PIECES;
        if !self.piece_values.iter().all(is_known) {
            return None;
        }
        let worth = |piece_type: PieceType| self.piece_values[piece_type.index()].mean_cp;
        let [pawn, rook, queen] = [PieceType::Pawn, PieceType::Rook, PieceType::Queen].map(worth);
        let [knight, bishop] = [PieceType::Knight, PieceType::Bishop].map(worth);
        let minors_rise = knight <= bishop / 0.9;
        let around = 0.0 < pawn && pawn < knight.min(bishop) && knight.max(bishop) < rook;
        Some(around && minors_rise && rook < queen)
    }
}

impl QuantizationAudit {
    fn of<D, S>(
        validator: &Validator,
        parameters: &Parameters,
        network: &Network,
        dataset: &D,
    ) -> Result<Self, SampleError>
    where
        D: Dataset<Batch = Vec<S>> + ?Sized,
        S: Labelled + Send + Sync,
    {
        let eval_scale = f64::from(network.architecture().eval_scale());
        let (mut loss, mut sum_cp, mut largest) = (0.0, 0.0, None::<Difference>);
        validator.predict(parameters, dataset, |prediction| {
            let expected = sigmoid(f64::from(prediction.output));
            let error = expected - f64::from(prediction.target);
            loss += error * error;
            let mut difference = Difference {
                index: prediction.index,
                fen: String::new(),
                integer_cp: network.evaluate(prediction.sample),
                float_cp: f64::from(prediction.output) * eval_scale,
            };
            sum_cp += difference.cp();
            if largest
                .as_ref()
                .is_none_or(|so_far| so_far.cp() < difference.cp())
            {
                difference.fen = fen(prediction.sample);
                largest = Some(difference);
            }
            ControlFlow::Continue(())
        })?;
        let quantized = parameters.quantize();
        Ok(Self {
            float_loss: loss / dataset.len() as f64,
            mean_cp: sum_cp / dataset.len() as f64,
            largest: largest.unwrap_or_default(),
            clipped: quantized.clipped,
            is_of_parameters: quantized.network == *network,
        })
    }
}

fn fen(board: &impl Board) -> String {
    let position = Position::new(board.placement(), board.side_to_move());
    position.fen().to_string()
}
