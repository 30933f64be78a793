//! A quantized network and its evaluation.

use alloc::vec::Vec;
use core::marker::PhantomData;

use chess_records::{Board, Color, Placement};
use thiserror::Error;

use crate::arch::{
    Backend, LANES, Lanes, OutputRow, OutputSum, ScoreOfRows, Sum, Table, Value, blocks,
};
use crate::architecture::{Activation, Architecture};
use crate::arithmetic::{Arithmetic, Width};
use crate::rows::RowList;

/// The integers of a network, as files hold them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    /// First layer, ×QA: one row of N for each of the [`Architecture::inputs`].
    pub feature_weights: Vec<i16>,
    /// First layer, ×QA: N.
    pub feature_biases: Vec<i16>,
    /// Output layer, ×QB: one row of 2N for each output bucket, the mover's N first.
    pub output_weights: Vec<i16>,
    /// Output layer, ×QA·QB: one for each output bucket.
    pub output_biases: Vec<i32>,
}

impl Weights {
    /// Weights of an architecture, all zero.
    #[must_use]
    pub fn zero(architecture: &Architecture) -> Self {
        let [features, biases, outputs, output_biases] = lengths(architecture);
        Self {
            feature_weights: alloc::vec![0; features],
            feature_biases: alloc::vec![0; biases],
            output_weights: alloc::vec![0; outputs],
            output_biases: alloc::vec![0; output_biases],
        }
    }
}

/// How many numbers an architecture has: first-layer weights and biases, output weights and biases.
pub(crate) fn lengths(architecture: &Architecture) -> [usize; 4] {
    let hidden = architecture.hidden();
    [
        architecture.inputs() * hidden,
        hidden,
        architecture.output_buckets() * 2 * hidden,
        architecture.output_buckets(),
    ]
}

/// Weights that do not have the lengths their architecture asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{field} holds {found} numbers, expected {expected}")]
pub struct WeightsError {
    /// The field of [`Weights`].
    pub field: &'static str,
    /// How many numbers the architecture asks for.
    pub expected: usize,
    /// How many there are.
    pub found: usize,
}

/// A network ready to evaluate.
///
/// It never changes once made and is `Send + Sync`: engines share one between threads by reference,
/// by `Arc` or in a `static` `LazyLock`. Scores are exact: every build on every machine gives the
/// same integers, whatever the weights.
#[derive(Clone, Debug)]
pub struct Network {
    architecture: Architecture,
    arithmetic: Arithmetic,
    output_sum: OutputSum,
    backend: Backend,
    feature_weights: Table<i16>,
    feature_biases: Table<i16>,
    output_weights: Table<i16>,
    output_biases: Vec<i32>,
    fingerprint: u64,
}

impl Network {
    /// A network of these weights.
    ///
    /// # Errors
    ///
    /// [`WeightsError`] when a list does not have the length the architecture asks for.
    pub fn new(architecture: Architecture, weights: &Weights) -> Result<Self, WeightsError> {
        check_lengths(&architecture, weights)?;
        Ok(Self::of_checked(architecture, weights))
    }

    /// A network of weights whose lengths are known to be right.
    pub(crate) fn of_checked(architecture: Architecture, weights: &Weights) -> Self {
        let fingerprint = crate::file::checksum(&architecture, weights);
        Self::with_fingerprint(architecture, weights, fingerprint)
    }

    /// The same where the fingerprint is known too.
    pub(crate) fn with_fingerprint(
        architecture: Architecture,
        weights: &Weights,
        fingerprint: u64,
    ) -> Self {
        let arithmetic = Arithmetic::of(&architecture, weights);
        Self {
            output_sum: output_sum(&architecture, arithmetic, weights),
            backend: Backend::detect(),
            feature_weights: padded(&weights.feature_weights, architecture.hidden()),
            feature_biases: padded(&weights.feature_biases, architecture.hidden()),
            output_weights: padded(&weights.output_weights, architecture.hidden()),
            output_biases: weights.output_biases.clone(),
            fingerprint,
            arithmetic,
            architecture,
        }
    }

    /// This network, evaluated with another instruction set. Scores do not depend on it.
    #[must_use]
    pub const fn with_backend(mut self, backend: Backend) -> Self {
        self.backend = backend;
        self
    }

    /// The instruction set that the network is evaluated with.
    #[must_use]
    pub const fn backend(&self) -> Backend {
        self.backend
    }

