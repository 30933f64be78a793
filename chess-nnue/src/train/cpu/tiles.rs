//! The parameters as training holds them: tile by tile, so that a tile's rows lie together.

use std::vec;
use std::vec::Vec;

use super::lane::Lane;
use super::rows::Rows;
use super::shape::Shape;
use crate::train::{FloatWeights, Parameters};

/// All parameters that belong to up to [`Shape::MAX_TILE_LANES`] lanes of hidden columns.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tile {
    /// The width.
    pub(super) lanes: usize,
    pub(super) rows: Rows,
    /// [`Rows::count`] rows of `lanes` lanes each.
    pub(super) values: Vec<Lane>,
    /// Each input's row and the factoriser's added up, where there is a factoriser.
    folded: Vec<Lane>,
}

/// All parameters, or anything laid out like them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tiles {
    pub(super) tiles: Vec<Tile>,
    pub(super) output_biases: Vec<f32>,
}

impl Tile {
    /// The rows that are summed for the inputs.
    pub(super) fn input_rows(&self) -> &[Lane] {
        if self.rows.has_factoriser() {
            &self.folded
        } else {
            &self.values[..self.rows.inputs() * self.lanes]
        }
    }

    /// Adds the factoriser's rows up anew, after a change.
    pub(super) fn fold(&mut self) {
        if !self.rows.has_factoriser() {
            return;
        }
        let inputs = self.rows.inputs() * self.lanes;
        let shared = Rows::INPUTS_PER_BUCKET * self.lanes;
        let (inputs, rest) = self.values.split_at(inputs);
        self.folded.clear();
        for bucket in inputs.chunks(shared) {
            let rows = bucket.iter().zip(&rest[..shared]);
            self.folded
                .extend(rows.map(|(&own, &shared)| own.plus(shared)));
        }
    }
}

impl Tiles {
    pub(super) fn new(parameters: &Parameters, shape: Shape) -> Self {
        let mut tiles = Self::of_weights(parameters.weights(), shape);
        tiles.tiles.iter_mut().for_each(Tile::fold);
        tiles
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
                rows: Rows::of(weights),
                values: values.collect(),
                folded: Vec::new(),
            }
        };
        Self {
            tiles: (0..shape.tiles()).map(cut).collect(),
            output_biases: weights.output_biases.clone(),
        }
    }

    /// The same numbers row by row.
    pub(super) fn to_weights(&self) -> FloatWeights {
        let Some(rows) = self.tiles.first().map(|tile| tile.rows) else {
            unreachable!("a network has hidden values");
        };
        let mut by_row = vec![Vec::new(); rows.count()];
        for tile in &self.tiles {
            for (row, lanes) in by_row.iter_mut().zip(tile.values.chunks(tile.lanes)) {
                row.extend(lanes.iter().flat_map(|lane| lane.0));
            }
        }
        let output_weights = by_row.split_off(rows.output(0)).concat();
        let feature_biases = by_row.split_off(rows.bias()).concat();
        let factoriser = by_row.split_off(rows.inputs()).concat();
        FloatWeights {
            feature_weights: by_row.concat(),
            factoriser,
            feature_biases,
            output_weights,
            output_biases: self.output_biases.clone(),
        }
    }

    /// As many zeros.
    pub(super) fn zero(&self) -> Self {
        let tiles = self.tiles.iter().map(|tile| Tile {
            values: vec![Lane::ZERO; tile.values.len()],
            folded: Vec::new(),
            ..*tile
        });
        Self {
            tiles: tiles.collect(),
            output_biases: vec![0.0; self.output_biases.len()],
        }
    }
}

/// The rows of a tile that had every column.
fn plain_rows(weights: &FloatWeights) -> Vec<&[f32]> {
    let hidden = weights.feature_biases.len();
    let features = weights.feature_weights.chunks(hidden);
    features
        .chain(weights.factoriser.chunks(hidden))
        .chain([weights.feature_biases.as_slice()])
        .chain(weights.output_weights.chunks(hidden))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Architecture, KingBuckets};

    #[test]
    fn rows_are_cut_and_joined_again() {
        let mut map = [0; 64];
        map[7] = 2;
        for hidden in [16, 64, 80, 144, 256] {
            let plain = Architecture::new(hidden).unwrap();
            let large = plain
                .clone()
                .with_king_buckets(KingBuckets::new(map, true).unwrap())
                .with_output_buckets(3)
                .unwrap();
            for architecture in [plain, large] {
                let parameters = Parameters::random(&architecture, 7);
                let factorised = parameters.clone().with_factoriser();
                for (parameters, rows) in [(parameters, 0), (factorised, 768)] {
                    let tiles = Tiles::new(&parameters, Shape::new(hidden, 1000));
                    assert_eq!(tiles.to_weights(), *parameters.weights());
                    let outputs = 2 * architecture.output_buckets();
                    let rows = architecture.inputs() + rows + 1 + outputs;
                    for tile in &tiles.tiles {
                        assert_eq!(tile.values.len(), rows * tile.lanes);
                    }
                }
            }
        }
    }
}
