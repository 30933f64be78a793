//! A folder in which a stage is at work.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::files::read_error;
use super::{InputFile, Job, Manifest, ManifestError, OutputFile, Overwrite, State};
use crate::folder_lock::{self, FolderLock};

/// What a stage finds in its folder.
#[derive(Debug)]
#[allow(clippy::exhaustive_enums, clippy::large_enum_variant)] // Opened once a month.
pub enum Opened {
    /// The same work is done, and its files are there: nothing is to be done.
    Finished(Manifest),
    /// The work is to be begun, or to be gone on with; then the manifest tells what is done.
    Unfinished(StageFolder),
}

/// A folder in which a stage is at work. No other run can open it meanwhile (on systems that can lock
/// folders).
#[derive(Debug)]
pub struct StageFolder {
    path: PathBuf,
    manifest: Manifest,
    /// Held until this is dropped.
    _lock: Option<File>,
}

impl StageFolder {
    /// Opens the folder for a job, and makes it if it is not there.
    ///
    /// The same job that is done is found finished, unless a file of it has gone or has another length:
    /// then it is begun anew. The same job that was interrupted is found with what the manifest says.
    /// Any other is refused, and so are files that no manifest tells of; a job of which nothing was
    /// finished is no other.
    ///
    /// `overwrite` tells what is begun anew instead; the files that the manifest tells of are removed
    /// first.
    ///
    /// # Errors
    ///
    /// When the folder is that of another job or of unknown origin, another run is at work there, or it
    /// cannot be read or written.
    pub fn open(
        path: impl Into<PathBuf>,
        job: &Job,
        overwrite: impl Into<Overwrite>,
    ) -> Result<Opened, ManifestError> {
        let path = path.into();
        fs::create_dir_all(&path).map_err(|source| read_error(&path, source))?;
        let lock = lock(&path)?;
        let manifest = match look(&path, job, overwrite.into())? {
            Found::Finished(manifest) => return Ok(Opened::Finished(manifest)),
            Found::Unfinished(manifest) => manifest,
            Found::Stale(old) => {
                remove_files(&path, &old.files)?;
                Manifest::new(job)
            }
            Found::Nothing => Manifest::new(job),
        };
        remove_temporary(&path)?;
        let folder = Self {
            path,
            manifest,
            _lock: lock,
        };
        folder.save()?;
        Ok(Opened::Unfinished(folder))
    }

    /// What [`open`](Self::open) would find, for plans: nothing is made, locked or removed. `None` if the
    /// work would begin from its start.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn peek(
        path: impl AsRef<Path>,
        job: &Job,
        overwrite: impl Into<Overwrite>,
    ) -> Result<Option<Manifest>, ManifestError> {
        match look(path.as_ref(), job, overwrite.into())? {
            Found::Finished(manifest) | Found::Unfinished(manifest) => Ok(Some(manifest)),
            Found::Stale(_) | Found::Nothing => Ok(None),
        }
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where a file of the folder stands.
    #[must_use]
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// What is done so far.
    #[must_use]
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// What is done so far, to count in. [`save`](Self::save) writes it.
    pub const fn manifest_mut(&mut self) -> &mut Manifest {
        &mut self.manifest
    }

    /// Notes another input.
    pub fn add_input(&mut self, input: InputFile) {
        self.manifest.inputs.push(input);
    }

    /// Brings a file of the folder that is written to its end to the disk, and notes its length and its
    /// hash, in the place of an older file of that name. [`save`](Self::save) writes the note.
    ///
    /// # Errors
    ///
    /// [`ManifestError::Read`].
    ///
    /// # Panics
    ///
    /// When the name leads out of the folder, or is the manifest's.
    pub fn add_file(&mut self, name: &str, rows: Option<u64>) -> Result<(), ManifestError> {
        assert!(super::is_below(name), "{name:?} is no file of the folder");
        let file = OutputFile::take(&self.path, name, rows)?;
        let same = |old: &&mut OutputFile| old.name == name;
        match self.manifest.files.iter_mut().find(same) {
            Some(old) => *old = file,
            None => self.manifest.files.push(file),
        }
        Ok(())
    }

    /// What the stage kept for itself; `None` if that is nothing or something else.
    #[must_use]
    pub fn notes<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_value(self.manifest.notes.clone()).ok()
    }

    /// Keeps something for the stage itself. [`save`](Self::save) writes it.
    ///
    /// # Panics
    ///
    /// When it cannot be written as JSON: it has a map whose keys are no text.
    pub fn set_notes(&mut self, notes: &impl Serialize) {
        let notes = serde_json::to_value(notes);
        self.manifest.notes = notes.unwrap_or_else(|error| panic!("notes are no JSON: {error}"));
    }

    /// Writes what is done so far, so that another run goes on from here.
    ///
    /// # Errors
    ///
    /// When the system cannot write.
    pub fn save(&self) -> Result<(), ManifestError> {
        self.manifest.write(&self.path)
    }

    /// The work is done: what the stage kept for itself goes, and the manifest is written.
    ///
    /// # Errors
    ///
    /// When the system cannot write.
    pub fn finish(mut self) -> Result<Manifest, ManifestError> {
        self.manifest.notes = Value::Null;
        self.finish_with_notes()
    }

    /// As [`finish`](Self::finish), but notes stay in the manifest.
    ///
    /// # Errors
    ///
    /// When the system cannot write.
    pub fn finish_with_notes(mut self) -> Result<Manifest, ManifestError> {
        self.manifest.state = State::Finished;
        self.save()?;
        Ok(self.manifest)
    }
}

