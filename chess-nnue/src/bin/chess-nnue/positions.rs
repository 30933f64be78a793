//! Positions from the command line and from files.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal};
use std::path::Path;

use chess_records::{LabelledPosition, MarlinRecord, Position, RecordFile};
use indicatif::{ProgressBar, ProgressStyle};

use crate::Outcome;

/// A FEN of the command line or of a line of a file.
pub(crate) fn parse(fen: &str) -> Outcome<Position> {
    let position = Position::from_fen(fen.trim());
    position.map_err(|error| format!("{fen:?} is no FEN: {error}").into())
}

/// Calls `each` with every position of a file: of marlinformat records if its name ends in `.marlin`,
/// else of text with a FEN a line. What follows a `|` on a line, and empty lines, are left out.
pub(crate) fn each_of_file(path: &Path, mut each: impl FnMut(&Position) -> Outcome) -> Outcome {
    if path.extension() == Some(OsStr::new("marlin")) {
        return each_record(path, u64::MAX, |_, labelled| each(&labelled.position));
    }
    let shown = path.display();
    let file = File::open(path).map_err(|error| format!("cannot read {shown}: {error}"))?;
    for (number, line) in (1..).zip(BufReader::new(file).lines()) {
        let line = line.map_err(|error| format!("cannot read {shown}: {error}"))?;
        let fen = line.split('|').next().unwrap_or_default().trim();
        if !fen.is_empty() {
            let position = parse(fen);
            each(&position.map_err(|error| format!("{shown} line {number}: {error}"))?)?;
        }
    }
    Ok(())
}

/// Calls `each` with the number and the content of the first `limit` records of a marlinformat file.
pub(crate) fn each_record(
    path: &Path,
    limit: u64,
    mut each: impl FnMut(u64, &LabelledPosition) -> Outcome,
) -> Outcome {
    let file = RecordFile::<MarlinRecord>::read(path)?;
    let records = file.len().min(limit);
    let bar = progress(records);
    for index in 0..records {
        each(index, &file.decode(index)?)?;
        if index % 4096 == 0 {
            bar.set_position(index);
        }
    }
    bar.finish_and_clear();
    Ok(())
}

/// Shown while the output goes elsewhere or is silent: on the error stream, if that is a terminal.
fn progress(len: u64) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos} of {len} positions, {eta} left");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(len).with_style(style)
}
