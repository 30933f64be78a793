//! `verify`: every fault.

use std::io::{BufRead, Read};
use std::path::Path;

use clap::Args;
use serde_json::json;

use chess_records::LabelledPosition;
use chess_records::ops::StreamRecord;
use chess_records::tool_support::Progress;
use chess_records::zdat::Layout;

use crate::arguments::{InputOptions, LayoutOptions};
use crate::failure::{Failure, chain};
use crate::format::{Format, with_unit};
use crate::games::Games;
use crate::report::{note, print};
use crate::streams::{Named, Source, total_bytes};
use crate::zdat::Opened;

/// Checks every record and says what is wrong, and where.
///
/// Games are replayed move by move; what is wrong with them is told with game, ply and byte. In .zdat
/// files the policy is checked too, once the layout is known. "-" is standard input. Exits with 1 if
/// anything is wrong.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  chess-records verify games.marlin
  chess-records verify games.viri
  chess-records verify train_1.zdat --layout rank1
  chess-records verify *.marlin --limit 10 --json
  chess-records verify games.marlin --first 100000")]
pub(crate) struct Verify {
    #[command(flatten)]
    input: InputOptions,
    /// Stop after so many faults
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Check the first N records alone, of viri files games, of all files together
    #[arg(long, value_name = "N")]
    first: Option<u64>,
    #[command(flatten)]
    layout: LayoutOptions,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Verify {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let format = self.input.format()?;
        let layout = self.layout.of(format)?;
        let progress = Progress::of_bytes(total_bytes(&self.input.inputs));
        let mut found = Found::default();
        for path in &self.input.inputs {
            let source = || Source::open(path, &progress);
            match format {
                Format::Text => self.check_lines(path, source()?, &mut found)?,
                Format::Viri => self.check_games(path, &progress, &mut found)?,
                Format::Zdat => self.check_groups(path, layout, &mut found)?,
                _ => with_unit!(format, U => self.check::<U>(source()?, &mut found))?,
            }
        }
        drop(progress);
        self.say(&found)
    }

    fn is_enough(&self, found: &Found) -> bool {
        let faults = found.faults.len() as u64 + found.printed;
        self.limit.is_some_and(|limit| faults >= limit)
            || self.first.is_some_and(|first| found.seen >= first)
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
            found.seen += 1;
            match decoded {
                Ok(_) => found.sound += 1,
                Err(Failure::Data(fault)) => self.note(chain(fault.as_ref()), found)?,
                Err(failure) => return Err(failure),
            }
        }
        Ok(())
    }

    fn check_games(
        &self,
        path: &Path,
        progress: &Progress,
        found: &mut Found,
    ) -> Result<(), Failure> {
        let mut games = Games::open(path, progress)?;
        found.games.get_or_insert_default();
        while !self.is_enough(found) {
            found.seen += 1;
            match games.next() {
                Ok(None) => break,
                Ok(Some(game)) => match game.verify() {
                    Ok(()) => found.add_game(game.len()),
                    Err(fault) => self.note(chain(&Named::of(path, fault)), found)?,
                },
                // Where the next game starts is not known.
                Err(Failure::Data(fault)) => {
                    self.note(chain(fault.as_ref()), found)?;
                    break;
                }
                Err(failure) => return Err(failure),
            }
        }
        Ok(())
    }

    fn check_groups(
        &self,
        path: &Path,
        layout: Option<Layout>,
        found: &mut Found,
    ) -> Result<(), Failure> {
        let opened = match Opened::open(path, layout) {
            Err(Failure::Data(fault)) => return self.note(chain(fault.as_ref()), found),
            opened => opened?,
        };
        opened.say()?;
        let layout = opened.layout().ok();
        if layout.is_none() {
            note("without a layout, castling, en passant and policy are not checked")?;
        }
        let checked = opened.each(|record| {
            if self.is_enough(found) {
                return Err(Failure::Said);
            }
            found.seen += 1;
            let faults = match record {
                Err(fault) => vec![fault],
                Ok(record) => {
                    let faults = record.record.faults(layout).into_iter();
                    let faults = faults.map(|error| opened.record_fault(&record, error));
                    faults.collect()
                }
            };
            found.sound += u64::from(faults.is_empty());
            for fault in faults {
                self.note(chain(&Named::of(path, fault)), found)?;
            }
            Ok(())
        });
        match checked {
            Err(Failure::Said) => Ok(()),
            checked => checked,
        }
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
                Ok(records) => {
                    found.sound += records;
                    found.seen += records;
                }
                Err(fault) => {
                    found.seen += 1;
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
            let mut report = json!({ "sound": found.sound, "faults": found.faults });
            if let Some(games) = found.games {
                report["sound_games"] = games.into();
            }
            format!("{report:#}\n")
        } else {
            let enough = if self.is_enough(found) {
                " (stopped there)"
            } else {
                ""
            };
            let games = found.games.map(|games| format!(" in {games} sound games"));
            let games = games.unwrap_or_default();
            let sound = found.sound;
            format!("{sound} sound records{games}, {faults} faults{enough}\n")
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
    /// Records, or games, that were looked at.
    seen: u64,
    /// Those that are sound from start to end, in files of games.
    games: Option<u64>,
    /// Kept for JSON alone.
    faults: Vec<String>,
    printed: u64,
}

impl Found {
    fn add_game(&mut self, plies: usize) {
        self.sound += plies as u64;
        *self.games.get_or_insert_default() += 1;
    }
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
