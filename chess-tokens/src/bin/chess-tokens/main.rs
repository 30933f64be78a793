//! The tool `chess-tokens`.

#[cfg(feature = "corpus")]
mod corpus;
mod failure;
mod report;

use std::io::Write;
use std::process::ExitCode;

use chess_records::tool_support::interrupt;
use clap::{Parser, Subcommand};

use failure::Failure;

/// Packs chess games as tokens.
#[derive(Parser)]
#[command(name = "chess-tokens", version)]
struct Tool {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    #[cfg(feature = "corpus")]
    #[command(flatten)]
    Corpus(corpus::CorpusCommand),
}

impl Command {
    fn run(&self) -> Result<(), Failure> {
        match self {
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
