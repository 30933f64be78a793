//! `chess-nnue resume`.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;

use crate::{Outcome, train};

/// Go on with a run that was interrupted.
///
/// The run's folder tells everything. It goes on from its last checkpoint and ends with the same
/// network, byte for byte, as if it had never been interrupted. Files of samples that are not those
/// that it began with are refused. Of a run that is over the report is written again. How many epochs
/// there are cannot be changed: the learning rate of every step depends on it.
#[derive(Args)]
#[command(after_help = "Examples:
  chess-nnue resume runs/first
  chess-nnue resume runs/first --threads 4")]
pub(crate) struct Arguments {
    /// The run's folder
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Threads to work with [default: as the run was configured]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    #[command(flatten)]
    output: train::Output,
}

pub(crate) fn run(arguments: &Arguments, out: &mut dyn Write) -> Outcome {
    train::resume(&arguments.run, arguments.threads, &arguments.output, out)
}
