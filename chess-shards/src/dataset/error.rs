//! Why shards could not be opened.

use std::io;
use std::path::PathBuf;

use chess_records::AtomicFileError;
use thiserror::Error;

use crate::NpyError;

/// Why a shard could not be opened.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ShardError {
    /// There is neither the file nor its compressed form.
    #[error("{}: no such file, nor one with .zst added", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// Reading failed.
    #[error("{}: cannot be read", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file's header is not that of a shard.
    #[error("{}: is no shard", path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: NpyError,
    },
    /// The file has not the rows that its header says.
    #[error("{}: has {found} bytes, expected {expected} for its {rows} rows", path.display())]
    Length {
        /// The file.
        path: PathBuf,
        /// How many rows the header says.
        rows: u64,
        /// How many bytes there are; of a compressed file, at least.
        found: u64,
        /// How many there should be.
        expected: u64,
    },
    /// Another number of rows than the set's description says.
    #[error("{}: has {found} rows, expected {expected} as in meta.json", path.display())]
    Rows {
        /// The file.
        path: PathBuf,
        /// How many rows the header says.
        found: u64,
        /// How many the description says.
        expected: u64,
    },
    /// The shard is compressed, and it was not said what to do then.
    #[error(
        "{}: is compressed; decompress it, or say where to with ShardOptions::compressed",
        path.display()
    )]
    Compressed {
        /// The file.
        path: PathBuf,
    },
    /// The shard is compressed, and the crate was built without zstd.
    #[error("{}: is compressed, and this build has no feature zstd", path.display())]
    NoZstd {
        /// The file.
        path: PathBuf,
    },
    /// Decompression failed.
    #[error("{}: cannot be decompressed", path.display())]
    Decompress {
        /// The file.
        path: PathBuf,
        /// What zstd said.
        source: io::Error,
    },
    /// The decompressed shard could not be written.
    #[error("{}: cannot be decompressed to a file", path.display())]
    Cache {
        /// The compressed file.
        path: PathBuf,
        /// What writing failed of.
        source: AtomicFileError,
    },
    /// The folder for decompressed shards cannot be made.
    #[error("{}: the folder cannot be made", path.display())]
    CacheFolder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Why a row could not be read: a source of
/// [`DatasetError::Record`](chess_records::DatasetError::Record).
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RowError {
    /// Reading failed.
    #[error("the row cannot be read")]
    Io(#[from] io::Error),
    /// The file is shorter than when it was opened.
    #[error("the file ends before the end of the row, it has become shorter")]
    Shortened,
    /// The file has another length than when it was opened.
    #[error("the file has {found} bytes, but {expected} when it was opened")]
    Changed {
        /// Its length.
        found: u64,
        /// Its length before.
        expected: u64,
    },
}
