//! Which plies of a game are sampled: numpy's `Generator.choice` over weighted plies.

use std::collections::HashMap;
use std::ops::Range;

use super::random::NumpyRng;

/// Candidates that are too few to be weighted.
const UNWEIGHTED: usize = 8;
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
    pub(crate) uniform: bool,
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
            long = Table::new(candidates.clone(), self.draw.uniform);
            &long
        } else {
            let uniform = self.draw.uniform;
            let new = || Table::new(candidates.clone(), uniform);
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

/// The plies that may be drawn: the last position of a game has no move to learn, and the last move
/// but none is left to the end.
fn candidates(plies: usize, skip: usize) -> Range<usize> {
    let end = plies.saturating_sub(1);
    skip.min(end.saturating_sub(1))..end
}

/// The probabilities of candidates and their running sums.
struct Table {
    probabilities: Vec<f64>,
    cumulative: Vec<f64>,
    nonzero: usize,
}

impl Table {
    fn new(candidates: Range<usize>, uniform: bool) -> Self {
        let mut probabilities = weights(candidates, uniform);
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

fn weights(candidates: Range<usize>, uniform: bool) -> Vec<f64> {
    if uniform || candidates.len() <= UNWEIGHTED {
        return vec![1.0; candidates.len()];
    }
    candidates
        .map(|ply| middlegame_weight(ply as f64))
        .collect()
}

/// Rises over the first 20 plies, falls from ply 40 to 76 and stays at a tenth.
fn middlegame_weight(ply: f64) -> f64 {
    (ply / 20.0).min(1.0) * ((80.0 - ply) / 40.0).max(0.1).min(1.0)
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
