//! What the commands of stages have in common.

use std::path::PathBuf;

use chess_tokens::corpus::stages::Stages;
use chess_tokens::corpus::{Month, Months, Session, SessionOptions};
use clap::Args;

use crate::failure::Failure;
use crate::report;

/// How queries run, none of which changes what is made.
#[derive(Args)]
pub(super) struct Work {
    /// How many threads work [default: one a processor]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// The most memory for what queries must keep, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 4096)]
    memory_mib: u64,
    /// The folder for what does not fit into memory [default: the system's for temporary files]
    #[arg(long, value_name = "FOLDER")]
    spill: Option<PathBuf>,
}

/// What is done where something is already.
#[derive(Args)]
pub(super) struct Anew {
    /// Begin anew, whatever is there of this stage
    #[arg(long)]
    pub(super) overwrite: bool,
    /// Show the queries, and do nothing
    #[arg(long)]
    pub(super) dry_run: bool,
}

impl Work {
    pub(super) fn session(&self) -> Result<Session, Failure> {
        let mut options = SessionOptions::new()
            .memory_bytes(self.memory_mib.saturating_mul(1 << 20))
            .spill(self.spill.clone());
        if let Some(threads) = self.threads {
            options = options.threads(threads);
        }
        Ok(Session::new(&options)?)
    }
}

impl Anew {
    pub(super) fn stages<'a>(&self, session: &'a Session) -> Stages<'a> {
        Stages::new(session).overwrite(self.overwrite)
    }
}

/// The queries of a dry run.
pub(super) fn show(queries: &[String]) -> Result<(), Failure> {
    report::print(&(queries.join(";\n\n") + ";\n"))
}

/// All months of several ranges, in order and once.
pub(super) fn all(months: &[Months]) -> Vec<Month> {
    let mut all: Vec<_> = months.iter().flat_map(|months| months.iter()).collect();
    all.sort_unstable();
    all.dedup();
    all
}
