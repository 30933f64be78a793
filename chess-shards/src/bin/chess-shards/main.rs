//! `chess-shards`: looks at, checks, builds and measures sets of flat shards.

mod commands;
mod failure;
mod games;
mod plot;
mod report;
mod row;
mod shards;
mod threads;

use std::io::Write;
use std::process::ExitCode;

use chess_records::tool_support::interrupt;
use clap::{Parser, Subcommand};

use failure::Failure;

/// Looks at, checks, builds and measures flat shards of chess positions: 202-byte rows in .npy files,
/// with a meta.json.
///
/// A set is named by its folder, a single shard by its file, .npy or .npy.zst; where both are, the plain
/// one is read. Files take their place whole and at the end, and existing ones are kept unless the
/// command is told otherwise. Ctrl-C leaves nothing half done.
#[derive(Parser)]
#[command(name = "chess-shards", version = VERSION, after_long_help = HELP)]
struct Tool {
    #[command(subcommand)]
    command: Command,
}

const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\nLicence: GPL-3.0-or-later as built, because of shakmaty; \
     the crate's own code is MIT OR Apache-2.0"
);

const HELP: &str = "\
Examples:
  chess-shards build games.pgn.zst shards -k 4 --num-shards 256 --min-elo 1800
  chess-shards inspect shards
  chess-shards inspect shards --split val --record 5
  chess-shards verify shards --games games.pgn.zst
  chess-shards unpack shards
  chess-shards bench shards --svg rates.svg

Exit codes:
  0  done
  1  the data is at fault: a row that does not fit together, a shard of the wrong length, games that
     are not those that were counted
  2  anything else: wrong usage, files that cannot be read or written
  130  interrupted

Licence:
  The tool reads PGN by shakmaty, which is GPL-3.0-or-later: as built it must be distributed under
  those terms. The code of chess-shards itself is MIT OR Apache-2.0.";

#[derive(Subcommand)]
enum Command {
    Inspect(commands::inspect::Inspect),
    Verify(commands::verify::Verify),
    Build(commands::build::Build),
    Merge(commands::merge::Merge),
    Unpack(commands::unpack::Unpack),
    Convert(commands::convert::Convert),
    Bench(commands::bench::Bench),
}

impl Command {
    fn run(&self) -> Result<(), Failure> {
        match self {
            Self::Inspect(command) => command.run(),
            Self::Verify(command) => command.run(),
            Self::Build(command) => command.run(),
            Self::Merge(command) => command.run(),
            Self::Unpack(command) => command.run(),
            Self::Convert(command) => command.run(),
            Self::Bench(command) => command.run(),
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
                let _ = writeln!(std::io::stderr(), "chess-shards: {text}");
            }
            ExitCode::from(failure.exit_code())
        }
    }
}
