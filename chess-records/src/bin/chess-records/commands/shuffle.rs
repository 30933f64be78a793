//! `shuffle`: another order.

use clap::Args;

use chess_records::FixedRecord;
use chess_records::ops::{self, Inputs};

use crate::arguments::{InputOptions, OutputOptions, bytes};
use crate::failure::Failure;
use crate::format::with_fixed;
use crate::resume::shown;

/// Writes the records of all files in random order.
///
/// The same files and seed give the same order, whatever the memory. What does not fit into memory
/// goes through temporary files in a folder beside the output (.NAME.chess-records), 1¹⁄₁₆ times
/// the size of the inputs. After an interruption, the same command goes on where it was.
#[derive(Args)]
#[command(after_long_help = "\
Formats: marlin, marlin-move, bullet.

Examples:
  chess-records shuffle games.marlin -o shuffled.marlin
  chess-records shuffle a.marlin b.marlin -o all.marlin --seed 7 --memory 4G")]
pub(crate) struct Shuffle {
    #[command(flatten)]
    input: InputOptions,
    #[command(flatten)]
    output: OutputOptions,
    /// Which order
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How much memory to use, at least 8M
    #[arg(long, value_name = "BYTES", default_value = "1G", value_parser = bytes)]
    memory: u64,
}

impl Shuffle {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        with_fixed!(self.input.format()?, R => self.shuffle::<R>())
    }

    fn shuffle<R: FixedRecord>(&self) -> Result<(), Failure> {
        let inputs = Inputs::<R>::open(&self.input.inputs)?;
        let shuffle = ops::Shuffle {
            seed: self.seed,
            memory: self.memory,
        };
        let output = self.output.file()?;
        Ok(shown(
            &output,
            inputs.bytes(),
            ("record", R::BYTES),
            |progress| shuffle.run(&inputs, &output, progress),
        )?)
    }
}
