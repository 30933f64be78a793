//! `concat`: files end to end.

use clap::Args;

use chess_records::ops::StreamRecord;

use crate::arguments::{InputOptions, OutputOptions};
use crate::failure::Failure;
use crate::format::{Format, with_unit};
use crate::games::Games;
use crate::progress::Progress;
use crate::streams::{Sink, Source, total_bytes};

/// Writes files one after another into one.
///
/// Fixed-size records are copied as they are; lines of text are read and written anew; games are
/// copied when their start and end have been found. "-" is standard input or output.
#[derive(Args)]
#[command(after_long_help = "\
Formats: all but zdat.

Examples:
  chess-records concat a.marlin b.marlin -o both.marlin
  chess-records concat a.viri b.viri -o both.viri
  zcat c.marlin.gz | chess-records concat a.marlin - -o both.marlin --format marlin")]
pub(crate) struct Concat {
    #[command(flatten)]
    input: InputOptions,
    #[command(flatten)]
    output: OutputOptions,
}

impl Concat {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        match self.input.format()? {
            Format::Viri => self.copy_games(),
            format => with_unit!(format, U => self.copy::<U>(format)),
        }
    }

    fn copy<U: StreamRecord>(&self, format: Format) -> Result<(), Failure> {
        let inputs = &self.input.inputs;
        let mut sink = Sink::create(&self.output, format, inputs)?;
        let progress = Progress::new(total_bytes(inputs));
        for path in inputs {
            for record in Source::open(path, &progress)?.records::<U>() {
                sink.put(&record?)?;
            }
        }
        sink.finish()
    }

    fn copy_games(&self) -> Result<(), Failure> {
        let inputs = &self.input.inputs;
        let mut sink = Sink::create(&self.output, Format::Viri, inputs)?;
        let progress = Progress::new(total_bytes(inputs));
        for path in inputs {
            let mut games = Games::open(path, &progress)?;
            while let Some(bytes) = games.next_bytes()? {
                sink.put_bytes(bytes)?;
            }
        }
        sink.finish()
    }
}
