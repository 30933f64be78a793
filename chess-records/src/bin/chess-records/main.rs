//! `chess-records`: looks at, checks, converts and reorders files of chess training records.

mod arguments;
mod commands;
mod failure;
mod format;
mod games;
mod report;
mod resume;
mod streams;
mod units;
mod zdat;

use std::io::Write;
use std::process::ExitCode;

use chess_records::tool_support::interrupt;
use clap::{Parser, Subcommand};

use failure::Failure;

/// Looks at, checks, converts and reorders files of chess training records.
///
/// Formats are told by the extension (.marlin, .bullet, .viri, .zdat, .txt) or by --format; .bin and
/// .data mean something else to every program, so that they are not guessed at. Where a command says
/// so, "-" is standard input or output.
///
/// What is written takes its place whole and at the end; existing files are kept unless --force is
/// given. Ctrl-C leaves the output as it was. After it, or after the process was killed, the same
/// command goes on where it was, if its inputs have not changed; what it has done so far lies in a
/// folder .NAME.chess-records beside the output. What is read from or written to a pipe cannot be gone
/// on with.
#[derive(Parser)]
#[command(name = "chess-records", version, after_long_help = HELP)]
struct Tool {
    #[command(subcommand)]
    command: Command,
}

const HELP: &str = "\
Examples:
  chess-records inspect games.marlin
  chess-records verify games.marlin
  chess-records convert games.marlin games.txt
  chess-records convert games.viri games.marlin --quiet --min-ply 16 --lossy
  chess-records shuffle a.marlin b.marlin -o all.marlin --seed 7 --memory 4G
  chess-records filter games.marlin -o - --score -1000..1000 --no-check | chess-records stats - --format marlin

Exit codes:
  0  done
  1  the data is at fault: a record that is no position, a file of the wrong length
  2  anything else: wrong usage, files that cannot be read or written
  130  interrupted";

#[derive(Subcommand)]
enum Command {
    Inspect(commands::inspect::Inspect),
    Verify(commands::verify::Verify),
    Convert(commands::convert::Convert),
    Shuffle(commands::shuffle::Shuffle),
    Interleave(commands::interleave::Interleave),
    Concat(commands::concat::Concat),
    Head(commands::head::Head),
    Split(commands::split::Split),
    Dedup(commands::dedup::Dedup),
    Filter(commands::filter::Filter),
    Stats(commands::stats::Stats),
}

impl Command {
    fn run(&self) -> Result<(), Failure> {
        match self {
            Self::Inspect(command) => command.run(),
            Self::Verify(command) => command.run(),
            Self::Convert(command) => command.run(),
            Self::Shuffle(command) => command.run(),
            Self::Interleave(command) => command.run(),
            Self::Concat(command) => command.run(),
            Self::Head(command) => command.run(),
            Self::Split(command) => command.run(),
            Self::Dedup(command) => command.run(),
            Self::Filter(command) => command.run(),
            Self::Stats(command) => command.run(),
        }
    }
}

fn main() -> ExitCode {
    let tool = Tool::parse();
    interrupt::listen();
    match tool.command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if let Some(text) = failure.text() {
                // Nothing is left to say where standard error is closed too.
                let _ = writeln!(std::io::stderr(), "chess-records: {text}");
            }
            ExitCode::from(failure.exit_code())
        }
    }
}
