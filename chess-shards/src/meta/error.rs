//! Why a `meta.json` is none.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::SplitName;

/// Why a text is no `meta.json` of a set of shards.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MetaError {
    /// It is no JSON, a key is missing, or a value is of another type.
    #[error("not the JSON that describes a set of shards")]
    Json(#[from] serde_json::Error),
    /// Another version of the format.
    #[error("format_version is {found}, expected 1")]
    Version {
        /// What is written there.
        found: String,
    },
    /// Rows are not those of [`FlatRecord`](crate::FlatRecord).
    #[error("record_dtype has {what} {found}, expected {expected}")]
    Dtype {
        /// Names, offsets or itemsize.
        what: &'static str,
        /// What is written there.
        found: String,
        /// What should be.
        expected: String,
    },
    /// A number that the format fixes is another one.
    #[error("{key} is {found}, expected {expected}")]
    Fixed {
        /// The key.
        key: &'static str,
        /// The number.
        found: u64,
        /// What it should be.
        expected: u64,
    },
    /// A split names a shard that there is not.
    #[error("split {split} names shard {shard_id}, which is not among the shards")]
    UnknownShard {
        /// The split.
        split: SplitName,
        /// The id.
        shard_id: u64,
    },
    /// A shard is named twice in the splits.
    #[error("shard {shard_id} is in split {first} and again in split {second}")]
    SharedShard {
        /// The id.
        shard_id: u64,
        /// The split that names it first.
        first: SplitName,
        /// The split that names it again.
        second: SplitName,
    },
    /// Two shards have one id.
    #[error("two shards have the id {shard_id}")]
    DuplicateShard {
        /// The id.
        shard_id: u64,
    },
    /// Two shards are one file.
    #[error("shards {first} and {second} have one path, {path:?}")]
    SharedPath {
        /// The id of the shard that names it first.
        first: u64,
        /// The id of the shard that names it again.
        second: u64,
        /// The path.
        path: String,
    },
    /// A shard's games end before they begin.
    #[error("the games of shard {shard_id} are {start} to {end}")]
    Games {
        /// The id.
        shard_id: u64,
        /// The first game.
        start: u64,
        /// The game after the last.
        end: u64,
    },
    /// A path that leads out of the set's folder.
    #[error("shard {shard_id} has the path {path:?}, expected one below the set's folder")]
    Path {
        /// The id.
        shard_id: u64,
        /// The path.
        path: String,
    },
    /// The rows do not add up.
    #[error("num_samples is {found}, but the shards have {sum} together")]
    SampleCount {
        /// What is written there.
        found: u64,
        /// What the shards have.
        sum: u64,
    },
}

/// Why a `meta.json` could not be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MetaReadError {
    /// The file cannot be read.
    #[error("{}: cannot be read", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is far larger than any description of shards.
    #[error("{}: has over {most} bytes", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// The most that is read.
        most: u64,
    },
    /// The file is no description of shards.
    #[error("{}", path.display())]
    Meta {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: MetaError,
    },
}
