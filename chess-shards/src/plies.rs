//! At which plies samples stand, and at which they should.

use std::ops::Range;

use crate::FlatRecord;

/// Candidates that are too few to be weighted.
const UNWEIGHTED: usize = 8;

/// How many samples stand at each ply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlyHistogram {
    counts: Vec<u64>,
}

/// How likely a sampler is to draw each ply, over many games.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlyDistribution {
    weights: Vec<f64>,
    games: u64,
}

/// How likely each ply of a game is to be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "meta", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "meta", serde(rename_all = "lowercase"))]
pub enum SampleWeighting {
    /// Rising to ply 20, falling from ply 40 to a tenth at ply 76: min(ply/20, 1) · min(max((80−ply)/40,
    /// 0.1), 1). All alike in games with at most eight plies to draw.
    Middlegame,
    /// All alike.
    Uniform,
}

/// The plies of a game of so many that may be drawn: the last position of a game has no move to learn,
/// and the last move but none is left to the end.
pub(crate) fn candidates(plies: usize, skip: usize) -> Range<usize> {
    let end = plies.saturating_sub(1);
    skip.min(end.saturating_sub(1))..end
}

/// The weight of each candidate.
pub(crate) fn weights(
    candidates: Range<usize>,
    weighting: SampleWeighting,
) -> impl Iterator<Item = f64> + Clone {
    let alike = weighting == SampleWeighting::Uniform || candidates.len() <= UNWEIGHTED;
    candidates.map(move |ply| {
        if alike {
            1.0
        } else {
            middlegame_weight(ply as f64)
        }
    })
}

/// Rises over the first 20 plies, falls from ply 40 to 76 and stays at a tenth.
fn middlegame_weight(ply: f64) -> f64 {
    (ply / 20.0).min(1.0) * ((80.0 - ply) / 40.0).clamp(0.1, 1.0)
}

impl PlyHistogram {
    /// Nothing counted yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts a sample.
    pub fn add(&mut self, row: &FlatRecord) {
        let ply = usize::from(row.move_number());
        if self.counts.len() <= ply {
            self.counts.resize(ply + 1, 0);
        }
        self.counts[ply] += 1;
    }

    /// How many samples stand at each ply, from 0 to the last at which one does.
    #[must_use]
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// How many samples there are.
    #[must_use]
    pub fn samples(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The total variation distance to a distribution: half the sum of all differences, 0 where they
    /// are the same and 1 where they have no ply in common. `None` where either is empty.
    #[must_use]
    pub fn total_variation(&self, expected: &PlyDistribution) -> Option<f64> {
        let (samples, games) = (self.samples() as f64, expected.games as f64);
        if samples == 0.0 || games == 0.0 {
            return None;
        }
        let plies = self.counts.len().max(expected.weights.len());
        let difference = |ply: usize| {
            let found = self
                .counts
                .get(ply)
                .map_or(0.0, |&count| count as f64 / samples);
            let weight = expected
                .weights
                .get(ply)
                .map_or(0.0, |weight| weight / games);
            (found - weight).abs()
        };
        Some((0..plies).map(difference).sum::<f64>() / 2.0)
    }
}

impl PlyDistribution {
    /// No games yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a game of so many plies, of which a sampler draws one (or several with replacement) from
    /// ply `skip` on but never the last; the last but one where all would be left out. A game of fewer
    /// than two plies is not drawn from, and adds nothing.
    pub fn add_game(&mut self, plies: usize, skip: usize, weighting: SampleWeighting) {
        if plies < 2 {
            return;
        }
        let candidates = candidates(plies, skip);
        let weights = weights(candidates.clone(), weighting);
        let sum: f64 = weights.clone().sum();
        self.weights.resize(self.weights.len().max(plies - 1), 0.0);
        for (ply, weight) in candidates.zip(weights) {
            self.weights[ply] += weight / sum;
        }
        self.games += 1;
    }

    /// The total variation distance that as many independent draws have to the distribution itself on
    /// average, by chance: what [`PlyHistogram::total_variation`] is to be judged by. `None` where the
    /// distribution is empty or nothing is drawn.
    #[must_use]
    pub fn distance_by_chance(&self, samples: u64) -> Option<f64> {
        if samples == 0 || self.games == 0 {
            return None;
        }
        // The mean of |x| of a normal distribution is √(2/π) of its deviation.
        let mean = |weight: &f64| {
            let p = weight / self.games as f64;
            (2.0 / std::f64::consts::PI * p * (1.0 - p) / samples as f64).sqrt()
        };
        Some(self.weights.iter().map(mean).sum::<f64>() / 2.0)
    }

    /// How many games were added.
    #[must_use]
    pub const fn games(&self) -> u64 {
        self.games
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(plies: impl IntoIterator<Item = u16>) -> PlyHistogram {
        let mut histogram = PlyHistogram::new();
        for ply in plies {
            let mut fields = FlatRecord::zeroed().fields();
            fields.move_number = ply;
            histogram.add(&FlatRecord::from_fields(&fields));
        }
        histogram
    }

    #[test]
    fn distances() {
        let mut uniform = PlyDistribution::new();
        assert_eq!(histogram([0]).total_variation(&uniform), None);
        uniform.add_game(1, 0, SampleWeighting::Uniform);
        assert_eq!(uniform.games(), 0);
        uniform.add_game(5, 0, SampleWeighting::Uniform);
        assert_eq!(histogram([]).total_variation(&uniform), None);
        assert_eq!(histogram(0..4).total_variation(&uniform), Some(0.0));
        assert_eq!(histogram([9]).total_variation(&uniform), Some(1.0));
        assert_eq!(histogram([0, 1]).total_variation(&uniform), Some(0.5));
        assert_eq!(histogram([3, 1, 1]).counts(), [0, 2, 0, 1]);
        assert_eq!(uniform.distance_by_chance(0), None);
        assert_eq!(PlyDistribution::new().distance_by_chance(9), None);
        // 4 · √(2/π · 1/4 · 3/4 / 100) / 2
        let chance = uniform.distance_by_chance(100).unwrap();
        assert!((chance - 0.069_1).abs() < 1e-4, "{chance}");
    }

    #[test]
    fn candidates_of_short_games() {
        assert_eq!(candidates(2, 0), 0..1);
        assert_eq!(candidates(2, 9), 0..1);
        assert_eq!(candidates(3, 9), 1..2);
        assert_eq!(candidates(12, 6), 6..11);
    }

    #[test]
    fn weights_of_games() {
        let mut late = PlyDistribution::new();
        late.add_game(3, 100, SampleWeighting::Middlegame);
        assert_eq!(late.weights, [0.0, 1.0]);
        let mut long = PlyDistribution::new();
        long.add_game(101, 0, SampleWeighting::Middlegame);
        assert_eq!(long.weights[0], 0.0);
        assert_eq!(long.weights[10] * 2.0, long.weights[20]);
        assert_eq!(long.weights[20], long.weights[40]);
        assert_eq!(long.weights[60] * 2.0, long.weights[40]);
        assert!((long.weights[99] * 10.0 - long.weights[40]).abs() < 1e-12);
        assert!((long.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}
