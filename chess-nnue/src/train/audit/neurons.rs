//! Hidden values that tell nothing.

use std::vec::Vec;

use chess_records::{Color, Placement};

use crate::{Architecture, Network, Weights};

/// The hidden values of a network that were the same in every position of a dataset, seen from
/// either side. In positions unlike them they may differ.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct HiddenValues {
    /// How many hidden values the network has.
    pub count: usize,
    /// Which were never above 0, so that they add nothing to any score.
    pub dead: Vec<usize>,
    /// Which were never below the clip's upper limit, so that they add the same to every score.
    pub saturated: Vec<usize>,
}

/// Watches the hidden values of which it is not yet known that they are neither dead nor saturated.
/// They are few after some positions, so that the rest of a dataset is looked at quickly.
pub(super) struct Watch<'n> {
    architecture: &'n Architecture,
    weights: Weights,
    suspects: Vec<Suspect>,
}

struct Suspect {
    column: usize,
    was_above_zero: bool,
    was_below_limit: bool,
}

impl<'n> Watch<'n> {
    pub(super) fn new(network: &'n Network) -> Self {
        let architecture = network.architecture();
        let suspects = (0..architecture.hidden()).map(|column| Suspect {
            column,
            was_above_zero: false,
            was_below_limit: false,
        });
        Self {
            architecture,
            weights: network.weights(),
            suspects: suspects.collect(),
        }
    }

    /// Looks at both views of a position.
    pub(super) fn see(&mut self, placement: &Placement) {
        for view in Color::ALL {
            let rows = self.rows(view, placement);
            let (weights, limit) = (&self.weights, i32::from(self.architecture.qa()));
            self.suspects.retain_mut(|suspect| {
                let value = hidden_value(weights, &rows, suspect.column);
                suspect.was_above_zero |= value > 0;
                suspect.was_below_limit |= value < limit;
                !(suspect.was_above_zero && suspect.was_below_limit)
            });
        }
    }

    /// Where the rows of the inputs that are on begin.
    fn rows(&self, view: Color, placement: &Placement) -> Vec<usize> {
        let perspective = self.architecture.perspective(view, placement);
        let men = placement.pieces();
        men.map(|(piece, square)| perspective.input(piece, square) * self.architecture.hidden())
            .collect()
    }

    pub(super) fn finish(self) -> HiddenValues {
        let which = |is: fn(&Suspect) -> bool| -> Vec<usize> {
            let found = self.suspects.iter().filter(|suspect| is(suspect));
            found.map(|suspect| suspect.column).collect()
        };
        HiddenValues {
            count: self.architecture.hidden(),
            dead: which(|suspect| !suspect.was_above_zero),
            saturated: which(|suspect| !suspect.was_below_limit),
        }
    }
}

fn hidden_value(weights: &Weights, rows: &[usize], column: usize) -> i32 {
    let on = rows
        .iter()
        .map(|row| i32::from(weights.feature_weights[row + column]));
    i32::from(weights.feature_biases[column]) + on.sum::<i32>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{KingBuckets, feature_index};
    use chess_records::{Board, Piece, PieceType, Position, Square};

    fn see(architecture: Architecture, weights: &Weights, fens: &[&str]) -> HiddenValues {
        let network = Network::new(architecture, weights).unwrap();
        let mut watch = Watch::new(&network);
        for fen in fens {
            watch.see(&Position::from_fen(fen).unwrap().placement());
        }
        watch.finish()
    }

    const KINGS: &str = "4k3/8/8/8/8/8/8/4K3 w - - 0 1";
    const QUEEN: &str = "4k3/8/8/8/8/8/8/3QK3 w - - 0 1";

    #[test]
    fn values_are_dead_or_saturated_until_a_position_shows_otherwise() {
        let architecture = Architecture::new(16).unwrap();
        let mut weights = Weights::zero(&architecture);
        weights.feature_biases.fill(1);
        weights.feature_biases[..4].copy_from_slice(&[0, 255, 254, 255]);
        let queen = Piece::new(Color::White, PieceType::Queen);
        let row = 16 * feature_index(Color::Black, queen, Square::D1);
        weights.feature_weights[row] = 1;
        weights.feature_weights[row + 3] = -1;
        let seen = |fens: &[&str]| see(architecture.clone(), &weights, fens);
        let kings = seen(&[KINGS]);
        assert_eq!((kings.count, kings.dead), (16, std::vec![0]));
        assert_eq!(kings.saturated, [1, 3]);
        let both = seen(&[KINGS, QUEEN]);
        assert!(both.dead.is_empty(), "Black sees the queen");
        assert_eq!(both.saturated, [1]);
    }

    #[test]
    fn kings_choose_the_rows() {
        let mut map = [0; 64];
        map[Square::E1.index()] = 1;
        let buckets = KingBuckets::new(map, true).unwrap();
        let architecture = Architecture::new(16).unwrap().with_king_buckets(buckets);
        let mut weights = Weights::zero(&architecture);
        // White's queen seen by White with its king in bucket 1 and on files e-h: d1 is e1.
        let queen = Piece::new(Color::White, PieceType::Queen);
        let input = 768 + feature_index(Color::White, queen, Square::E1);
        weights.feature_weights[16 * input + 5] = 1;
        let dead = |fen| see(architecture.clone(), &weights, &[fen]).dead;
        assert!(!dead(QUEEN).contains(&5));
        assert!(dead("4k3/8/8/8/8/8/4K3/3Q4 w - - 0 1").contains(&5));
        assert!(dead(KINGS).contains(&5));
    }
}
