//! Why a folder of a stage cannot be used.

use std::io;
use std::path::PathBuf;

use chess_records::AtomicFileError;
use thiserror::Error;

/// Why a folder of a stage cannot be used. What is there stays.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ManifestError {
    /// There are files, and no manifest that tells what they are.
    #[error("{}: there is something already, whose origin is not known", path.display())]
    Unknown {
        /// The first file.
        path: PathBuf,
    },
    /// The folder is that of other work.
    #[error("{}: was made with other settings: {difference}", path.display())]
    OtherJob {
        /// The folder.
        path: PathBuf,
        /// What is not the same.
        difference: String,
    },
    /// Another run is at work in the folder.
    #[error("{}: another run is at work here", path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
    },
    /// A folder of raw games has none.
    #[error("{}: has no Parquet files", path.display())]
    NoParquet {
        /// The folder.
        path: PathBuf,
    },
    /// There is no manifest.
    #[error("{}: no stage has been at work here", path.display())]
    Missing {
        /// The folder.
        path: PathBuf,
    },
    /// The stage has to go on first.
    #[error("{}: stage {stage} is not finished", path.display())]
    Unfinished {
        /// The folder.
        path: PathBuf,
        /// The stage.
        stage: String,
    },
    /// A file is not there, or has other bytes.
    #[error("{}: is not as it was written", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// A manifest of another version.
    #[error("{}: the manifest has version {found}, expected 1", path.display())]
    Version {
        /// The manifest.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// A manifest that is damaged.
    #[error("{}: is no manifest", path.display())]
    Json {
        /// The manifest.
        path: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// A manifest that names a file that no stage writes.
    #[error("{}: names the file {found:?}, expected files below its folder", path.display())]
    Elsewhere {
        /// The manifest.
        path: PathBuf,
        /// The name.
        found: String,
    },
    /// Something in the folder cannot be read, made or removed.
    #[error("{}: cannot be read, made or removed", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The manifest cannot be written.
    #[error("the manifest cannot be written")]
    Write(#[from] AtomicFileError),
}

impl ManifestError {
    /// Whether the manifest can be read, and is none.
    pub(super) const fn is_of_contents(&self) -> bool {
        matches!(
            self,
            Self::Json { .. } | Self::Version { .. } | Self::Elsewhere { .. }
        )
    }
}
