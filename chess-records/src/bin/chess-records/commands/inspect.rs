//! `inspect`: what is in a file.

use std::path::PathBuf;

use clap::Args;

use chess_records::LabelledPosition;
use chess_records::ops::StreamRecord;
use chess_records::tool_support::Progress;
use chess_records::zdat::Layout;

use crate::arguments::LayoutOptions;
use crate::failure::Failure;
use crate::format::{Format, with_unit};
use crate::games::{self, Games};
use crate::report::{Report, board, print};
use crate::streams::{Source, total_bytes};
use crate::zdat::{self, Opened};

/// Shows what is in a file: counts and histograms, or single records.
///
/// Without --record the whole file is read. With it, records are counted from 0; in viri files,
/// positions before each move. In bullet and zdat files the side to move is shown as White. "-" is
/// standard input. Exits with 1 if a record is at fault.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  chess-records inspect games.marlin
  chess-records inspect games.viri --record 17
  chess-records inspect train_1.zdat
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
    #[command(flatten)]
    layout: LayoutOptions,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A record, and what its file says of it beside position and label.
struct Shown {
    labelled: LabelledPosition,
    aside: Vec<(&'static str, String)>,
}

impl Inspect {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let format = Format::of_input(&self.input, self.format, "--format")?;
        let layout = self.layout.of(format)?;
        let Some(index) = self.record else {
            return self.count(format, layout);
        };
        let shown = match format {
            Format::Viri => self.find_in_games(index)?,
            Format::Zdat => self.find_in_groups(index, layout)?,
            format => with_unit!(format, U => self.find::<U>(index))?,
        };
        self.show(index, &shown)
    }

    fn count(&self, format: Format, layout: Option<Layout>) -> Result<(), Failure> {
        let progress = Progress::of_bytes(total_bytes(std::slice::from_ref(&self.input)));
        let mut report = Report::new(format);
        report.add_file(&self.input, layout, &progress)?;
        drop(progress);
        report.print(self.json)
    }

    fn show(&self, index: u64, shown: &Shown) -> Result<(), Failure> {
        let Shown { labelled, aside } = shown;
        if !self.json {
            let aside = aside.iter().map(|(name, text)| format!("{name}  {text}\n"));
            let drawn = board::drawn(index, labelled);
            return print(&(drawn + &aside.collect::<String>()));
        }
        let mut json = board::json(index, labelled);
        for (name, text) in aside {
            json[name] = text.as_str().into();
        }
        print(&format!("{json:#}\n"))
    }

    fn find<U: StreamRecord>(&self, index: u64) -> Result<Shown, Failure> {
        let progress = Progress::of_bytes(None);
        let (source, passed) = Source::open_at::<U>(&self.input, index, &progress)?;
        let mut records = source.decoded::<U>();
        for _ in passed..index {
            // Faults before the record do not matter here.
            if records.next().is_none() {
                break;
            }
        }
        let found = records.next().ok_or_else(|| self.missing(index))??;
        Ok(Shown {
            labelled: found.1,
            aside: Vec::new(),
        })
    }

    fn find_in_games(&self, index: u64) -> Result<Shown, Failure> {
        let mut games = Games::open(&self.input, &Progress::of_bytes(None))?;
        let mut left = index;
        while let Some(game) = games.next()? {
            let plies = game.len() as u64;
            if left >= plies {
                left -= plies;
                continue;
            }
            let mut positions = game.positions();
            // A fault before it ends the game: the position is not reached.
            let found = positions.find(|here| !matches!(here, Ok(here) if here.ply < left));
            let here = found.ok_or_else(|| self.missing(index))?;
            let here = here.map_err(|fault| games::fault(&self.input, fault))?;
            return Ok(Shown {
                labelled: here.labelled,
                aside: vec![
                    ("game", game.number().to_string()),
                    ("ply", here.ply.to_string()),
                    ("played", here.played.to_string()),
                ],
            });
        }
        Err(self.missing(index))
    }

    fn find_in_groups(&self, index: u64, layout: Option<Layout>) -> Result<Shown, Failure> {
        let opened = Opened::open(&self.input, layout)?;
        if index >= opened.view().len() {
            return Err(self.missing(index));
        }
        let layout = opened.needed_rows()?;
        let record = opened.view().read_record(index);
        let record = record.map_err(|error| opened.failure(error))?;
        let found = zdat::Found {
            group: index / u64::from(opened.view().header().batch()),
            index,
            record: &record,
        };
        let decoded = record.decode(layout);
        let decoded =
            decoded.map_err(|error| opened.failure(opened.record_fault(&found, error)))?;
        let plies = decoded.moves_to_go.map(|plies| plies.to_string());
        Ok(Shown {
            labelled: zdat::labelled(&decoded, None),
            aside: vec![
                ("zdat_score", format!("{} (no unit)", decoded.score)),
                ("plies_to_go", plies.unwrap_or("unknown".into())),
                ("layout", layout.to_string()),
            ],
        })
    }

    fn missing(&self, index: u64) -> Failure {
        Failure::usage(format!(
            "{}: there is no record {index}",
            self.input.display()
        ))
    }
}
