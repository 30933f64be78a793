//! `chess-nnue compare`.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::network_file::{self, Layout};
use crate::{Outcome, positions};

/// Compare two networks over the positions of a file.
///
/// Gives the correlation of their scores and their differences (B less A) in centipawns for the side
/// to move. Options about bullet's layout hold for both networks, as far as they are in it.
#[derive(Args)]
#[command(after_help = "Example:
  chess-nnue compare old.nnue new.nnue --data games.marlin")]
pub(crate) struct Arguments {
    /// The first network
    #[arg(value_name = "A")]
    first: PathBuf,
    /// The second network
    #[arg(value_name = "B")]
    second: PathBuf,
    /// Marlinformat records to take the positions from
    #[arg(long, value_name = "FILE.marlin")]
    data: PathBuf,
    /// Take the first COUNT positions alone
    #[arg(long, value_name = "COUNT", default_value_t = u64::MAX, hide_default_value = true)]
    limit: u64,
    /// A JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    layout: Layout,
}

pub(crate) fn run(arguments: &Arguments, out: &mut dyn Write) -> Outcome {
    let (first, _) = network_file::load(&arguments.first, &arguments.layout)?;
    let (second, _) = network_file::load(&arguments.second, &arguments.layout)?;
    let mut comparison = Comparison::default();
    positions::each_record(&arguments.data, arguments.limit, |index, labelled| {
        let scores = [&first, &second].map(|network| network.evaluate(labelled));
        let fen = || labelled.position.fen().to_string();
        comparison.add(index, scores, fen);
        Ok(())
    })?;
    match arguments.json {
        true => comparison.write_json(out),
        false => comparison.write(out),
    }
}

/// Running moments of pairs of scores.
#[derive(Default)]
struct Comparison {
    positions: u64,
    equal: u64,
    means: [f64; 2],
    /// Sums of squared deviations, and of their products.
    squares: [f64; 2],
    products: f64,
    absolute: f64,
    largest: Option<Largest>,
}

struct Largest {
    record: u64,
    fen: String,
    scores_cp: [i32; 2],
}

impl Largest {
    fn difference(&self) -> i64 {
        difference(self.scores_cp)
    }
}

fn difference([first, second]: [i32; 2]) -> i64 {
    i64::from(second) - i64::from(first)
}

impl Comparison {
    /// One more pair, by Welford's method.
    fn add(&mut self, record: u64, scores_cp: [i32; 2], fen: impl FnOnce() -> String) {
        self.positions += 1;
        self.equal += u64::from(scores_cp[0] == scores_cp[1]);
        let scores = scores_cp.map(f64::from);
        let before = [0, 1].map(|i| scores[i] - self.means[i]);
        for (mean, deviation) in self.means.iter_mut().zip(before) {
            *mean += deviation / self.positions as f64;
        }
        let after = [0, 1].map(|i| scores[i] - self.means[i]);
        self.squares = [0, 1].map(|i| self.squares[i] + before[i] * after[i]);
        self.products += before[0] * after[1];
        let difference = difference(scores_cp);
        self.absolute += difference.unsigned_abs() as f64;
        let largest = self.largest.as_ref().map(Largest::difference);
        if largest.is_none_or(|largest| difference.unsigned_abs() > largest.unsigned_abs()) {
            self.largest = Some(Largest {
                record,
                fen: fen(),
                scores_cp,
            });
        }
    }

    /// Pearson's; `None` where a network gives every position the same score.
    fn correlation(&self) -> Option<f64> {
        let spread = (self.squares[0] * self.squares[1]).sqrt();
        (spread > 0.0).then(|| self.products / spread)
    }

    fn mean_difference(&self) -> f64 {
        self.means[1] - self.means[0]
    }

    fn mean_absolute(&self) -> f64 {
        self.absolute / self.positions.max(1) as f64
    }

    fn write_json(&self, out: &mut dyn Write) -> Outcome {
        let largest = self.largest.as_ref().map(|largest| {
            json!({
                "record": largest.record,
                "fen": largest.fen,
                "a_cp": largest.scores_cp[0],
                "b_cp": largest.scores_cp[1],
                "difference_cp": largest.difference(),
            })
        });
        let object = json!({
            "positions": self.positions,
            "equal": self.equal,
            "correlation": self.correlation(),
            "mean_difference_cp": self.mean_difference(),
            "mean_absolute_difference_cp": self.mean_absolute(),
            "largest": largest,
        });
        Ok(writeln!(out, "{object}")?)
    }

    fn write(&self, out: &mut dyn Write) -> Outcome {
        writeln!(out, "positions                 {}", self.positions)?;
        writeln!(out, "equal scores              {}", self.equal)?;
        match self.correlation() {
            Some(correlation) => writeln!(out, "correlation               {correlation:.6}")?,
            None => writeln!(out, "correlation               none, a score never changes")?,
        }
        let (mean, absolute) = (self.mean_difference(), self.mean_absolute());
        writeln!(out, "mean difference           {mean:+.2} cp")?;
        writeln!(out, "mean absolute difference  {absolute:.2} cp")?;
        if let Some(largest) = &self.largest {
            let (difference, [a, b]) = (largest.difference(), largest.scores_cp);
            let (record, fen) = (largest.record, &largest.fen);
            writeln!(
                out,
                "largest difference        {difference:+} cp (A {a:+}, B {b:+})"
            )?;
            writeln!(out, "  in record {record}: {fen}")?;
        }
        Ok(())
    }
}
