//! Which plies of a game are sampled: numpy's `Generator.choice` over weighted plies.

use std::collections::HashMap;
use std::ops::Range;

use super::random::NumpyRng;
use crate::SampleWeighting;
use crate::plies::{candidates, weights};

/// Games up to this long keep their tables: few are longer, and a table takes 16 bytes a ply.
const CACHED_PLIES: usize = 512;

/// How plies are drawn from a game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Draw {
    /// Samples a game, at least 1.
    pub(crate) k: usize,
    /// The first plies of a game are left out if it is long enough.
    pub(crate) skip: usize,
    /// All plies alike, or those of the middlegame more often.
    pub(crate) weighting: SampleWeighting,
    /// The same ply may be drawn again.
    pub(crate) repeated: bool,
}

/// Draws the plies to sample from one game after another.
pub(crate) struct Sampler {
    draw: Draw,
    rng: NumpyRng,
    tables: HashMap<usize, Table>,
}

impl Sampler {
    pub(crate) fn new(draw: Draw, rng: NumpyRng) -> Self {
        let tables = HashMap::new();
        Self { draw, rng, tables }
    }

    /// Goes on with the numbers of `rng`.
    pub(crate) fn restart(&mut self, rng: NumpyRng) {
        self.rng = rng;
    }

    /// The sampled plies of a game of `plies` plies, at least 2, in order.
    pub(crate) fn sample(&mut self, plies: usize) -> Vec<u32> {
        let candidates = candidates(plies, self.draw.skip);
        let long;
        let table = if plies > CACHED_PLIES {
            long = Table::new(candidates.clone(), self.draw.weighting);
            &long
        } else {
            let weighting = self.draw.weighting;
            let new = || Table::new(candidates.clone(), weighting);
            self.tables.entry(plies).or_insert_with(new)
        };
        let mut chosen = if self.draw.repeated {
            choose_repeated(table, self.draw.k, &mut self.rng)
        } else {
            choose_unique(table, self.draw.k, &mut self.rng)
        };
        chosen.sort_unstable();
        let ply = |&index: &usize| (candidates.start + index) as u32;
        chosen.iter().map(ply).collect()
    }
}

/// The probabilities of candidates and their running sums.
struct Table {
    probabilities: Vec<f64>,
    cumulative: Vec<f64>,
    nonzero: usize,
}

impl Table {
    fn new(candidates: Range<usize>, weighting: SampleWeighting) -> Self {
        let mut probabilities: Vec<_> = weights(candidates, weighting).collect();
        let sum = pairwise_sum(&probabilities);
        for weight in &mut probabilities {
            *weight /= sum;
        }
        Self {
            cumulative: cumulative(&probabilities),
            nonzero: probabilities.iter().filter(|&&p| p != 0.0).count(),
            probabilities,
        }
    }
}

/// The sum as numpy's `add.reduce` makes it: eight running sums, and halves of what is longer than
/// 128, which rounds otherwise than one running sum.
fn pairwise_sum(values: &[f64]) -> f64 {
    const LANES: usize = 8;
    const BLOCK: usize = 128;
    if values.len() < LANES {
        return values.iter().fold(0.0, |sum, value| sum + value);
    }
    if values.len() > BLOCK {
        let half = values.len() / 2;
        let (left, right) = values.split_at(half - half % LANES);
        return pairwise_sum(left) + pairwise_sum(right);
    }
    let mut chunks = values.chunks_exact(LANES);
    let mut lanes = [0.0; LANES];
    for chunk in &mut chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane += value;
        }
    }
    let [a, b, c, d, e, f, g, h] = lanes;
    let sum = ((a + b) + (c + d)) + ((e + f) + (g + h));
    chunks
        .remainder()
        .iter()
        .fold(sum, |sum, value| sum + value)
}

/// `cumsum(p)` divided by its last.
fn cumulative(probabilities: &[f64]) -> Vec<f64> {
    let mut sum = 0.0;
    let mut sums: Vec<f64> = probabilities
        .iter()
        .map(|p| {
            sum += p;
            sum
        })
        .collect();
    for value in &mut sums {
        *value /= sum;
    }
    sums
}

