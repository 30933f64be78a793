//! `split`: training, validation and test.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use chess_records::FixedRecord;
use chess_records::ops::{Inputs, Output, SplitBy, SplitFiles, SplitReport};

use crate::arguments::InputOptions;
use crate::failure::Failure;
use crate::format::{Format, with_fixed};
use crate::report::note;
use crate::resume::shown;
use crate::streams::{target, total_bytes};

/// Splits files into training, validation and test files.
///
/// Whole games go to a part, if the files tell games: viri files, and records with move numbers, in
/// game order. Else all copies of a position go to a part, but positions of a game may be in several;
/// the command says so, and --by game refuses it. Shuffle after splitting, not before.
///
/// After an interruption, the same command goes on where it was.
#[derive(Args)]
#[command(after_long_help = "\
Formats: marlin, marlin-move, bullet, viri; the second and third do not tell games.

Examples:
  chess-records split games.marlin --train train.marlin --validation val.marlin
  chess-records split games.viri --train train.viri --validation val.viri
  chess-records split games.marlin --train train.marlin --validation val.marlin --test test.marlin \\
      --validation-share 0.02 --test-share 0.02 --seed 1")]
pub(crate) struct Split {
    #[command(flatten)]
    input: InputOptions,
    /// The file for training
    #[arg(long, value_name = "FILE")]
    train: PathBuf,
    /// The file for validation
    #[arg(long, value_name = "FILE")]
    validation: Option<PathBuf>,
    /// The file for tests
    #[arg(long, value_name = "FILE", required_unless_present = "validation")]
    test: Option<PathBuf>,
    /// The share of validation
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    validation_share: f64,
    /// The share of tests
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    test_share: f64,
    /// Which games go where
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// What is kept together; by default games if the files tell them, else positions
    #[arg(long)]
    by: Option<By>,
    /// Replace the outputs if they exist
    #[arg(short, long)]
    force: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum By {
    /// The records of a game
    Game,
    /// The copies of a position
    Position,
}

impl Split {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        match self.input.format()? {
            Format::Viri => self.split_games(),
            format => with_fixed!(format, R => self.split::<R>()),
        }
    }

    fn how(&self) -> SplitFiles {
        SplitFiles {
            seed: self.seed,
            by: self.by.map(|by| match by {
                By::Game => SplitBy::Game,
                By::Position => SplitBy::Position,
            }),
        }
    }

    fn split_games(&self) -> Result<(), Failure> {
        let (parts, inputs) = (self.parts()?, &self.input.inputs);
        let bytes = total_bytes(inputs).unwrap_or(1).max(1);
        let split = self.how();
        let report = shown(&parts[0].0, bytes, ("byte", 1), |progress| {
            split.run_games(inputs, &parts, progress)
        })?;
        say(&report, &parts)
    }

    fn split<R: FixedRecord>(&self) -> Result<(), Failure> {
        let parts = self.parts()?;
        let inputs = Inputs::<R>::open(&self.input.inputs)?;
        let split = self.how();
        let report = shown(
            &parts[0].0,
            inputs.bytes(),
            ("record", R::BYTES),
            |progress| split.run(&inputs, &parts, progress),
        )?;
        say(&report, &parts)
    }

    fn parts(&self) -> Result<Vec<(Output, f64)>, Failure> {
        let held_out = [
            (&self.validation, self.validation_share),
            (&self.test, self.test_share),
        ];
        let held_out = held_out.into_iter();
        let held_out: Vec<_> = held_out
            .filter_map(|(path, share)| Some((path.as_ref()?, share)))
            .collect();
        let train = 1.0 - held_out.iter().map(|part| part.1).sum::<f64>();
        if train.is_nan() || train <= 0.0 {
            return Err(Failure::usage("the shares leave nothing to train on"));
        }
        let all = [(&self.train, train)].into_iter().chain(held_out);
        Ok(all
            .map(|(path, share)| (target(path, self.force), share))
            .collect())
    }
}

fn say(report: &SplitReport, parts: &[(Output, f64)]) -> Result<(), Failure> {
    if report.by == SplitBy::Position {
        note("split by position, NOT by game: positions of a game may be in several files")?;
    }
    for ((output, _), part) in parts.iter().zip(&report.parts) {
        let path = output.path().display();
        let games = match report.by {
            SplitBy::Game => format!(", {} games", part.games),
            _ => String::new(),
        };
        note(&format!("{path}: {} records{games}", part.records))?;
    }
    Ok(())
}
