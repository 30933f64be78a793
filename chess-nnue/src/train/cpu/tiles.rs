//! The parameters as training holds them: tile by tile, so that a tile's rows lie together.

use std::vec;
use std::vec::Vec;

use super::lane::Lane;
use super::shape::Shape;
use crate::train::{FloatWeights, Parameters};

/// The rows of a tile: one per input, the biases (an input that is always on), and the output
/// weights of the mover's and of the opponent's view.
pub(super) mod rows {
    pub(in crate::train::cpu) const BIAS: usize = 768;
    pub(in crate::train::cpu) const OUTPUT: [usize; 2] = [769, 770];
    pub(in crate::train::cpu) const COUNT: usize = 771;
}

/// All parameters that belong to up to [`Shape::MAX_TILE_LANES`] lanes of hidden columns.
#[derive(Clone, Debug)]
pub(super) struct Tile {
    /// The width.
    pub(super) lanes: usize,
    /// [`rows::COUNT`] rows of `lanes` lanes each.
    pub(super) values: Vec<Lane>,
}

/// All parameters.
#[derive(Clone, Debug)]
pub(super) struct Tiles {
    pub(super) tiles: Vec<Tile>,
    pub(super) output_bias: f32,
}

impl Tiles {
    pub(super) fn new(parameters: &Parameters, shape: Shape) -> Self {
        Self::of_weights(parameters.weights(), shape)
    }

    /// Any numbers that are laid out like parameters.
    pub(super) fn of_weights(weights: &FloatWeights, shape: Shape) -> Self {
        let rows = plain_rows(weights);
        let cut = |tile: usize| {
            let first = tile * Shape::MAX_TILE_LANES;
            let lanes = shape.tile_lanes(tile);
            let values = rows.iter().flat_map(|row| {
                let lanes_of_row = row.as_chunks::<{ Lane::WIDTH }>().0;
                lanes_of_row[first..first + lanes]
                    .iter()
                    .map(|&lane| Lane(lane))
            });
            Tile {
                lanes,
                values: values.collect(),
            }
        };
        Self {
            tiles: (0..shape.tiles()).map(cut).collect(),
            output_bias: weights.output_biases[0],
        }
    }

    /// The same parameters row by row.
    pub(super) fn to_weights(&self) -> FloatWeights {
        let mut by_row = vec![Vec::new(); rows::COUNT];
        for tile in &self.tiles {
            for (row, lanes) in by_row.iter_mut().zip(tile.values.chunks(tile.lanes)) {
                row.extend(lanes.iter().flat_map(|lane| lane.0));
            }
        }
        let output_weights = by_row.split_off(rows::OUTPUT[0]).concat();
        let feature_biases = by_row.split_off(rows::BIAS).concat();
        FloatWeights {
            feature_weights: by_row.concat(),
            factoriser: Vec::new(),
            feature_biases,
            output_weights,
            output_biases: vec![self.output_bias],
        }
    }

    /// As many zeros.
    pub(super) fn zero(&self) -> Self {
        let mut zero = self.clone();
        for tile in &mut zero.tiles {
            tile.values.fill(Lane::ZERO);
        }
        zero.output_bias = 0.0;
        zero
    }
}

/// The rows of a tile that had every column.
fn plain_rows(weights: &FloatWeights) -> Vec<&[f32]> {
    let hidden = weights.feature_biases.len();
    let features = weights.feature_weights.chunks(hidden);
    features
        .chain([weights.feature_biases.as_slice()])
        .chain(weights.output_weights.chunks(hidden))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Architecture;

    #[test]
    fn rows_are_cut_and_joined_again() {
        for hidden in [16, 64, 80, 144, 256] {
            let architecture = Architecture::new(hidden).unwrap();
            let parameters = Parameters::random(&architecture, 7).unwrap();
            let tiles = Tiles::new(&parameters, Shape::new(hidden, 1000));
            assert_eq!(tiles.to_weights(), *parameters.weights());
            for tile in &tiles.tiles {
                assert_eq!(tile.values.len(), rows::COUNT * tile.lanes);
            }
        }
    }
}
