//! Why a month cannot be fetched.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::BoxError;
use crate::corpus::hub::HubError;
use crate::corpus::{ManifestError, Month};

/// Why a month cannot be fetched. What is done stays, and the same call goes on with it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FetchError {
    /// No games are asked for.
    #[error("limit is 0, expected at least 1 game")]
    Limit,
    /// The hub does not give what is needed.
    #[error("{month}: cannot be got from the hub")]
    Hub {
        /// The month.
        month: Month,
        /// Why.
        source: HubError,
    },
    /// The month's folder cannot be used.
    #[error("{month}: the folder cannot be used")]
    Folder {
        /// The month.
        month: Month,
        /// Why.
        source: ManifestError,
    },
    /// The dataset has no files of the month.
    #[error("{month}: the dataset has no Parquet files in {folder}")]
    NoShards {
        /// The month.
        month: Month,
        /// The folder of the dataset.
        folder: String,
    },
    /// The files have no games that are kept.
    #[error("{month}: none of {read} games is kept")]
    NoGames {
        /// The month.
        month: Month,
        /// How many games were read.
        read: u64,
    },
    /// A shard that was filtered is now another, and the hub does not name commits.
    #[error("{month}: the dataset has changed since shard {shard} was filtered")]
    Changed {
        /// The month.
        month: Month,
        /// The shard, as it was.
        shard: String,
    },
    /// A shard cannot be filtered.
    #[error("{}: cannot be filtered", path.display())]
    Filter {
        /// The shard.
        path: PathBuf,
        /// What the caller's function said.
        source: BoxError,
    },
    /// More games were kept of a shard than were asked for.
    #[error("{}: {kept} games were kept, expected at most {limit}", path.display())]
    TooMany {
        /// The shard.
        path: PathBuf,
        /// How many were kept.
        kept: u64,
        /// How many were wanted.
        limit: u64,
    },
    /// The parts of a month cannot be joined.
    #[error("{month}: the parts cannot be joined")]
    Join {
        /// The month.
        month: Month,
        /// What the caller's function said.
        source: BoxError,
    },
    /// A file cannot be read, made or removed.
    #[error("{}: cannot be read, made or removed", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The progress callback asked to stop.
    #[error("stopped on request")]
    Cancelled,
}

impl FetchError {
    pub(super) fn hub(month: Month) -> impl Fn(HubError) -> Self {
        move |source| match source {
            HubError::Cancelled => Self::Cancelled,
            source => Self::Hub { month, source },
        }
    }

    pub(super) fn folder(month: Month) -> impl Fn(ManifestError) -> Self {
        move |source| Self::Folder { month, source }
    }

    pub(super) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        |source| Self::File { path, source }
    }
}
