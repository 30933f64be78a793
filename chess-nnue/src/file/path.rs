//! Network files on disk.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::vec::Vec;

use chess_records::{AtomicFile, AtomicFileError};
use thiserror::Error;

use crate::architecture::Architecture;
use crate::file::{BulletError, BulletExportError, FormatError};
use crate::network::Network;

/// The most bytes that any network file has: 32 king buckets and N = 4096, and room to spare.
const MAX_BYTES: u64 = 256 << 20;

/// Why a network file could not be loaded. The text says all, down to the byte, so that an engine can
/// show it as it is.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file could not be read.
    #[error("cannot read the network file {}: {fault}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        fault: io::Error,
    },
    /// The file is larger than any network.
    #[error("{} is larger than any network file (over {MAX_BYTES} bytes)", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// The file is not a network of the own format.
    #[error("{} is no usable network: {fault}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        fault: FormatError,
    },
    /// The file is not in bullet's layout of the architecture named.
    #[error("{} is not in bullet's layout: {fault}", path.display())]
    Bullet {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        fault: BulletError,
    },
}

/// Why a network file could not be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SaveError {
    /// The file could not be made or put in its place.
    #[error("cannot write the network file")]
    File(#[from] AtomicFileError),
    /// The file could not be written, for want of space perhaps; an older file of that name is as it
    /// was.
    #[error("cannot write the network file {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The network does not fit bullet's layout.
    #[error("the network cannot be written in bullet's layout")]
    Bullet(#[from] BulletExportError),
}

impl Network {
    /// Loads a network file of the own format.
    ///
    /// # Errors
    ///
    /// A [`LoadError`] that names the file when it cannot be read or is not a sound network.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        let path = path.as_ref();
        Self::from_bytes(&read(path)?).map_err(|fault| LoadError::Format {
            path: path.into(),
            fault,
        })
    }

    /// Loads a file in bullet's layout of an architecture.
    ///
    /// # Errors
    ///
    /// As [`Network::load`].
    pub fn load_bullet(
        path: impl AsRef<Path>,
        architecture: Architecture,
    ) -> Result<Self, LoadError> {
        let path = path.as_ref();
        let network = Self::from_bullet_bytes(&read(path)?, architecture);
        network.map_err(|fault| LoadError::Bullet {
            path: path.into(),
            fault,
        })
    }

    /// Writes a network file of the own format. It appears under its name only when it is whole.
    ///
    /// # Errors
    ///
    /// A [`SaveError`] that names the file when it cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), SaveError> {
        write(path.as_ref(), &self.to_bytes())
    }

    /// Writes a file in bullet's layout. It appears under its name only when it is whole.
    ///
    /// # Errors
    ///
    /// As [`Network::save`], and [`SaveError::Bullet`] when an output bias does not fit.
    pub fn save_bullet(&self, path: impl AsRef<Path>) -> Result<(), SaveError> {
        write(path.as_ref(), &self.to_bullet_bytes()?)
    }
}

fn read(path: &Path) -> Result<Vec<u8>, LoadError> {
    let failed = |fault| LoadError::Io {
        path: path.into(),
        fault,
    };
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(failed)?;
    let mut file = file.take(MAX_BYTES + 1);
    file.read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(LoadError::TooLarge { path: path.into() });
    }
    Ok(bytes)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), SaveError> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes).map_err(|source| SaveError::Write {
        path: path.into(),
        source,
    })?;
    Ok(file.finish()?)
}
