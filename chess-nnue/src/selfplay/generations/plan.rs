//! What generations are to be.

use std::fmt;
use std::str::FromStr;
use std::string::{String, ToString};
use std::time::Instant;
use std::vec::Vec;

use cozy_chess::Board;
use thiserror::Error;

use crate::selfplay::{HandWritten, Limits, Search};

/// What a run of [`Generations`](super::Generations) is to be: with the version of this crate it decides
/// every byte of what comes out.
///
/// As text it is a line for each field, its name and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Plan {
    /// How many generations there are; 2.
    pub generations: u64,
    /// The seed of games, first weights and the order of samples; 0.
    pub seed: u64,
    /// The hidden values of a view of the networks, a multiple of 16; 256.
    pub hidden: u64,
    /// Chunks of games of a generation; 20.
    pub chunks: u64,
    /// Games of a chunk; 1,000.
    pub games: u64,
    /// Nodes of a move, in games and matches; 3,000.
    pub nodes: u64,
    /// How often each position is seen in training; 30.
    pub epochs: u64,
    /// Positions a step; 16,384.
    pub batch: u64,
    /// Pairs of games of a match; 200.
    pub pairs: u64,
}

/// Why there is no such plan.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A field that is out of bounds.
    #[error("{field} is {found}, expected {low} to {high}")]
    OutOfBounds {
        /// The field.
        field: &'static str,
        /// Its number.
        found: u64,
        /// The least it may be.
        low: u64,
        /// The most it may be.
        high: u64,
    },
    /// Hidden values that are no multiple of 16.
    #[error("hidden is {found}, expected a multiple of 16")]
    Hidden {
        /// How many.
        found: u64,
    },
    /// A line that is none of a plan.
    #[error("line {line} is {found:?}, expected {expected}")]
    Line {
        /// The line's number, from 1.
        line: usize,
        /// The line; empty past the end.
        found: String,
        /// What a plan has there.
        expected: String,
    },
}

/// The plies of a game, as they turn out.
const PLIES: f64 = 115.0;
/// The share of positions that is trained on: the quiet ones.
const QUIET: f64 = 0.6;
/// The nodes that take as long as a sample's part in an epoch does for each hidden value.
const NODES_PER_SAMPLE: f64 = 4.0 / 256.0;
/// So many positions are worth more than deeper searches for fewer.
const ENOUGH_POSITIONS: f64 = 5e6;
/// Chunks of a generation; with the other bounds every game has a number.
const MOST_CHUNKS: u64 = 10_000_000;

impl Default for Plan {
    fn default() -> Self {
        Self {
            generations: 2,
            seed: 0,
            hidden: 256,
            chunks: 20,
            games: 1_000,
            nodes: 3_000,
            epochs: 30,
            batch: 16_384,
            pairs: 200,
        }
    }
}

impl Plan {
    const FIELDS: usize = 9;

    /// Names, numbers, and the bounds of them.
    const fn fields(&mut self) -> [(&'static str, &mut u64, [u64; 2]); Self::FIELDS] {
        [
            ("generations", &mut self.generations, [1, 1_000]),
            ("seed", &mut self.seed, [0, u64::MAX]),
            ("hidden", &mut self.hidden, [16, 4_096]),
            ("chunks", &mut self.chunks, [1, MOST_CHUNKS]),
            ("games", &mut self.games, [1, 1_000_000]),
            ("nodes", &mut self.nodes, [1, 1_000_000_000]),
            ("epochs", &mut self.epochs, [1, 100_000]),
            ("batch", &mut self.batch, [1, 1 << 24]),
            ("pairs", &mut self.pairs, [1, 1_000_000]),
        ]
    }

    /// The plan with games, training and matches sized so that all generations take about so many minutes
    /// on `threads` threads of this machine, whose speed is measured.
    ///
    /// First come positions, then deeper searches. Generations, seed and hidden values are kept. Less than
    /// nothing is nothing, as is no number, and no thread is one; however little time there is, a plan has
    /// at least 100 games of a generation and 10 pairs of a match.
    #[must_use]
    pub fn sized(self, minutes: f64, threads: usize) -> Self {
        let seconds = 60.0 * minutes.max(0.0) * threads.max(1) as f64;
        self.of_nodes(seconds * nodes_per_second())
    }

    /// The plan that takes as long as a search of so many nodes.
    fn of_nodes(self, nodes: f64) -> Self {
        let nodes = (nodes / self.generations as f64).min(1e18);
        let (playing, training, matches) = (0.7 * nodes, 0.1 * nodes, 0.1 * nodes);
        let of_move = (playing / ENOUGH_POSITIONS).clamp(400.0, 6_000.0);
        let games = (playing / (PLIES * of_move)).max(100.0);
        let of_chunk = (games / 8.0).clamp(1.0, 1_000.0).floor();
        // The games of earlier generations are trained on as well.
        let samples = QUIET * PLIES * games;
        let all_samples = samples * (self.generations + 1) as f64 / 2.0;
        let of_epoch = all_samples * self.hidden as f64 * NODES_PER_SAMPLE;
        let of_pair = 2.0 * PLIES * of_move * if self.generations > 1 { 1.5 } else { 1.0 };
        Self {
            chunks: (games / of_chunk).min(MOST_CHUNKS as f64) as u64,
            games: of_chunk as u64,
            nodes: of_move as u64,
            epochs: (training / of_epoch).clamp(8.0, 30.0) as u64,
            batch: ((samples / 50.0) as u64)
                .clamp(256, 16_384)
                .next_power_of_two(),
            pairs: (matches / of_pair).clamp(10.0, 500.0) as u64,
            ..self
        }
    }

    /// Whether every number is one that can be worked with.
    ///
    /// # Errors
    ///
    /// For the first that is not.
    pub fn check(mut self) -> Result<(), PlanError> {
        for (field, &mut found, [low, high]) in self.fields() {
            if !(low..=high).contains(&found) {
                return Err(PlanError::OutOfBounds {
                    field,
                    found,
                    low,
                    high,
                });
            }
        }
        match self.hidden.is_multiple_of(16) {
            true => Ok(()),
            false => Err(PlanError::Hidden { found: self.hidden }),
        }
    }
}

/// How many nodes a second one thread searches with the evaluation by rules.
fn nodes_per_second() -> f64 {
    let mut search = Search::new(HandWritten::new(), 4 << 20);
    let begun = Instant::now();
    let found = search.search(&Board::default(), &[], Limits::new().nodes(300_000));
    found.nodes as f64 / begun.elapsed().as_secs_f64().max(1e-6)
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut plan = *self;
        plan.fields()
            .iter()
            .try_for_each(|(name, number, _)| writeln!(f, "{name} {number}"))
    }
}

