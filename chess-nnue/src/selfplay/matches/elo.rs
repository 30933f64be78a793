//! How much stronger one player is, and how sure that is.
//!
//! Two games from one start, with colours changed, are one pair: the start favours both players alike, so
//! that pairs vary less than games do. A pair has one of five scores, and errors are those of pairs (the
//! pentanomial model).

use std::fmt;

/// The results of pairs, seen by the first player: pairs with 0, ½, 1, 1½ and 2 points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    counts: [u64; 5],
}

/// A difference in Elo with the bounds of its 95 % interval, in the normal approximation of the mean over
/// pairs: of pairs that are all alike it has no width, which says more of how few they are than of the
/// players. Infinite where one side has all points.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Elo {
    /// The lower bound.
    pub low: f64,
    /// The estimate.
    pub mid: f64,
    /// The upper bound.
    pub high: f64,
}

/// Pairs of each kind that a test adds: a few pairs that are all alike prove little.
const DOUBT: f64 = 0.5;
/// Standard deviations in the half of a 95 % interval.
const SIGMAS: f64 = 1.959_964;

impl Pairs {
    /// Adds a pair with so many half points, 0 to 4.
    ///
    /// # Panics
    ///
    /// When there are more.
    pub const fn add(&mut self, half_points: usize) {
        self.counts[half_points] += 1;
    }

    /// Pairs with 0, ½, 1, 1½ and 2 points.
    #[must_use]
    pub const fn counts(&self) -> [u64; 5] {
        self.counts
    }

    /// How many pairs.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first player's share of the points.
    #[must_use]
    pub fn score(&self) -> f64 {
        self.spread(0.0).mean
    }

    /// The difference in Elo, if there are pairs.
    #[must_use]
    pub fn elo(&self) -> Option<Elo> {
        if self.is_empty() {
            return None;
        }
        let Spread {
            pairs,
            mean,
            variance,
        } = self.spread(0.0);
        let error = SIGMAS * (variance / pairs).sqrt();
        Some(Elo {
            low: elo_of(mean - error),
            mid: elo_of(mean),
            high: elo_of(mean + error),
        })
    }

    /// So many more pairs of each kind.
    fn spread(&self, more: f64) -> Spread {
        let weights = self.counts.map(|count| count as f64 + more);
        let whole: f64 = weights.iter().sum();
        let mean_of = |of: &dyn Fn(f64) -> f64| {
            let shares = [0.0, 0.25, 0.5, 0.75, 1.0];
            let weighted = weights
                .iter()
                .zip(shares)
                .map(|(weight, share)| weight * of(share));
            weighted.sum::<f64>() / whole.max(f64::MIN_POSITIVE)
        };
        let mean = mean_of(&|share| share);
        Spread {
            pairs: whole,
            mean,
            variance: mean_of(&|share| (share - mean).powi(2)),
        }
    }
}

/// How the shares of the points that pairs brought are distributed.
struct Spread {
    pairs: f64,
    mean: f64,
    variance: f64,
}

/// The difference at which a player expects this share of the points; infinite at all or none.
fn elo_of(score: f64) -> f64 {
    let score = score.clamp(0.0, 1.0);
    0.0 - 400.0 * (1.0 / score - 1.0).log10()
}

/// The share of the points that a player expects who is so much stronger.
fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10.0_f64.powf(-elo / 400.0))
}

impl fmt::Display for Elo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:+.1} [{:+.1}, {:+.1}]", self.mid, self.low, self.high)
    }
}

/// A sequential probability ratio test between two differences in Elo: it says as soon as the pairs can
/// tell which is closer, in the normal approximation of the pentanomial likelihoods.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

/// What a test says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Not enough pairs yet.
    Open,
    /// The lower one is nearer.
    H0,
    /// The higher one is nearer.
    H1,
}

