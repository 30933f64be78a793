//! What goes into a stage, what comes out and what is left out.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io;
use std::ops::AddAssign;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::ManifestError;
use crate::corpus::FileHash;

/// How many games a stage read, kept and left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::exhaustive_structs)] // Made by every stage; reasons come and go in the map.
pub struct Counts {
    /// How many were looked at.
    pub read: u64,
    /// How many were kept.
    pub kept: u64,
    /// How many were left out, by reason.
    pub left_out: BTreeMap<String, u64>,
}

impl Counts {
    /// Counts games as left out.
    pub fn leave_out(&mut self, reason: &str, games: u64) {
        match self.left_out.get_mut(reason) {
            Some(count) => *count += games,
            None => {
                self.left_out.insert(reason.into(), games);
            }
        }
    }
}

impl AddAssign<&Self> for Counts {
    fn add_assign(&mut self, other: &Self) {
        self.read += other.read;
        self.kept += other.kept;
        for (reason, &games) in &other.left_out {
            self.leave_out(reason, games);
        }
    }
}

/// A file that a stage reads.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct InputFile {
    /// What the file is called, wherever the corpus lies: no path of a machine.
    pub label: String,
    /// How long it is.
    pub bytes: u64,
    /// Its hash.
    pub sha256: FileHash,
}

impl InputFile {
    /// A file whose length and hash are known.
    #[must_use]
    pub fn new(label: impl Into<String>, bytes: u64, sha256: FileHash) -> Self {
        Self {
            label: label.into(),
            bytes,
            sha256,
        }
    }

    /// Reads a file through.
    ///
    /// # Errors
    ///
    /// [`ManifestError::Read`].
    pub fn read(label: impl Into<String>, path: impl AsRef<Path>) -> Result<Self, ManifestError> {
        let path = path.as_ref();
        let (sha256, bytes) = FileHash::of_file(path).map_err(|source| read_error(path, source))?;
        Ok(Self::new(label, bytes, sha256))
    }
}

/// A file that a stage wrote.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OutputFile {
    /// Its path below the stage's folder, with slashes on every system.
    pub name: String,
    /// How long it is.
    pub bytes: u64,
    /// How many games it holds, if it holds games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// Its hash.
    pub sha256: FileHash,
}

impl OutputFile {
    /// Reads a file through that was just written, and brings it to the disk.
    pub(super) fn take(
        folder: &Path,
        name: &str,
        rows: Option<u64>,
    ) -> Result<Self, ManifestError> {
        let path = folder.join(name);
        let opened = OpenOptions::new().append(true).open(&path);
        let synced = opened.and_then(|file| file.sync_all());
        let hashed = synced.and_then(|()| FileHash::of_file(&path));
        let (sha256, bytes) = hashed.map_err(|source| read_error(&path, source))?;
        Ok(Self {
            name: name.into(),
            bytes,
            rows,
            sha256,
        })
    }

    /// The file as another stage's input.
    #[must_use]
    pub fn as_input(&self, label: impl Into<String>) -> InputFile {
        InputFile::new(label, self.bytes, self.sha256)
    }

    /// Whether it is there and has its length, which is known at once.
    pub(super) fn has_its_length(&self, folder: &Path) -> Result<bool, ManifestError> {
        let path = folder.join(&self.name);
        match fs::metadata(&path) {
            Ok(metadata) => Ok(metadata.is_file() && metadata.len() == self.bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(read_error(&path, source)),
        }
    }

    /// Whether it is in the folder as it was written. The whole file is read.
    ///
    /// # Errors
    ///
    /// [`ManifestError::Read`].
    pub fn is_whole(&self, folder: impl AsRef<Path>) -> Result<bool, ManifestError> {
        if !self.has_its_length(folder.as_ref())? {
            return Ok(false);
        }
        let path = folder.as_ref().join(&self.name);
        let (sha256, _) = FileHash::of_file(&path).map_err(|source| read_error(&path, source))?;
        Ok(sha256 == self.sha256)
    }
}

pub(super) fn read_error(path: &Path, source: io::Error) -> ManifestError {
    let path = path.to_path_buf();
    ManifestError::Read { path, source }
}
