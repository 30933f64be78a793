//! `interleave`: files mixed by weight.

use clap::Args;

use chess_records::FixedRecord;
use chess_records::ops::{self, Inputs};

use crate::arguments::{InputOptions, OutputOptions};
use crate::failure::Failure;
use crate::format::with_fixed;
use crate::report::note;
use crate::resume::shown;

/// Mixes files evenly, by weight, each in its own order.
///
/// Every stretch of the output has records of each file in the shares of the weights. The output ends
/// where a file runs out, so that the shares hold to the end; what is left of the others is left out.
/// Without weights, files are mixed by their lengths and every record is written.
///
/// After an interruption, the same command goes on where it was.
#[derive(Args)]
#[command(after_long_help = "\
Formats: marlin, marlin-move, bullet.

Examples:
  chess-records interleave a.marlin b.marlin -o mixed.marlin
  chess-records interleave self-play.marlin endgames.marlin --weights 9,1 -o mixed.marlin")]
pub(crate) struct Interleave {
    #[command(flatten)]
    input: InputOptions,
    #[command(flatten)]
    output: OutputOptions,
    /// A weight for each file, such as 3,1; a file of weight 0 is left out
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    weights: Option<Vec<u64>>,
}

impl Interleave {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        with_fixed!(self.input.format()?, R => self.interleave::<R>())
    }

    fn interleave<R: FixedRecord>(&self) -> Result<(), Failure> {
        let inputs = Inputs::<R>::open(&self.input.inputs)?;
        let output = self.output.file()?;
        let weights = self.weights.as_deref();
        let written = shown(&output, inputs.bytes(), ("record", R::BYTES), |progress| {
            ops::interleave(&inputs, weights, &output, progress)
        })?;
        for ((path, records), written) in inputs.files().zip(written) {
            note(&format!(
                "{}: {written} of {records} records",
                path.display()
            ))?;
        }
        Ok(())
    }
}