    /// The network's weights, as files hold them.
    #[must_use]
    pub fn weights(&self) -> Weights {
        let hidden = self.architecture.hidden();
        Weights {
            feature_weights: unpadded(self.feature_weights.as_slice(), hidden),
            feature_biases: unpadded(self.feature_biases.as_slice(), hidden),
            output_weights: unpadded(self.output_weights.as_slice(), hidden),
            output_biases: self.output_biases.clone(),
        }
    }

    /// The shape and the scales.
    #[must_use]
    pub const fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// The integers that the weights allow.
    #[must_use]
    pub const fn arithmetic(&self) -> Arithmetic {
        self.arithmetic
    }

    /// The XXH3-64 checksum of the network's own file: equal for equal networks, and what tells an
    /// [`AccumulatorStack`](crate::AccumulatorStack) which network its values came from.
    #[must_use]
    pub const fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// The score of a position in centipawns for the side to move, computed from nothing. A search
    /// keeps an [`AccumulatorStack`](crate::AccumulatorStack) instead.
    ///
    /// A score beyond an `i32`, which only absurd weights and scales give, is the nearest `i32`.
    #[must_use]
    pub fn evaluate<B: Board + ?Sized>(&self, board: &B) -> i32 {
        let (placement, mover) = (board.placement(), board.side_to_move());
        match self.arithmetic.accumulators {
            Width::Narrow => self.evaluate_fresh::<i16>(&placement, mover),
            Width::Wide => self.evaluate_fresh::<i32>(&placement, mover),
        }
    }

    fn evaluate_fresh<T: Value>(&self, placement: &Placement, mover: Color) -> i32 {
        let bucket = self.architecture.output_bucket(placement);
        let views = [mover, mover.opponent()];
        let perspectives = views.map(|view| self.architecture.perspective(view, placement));
        let rows = RowList::of_men(self, &perspectives, placement, u64::MAX);
        let sum = self.backend.run(ScoreOfRows {
            row: self.output_row(bucket),
            values: rows.each_ref().map(|rows| Sum {
                bias: self.biases(),
                table: self.table().as_slice(),
                rows: rows.as_slice(),
            }),
            width: PhantomData::<T>,
        });
        self.score(sum, bucket)
    }

    /// Bias, scale and the way back to centipawns; both divisions truncate toward zero.
    #[inline]
    pub(crate) fn score(&self, sum: i64, bucket: usize) -> i32 {
        match self.architecture.activation() {
            Activation::Screlu => self.score_of::<true>(sum, bucket),
            Activation::Crelu => self.score_of::<false>(sum, bucket),
        }
    }

    /// The same where the activation is known.
    #[inline(always)]
    pub(crate) fn score_of<const SQUARED: bool>(&self, sum: i64, bucket: usize) -> i32 {
        let bias = self.output_biases[bucket].into();
        let eval_scale = self.architecture.eval_scale().into();
        let score = match (self.architecture.qa(), self.architecture.qb()) {
            // Constants, so that there is no division: two take as long as half an output sum.
            (255, 64) => centipawns::<SQUARED>(sum, bias, eval_scale, [255, 64]),
            (qa, qb) => unusual_centipawns::<SQUARED>(sum, bias, eval_scale, [qa, qb]),
        };
        i32::try_from(score).unwrap_or_else(|_| nearest(score))
    }

    /// The blocks of one view.
    #[inline]
    pub(crate) fn blocks(&self) -> usize {
        self.feature_weights.row_blocks()
    }

    /// The number of an input's first block.
    #[inline]
    pub(crate) fn first_block(&self, input: usize) -> usize {
        input * self.blocks()
    }

    #[inline]
    pub(crate) fn biases(&self) -> &[Lanes<i16>] {
        self.feature_biases.as_slice()
    }

    /// The rows of all inputs.
    #[inline]
    pub(crate) fn table(&self) -> &Table<i16> {
        &self.feature_weights
    }

    #[inline(always)]
    pub(crate) fn output_row(&self, bucket: usize) -> OutputRow<'_> {
        OutputRow {
            sum: self.output_sum,
            weights: self.output_weights.pair_of(2 * bucket, self.blocks()),
            qa: self.architecture.qa() as i16,
        }
    }

    /// How output rows are summed.
    #[inline]
    pub(crate) fn output_sum(&self) -> OutputSum {
        self.output_sum
    }
}

