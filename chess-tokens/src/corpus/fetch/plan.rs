//! What fetching a month would do.

use serde::Serialize;

use super::notes::Notes;
use super::progress::{FetchPhase, Meter};
use super::{Fetch, FetchError, Progress};
use crate::corpus::hub::HubFile;
use crate::corpus::{InputFile, Manifest, Month, State};

/// What fetching a month would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FetchPlan {
    /// The month.
    pub month: Month,
    /// Whether it is there.
    pub state: PlanState,
    /// The commit, if it is known.
    pub commit: Option<String>,
    /// As whom the hub is asked, such as `without a token`.
    pub access: String,
    /// How many games are kept at most.
    pub limit: Option<u64>,
    /// How many are kept already.
    pub games: u64,
    /// Its shards, in their order. With a limit, the last ones may not be needed. Of a finished month,
    /// those that were.
    pub shards: Vec<PlannedShard>,
}

/// Whether a month is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum PlanState {
    /// It is there, and would be skipped.
    Finished,
    /// It was begun, and would be gone on with.
    Unfinished,
    /// It would be begun.
    New,
}

/// A shard of a month.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub struct PlannedShard {
    /// Its path in the dataset.
    pub path: String,
    /// How long it is, in bytes.
    pub size: u64,
    /// How far it is.
    #[serde(flatten)]
    pub state: ShardState,
}

/// How far a shard is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase", tag = "state")]
#[non_exhaustive]
pub enum ShardState {
    /// It is a part of the month, and not needed any more.
    Filtered,
    /// It is on this machine.
    Downloaded,
    /// A part of it is on this machine.
    Begun {
        /// How many bytes.
        bytes: u64,
    },
    /// Nothing of it is on this machine.
    Missing,
}

impl FetchPlan {
    /// How many bytes the shards have in all.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.shards.iter().map(|shard| shard.size).sum()
    }

    /// How many bytes would be downloaded at most.
    #[must_use]
    pub fn bytes_to_download(&self) -> u64 {
        let missing = self.shards.iter().map(PlannedShard::bytes_to_download);
        missing.sum()
    }
}

impl PlannedShard {
    /// How many bytes of it would be downloaded.
    #[must_use]
    pub const fn bytes_to_download(&self) -> u64 {
        match self.state {
            ShardState::Filtered | ShardState::Downloaded => 0,
            ShardState::Begun { bytes } => self.size - bytes,
            ShardState::Missing => self.size,
        }
    }
}

pub(super) fn plan(
    fetch: &Fetch<'_>,
    month: Month,
    progress: &mut Progress<'_>,
) -> Result<FetchPlan, FetchError> {
    let found = fetch.peek(month)?;
    let state = match found.as_ref().map(|manifest| manifest.state) {
        Some(State::Finished) => PlanState::Finished,
        Some(State::Unfinished) => PlanState::Unfinished,
        None => PlanState::New,
    };
    let notes = found.as_ref().map(Notes::of).unwrap_or_default();
    let hub = fetch.hub.pinned_to(notes.commit.as_deref());
    let done = filtered(found.as_ref());
    let shards = if state == PlanState::Finished || notes.is_complete(fetch.options.limit) {
        done
    } else {
        let mut meter = Meter::new(month, fetch.options.limit, progress);
        meter.begin(FetchPhase::Listing)?;
        let listed = list(fetch, &hub, month, &mut meter)?;
        with_state(fetch, &listed, done)
    };
    Ok(FetchPlan {
        month,
        state,
        commit: hub.commit(),
        access: hub.token_source().to_string(),
        limit: fetch.options.limit,
        games: found.map_or(0, |manifest| manifest.counts.kept),
        shards,
    })
}

/// The shards of a month, as the hub lists them.
pub(super) fn list(
    fetch: &Fetch<'_>,
    hub: &crate::corpus::hub::Hub,
    month: Month,
    meter: &mut Meter<'_, '_>,
) -> Result<Vec<HubFile>, FetchError> {
    let folder = fetch.folder_of(month);
    let listed = hub.list(&folder, &mut |event| meter.event(event));
    let mut shards = listed.map_err(FetchError::hub(month))?;
    shards.retain(|file| file.path.ends_with(".parquet"));
    if shards.is_empty() {
        return Err(FetchError::NoShards { month, folder });
    }
    Ok(shards)
}

fn filtered(manifest: Option<&Manifest>) -> Vec<PlannedShard> {
    let inputs = manifest.map_or(&[][..], |manifest| &manifest.inputs);
    let shard = |input: &InputFile| PlannedShard {
        path: input.label.clone(),
        size: input.bytes,
        state: ShardState::Filtered,
    };
    inputs.iter().map(shard).collect()
}

fn with_state(
    fetch: &Fetch<'_>,
    listed: &[HubFile],
    mut done: Vec<PlannedShard>,
) -> Vec<PlannedShard> {
    let shards = fetch.shards();
    let rest = listed.iter().skip(done.len()).map(|file| PlannedShard {
        path: file.path.clone(),
        size: file.size,
        state: shards.state(file),
    });
    done.extend(rest);
    done
}
