//! What hidden values are in a sample of positions.

use std::path::Path;

use chess_nnue::{Network, Weights, feature_index};
use chess_records::{Board, Color, Placement};

use crate::{Outcome, positions};

/// How often each hidden value was above zero and at the limit, over both views of each position.
pub(crate) struct Sample {
    pub(crate) views: u64,
    pub(crate) active: Vec<u64>,
    pub(crate) saturated: Vec<u64>,
}

impl Sample {
    pub(crate) fn of(
        network: &Network,
        weights: &Weights,
        data: &Path,
        limit: u64,
    ) -> Outcome<Self> {
        let hidden = network.architecture().hidden();
        let mut sample = Self {
            views: 0,
            active: vec![0; hidden],
            saturated: vec![0; hidden],
        };
        let qa = i32::from(network.architecture().qa());
        positions::each_record(data, limit, |_, labelled| {
            for view in Color::ALL {
                sample.add(&values(network, weights, view, &labelled.placement()), qa);
            }
            Ok(())
        })?;
        Ok(sample)
    }

    fn add(&mut self, values: &[i32], qa: i32) {
        self.views += 1;
        for (index, &value) in values.iter().enumerate() {
            self.active[index] += u64::from(value > 0);
            self.saturated[index] += u64::from(value >= qa);
        }
    }
}

/// The hidden values of a view, by the definition.
fn values(network: &Network, weights: &Weights, view: Color, placement: &Placement) -> Vec<i32> {
    let architecture = network.architecture();
    let kings = architecture.king_buckets();
    let king = placement.king(view);
    let king = match view {
        Color::White => king,
        Color::Black => king.flip_rank(),
    };
    let mirror = if kings.mirrored() && king.file() > 3 {
        7
    } else {
        0
    };
    let base = 768 * usize::from(kings.map()[king.index()]);
    let biases = weights.feature_biases.iter();
    let mut values: Vec<i32> = biases.map(|&bias| bias.into()).collect();
    for (piece, square) in placement.pieces() {
        let input = base + (feature_index(view, piece, square) ^ mirror);
        let row = &weights.feature_weights[input * values.len()..][..values.len()];
        for (value, &weight) in values.iter_mut().zip(row) {
            *value += i32::from(weight);
        }
    }
    values
}
