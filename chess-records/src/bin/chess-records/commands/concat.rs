//! `concat`: files end to end.

use clap::Args;

use chess_records::ops::StreamRecord;

use crate::arguments::{InputOptions, OutputOptions};
use crate::failure::Failure;
use crate::format::with_unit;
use crate::progress::Progress;
use crate::streams::{Sink, Source, total_bytes};

/// Writes files one after another into one.
///
/// Fixed-size records are copied as they are; lines of text are read and written anew. "-" is
/// standard input or output.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  chess-records concat a.marlin b.marlin -o both.marlin
  zcat c.marlin.gz | chess-records concat a.marlin - -o both.marlin --format marlin")]
pub(crate) struct Concat {
    #[command(flatten)]
    input: InputOptions,
    #[command(flatten)]
    output: OutputOptions,
}

impl Concat {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        with_unit!(self.input.format()?, U => self.copy::<U>())
    }

    fn copy<U: StreamRecord>(&self) -> Result<(), Failure> {
        let inputs = &self.input.inputs;
        let mut sink = Sink::create(&self.output, self.input.format()?, inputs)?;
        let progress = Progress::new(total_bytes(inputs));
        for path in inputs {
            for record in Source::open(path, &progress)?.records::<U>() {
                sink.put(&record?)?;
            }
        }
        sink.finish()
    }
}
