//! The commands of the corpus pipeline.

mod failures;
mod fetch;
mod observer;
mod pipeline;
mod sql;
mod stage;
mod work;

use clap::Subcommand;

use crate::failure::Failure;

/// Commands that make a corpus of months of games.
#[derive(Subcommand)]
pub(crate) enum CorpusCommand {
    Run(pipeline::Run),
    Fetch(fetch::FetchMonths),
    Filter(stage::FilterMonths),
    Uci(stage::Uci),
    EloBins(stage::DrawBins),
    PackCorpus(stage::PackMonths),
    Sql(sql::Sql),
}

impl CorpusCommand {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        match self {
            Self::Run(command) => command.run(),
            Self::Fetch(command) => command.run(),
            Self::Filter(command) => command.run(),
            Self::Uci(command) => command.run(),
            Self::EloBins(command) => command.run(),
            Self::PackCorpus(command) => command.run(),
            Self::Sql(command) => command.run(),
        }
    }
}
