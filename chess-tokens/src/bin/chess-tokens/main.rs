//! `chess-tokens`: packs games as tokens, looks at packs and checks them, and turns games into tokens and
//! back.

mod commands;
#[cfg(feature = "corpus")]
mod corpus;
mod failure;
mod game_line;
mod report;
mod scheme;

use std::io::Write;
use std::process::ExitCode;

use chess_records::tool_support::interrupt;
use clap::{Parser, Subcommand};

use failure::Failure;

/// Packs chess games as tokens, looks at packs and checks them, and turns games into tokens and back.
///
/// A pack is a folder of tokens.npy, starts.npy and meta.json. Files take their place whole and at the
/// end, and existing ones are kept unless the command is told otherwise. Ctrl-C leaves nothing half
/// done.
#[derive(Parser)]
#[command(name = "chess-tokens", version = VERSION, after_long_help = HELP)]
struct Tool {
    #[command(subcommand)]
    command: Command,
}

#[cfg(feature = "shakmaty")]
const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\nLicence: GPL-3.0-or-later as built, because of shakmaty; \
     the crate's own code is MIT OR Apache-2.0"
);
#[cfg(not(feature = "shakmaty"))]
const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\nLicence: Apache-2.0 as built, because of tokenizers; the crate's own code is MIT OR Apache-2.0; \
     built without what reads PGN and SAN"
);

const HELP: &str = "\
Examples:
  chess-tokens pack games.pgn.zst pack --scheme uci
  chess-tokens inspect pack --game 5
  chess-tokens verify pack
  chess-tokens stats pack --plot pack.svg
  chess-tokens encode --scheme uci < games.jsonl > tokens.txt
  chess-tokens decode --scheme uci < tokens.txt
  chess-tokens vocab uci --json
  chess-tokens run pipeline.toml            (with the feature corpus)

Exit codes:
  0  done
  1  the data is at fault: a pack that does not fit together, a line that is no game
  2  anything else: wrong usage, files that cannot be read or written
  130  interrupted

Licence:
  The tool reads PGN and SAN by shakmaty, which is GPL-3.0-or-later: as built with them it must be
  distributed under those terms. `cargo install chess-tokens --features cli-permissive` builds it without;
  then it is under Apache-2.0, as tokenizers, which the scheme bpe is made by, is. The code of chess-tokens
  itself is MIT OR Apache-2.0.";

#[derive(Subcommand)]
enum Command {
    Pack(commands::pack::Pack),
    Inspect(commands::inspect::Inspect),
    Verify(commands::verify::Verify),
    Stats(commands::stats::Stats),
    Encode(commands::encode::Encode),
    Decode(commands::decode::Decode),
    Vocab(commands::vocab::Vocab),
    TrainBpe(commands::train_bpe::TrainBpe),
    #[cfg(feature = "corpus")]
    #[command(flatten)]
    Corpus(corpus::CorpusCommand),
}

impl Command {
    fn run(&self) -> Result<(), Failure> {
        match self {
            Self::Pack(command) => command.run(),
            Self::Inspect(command) => command.run(),
            Self::Verify(command) => command.run(),
            Self::Stats(command) => command.run(),
            Self::Encode(command) => command.run(),
            Self::Decode(command) => command.run(),
            Self::Vocab(command) => command.run(),
            Self::TrainBpe(command) => command.run(),
            #[cfg(feature = "corpus")]
            Self::Corpus(command) => command.run(),
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
                let _ = writeln!(std::io::stderr(), "chess-tokens: {text}");
            }
            ExitCode::from(failure.exit_code())
        }
    }
}
