//! `verify`: every fault.

use std::io::{BufRead, Read};
use std::path::Path;

use clap::Args;
use serde_json::json;

use chess_records::LabelledPosition;
use chess_records::ops::StreamRecord;

use crate::arguments::InputOptions;
use crate::failure::{Failure, chain};
use crate::format::{Format, with_unit};
use crate::progress::Progress;
use crate::report::print;
use crate::streams::{Named, Source, total_bytes};

/// Checks every record and says what is wrong, and where.
///
/// "-" is standard input. Exits with 1 if anything is wrong.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  chess-records verify games.marlin
  chess-records verify *.marlin --limit 10 --json")]
pub(crate) struct Verify {
    #[command(flatten)]
    input: InputOptions,
    /// Stop after so many faults
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Verify {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let format = self.input.format()?;
        let progress = Progress::new(total_bytes(&self.input.inputs));
        let mut found = Found::default();
        for path in &self.input.inputs {
            let source = Source::open(path, &progress)?;
            match format {
                Format::Text => self.check_lines(path, source, &mut found)?,
                _ => with_unit!(format, U => self.check::<U>(source, &mut found))?,
            }
        }
        drop(progress);
        self.say(&found)
    }

    fn is_enough(&self, found: &Found) -> bool {
        let faults = found.faults.len() as u64 + found.printed;
        self.limit.is_some_and(|limit| faults >= limit)
    }

    fn note(&self, fault: String, found: &mut Found) -> Result<(), Failure> {
        if self.json {
            found.faults.push(fault);
            return Ok(());
        }
        found.printed += 1;
        print(&format!("{fault}\n"))
    }

    fn check<U: StreamRecord>(&self, source: Source, found: &mut Found) -> Result<(), Failure> {
        for decoded in source.decoded::<U>() {
            if self.is_enough(found) {
                break;
            }
            match decoded {
                Ok(_) => found.sound += 1,
                Err(Failure::Data(fault)) => self.note(chain(fault.as_ref()), found)?,
                Err(failure) => return Err(failure),
            }
        }
        Ok(())
    }

    /// Lines are read here, as reading records ends at the first fault.
    fn check_lines(&self, path: &Path, source: Source, found: &mut Found) -> Result<(), Failure> {
        let (mut source, mut line) = (source.into_bytes(), Vec::new());
        let mut number = 0u64;
        while !self.is_enough(found) {
            line.clear();
            number += 1;
            let mut one_line = source.by_ref().take(MAX_LINE_BYTES);
            if one_line.read_until(b'\n', &mut line)? == 0 {
                break;
            }
            match check_line(&line) {
                Ok(records) => found.sound += records,
                Err(fault) => {
                    let fault = Named::of(path, Line(number, fault));
                    self.note(chain(&fault), found)?;
                }
            }
        }
        Ok(())
    }

    fn say(&self, found: &Found) -> Result<(), Failure> {
        let faults = found.faults.len() as u64 + found.printed;
        print(&if self.json {
            let report = json!({ "sound": found.sound, "faults": found.faults });
            format!("{report:#}\n")
        } else {
            let enough = if self.is_enough(found) {
                " (stopped there)"
            } else {
                ""
            };
            format!("{} sound records, {faults} faults{enough}\n", found.sound)
        })?;
        if faults > 0 {
            Err(Failure::Said)
        } else {
            Ok(())
        }
    }
}

/// What one line may have at most; what is longer counts as several lines, none of them sound.
const MAX_LINE_BYTES: u64 = 4098;

#[derive(Default)]
struct Found {
    sound: u64,
    /// Kept for JSON alone.
    faults: Vec<String>,
    printed: u64,
}

/// How many records a line with its end holds: one, or none if it is empty.
fn check_line(line: &[u8]) -> Result<u64, Box<dyn std::error::Error>> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.is_empty() {
        return Ok(0);
    }
    LabelledPosition::from_text(std::str::from_utf8(line)?)?;
    Ok(1)
}

#[derive(Debug)]
struct Line(u64, Box<dyn std::error::Error>);

impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}", self.0)
    }
}

impl std::error::Error for Line {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(self.1.as_ref())
    }
}