impl FromStr for Plan {
    type Err = PlanError;

    /// Reads a plan as it is shown, and checks it.
    fn from_str(text: &str) -> Result<Self, PlanError> {
        let mut plan = Self::default();
        let lines: Vec<&str> = text.lines().collect();
        for (line, (name, number, _)) in plan.fields().into_iter().enumerate() {
            let found = lines.get(line).copied().unwrap_or_default();
            let parsed = found
                .split_once(' ')
                .filter(|(field, _)| *field == name)
                .and_then(|(_, rest)| rest.trim().parse().ok());
            *number = parsed.ok_or_else(|| PlanError::Line {
                line: line + 1,
                found: found.to_string(),
                expected: std::format!("{name} and a number"),
            })?;
        }
        if let Some(found) = lines.get(Self::FIELDS) {
            return Err(PlanError::Line {
                line: Self::FIELDS + 1,
                found: (*found).into(),
                expected: "the end".into(),
            });
        }
        plan.check()?;
        Ok(plan)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_text_and_back() {
        let plan = Plan {
            seed: u64::MAX,
            hidden: 512,
            pairs: 7,
            ..Plan::default()
        };
        assert_eq!(plan.to_string().parse(), Ok(plan));
        assert_eq!(plan.to_string().lines().nth(2), Some("hidden 512"));
    }

    #[test]
    fn what_is_no_plan_is_named() {
        let error = |text: &str| text.parse::<Plan>().unwrap_err().to_string();
        let text = Plan::default().to_string();
        let expected = r#"line 1 is "", expected generations and a number"#;
        assert_eq!(error(""), expected);
        assert_eq!(
            error(&text.replace("nodes 3000", "nodes -1")),
            r#"line 6 is "nodes -1", expected nodes and a number"#
        );
        assert_eq!(
            error(&text.replace("seed 0", "seed0")),
            r#"line 2 is "seed0", expected seed and a number"#
        );
        assert_eq!(
            error(&(text.clone() + "more 1")),
            r#"line 10 is "more 1", expected the end"#
        );
        assert_eq!(
            error(&text.replace("chunks 20", "chunks 0")),
            "chunks is 0, expected 1 to 10000000"
        );
        assert_eq!(
            error(&text.replace("hidden 256", "hidden 250")),
            "hidden is 250, expected a multiple of 16"
        );
    }

    #[test]
    fn every_budget_makes_a_plan() {
        let budgets = (0..30).map(|exponent| 10_f64.powi(exponent));
        for budget in budgets.chain([0.0, f64::INFINITY]) {
            let plan = Plan::default().of_nodes(budget);
            assert_eq!(plan.check(), Ok(()), "{plan}");
        }
    }

    #[test]
    fn every_time_makes_a_plan() {
        for (minutes, threads) in [(f64::NAN, 0), (f64::INFINITY, usize::MAX)] {
            let plan = Plan::default().sized(minutes, threads);
            assert_eq!(plan.check(), Ok(()), "{minutes} {threads} {plan}");
        }
    }

    #[test]
    fn the_nodes_of_games_are_most_of_the_budget() {
        for budget in [3e8, 3e9, 3e10, 3e11] {
            let plan = Plan::default().of_nodes(budget);
            let games = (plan.generations * plan.chunks * plan.games) as f64;
            let share = games * PLIES * plan.nodes as f64 / budget;
            assert!((0.6..0.71).contains(&share), "{share} of {budget}: {plan}");
        }
    }
}
