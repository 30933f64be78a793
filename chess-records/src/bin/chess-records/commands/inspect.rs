//! `inspect`: what is in a file.

use std::path::PathBuf;

use clap::Args;

use chess_records::LabelledPosition;
use chess_records::ops::StreamRecord;

use crate::failure::Failure;
use crate::format::{Format, with_unit};
use crate::progress::Progress;
use crate::report::{Report, board, print};
use crate::streams::{Source, total_bytes};

/// Shows what is in a file: counts and histograms, or single records.
///
/// Without --record the whole file is read. With it, records are counted from 0. "-" is standard
/// input. Exits with 1 if a record is at fault.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  chess-records inspect games.marlin
  chess-records inspect games.marlin --record 17
  chess-records inspect games.txt --json")]
pub(crate) struct Inspect {
    /// The file to read
    #[arg(value_name = "FILE")]
    input: PathBuf,
    /// The file's format, if its extension does not tell
    #[arg(long)]
    format: Option<Format>,
    /// Show this record, with its board
    #[arg(long, value_name = "N")]
    record: Option<u64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Inspect {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let format = Format::of(&self.input, self.format, "--format")?;
        with_unit!(format, U => match self.record {
            Some(index) => self.show::<U>(index),
            None => self.count::<U>(format),
        })
    }

    fn count<U: StreamRecord>(&self, format: Format) -> Result<(), Failure> {
        let progress = Progress::new(total_bytes(std::slice::from_ref(&self.input)));
        let mut report = Report::new(format);
        report.add::<U>(&self.input, &progress)?;
        drop(progress);
        report.print(self.json)
    }

    fn show<U: StreamRecord>(&self, index: u64) -> Result<(), Failure> {
        let labelled = self.find::<U>(index)?;
        print(&if self.json {
            format!("{:#}\n", board::json(index, &labelled))
        } else {
            board::drawn(index, &labelled)
        })
    }

    fn find<U: StreamRecord>(&self, index: u64) -> Result<LabelledPosition, Failure> {
        let progress = Progress::new(None);
        let (source, passed) = Source::open_at::<U>(&self.input, index, &progress)?;
        let mut records = source.decoded::<U>();
        for _ in passed..index {
            // Faults before the record do not matter here.
            if records.next().is_none() {
                break;
            }
        }
        match records.next() {
            Some(found) => Ok(found?.1),
            None => Err(Failure::usage(format!(
                "{}: there is no record {index}",
                self.input.display()
            ))),
        }
    }
}