/// Nothing overflows an `i64`: |sum / QA| ≤ 2¹⁵ · 2¹⁵ · 2¹³, and the eval scale is under 2¹⁴.
#[inline(always)]
fn centipawns<const SQUARED: bool>(
    sum: i64,
    bias: i64,
    eval_scale: i64,
    [qa, qb]: [i64; 2],
) -> i64 {
    let sum = if SQUARED { sum / qa } else { sum };
    (sum + bias) * eval_scale / (qa * qb)
}

/// The `i32` nearest to a score that is none.
#[cold]
fn nearest(score: i64) -> i32 {
    score.clamp(i32::MIN.into(), i32::MAX.into()) as i32
}

/// A function of its own, or the compiler makes one of this and the usual case, with divisions.
#[inline(never)]
fn unusual_centipawns<const SQUARED: bool>(
    sum: i64,
    bias: i64,
    eval_scale: i64,
    factors: [u16; 2],
) -> i64 {
    centipawns::<SQUARED>(sum, bias, eval_scale, factors.map(i64::from))
}

/// Networks are equal when their files are, whatever they are evaluated with.
impl PartialEq for Network {
    fn eq(&self, other: &Self) -> bool {
        self.fingerprint == other.fingerprint
            && self.architecture == other.architecture
            && self.feature_weights == other.feature_weights
            && self.feature_biases == other.feature_biases
            && self.output_weights == other.output_weights
            && self.output_biases == other.output_biases
    }
}

impl Eq for Network {}

fn check_lengths(architecture: &Architecture, weights: &Weights) -> Result<(), WeightsError> {
    let found = [
        ("feature_weights", weights.feature_weights.len()),
        ("feature_biases", weights.feature_biases.len()),
        ("output_weights", weights.output_weights.len()),
        ("output_biases", weights.output_biases.len()),
    ];
    for ((field, found), expected) in found.into_iter().zip(lengths(architecture)) {
        if found != expected {
            return Err(WeightsError {
                field,
                expected,
                found,
            });
        }
    }
    Ok(())
}

fn output_sum(architecture: &Architecture, arithmetic: Arithmetic, weights: &Weights) -> OutputSum {
    let sizes = weights.output_weights.iter().map(|w| w.unsigned_abs());
    let largest = sizes.max().unwrap_or(0);
    OutputSum::choose(
        architecture.activation(),
        arithmetic,
        architecture.qa(),
        largest,
    )
}

/// Rows of `hidden` numbers, each filled up to whole blocks.
fn padded(rows: &[i16], hidden: usize) -> Table<i16> {
    let mut padded = Vec::with_capacity(rows.len() / hidden * blocks(hidden));
    for chunk in rows.chunks_exact(hidden).flat_map(|row| row.chunks(LANES)) {
        let mut block = Lanes::ZERO;
        block.0[..chunk.len()].copy_from_slice(chunk);
        padded.push(block);
    }
    Table::new(padded, blocks(hidden))
}

/// What [`padded`] was given.
fn unpadded(rows: &[Lanes<i16>], hidden: usize) -> Vec<i16> {
    let rows = rows.chunks_exact(blocks(hidden));
    let numbers = rows.flat_map(|row| row.iter().flat_map(|block| block.0).take(hidden));
    numbers.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn networks_are_shared_between_threads() {
        fn shared<T: Send + Sync + 'static>() {}
        shared::<Network>();
    }

    #[test]
    fn weights_come_back_as_they_were_given() {
        for hidden in [16, 32, 48, 80] {
            let architecture = Architecture::new(hidden).unwrap();
            let mut weights = Weights::zero(&architecture);
            for (index, weight) in weights.feature_weights.iter_mut().enumerate() {
                *weight = index as i16;
            }
            weights.output_weights[hidden] = -7;
            weights.output_biases[0] = i32::MIN;
            let network = Network::new(architecture, &weights).unwrap();
            assert_eq!(network.weights(), weights);
        }
    }

    #[test]
    fn lists_of_another_length_are_refused() {
        let architecture = Architecture::new(16).unwrap();
        let mut weights = Weights::zero(&architecture);
        weights.output_weights.pop();
        let error = Network::new(architecture, &weights).unwrap_err();
        assert_eq!(
            error.to_string(),
            "output_weights holds 31 numbers, expected 32"
        );
    }

    #[test]
    fn scores_past_an_i32_stop_at_its_end() {
        let architecture = Architecture::new(16).unwrap();
        let architecture = architecture.with_quantization(1, 1).unwrap();
        let mut weights = Weights::zero(&architecture);
        weights.output_biases[0] = i32::MIN;
        let network = Network::new(architecture, &weights).unwrap();
        assert_eq!(network.score(0, 0), i32::MIN);
    }
}
