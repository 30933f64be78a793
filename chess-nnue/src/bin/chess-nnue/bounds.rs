//! What hidden values can be, proved from the weights.

use chess_nnue::{Architecture, Network, Weights};
use chess_records::{PieceType, Square};

/// The lowest and the highest that each hidden value can be, whatever the position.
///
/// The bounds allow for one king a side, at most 30 other men and at most one man a square, and are
/// not always reached: two kings may share a square with each other or another man.
pub(crate) fn of(network: &Network, weights: &Weights) -> Vec<[i64; 2]> {
    let architecture = network.architecture();
    let buckets = 0..architecture.king_buckets().count();
    let of_hidden = |hidden: usize| {
        let bias = i64::from(weights.feature_biases[hidden]);
        let of_buckets = buckets.clone().filter_map(|bucket| {
            let column = Column {
                architecture,
                weights,
                hidden,
                bucket,
            };
            // The lowest is the highest of the weights with their signs changed.
            Some([-column.highest(-1)?, column.highest(1)?])
        });
        let all = of_buckets.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])]);
        all.unwrap_or([0, 0]).map(|bound| bias + bound)
    };
    (0..architecture.hidden()).map(of_hidden).collect()
}

/// The weights of one hidden value in one king bucket.
struct Column<'a> {
    architecture: &'a Architecture,
    weights: &'a Weights,
    hidden: usize,
    bucket: usize,
}

impl Column<'_> {
    /// The most that the men of a position add; `None` if no king square leads to this bucket.
    fn highest(&self, sign: i64) -> Option<i64> {
        let own_king = self.own_king_squares();
        let own_king = own_king.map(|square| sign * self.weight(5, square)).max()?;
        let squares = 0..Square::COUNT;
        let other_king = squares.clone().map(|square| sign * self.weight(11, square));
        let others = squares.map(|square| self.best_man(square, sign));
        let mut others: Vec<i64> = others.collect();
        others.sort_unstable_by(|a, b| b.cmp(a));
        Some(own_king + other_king.max()? + others.iter().take(30).sum::<i64>())
    }

    /// The most that a man other than a king adds on a square; nothing if it is better empty.
    fn best_man(&self, square: usize, sign: i64) -> i64 {
        let men = (0..12).filter(|man| man % PieceType::COUNT != PieceType::King.index());
        let weights = men.map(|man| sign * self.weight(man, square));
        weights.fold(0, i64::max)
    }

    /// The squares, as inputs number them, of kings that lead to this bucket.
    fn own_king_squares(&self) -> impl Iterator<Item = usize> {
        let kings = self.architecture.king_buckets();
        let leads_here = |square: &Square| usize::from(kings.map()[square.index()]) == self.bucket;
        Square::ALL.into_iter().filter(leads_here).map(|square| {
            let mirrored = kings.mirrored() && square.file() > 3;
            square.index() ^ if mirrored { 7 } else { 0 }
        })
    }

    fn weight(&self, man: usize, square: usize) -> i64 {
        let input = Architecture::INPUTS_PER_BUCKET * self.bucket + 64 * man + square;
        let row = input * self.architecture.hidden();
        self.weights.feature_weights[row + self.hidden].into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess_nnue::KingBuckets;

    fn bounds(architecture: Architecture, change: impl FnOnce(&mut Weights)) -> Vec<[i64; 2]> {
        let mut weights = Weights::zero(&architecture);
        change(&mut weights);
        let network = Network::new(architecture, &weights).unwrap();
        of(&network, &weights)
    }

    #[test]
    fn kings_are_always_there_and_other_men_never_more_than_thirty() {
        let found = bounds(Architecture::new(16).unwrap(), |weights| {
            weights.feature_biases[0] = 5;
            for square in 0..64 {
                weights.feature_weights[(5 * 64 + square) * 16] = -100; // own king
                weights.feature_weights[(64 + square) * 16] = 7; // own knight
                weights.feature_weights[(64 * 9 + square) * 16] = 3; // their rook
            }
        });
        assert_eq!(found[0], [5 - 100, 5 - 100 + 30 * 7]);
        assert_eq!(found[1], [0, 0]);
    }

    #[test]
    fn kings_stand_where_their_bucket_is() {
        let mut map = [0; 64];
        map[Square::G1.index()] = 1;
        let kings = KingBuckets::new(map, true).unwrap();
        let architecture = Architecture::new(16).unwrap().with_king_buckets(kings);
        let found = bounds(architecture, |weights| {
            let king = |bucket: usize, square: Square| (bucket * 768 + 320 + square.index()) * 16;
            weights.feature_weights[king(1, Square::B1)] = 11; // the king on g1, mirrored
            weights.feature_weights[king(1, Square::C1) + 1] = 13; // none leads here
        });
        assert_eq!(found[..2], [[0, 11], [0, 0]]);
    }
}
