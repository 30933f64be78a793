//! Files of games.
#![cfg_attr(feature = "mmap", allow(unsafe_code))]

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::{ViriFault, ViriGames};
use crate::{FileBytes, OpenError};

/// A file of games that knows its path and names it in errors.
///
/// It is a [`Dataset`](crate::Dataset).
#[derive(Debug)]
pub struct ViriFile {
    path: PathBuf,
    games: ViriGames<FileBytes>,
}

/// Why a file of games could not be opened.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ViriOpenError {
    /// The file could not be read.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The file's bytes are not games.
    #[error("{}", path.display())]
    Games {
        /// The file.
        path: PathBuf,
        /// The first fault.
        source: ViriFault,
    },
}

impl ViriFile {
    /// Reads a whole file into memory.
    ///
    /// # Errors
    ///
    /// A [`ViriOpenError`] that names the file.
    pub fn read(path: impl Into<PathBuf>) -> Result<Self, ViriOpenError> {
        let path = path.into();
        let bytes = FileBytes::read(&path)?;
        Self::new(path, bytes)
    }

    /// Maps a file into memory; see [`FileBytes::map`].
    ///
    /// # Safety
    ///
    /// The file must not be changed or shortened while it is mapped, as [`FileBytes::map`] explains.
    ///
    /// # Errors
    ///
    /// A [`ViriOpenError`] that names the file.
    #[cfg(feature = "mmap")]
    pub unsafe fn map(path: impl Into<PathBuf>) -> Result<Self, ViriOpenError> {
        let path = path.into();
        // SAFETY: the caller promises what `FileBytes::map` asks for.
        let bytes = unsafe { FileBytes::map(&path) }?;
        Self::new(path, bytes)
    }

    fn new(path: PathBuf, bytes: FileBytes) -> Result<Self, ViriOpenError> {
        match ViriGames::new(bytes) {
            Ok(games) => Ok(Self { path, games }),
            Err(source) => Err(ViriOpenError::Games { path, source }),
        }
    }

    /// The file's path, as given.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The games.
    #[must_use]
    pub const fn games(&self) -> &ViriGames<FileBytes> {
        &self.games
    }
}
