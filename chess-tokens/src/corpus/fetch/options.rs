//! What is fetched, and what is kept of it.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::FetchError;
use crate::corpus::Overwrite;

/// What is fetched of each month, and what is kept of it.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct FetchOptions {
    pub(super) folder: String,
    pub(super) limit: Option<u64>,
    pub(super) settings: Map<String, Value>,
    pub(super) keep_shards: bool,
    pub(super) shards: Option<PathBuf>,
    pub(super) overwrite: Overwrite,
}

impl FetchOptions {
    /// Everything below `data`.
    pub fn new() -> Self {
        Self {
            folder: "data".into(),
            limit: None,
            settings: Map::new(),
            keep_shards: false,
            shards: None,
            overwrite: Overwrite::Nothing,
        }
    }

    /// The folder of the dataset that has the months' folders: `data`.
    pub fn folder(mut self, folder: impl Into<String>) -> Self {
        self.folder = folder.into();
        self
    }

    /// No more than so many games of a month: the first ones that are kept, in the order of files and
    /// rows. Shards beyond are not downloaded.
    pub const fn limit(mut self, games: Option<u64>) -> Self {
        self.limit = games;
        self
    }

    /// What the function that filters was told, for the manifest: a month that was fetched with other
    /// settings is not the same.
    pub fn settings(mut self, settings: Map<String, Value>) -> Self {
        self.settings = settings;
        self
    }

    /// Whether shards stay after they were filtered.
    pub const fn keep_shards(mut self, keep: bool) -> Self {
        self.keep_shards = keep;
        self
    }

    /// Where shards are downloaded to; otherwise beside the stage's folder, with `-shards` behind its
    /// name. Shards that are there already are used.
    pub fn shards(mut self, folder: impl Into<PathBuf>) -> Self {
        self.shards = Some(folder.into());
        self
    }

    /// What to begin anew where there is a month already, or a part of one.
    pub fn overwrite(mut self, overwrite: impl Into<Overwrite>) -> Self {
        self.overwrite = overwrite.into();
        self
    }

    pub(super) const fn check(&self) -> Result<(), FetchError> {
        match self.limit {
            Some(0) => Err(FetchError::Limit),
            _ => Ok(()),
        }
    }
}

impl Default for FetchOptions {
    fn default() -> Self {
        Self::new()
    }
}