impl Sprt {
    /// A test of `elo1` against `elo0`, wrong with probability 5 % where one of them is the
    /// true one. It stays open if they are the same.
    #[must_use]
    pub const fn new(elo0: f64, elo1: f64) -> Self {
        Self {
            elo0,
            elo1,
            alpha: 0.05,
            beta: 0.05,
        }
    }

    /// The log-likelihood ratio at which H0 and H1 are accepted.
    #[must_use]
    pub fn bounds(&self) -> (f64, f64) {
        let Self { alpha, beta, .. } = *self;
        ((beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln())
    }

    /// The log-likelihood ratio of the pairs so far.
    #[must_use]
    pub fn log_likelihood_ratio(&self, pairs: &Pairs) -> f64 {
        let Spread {
            pairs,
            mean,
            variance,
        } = pairs.spread(DOUBT);
        let (score0, score1) = (score_of(self.elo0), score_of(self.elo1));
        pairs * (score1 - score0) * (2.0 * mean - score0 - score1) / (2.0 * variance)
    }

    /// Which of the two the pairs speak for.
    #[must_use]
    pub fn verdict(&self, pairs: &Pairs) -> Verdict {
        let (low, high) = self.bounds();
        let ratio = self.log_likelihood_ratio(pairs);
        if ratio <= low {
            Verdict::H0
        } else if ratio >= high {
            Verdict::H1
        } else {
            Verdict::Open
        }
    }
}

#[cfg(test)]
mod tests {
    use std::string::ToString;

    use super::*;

    fn pairs(counts: [u64; 5]) -> Pairs {
        Pairs { counts }
    }

    #[test]
    fn differences() {
        let even = pairs([1, 2, 10, 2, 1]).elo().unwrap();
        assert_eq!(even.mid, 0.0);
        assert!((even.low + even.high).abs() < 1e-9);
        // Three quarters of the points are 190.85 Elo; the pairs' deviation is the root of 1/32.
        let ahead = pairs([0, 0, 50, 0, 50]).elo().unwrap();
        assert!((ahead.mid - 190.848).abs() < 0.01, "{ahead}");
        let low = elo_of(0.75 - 1.959_964 * (1.0_f64 / 16.0 / 100.0).sqrt());
        assert!((ahead.low - low).abs() < 1e-9);
        assert_eq!(pairs([0, 0, 0, 0, 9]).elo().unwrap().mid, f64::INFINITY);
        assert_eq!(pairs([0; 5]).elo(), None);
        assert_eq!(even.to_string(), "+0.0 [-74.9, +74.9]");
    }

    #[test]
    fn a_test_ends_where_the_pairs_point() {
        let sprt = Sprt::new(0.0, 10.0);
        assert_eq!(sprt.bounds().0, -sprt.bounds().1);
        assert!((sprt.bounds().1 - 2.944_4).abs() < 1e-4);
        assert_eq!(sprt.verdict(&pairs([0; 5])), Verdict::Open);
        assert_eq!(sprt.verdict(&pairs([5, 20, 50, 22, 6])), Verdict::Open);
        assert_eq!(sprt.verdict(&pairs([30, 150, 400, 230, 60])), Verdict::H1);
        assert_eq!(sprt.verdict(&pairs([60, 230, 400, 150, 30])), Verdict::H0);
    }

    #[test]
    fn pairs_that_are_all_alike_prove_little_at_first() {
        let sprt = Sprt::new(0.0, 300.0);
        assert_eq!(sprt.verdict(&pairs([0, 0, 0, 0, 3])), Verdict::Open);
        assert_eq!(sprt.verdict(&pairs([0, 0, 0, 0, 20])), Verdict::H1);
    }

    #[test]
    fn the_ratio_grows_with_the_pairs() {
        let sprt = Sprt::new(0.0, 10.0);
        let some = sprt.log_likelihood_ratio(&pairs([30, 150, 400, 230, 60]));
        let more = sprt.log_likelihood_ratio(&pairs([300, 1500, 4000, 2300, 600]));
        assert!((more / some - 10.0).abs() < 0.1, "{some} {more}");
    }
}
