//! Checkpoints on disk.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::vec::Vec;

use chess_records::{AtomicFile, AtomicFileError};
use thiserror::Error;

use super::{Checkpoint, CheckpointError};

/// The most bytes that any checkpoint has: three times 32 king buckets, a factoriser and N = 4096 in
/// 32 bits, and room to spare.
const MAX_BYTES: u64 = 5 << 28;

/// Why a checkpoint could not be loaded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CheckpointLoadError {
    /// The file could not be read.
    #[error("cannot read the checkpoint {}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is larger than any checkpoint.
    #[error("{} is larger than any checkpoint (over {MAX_BYTES} bytes)", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// The file is not a checkpoint, or damaged.
    #[error("{} is no usable checkpoint", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: CheckpointError,
    },
}

/// Why a checkpoint could not be written. An older file of that name is as it was.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CheckpointSaveError {
    /// The file could not be made or put in its place.
    #[error("cannot write the checkpoint")]
    File(#[from] AtomicFileError),
    /// The file could not be written, for want of space perhaps.
    #[error("cannot write the checkpoint {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl Checkpoint {
    /// Loads a checkpoint.
    ///
    /// # Errors
    ///
    /// An error that names the file when it cannot be read or is not a sound checkpoint.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, CheckpointLoadError> {
        let path = path.as_ref();
        Self::from_bytes(&read(path)?).map_err(|source| CheckpointLoadError::Format {
            path: path.into(),
            source,
        })
    }

    /// Writes a checkpoint. It appears under its name only when it is whole and on the disk.
    ///
    /// # Errors
    ///
    /// An error that names the file when it cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), CheckpointSaveError> {
        let path = path.as_ref();
        let mut file = AtomicFile::create(path)?;
        let written = file.write_all(&self.to_bytes());
        written.map_err(|source| CheckpointSaveError::Write {
            path: path.into(),
            source,
        })?;
        Ok(file.finish()?)
    }
}

fn read(path: &Path) -> Result<Vec<u8>, CheckpointLoadError> {
    let failed = |source| CheckpointLoadError::Io {
        path: path.into(),
        source,
    };
    let file = File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    let mut file = file.take(MAX_BYTES + 1);
    file.read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(CheckpointLoadError::TooLarge { path: path.into() });
    }
    Ok(bytes)
}
