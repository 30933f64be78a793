//! Why a set cannot be built.

use std::io;
use std::ops::Range;
use std::path::PathBuf;

use chess_records::AtomicFileError;
use thiserror::Error;

use super::options::BuildOptionsError;
use super::source::SourceError;
use crate::ActionError;

/// Why a set of shards cannot be built, or not be put together. Shards that are finished stay, and the
/// same call goes on with them.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The options make no sense.
    #[error("the options make no sense")]
    Options(#[from] BuildOptionsError),
    /// Games cannot be read.
    #[error("the games cannot be read")]
    Source(#[from] SourceError),
    /// No game counts.
    #[error("the source has no game that counts, {left_out} are left out")]
    NoGames {
        /// How many games it has.
        left_out: u64,
    },
    /// The slice is empty, or not one of the shards.
    #[error("shards {}..{} are asked for, expected a part of 0..{shards}", only.start, only.end)]
    Only {
        /// What is asked for.
        only: Range<u32>,
        /// How many shards there are.
        shards: u32,
    },
    /// There are fewer games than was told.
    #[error("the source has {found} games that count, {told} were told")]
    FewerGames {
        /// How many there are.
        found: u64,
        /// How many were told.
        told: u64,
    },
    /// There are more games than was told.
    #[error("the source has more games that count than the {told} that were told")]
    MoreGames {
        /// How many were told.
        told: u64,
    },
    /// The source is not what it was when its games were counted.
    #[error("block {block} of the source has {found} games, {counted} were counted")]
    SourceChanged {
        /// The number of the block.
        block: usize,
        /// How many there are now.
        found: u64,
        /// How many there were.
        counted: u64,
    },
    /// There is a set already that was not built here, or of which the manifest is gone.
    #[error("{}: there is a set already, whose origin is not known", path.display())]
    Exists {
        /// The file that was found.
        path: PathBuf,
    },
    /// There is a part of another set.
    #[error("{}: is of another set, with other {what}", path.display())]
    OtherBuild {
        /// The manifest.
        path: PathBuf,
        /// What is not the same.
        what: &'static str,
    },
    /// Not all shards are there.
    #[error("shard {shard} is not there, or not as it was written; it must be built first")]
    MissingShard {
        /// The first one.
        shard: u32,
    },
    /// No manifest is there.
    #[error("{}: no part of a set is there", path.display())]
    NoManifest {
        /// The folder.
        path: PathBuf,
    },
    /// A manifest of another version.
    #[error("{}: the manifest has version {found}, expected 1", path.display())]
    ManifestVersion {
        /// The manifest.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// A manifest that is damaged.
    #[error("{}: is no manifest", path.display())]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// A manifest names a file that no build makes.
    #[error("{}: shard {shard_id} has the path {found:?}, expected the one that a build gives it", path.display())]
    ManifestShard {
        /// The manifest.
        path: PathBuf,
        /// The id of the shard.
        shard_id: u64,
        /// The path.
        found: String,
    },
    /// Something in the folder cannot be read or removed.
    #[error("{}: cannot be read, made or removed", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("a file of the set cannot be written")]
    Write(#[from] AtomicFileError),
    /// A move has no action, which no game from the usual start brings about.
    #[error("game {game} has a move without an action")]
    Action {
        /// The number of the game.
        game: u64,
        /// Why.
        source: ActionError,
    },
    /// Threads cannot be started.
    #[error("the workers cannot be started")]
    Workers(#[from] rayon::ThreadPoolBuildError),
    /// The progress callback asked to stop.
    #[error("stopped on request")]
    Cancelled,
}