/// `searchsorted(side="right")`.
fn search(cumulative: &[f64], value: f64) -> usize {
    cumulative.partition_point(|&bound| bound <= value)
}

/// `choice(plies, k, replace=True, p)`.
fn choose_repeated(table: &Table, k: usize, rng: &mut NumpyRng) -> Vec<usize> {
    let draw = |_| search(&table.cumulative, rng.next_double());
    (0..k).map(draw).collect()
}

/// `choice(plies, min(k, nonzero), replace=False, p)`: rounds of as many draws as are missing, of
/// which the first of equal ones counts; what was found weighs nothing in the next round.
fn choose_unique(table: &Table, k: usize, rng: &mut NumpyRng) -> Vec<usize> {
    let size = k.min(table.nonzero);
    let mut found = Vec::with_capacity(size);
    let mut missing = size;
    add_new(&table.cumulative, missing, rng, &mut found);
    if found.len() == size {
        return found;
    }
    let mut probabilities = table.probabilities.clone();
    while found.len() < size {
        for &index in &found {
            probabilities[index] = 0.0;
        }
        missing = size - found.len();
        add_new(&cumulative(&probabilities), missing, rng, &mut found);
    }
    found
}

fn add_new(cumulative: &[f64], draws: usize, rng: &mut NumpyRng, found: &mut Vec<usize>) {
    let old = found.len();
    for _ in 0..draws {
        let index = search(cumulative, rng.next_double());
        if !found[old..].contains(&index) {
            found.push(index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// What numpy draws; `numpy_draws.py` beside it has made it.
    fn golden() -> Value {
        let json = include_str!("../../tests/games/numpy_draws.json");
        serde_json::from_str(json).unwrap()
    }

    fn middlegame(candidates: Range<usize>) -> Vec<f64> {
        weights(candidates, SampleWeighting::Middlegame).collect()
    }

    fn numbers(value: &Value) -> Vec<u64> {
        let values = value.as_array().unwrap();
        values.iter().map(|value| value.as_u64().unwrap()).collect()
    }

    #[test]
    fn plies_are_those_that_numpy_draws() {
        let mut draws = 0;
        for case in golden()["cases"].as_array().unwrap() {
            let number = |key: &str| case[key].as_u64().unwrap();
            let draw = Draw {
                k: number("k") as usize,
                skip: number("skip") as usize,
                weighting: if case["uniform"].as_bool().unwrap() {
                    SampleWeighting::Uniform
                } else {
                    SampleWeighting::Middlegame
                },
                repeated: case["repeated"].as_bool().unwrap(),
            };
            let rng = NumpyRng::new(&[number("seed"), number("shard")]);
            let mut sampler = Sampler::new(draw, rng);
            let expected = case["plies"].as_array().unwrap();
            for (length, expected) in numbers(&case["lengths"]).into_iter().zip(expected) {
                let plies = sampler.sample(length as usize);
                let plies: Vec<_> = plies.into_iter().map(u64::from).collect();
                assert_eq!(plies, numbers(expected), "{draw:?}, a game of {length}");
                draws += plies.len();
            }
            // No number more and no number less was used.
            assert_eq!(
                sampler.rng.next_double(),
                case["next_double"].as_f64().unwrap()
            );
        }
        assert!(draws > 5000, "{draws} draws");
    }

    #[test]
    fn sums_are_rounded_as_numpy_rounds_them() {
        let mut other_than_plain = 0;
        for case in golden()["sums"].as_array().unwrap() {
            let bound = |key: &str| case[key].as_u64().unwrap() as usize;
            let weights = middlegame(bound("from")..bound("to"));
            let expected = case["sum"].as_f64().unwrap();
            assert_eq!(pairwise_sum(&weights), expected, "{case}");
            other_than_plain += u32::from(weights.iter().sum::<f64>() != expected);
        }
        assert!(other_than_plain > 10);
    }

    #[test]
    fn published_sums() {
        let sum = |plies| pairwise_sum(&middlegame(candidates(plies, 0)));
        assert_eq!(sum(25), 13.5);
        assert_eq!(sum(300), 72.05);
        assert_eq!(pairwise_sum(&[]), 0.0);
    }
}
