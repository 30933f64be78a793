//! `head`: a stretch of a file.

use std::path::PathBuf;

use clap::Args;

use chess_records::ops::StreamRecord;
use chess_records::tool_support::Progress;

use crate::arguments::OutputOptions;
use crate::failure::Failure;
use crate::format::{Format, with_unit};
use crate::games::Games;
use crate::resume::Start;
use crate::streams::{Sink, Source};

/// Writes the first records of a file, or a stretch of it.
///
/// What is counted in viri files are games. "-" is standard input or output. A file that is shorter gives what it has.
///
/// After an interruption, the same command goes on where it was; between pipes it cannot.
#[derive(Args)]
#[command(after_long_help = "\
Formats: all but zdat.

Examples:
  chess-records head games.marlin -n 1000 -o some.marlin
  chess-records head games.viri -n 100 -o some.viri
  chess-records head games.txt --skip 500 -n 10 -o -")]
pub(crate) struct Head {
    /// The file to read
    #[arg(value_name = "FILE")]
    input: PathBuf,
    /// The file's format, if its extension does not tell
    #[arg(long)]
    format: Option<Format>,
    /// How many records or games to write
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    records: u64,
    /// How many records or games to pass over first
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: u64,
    #[command(flatten)]
    output: OutputOptions,
}

impl Head {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let format = Format::of_input(&self.input, self.format, "--format")?;
        match format {
            Format::Viri => self.copy_games(),
            format => with_unit!(format, U => self.copy::<U>(format)),
        }
    }

    fn copy_games(&self) -> Result<(), Failure> {
        let inputs = std::slice::from_ref(&self.input);
        let mut sink = Sink::create(&self.output, Format::Viri, inputs)?;
        let start = sink.start("game")?;
        let mut games = Games::open_from(&self.input, start.within(0), &Progress::of_bytes(None))?;
        for number in start.number..self.end() {
            let Some(bytes) = games.next_bytes()? else {
                break;
            };
            if number >= self.skip {
                sink.put_bytes(bytes)?;
            }
            sink.note_if_due(|| games.start(0))?;
        }
        sink.finish()
    }

    fn copy<U: StreamRecord>(&self, format: Format) -> Result<(), Failure> {
        let inputs = std::slice::from_ref(&self.input);
        let mut sink = Sink::create(&self.output, format, inputs)?;
        let start = sink.start("record")?;
        let (source, first) = self.open::<U>(&start)?;
        let cursor = source.cursor();
        let mut records = source.records::<U>();
        for number in first..self.end() {
            let Some(record) = records.next().transpose()? else {
                break;
            };
            if number >= self.skip {
                sink.put(&record)?;
            }
            sink.note_if_due(|| Start {
                file: 0,
                number: number + 1,
                byte: cursor.get(),
                counts: Vec::new(),
            })?;
        }
        sink.finish()
    }

    /// The input, and the number of the record it stands at.
    fn open<U: StreamRecord>(&self, start: &Start) -> Result<(Source, u64), Failure> {
        let progress = Progress::of_bytes(None);
        if start.number == 0 {
            return Source::open_at::<U>(&self.input, self.skip, &progress);
        }
        let source = Source::open_from::<U>(&self.input, start.within(0), &progress)?;
        Ok((source, start.number))
    }

    const fn end(&self) -> u64 {
        self.skip.saturating_add(self.records)
    }
}
