//! noru with the network that comes nearest: 768 inputs, 256 hidden values, SCReLU, and one hidden
//! neuron, since noru asks for a hidden layer.

use chess_nnue::{Delta, Weights, feature_index};
use chess_records::{Board, Color, Piece, Position, Square};
use noru::config::{Activation, NnueConfig};
use noru::network::{FeatureDelta, NnueWeights};

use crate::HIDDEN;

pub fn network(weights: &Weights) -> NnueWeights {
    let config = NnueConfig::new_static(768, HIDDEN, &[1], Activation::SCReLU);
    let mut peer = NnueWeights::zeros(config);
    let rows = weights.feature_weights.chunks_exact(HIDDEN);
    for (into, row) in peer.feature_weights.iter_mut().zip(rows) {
        into.copy_from_slice(row);
    }
    peer.feature_bias.copy_from_slice(&weights.feature_biases);
    peer.hidden_weights[0].copy_from_slice(&weights.output_weights);
    peer.hidden_biases[0][0] = 64;
    peer.output_weights[0] = 64;
    peer
}

/// What a move changes, for the view of `stm` and for the other.
pub fn deltas(stm: Color, delta: &Delta) -> [FeatureDelta; 2] {
    [stm, stm.opponent()].map(|view| {
        let inputs = |pieces: &[(Piece, Square)]| -> Vec<usize> {
            let inputs = pieces.iter();
            inputs
                .map(|&(piece, square)| feature_index(view, piece, square))
                .collect()
        };
        FeatureDelta::from_slices(&inputs(delta.put()), &inputs(delta.lifted()))
            .expect("a move changes few inputs")
    })
}

/// The inputs that are on, for the view of `stm` and for the other.
pub fn inputs(stm: Color, position: &Position) -> [Vec<usize>; 2] {
    [stm, stm.opponent()].map(|view| {
        let pieces = position.placement().pieces();
        let inputs = pieces.map(|(piece, square)| feature_index(view, piece, square));
        inputs.collect()
    })
}
