//! `concat`: files end to end.

use clap::Args;

use chess_records::ops::StreamRecord;

use crate::arguments::{InputOptions, OutputOptions};
use crate::failure::Failure;
use crate::format::{Format, with_unit};
use crate::games::Games;
use crate::resume::Start;
use crate::streams::{Sink, Source};

/// Writes files one after another into one.
///
/// Fixed-size records are copied as they are; lines of text are read and written anew; games are
/// copied when their start and end have been found. "-" is standard input or output.
///
/// After an interruption, the same command goes on where it was; between pipes it cannot.
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
        let start = sink.start("record")?;
        let progress = start.progress(inputs);
        for (file, path) in inputs.iter().enumerate().skip(start.file) {
            let within = start.within(file);
            let source = Source::open_from::<U>(path, within, &progress)?;
            let cursor = source.cursor();
            for (number, record) in (within.0..).zip(source.records::<U>()) {
                sink.put(&record?)?;
                sink.note_if_due(|| Start {
                    file,
                    number: number + 1,
                    byte: cursor.get(),
                    counts: Vec::new(),
                })?;
            }
        }
        sink.finish()
    }

    fn copy_games(&self) -> Result<(), Failure> {
        let inputs = &self.input.inputs;
        let mut sink = Sink::create(&self.output, Format::Viri, inputs)?;
        let start = sink.start("game")?;
        let progress = start.progress(inputs);
        for (file, path) in inputs.iter().enumerate().skip(start.file) {
            let mut games = Games::open_from(path, start.within(file), &progress)?;
            while let Some(bytes) = games.next_bytes()? {
                sink.put_bytes(bytes)?;
                sink.note_if_due(|| games.start(file))?;
            }
        }
        sink.finish()
    }
}
