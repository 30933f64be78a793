//! How shards are opened.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// How shards are opened and read.
///
/// ```
/// use chess_shards::{Compressed, ShardOptions};
///
/// let options = ShardOptions::new()
///     .threads(4)
///     .compressed(Compressed::Folder("/var/cache/shards".into()))
///     .progress(|progress| eprintln!("{}: {} bytes", progress.path.display(), progress.bytes));
/// ```
#[derive(Clone)]
pub struct ShardOptions {
    pub(super) in_memory: bool,
    pub(super) threads: usize,
    pub(super) max_open: usize,
    pub(super) compressed: Compressed,
    #[cfg_attr(not(feature = "zstd"), allow(dead_code))]
    pub(super) progress: Option<Progress>,
}

type Progress = Arc<dyn Fn(&ShardProgress) + Send + Sync>;

/// What becomes of a shard that is there only as `.npy.zst`. Where the plain file is there as well,
/// that one is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Compressed {
    /// It is an error.
    #[default]
    Refuse,
    /// It is decompressed into memory when it is opened.
    Memory,
    /// It is decompressed to a file in this folder when it is opened, unless it is there from the
    /// last time. The folder is made where there is none. A file in it has the shard's name and a
    /// number that stands for its compressed bytes, so that sets may share a folder.
    Folder(PathBuf),
}

/// How far the decompression of a shard is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShardProgress {
    /// The compressed file.
    pub path: PathBuf,
    /// How many bytes were decompressed so far.
    pub bytes: u64,
    /// How many there will be, as the shard's header says.
    pub total: u64,
}

impl ShardOptions {
    /// One thread, at most 512 files open at a time, no compressed shards, rows read from the files
    /// as they are asked for.
    #[must_use]
    pub fn new() -> Self {
        Self {
            in_memory: false,
            threads: 1,
            max_open: 512,
            compressed: Compressed::Refuse,
            progress: None,
        }
    }

    /// Reads all shards into memory when they are opened. A map needs no such thing.
    #[must_use]
    pub fn in_memory(self, in_memory: bool) -> Self {
        Self { in_memory, ..self }
    }

    /// How many threads a gather may use, at least 1. A small batch is gathered by fewer; a
    /// [`Loader`](chess_records::Loader) with threads of its own needs no others here.
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        let threads = threads.max(1);
        Self { threads, ..self }
    }

    /// How many files, or maps, may be open at a time, at least 1. Files are opened when a row of
    /// theirs is asked for, and the one that was not used for the longest time is closed where there
    /// would be too many. Gathers are fastest where all fit.
    #[must_use]
    pub fn max_open(self, files: usize) -> Self {
        let max_open = files.max(1);
        Self { max_open, ..self }
    }

    /// What becomes of compressed shards; needs feature `zstd` unless they are refused.
    #[must_use]
    pub fn compressed(self, compressed: Compressed) -> Self {
        Self { compressed, ..self }
    }

    /// A function that is told how far decompression is, every few megabytes and at the end of each
    /// shard.
    #[must_use]
    pub fn progress(self, tell: impl Fn(&ShardProgress) + Send + Sync + 'static) -> Self {
        Self {
            progress: Some(Arc::new(tell)),
            ..self
        }
    }
}

impl Default for ShardOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for ShardOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShardOptions")
            .field("in_memory", &self.in_memory)
            .field("threads", &self.threads)
            .field("max_open", &self.max_open)
            .field("compressed", &self.compressed)
            .finish_non_exhaustive()
    }
}
