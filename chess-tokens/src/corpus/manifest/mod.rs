//! What a stage tells of its work, in the `manifest.json` of each folder that it writes: a month's, or
//! that of a pack.
//!
//! ```json
//! {
//!   "manifest_version": 1,
//!   "tool": "chess-tokens 0.1.0",
//!   "stage": "filter",
//!   "month": "2025-05",
//!   "state": "finished",
//!   "settings": { "min_elo": 1800 },
//!   "inputs": [
//!     { "label": "fetch/2025-05/games.parquet", "bytes": 1217, "sha256": "5e88…" }
//!   ],
//!   "counts": { "read": 186, "kept": 120, "left_out": { "elo": 66 } },
//!   "files": [
//!     { "name": "games.parquet", "bytes": 845, "rows": 120, "sha256": "b1d5…" }
//!   ]
//! }
//! ```
//!
//! It holds no time and no path of the machine: the same work gives the same bytes, whether it was
//! interrupted or not. `settings` are whatever the stage was given, as it names them; `left_out` has a
//! count for each reason. A stage that is under way may keep `notes` for itself.
//!
//! A stage opens its folder with [`StageFolder::open`], which tells whether there is anything to do:
//!
//! ```
//! use chess_tokens::corpus::{Counts, Job, Opened, StageFolder};
//! # let temporary = tempfile::tempdir()?;
//! # let folder = temporary.path().join("filter");
//! let job = Job::new("filter").setting("min_elo", 1800);
//! let mut stage = match StageFolder::open(&folder, &job, false)? {
//!     Opened::Finished(_) => return Ok(()),
//!     Opened::Unfinished(stage) => stage,
//! };
//! std::fs::write(stage.file("games.parquet"), "120 games")?;
//! stage.add_file("games.parquet", Some(120))?;
//! stage.manifest_mut().counts = Counts { read: 120, kept: 120, ..Counts::default() };
//! stage.finish()?;
//! assert!(matches!(StageFolder::open(&folder, &job, false)?, Opened::Finished(_)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod files;
mod folder;
mod job;
mod overwrite;

use std::fs;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use chess_records::{AtomicFile, AtomicFileError};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::month::Month;
pub use error::ManifestError;
pub use files::{Counts, InputFile, OutputFile};
pub use folder::{Opened, StageFolder};
pub use job::Job;
pub use overwrite::Overwrite;

/// The version that is written and read.
const VERSION: u32 = 1;

/// What a stage has done in a folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Manifest {
    manifest_version: u32,
    /// The program that began the folder, and its version. Another version goes on with it.
    pub tool: String,
    /// The name of the stage.
    pub stage: String,
    /// The month, if the folder is one of a month.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub month: Option<Month>,
    /// Whether the stage is done with the folder.
    pub state: State,
    /// What the stage was told, by its own names.
    pub settings: Map<String, Value>,
    /// What it reads.
    #[serde(default)]
    pub inputs: Vec<InputFile>,
    /// What became of the games so far.
    #[serde(default)]
    pub counts: Counts,
    /// What it has written so far, and not removed since.
    #[serde(default)]
    pub files: Vec<OutputFile>,
    /// What the stage keeps for itself.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub notes: Value,
}

/// Whether a stage is done with a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(clippy::exhaustive_enums)] // There is nothing in between.
pub enum State {
    /// It was begun.
    Unfinished,
    /// It is done.
    Finished,
}

impl Manifest {
    /// The name of the file.
    pub const FILE_NAME: &str = "manifest.json";

    /// Whether nothing is finished.
    fn is_empty(&self) -> bool {
        self.state == State::Unfinished && self.files.is_empty()
    }

    /// A folder of this job, with nothing done yet.
    fn new(job: &Job) -> Self {
        Self {
            manifest_version: VERSION,
            tool: concat!("chess-tokens ", env!("CARGO_PKG_VERSION")).into(),
            stage: job.stage.clone(),
            month: job.month,
            state: State::Unfinished,
            settings: job.settings.clone(),
            inputs: job.inputs.clone().unwrap_or_default(),
            counts: Counts::default(),
            files: Vec::new(),
            notes: Value::Null,
        }
    }

