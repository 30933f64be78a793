//! `fetch`: months from the hub, filtered as they come.

use std::path::PathBuf;

use chess_tokens::corpus::Months;
use chess_tokens::corpus::fetch::Fetch;
use chess_tokens::corpus::pipeline::FetchConfig;
use chess_tokens::corpus::stages;
use clap::Args;

use super::observer::Watch;
use super::stage::FilterArgs;
use super::work::{Anew, Work, all, show};
use crate::failure::Failure;
use crate::report;

/// Fetches months of games from a dataset of the hub, and keeps those that pass a filter.
///
/// Each file of a month is downloaded whole, filtered and deleted. What is finished stays: the same
/// command after Ctrl-C, or after the process was killed, goes on where it was, within a file too.
#[derive(Args)]
pub(crate) struct FetchMonths {
    /// The folder of the stage: OUT/year=2025/month=05/games.parquet
    #[arg(value_name = "OUT")]
    out: PathBuf,
    /// Months, like 2025-05 or 2025-05..2025-07
    #[arg(required = true, value_name = "MONTHS")]
    months: Vec<Months>,
    #[command(flatten)]
    filter: FilterArgs,
    /// The dataset
    #[arg(
        long,
        value_name = "NAME",
        default_value = "Lichess/standard-chess-games"
    )]
    dataset: String,
    /// A branch, a tag or a commit of it
    #[arg(long, value_name = "REVISION", default_value = "main")]
    revision: String,
    /// The hub's address [default: that of HF_ENDPOINT, or the public hub's]
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,
    /// Keep downloaded files
    #[arg(long)]
    keep_shards: bool,
    #[command(flatten)]
    work: Work,
    #[command(flatten)]
    anew: Anew,
}

impl FetchMonths {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let config = FetchConfig {
            dataset: self.dataset.clone(),
            revision: self.revision.clone(),
            endpoint: self.endpoint.clone(),
            limit: self.filter.limit,
            keep_shards: self.keep_shards,
            ..FetchConfig::default()
        };
        let hub = config.hub().map_err(|error| Failure::Other(error.into()))?;
        let filter = self.filter.filter();
        let options = config.options(&filter, self.anew.overwrite);
        let fetch = Fetch::new(&hub, &self.out, options);
        let watch = Watch::new();
        report::note(&format!("asking {} {}", hub.repo(), hub.token_source()))?;
        for month in all(&self.months) {
            if self.anew.dry_run {
                let plan = fetch.plan(month, &mut |now| watch.fetching(now))?;
                let json = serde_json::to_string_pretty(&plan);
                let json = json.map_err(|error| Failure::Other(error.into()))?;
                report::print(&(json + "\n"))?;
                continue;
            }
            let session = self.work.session()?;
            let fetched = fetch.month(
                month,
                &mut |shard, part, limit| {
                    Ok(filter.run(&session, &[shard.to_path_buf()], part, limit)?)
                },
                &mut |parts, games| Ok(stages::join(&session, parts, games)?),
                &mut |now| watch.fetching(now),
            )?;
            watch.done(
                &month.folder(&self.out),
                &fetched.manifest,
                fetched.was_finished,
            )?;
        }
        match self.anew.dry_run {
            true => show(&[filter.sql(self.filter.limit), filter.counts_sql()]),
            false => Ok(()),
        }
    }
}
