//! `head`: a stretch of a file.

use std::path::PathBuf;

use clap::Args;

use chess_records::ops::StreamRecord;

use crate::arguments::OutputOptions;
use crate::failure::Failure;
use crate::format::{Format, with_unit};
use crate::progress::Progress;
use crate::streams::{Sink, Source};

/// Writes the first records of a file, or a stretch of it.
///
/// "-" is standard input or output. A file that is shorter gives what it has.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  chess-records head games.marlin -n 1000 -o some.marlin
  chess-records head games.txt --skip 500 -n 10 -o -")]
pub(crate) struct Head {
    /// The file to read
    #[arg(value_name = "FILE")]
    input: PathBuf,
    /// The file's format, if its extension does not tell
    #[arg(long)]
    format: Option<Format>,
    /// How many records to write
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    records: u64,
    /// How many records to pass over first
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: u64,
    #[command(flatten)]
    output: OutputOptions,
}

impl Head {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let format = Format::of(&self.input, self.format, "--format")?;
        with_unit!(format, U => self.copy::<U>(format))
    }

    fn copy<U: StreamRecord>(&self, format: Format) -> Result<(), Failure> {
        let inputs = std::slice::from_ref(&self.input);
        let mut sink = Sink::create(&self.output, format, inputs)?;
        let progress = Progress::new(None);
        let (source, passed) = Source::open_at::<U>(&self.input, self.skip, &progress)?;
        let mut records = source.records::<U>();
        for _ in passed..self.skip {
            if records.next().transpose()?.is_none() {
                return sink.finish();
            }
        }
        for _ in 0..self.records {
            let Some(record) = records.next().transpose()? else {
                break;
            };
            sink.put(&record)?;
        }
        sink.finish()
    }
}
