//! The stage `fetch`: months of games from a dataset of the hub, filtered as they come.
//!
//! A month is a few dozen large files, *shards*. Each is downloaded whole, filtered on this machine into
//! a part, and deleted; when all are done, or as many games are kept as were asked for, the parts are
//! joined:
//!
//! ```text
//! fetch/year=2025/month=05/part-00000.parquet      while the month is not finished
//!                          games.parquet           when it is
//!                          manifest.json
//! fetch-shards/data/year=2025/month=05/….parquet   a shard while it is needed
//! ```
//!
//! Shards lie beside the stage and in the hub's layout, so that readers of the stage's Parquet never meet
//! them, and those that are kept are found again. The manifest is written after each part: a month that
//! was interrupted, or killed, goes on with the shard at which it was, and ends with the same bytes. Its
//! commit stays the one that was pinned at its beginning. `inputs` of the manifest are the shards that
//! were read, `notes` has the `commit`.
//!
//! What reads and writes Parquet is the caller's: a function that filters a shard into a part and one
//! that joins parts.

mod error;
mod month_fetch;
mod notes;
mod options;
mod plan;
mod progress;
mod shards;

use std::path::{Path, PathBuf};

pub use error::FetchError;
pub use options::FetchOptions;
pub use plan::{FetchPlan, PlanState, PlannedShard, ShardState};
pub use progress::{FetchPhase, FetchProgress, Progress};

use super::hub::Hub;
use super::manifest::{Counts, Job, Manifest, StageFolder};
use super::month::Month;
use month_fetch::MonthFetch;
use shards::Shards;

/// An error of the caller's functions.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Filters a shard (the first path) into a new Parquet file (the second), in the order of its rows, and
/// tells what became of them. No more games are to be kept than the number, if there is one: the first
/// ones. The counts must depend on nothing else.
pub type FilterShard<'a> = dyn FnMut(&Path, &Path, Option<u64>) -> Result<Counts, BoxError> + 'a;

/// Joins parts, in their order, into a new Parquet file.
pub type JoinParts<'a> = dyn FnMut(&[PathBuf], &Path) -> Result<(), BoxError> + 'a;

/// The stage `fetch` of a corpus.
#[derive(Debug)]
pub struct Fetch<'a> {
    hub: &'a Hub,
    stage: PathBuf,
    options: FetchOptions,
}

/// What was done for a month.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Fetched {
    /// What there is now.
    pub manifest: Manifest,
    /// It was there already, and nothing was done.
    pub was_finished: bool,
    /// How many bytes were downloaded.
    pub downloaded_bytes: u64,
}

impl<'a> Fetch<'a> {
    /// The name of the stage in manifests.
    pub const NAME: &'static str = "fetch";

    /// Fetches from a dataset into the folder of the stage.
    pub fn new(hub: &'a Hub, stage: impl Into<PathBuf>, options: FetchOptions) -> Self {
        Self {
            hub,
            stage: stage.into(),
            options,
        }
    }

    /// What [`month`](Self::month) would do. Of a month that is not finished, the hub is asked for its
    /// list of files; nothing is written.
    ///
    /// # Errors
    ///
    /// As [`month`](Self::month), as far as it can be told before it begins.
    pub fn plan(&self, month: Month, progress: &mut Progress<'_>) -> Result<FetchPlan, FetchError> {
        plan::plan(self, month, progress)
    }

    /// Fetches a month, goes on with one that was interrupted, or finds that it is there.
    ///
    /// # Errors
    ///
    /// When the hub fails, has no shards or no games that are kept, a folder is that of other work or
    /// cannot be used, the caller's functions fail, or `progress` breaks. What is done stays, and the same
    /// call goes on with it.
    pub fn month(
        &self,
        month: Month,
        filter: &mut FilterShard<'_>,
        join: &mut JoinParts<'_>,
        progress: &mut Progress<'_>,
    ) -> Result<Fetched, FetchError> {
        self.options.check()?;
        MonthFetch::open(self, month)?.run(filter, join, progress)
    }

    /// What is there of a month, unless it would be begun from its start. The hub is not asked.
    pub(super) fn peek(&self, month: Month) -> Result<Option<Manifest>, FetchError> {
        self.options.check()?;
        let folder = month.folder(&self.stage);
        let found = StageFolder::peek(folder, &self.job(month), self.options.overwrite);
        found.map_err(FetchError::folder(month))
    }

    fn job(&self, month: Month) -> Job {
        Job::new(Self::NAME)
            .month(month)
            .setting("dataset", self.hub.repo())
            .setting("revision", self.hub.revision())
            .setting("folder", &*self.options.folder)
            .setting("limit", self.options.limit)
            .settings(self.options.settings.clone())
    }

    fn shards(&self) -> Shards {
        Shards::new(&self.stage, &self.options)
    }

    /// The month's folder in the dataset.
    fn folder_of(&self, month: Month) -> String {
        let folder = self.options.folder.trim_matches('/');
        let slash = if folder.is_empty() { "" } else { "/" };
        format!("{folder}{slash}{}", month.partition())
    }
}
