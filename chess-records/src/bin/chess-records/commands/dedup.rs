//! `dedup`: each position once.

use clap::{Args, ValueEnum};

use chess_records::ops::{self, Inputs, ScoredRecord};

use crate::arguments::{InputOptions, OutputOptions, bytes};
use crate::failure::Failure;
use crate::format::with_fixed;
use crate::report::note;
use crate::resume::shown;

/// Writes one record of each position.
///
/// Positions are the same if placement, side to move, castling rights and en passant square are; a
/// square where no pawn can legally take does not count, nor do clocks. In bullet files positions are
/// the same if they are as the mover sees them, which is all these tell. Order is kept. Temporary
/// files go to a folder beside the output (.NAME.chess-records), at most 1½ times the size of the
/// inputs. After an interruption, the same command goes on where it was.
#[derive(Args)]
#[command(after_long_help = "\
Formats: marlin, marlin-move, bullet.

Examples:
  chess-records dedup games.marlin -o unique.marlin
  chess-records dedup a.marlin b.marlin -o unique.marlin --keep mean-score --memory 4G")]
pub(crate) struct Dedup {
    #[command(flatten)]
    input: InputOptions,
    #[command(flatten)]
    output: OutputOptions,
    /// Which record of a position stays
    #[arg(long, default_value = "first")]
    keep: Keep,
    /// How much memory to use, at least 8M
    #[arg(long, value_name = "BYTES", default_value = "1G", value_parser = bytes)]
    memory: u64,
}

#[derive(Clone, Copy, ValueEnum)]
enum Keep {
    /// The first
    First,
    /// The last
    Last,
    /// The first, with the mean of all scores
    MeanScore,
}

impl Dedup {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        with_fixed!(self.input.format()?, R => self.dedup::<R>())
    }

    fn dedup<R: ScoredRecord>(&self) -> Result<(), Failure> {
        let inputs = Inputs::<R>::open(&self.input.inputs)?;
        let output = self.output.file()?;
        let dedup = ops::Dedup {
            keep: match self.keep {
                Keep::First => ops::Keep::First,
                Keep::Last => ops::Keep::Last,
                Keep::MeanScore => ops::Keep::MeanScore,
            },
            memory: self.memory,
        };
        let report = shown(&output, inputs.bytes(), ("record", R::BYTES), |progress| {
            dedup.run(&inputs, &output, progress)
        })?;
        note(&format!(
            "{} of {} records kept",
            report.kept, report.records
        ))
    }
}
