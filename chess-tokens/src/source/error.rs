//! Why games cannot be read.

use std::io;
use std::path::PathBuf;

#[cfg(feature = "parquet")]
use chess_records::parquet::ParquetReadError;
#[cfg(feature = "pgn")]
use chess_records::pgn::PgnReadError;
use thiserror::Error;

use super::GameFormat;

/// Why games cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SourceError {
    /// A file cannot be opened, or its first bytes cannot be read.
    #[error("{}: cannot be read", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file is a folder, or of a kind that holds no games.
    #[error(
        "{}: is {found}, expected PGN, PGN compressed by zstd, a zip with one PGN or Parquet",
        path.display()
    )]
    Format {
        /// The file.
        path: PathBuf,
        /// What it is.
        found: &'static str,
    },
    /// This build cannot read such files.
    #[error("{}: is {format}, which is read with the feature {} of chess-tokens", path.display(), format.feature())]
    Feature {
        /// The file.
        path: PathBuf,
        /// What it is.
        format: GameFormat,
    },
    /// Parquet files and zips are not read from their beginning to their end.
    #[error("{}: is no regular file, and {format} is not read in one go", path.display())]
    NoFile {
        /// What is there.
        path: PathBuf,
        /// What comes out of it.
        format: GameFormat,
    },
    /// A zip is damaged, or made in a way that is not known here.
    #[cfg(feature = "pgn")]
    #[error("{}: no zip, or a damaged one", path.display())]
    Zip {
        /// The file.
        path: PathBuf,
        /// What the library said.
        source: zip::result::ZipError,
    },
    /// It is not clear what to read of a zip.
    #[cfg(feature = "pgn")]
    #[error("{}: holds {found} files of PGN, expected one", path.display())]
    ZipFiles {
        /// The file.
        path: PathBuf,
        /// How many there are.
        found: usize,
    },
    /// PGN cannot be read on.
    #[cfg(feature = "pgn")]
    #[error("{}: no more games can be read", path.display())]
    Pgn {
        /// The file.
        path: PathBuf,
        /// Why.
        source: PgnReadError,
    },
    /// Parquet cannot be read on.
    #[cfg(feature = "parquet")]
    #[error("{}: no more games can be read", path.display())]
    Parquet {
        /// The file.
        path: PathBuf,
        /// Why.
        source: ParquetReadError,
    },
    /// There are no threads.
    #[error("no thread can be started")]
    Thread(#[source] io::Error),
    /// A thread has ended early: it has panicked.
    #[error("a thread that reads games ended early")]
    Lost,
}