    /// The manifest of a folder; `None` if it has none.
    ///
    /// # Errors
    ///
    /// When it cannot be read, is damaged or of another version.
    pub fn read(folder: impl AsRef<Path>) -> Result<Option<Self>, ManifestError> {
        let path = folder.as_ref().join(Self::FILE_NAME);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(ManifestError::Read { path, source }),
        };
        Self::parse(&bytes, &path).map(Some)
    }

    /// The manifest of a folder that a stage is done with: what the next stage reads.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read), and when there is none, the stage is not done, or a file is not there as
    /// long as it was written.
    pub fn finished(folder: impl AsRef<Path>) -> Result<Self, ManifestError> {
        let path = folder.as_ref().to_path_buf();
        let manifest = match Self::read(&path)? {
            Some(manifest) => manifest,
            None => return Err(ManifestError::Missing { path }),
        };
        if manifest.state == State::Unfinished {
            let stage = manifest.stage;
            return Err(ManifestError::Unfinished { path, stage });
        }
        match manifest.first_missing(&path)? {
            None => Ok(manifest),
            Some(file) => Err(ManifestError::Changed {
                path: path.join(&file.name),
            }),
        }
    }

    /// Compares every file with its hash.
    ///
    /// # Errors
    ///
    /// [`ManifestError::Changed`] with the first file that is not as it was written, or
    /// [`ManifestError::Read`].
    pub fn verify(&self, folder: impl AsRef<Path>) -> Result<(), ManifestError> {
        for file in &self.files {
            if !file.is_whole(folder.as_ref())? {
                let path = folder.as_ref().join(&file.name);
                return Err(ManifestError::Changed { path });
            }
        }
        Ok(())
    }

    /// A file of that name, if it is there.
    #[must_use]
    pub fn file(&self, name: &str) -> Option<&OutputFile> {
        self.files.iter().find(|file| file.name == name)
    }

    /// The first file that is not there, or not as long as it was written.
    fn first_missing(&self, folder: &Path) -> Result<Option<&OutputFile>, ManifestError> {
        for file in &self.files {
            if !file.has_its_length(folder)? {
                return Ok(Some(file));
            }
        }
        Ok(None)
    }

    /// The manifest that these bytes are; `path` is for errors.
    ///
    /// # Errors
    ///
    /// When they are none, or one of another version or with files elsewhere.
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Self, ManifestError> {
        #[derive(Deserialize)]
        struct Version {
            manifest_version: u32,
        }
        let path = || path.to_path_buf();
        let not_json = |source| ManifestError::Json {
            path: path(),
            source,
        };
        let Version { manifest_version } = serde_json::from_slice(bytes).map_err(not_json)?;
        if manifest_version != VERSION {
            return Err(ManifestError::Version {
                path: path(),
                found: manifest_version,
            });
        }
        let manifest: Self = serde_json::from_slice(bytes).map_err(not_json)?;
        let foreign = manifest.files.iter().find(|file| !is_below(&file.name));
        match foreign {
            None => Ok(manifest),
            Some(file) => Err(ManifestError::Elsewhere {
                path: path(),
                found: file.name.clone(),
            }),
        }
    }

    /// As text, with a line for each value.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Only maps with keys that are no text fail.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    fn write(&self, folder: &Path) -> Result<(), ManifestError> {
        Ok(write_file(
            folder.join(Self::FILE_NAME),
            self.to_json().as_bytes(),
        )?)
    }
}

/// Whether a name leads to a file below a folder, whatever the system: a manifest may come from another
/// machine.
pub(super) fn is_below(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    let is_plain = parts.all(|part| matches!(part, Component::Normal(_)));
    is_plain && !name.is_empty() && !name.contains(['\\', ':', '\0']) && name != Manifest::FILE_NAME
}

fn write_file(path: PathBuf, bytes: &[u8]) -> Result<(), AtomicFileError> {
    let mut file = AtomicFile::create(&path)?;
    let written = file.write_all(bytes);
    written.map_err(|source| AtomicFileError::Write { path, source })?;
    file.finish()
}

#[cfg(test)]
mod tests;