/// What is in a folder.
enum Found {
    Nothing,
    Finished(Manifest),
    Unfinished(Manifest),
    /// To be begun anew: it is to be overwritten, or files are missing.
    Stale(Manifest),
}

fn look(path: &Path, job: &Job, overwrite: Overwrite) -> Result<Found, ManifestError> {
    let may_go = overwrite.is_allowed();
    let manifest = match Manifest::read(path) {
        // Of whatever it is, it is in the way.
        Err(error) if may_go && error.is_of_contents() => return Ok(Found::Nothing),
        manifest => manifest?,
    };
    let Some(manifest) = manifest else {
        return match first_visible(path)? {
            Some(path) if !may_go => Err(ManifestError::Unknown { path }),
            _ => Ok(Found::Nothing),
        };
    };
    if let Some(difference) = job.difference(&manifest) {
        let path = path.to_path_buf();
        // Of work that failed before anything was finished, nothing is lost.
        return match may_go || manifest.is_empty() {
            true => Ok(Found::Stale(manifest)),
            false => Err(ManifestError::OtherJob { path, difference }),
        };
    }
    if overwrite.is_everything() {
        return Ok(Found::Stale(manifest));
    }
    Ok(match manifest.state {
        State::Unfinished => Found::Unfinished(manifest),
        State::Finished if manifest.first_missing(path)?.is_none() => Found::Finished(manifest),
        State::Finished => Found::Stale(manifest),
    })
}

/// The first file by name that is not hidden, as temporary ones are.
fn first_visible(folder: &Path) -> Result<Option<PathBuf>, ManifestError> {
    let mut names = names(folder)?;
    names.retain(|name| !name.starts_with('.'));
    names.sort_unstable();
    Ok(names.first().map(|name| folder.join(name)))
}

/// None if there is no folder.
fn names(folder: &Path) -> Result<Vec<String>, ManifestError> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|source| read_error(folder, source))?,
    };
    let name = |entry: io::Result<fs::DirEntry>| {
        let entry = entry.map_err(|source| read_error(folder, source))?;
        Ok(entry.file_name().to_string_lossy().into_owned())
    };
    entries.map(name).collect()
}

fn remove_files(folder: &Path, files: &[OutputFile]) -> Result<(), ManifestError> {
    let paths = files.iter().map(|file| folder.join(&file.name));
    paths.into_iter().try_for_each(|path| remove(&path))
}

pub(super) fn remove(path: &Path) -> Result<(), ManifestError> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(read_error(path, source)),
        _ => Ok(()),
    }
}

/// Removes what a run that was killed has left.
fn remove_temporary(folder: &Path) -> Result<(), ManifestError> {
    let mut left = names(folder)?;
    left.retain(|name| name.starts_with('.') && name.ends_with(".tmp"));
    let paths = left.iter().map(|name| folder.join(name));
    paths.into_iter().try_for_each(|path| remove(&path))
}

/// The folder locked against other processes, where that can be done.
fn lock(folder: &Path) -> Result<Option<File>, ManifestError> {
    match folder_lock::lock(folder) {
        Ok(FolderLock::Held(file)) => Ok(Some(file)),
        Ok(FolderLock::Unknown) => Ok(None),
        Ok(FolderLock::Busy) => Err(ManifestError::Busy {
            path: folder.to_path_buf(),
        }),
        Err(source) => Err(read_error(folder, source)),
    }
}
