//! A folder for temporary files beside an output.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::string::String;

use super::{FilesError, Output};
use crate::AtomicFileError;
use crate::atomic::{folder, hidden_name, put_in_place};

const LOCK: &str = "lock";
const JOB: &str = "job";
const STATE: &str = "state";
const RESULT: &str = "result";

/// A hidden folder beside the output, named after it, which one process at a time may use. What a
/// killed process left there is found again by the next that writes the same output: it goes on if
/// it has the same job, and else begins anew.
#[derive(Debug)]
pub(super) struct Scratch {
    folder: PathBuf,
    target: PathBuf,
    /// Held as long as this lives. `None` once given up.
    lock: Option<File>,
    /// Whether the files stay when this is dropped.
    keep: bool,
}

impl Scratch {
    /// Takes the folder of `output` for `job`, a text that tells this job from any other.
    pub(super) fn open(output: &Output, job: &str) -> Result<Self, FilesError> {
        let scratch = Self::take(output)?;
        if scratch.read_text(JOB).as_deref() != Some(job) {
            scratch.clear()?;
            scratch.write_text(JOB, job)?;
        }
        Ok(scratch)
    }

    /// Takes the folder of `output` and empties it.
    #[cfg(test)]
    pub(super) fn open_anew(output: &Output) -> Result<Self, FilesError> {
        let scratch = Self::take(output)?;
        scratch.clear()?;
        Ok(scratch)
    }

    fn take(output: &Output) -> Result<Self, FilesError> {
        let target = output.path().to_path_buf();
        let folder = scratch_folder(&target)?;
        make_folder(&folder, &target)?;
        Ok(Self {
            lock: Some(lock(&folder)?),
            folder,
            target,
            keep: false,
        })
    }

    /// A file in the folder.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Where the result is written.
    pub(super) fn result(&self) -> PathBuf {
        self.path(RESULT)
    }

    /// How far the job came, as last noted.
    pub(super) fn state(&self) -> Option<String> {
        self.read_text(STATE)
    }

    pub(super) fn note_state(&self, state: &str) -> Result<(), FilesError> {
        self.write_text(STATE, state)
    }

    /// Removes a file of the folder that is needed no more.
    pub(super) fn remove(&self, path: &Path) -> Result<(), FilesError> {
        remove_if_there(path)
    }

    pub(super) fn forget_state(&self) -> Result<(), FilesError> {
        remove_if_there(&self.path(STATE))
    }

    /// Puts the result, which must have been brought to the disk, in the output's place.
    pub(super) fn finish(self) -> Result<(), FilesError> {
        // Large files first: a process that dies after renaming leaves next to nothing.
        self.clear_all_but(&[LOCK, JOB, STATE, RESULT])?;
        self.keep_permissions()?;
        put_in_place(&self.result(), &self.target)?;
        Ok(())
    }

    /// Finishes work that is done; leaves the files of work that was cancelled for another run to go
    /// on with.
    pub(super) fn finish_or_keep<T>(
        mut self,
        work: Result<T, FilesError>,
    ) -> Result<T, FilesError> {
        self.keep = work.as_ref().is_err_and(FilesError::is_cancelled);
        let done = work?;
        self.finish()?;
        Ok(done)
    }

    /// Leaves the files for another run to go on with.
    pub(super) fn keep(mut self) {
        self.keep = true;
    }

    /// Where the result will stand.
    pub(super) fn target(&self) -> &Path {
        &self.target
    }

    fn keep_permissions(&self) -> Result<(), FilesError> {
        let Ok(old) = fs::metadata(&self.target) else {
            return Ok(());
        };
        let kept = fs::set_permissions(self.result(), old.permissions());
        kept.map_err(|source| FilesError::write(&self.result(), source))
    }

    fn read_text(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.path(name)).ok()
    }

    /// By renaming, so that a text is there whole or not at all.
    fn write_text(&self, name: &str, text: &str) -> Result<(), FilesError> {
        let new = self.path("new");
        let written = fs::write(&new, text).and_then(|()| fs::rename(&new, self.path(name)));
        written.map_err(|source| FilesError::scratch(&new, source))
    }

    fn clear(&self) -> Result<(), FilesError> {
        self.clear_all_but(&[LOCK])
    }

    fn clear_all_but(&self, kept: &[&str]) -> Result<(), FilesError> {
        let error = |source| FilesError::scratch(&self.folder, source);
        for entry in fs::read_dir(&self.folder).map_err(error)? {
            let entry = entry.map_err(error)?;
            if kept.iter().all(|&kept| entry.file_name() != kept) {
                remove_if_there(&entry.path())?;
            }
        }
        Ok(())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !self.keep {
            // What cannot be removed now is found and removed by the next run. The lock is given up
            // last but one: some systems remove no open file.
            let _ = self.clear();
            self.lock = None;
            let _ = fs::remove_file(self.path(LOCK));
            let _ = fs::remove_dir(&self.folder);
        }
    }
}

fn scratch_folder(target: &Path) -> Result<PathBuf, FilesError> {
    let Some(name) = target.file_name() else {
        let path = target.to_path_buf();
        return Err(AtomicFileError::NoName { path }.into());
    };
    Ok(folder(target).join(hidden_name(name, ".chess-records")))
}

/// Whether an interrupted run left something to go on with.
pub(super) fn has_state(target: &Path) -> bool {
    scratch_folder(target).is_ok_and(|folder| folder.join(STATE).is_file())
}

/// A new folder, or one that was made here: with a lock, or empty if its maker was killed at once.
fn make_folder(folder: &Path, target: &Path) -> Result<(), FilesError> {
    let error = |source| FilesError::scratch(folder, source);
    match fs::create_dir(folder) {
        Err(source) if source.kind() == io::ErrorKind::AlreadyExists => {}
        made => {
            return made.map_err(|source| {
                let path = target.to_path_buf();
                AtomicFileError::Create { path, source }.into()
            });
        }
    }
    let is_folder = fs::symlink_metadata(folder).map_err(error)?.is_dir();
    let ours = is_folder
        && (folder.join(LOCK).is_file() || fs::read_dir(folder).map_err(error)?.next().is_none());
    if !ours {
        let path = folder.to_path_buf();
        return Err(FilesError::Foreign { path });
    }
    Ok(())
}

fn lock(folder: &Path) -> Result<File, FilesError> {
    let path = folder.join(LOCK);
    let mut options = OpenOptions::new();
    let opened = options.write(true).create(true).truncate(false).open(&path);
    let file = opened.map_err(|source| FilesError::scratch(&path, source))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            let path = folder.to_path_buf();
            Err(FilesError::Busy { path })
        }
        Err(TryLockError::Error(source)) => Err(FilesError::scratch(&path, source)),
    }
}

fn remove_if_there(path: &Path) -> Result<(), FilesError> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(FilesError::scratch(path, source))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn the_same_job_finds_its_files_again() {
        let folder = tempfile::tempdir().unwrap();
        let output = Output::new(folder.path().join("out"));
        let cancelled = || Err::<(), _>(FilesError::Cancelled);
        let scratch = Scratch::open(&output, "job 1").unwrap();
        scratch.note_state("half").unwrap();
        assert!(scratch.finish_or_keep(cancelled()).is_err());
        let again = Scratch::open(&output, "job 1").unwrap();
        assert_eq!(again.state().as_deref(), Some("half"));
        assert!(again.finish_or_keep(cancelled()).is_err());
        let other = Scratch::open(&output, "job 2").unwrap();
        assert_eq!(other.state(), None);
        fs::write(other.result(), "done").unwrap();
        other.finish().unwrap();
        assert_eq!(fs::read_to_string(output.path()).unwrap(), "done");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn one_run_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let output = Output::new(folder.path().join("out"));
        let _first = Scratch::open(&output, "job").unwrap();
        let error = Scratch::open(&output, "job").unwrap_err();
        assert_eq!(
            error.to_string(),
            std::format!(
                "{}: another run is at work here",
                folder.path().join(".out.chess-records").display()
            )
        );
    }

    #[test]
    fn foreign_folders_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let output = Output::new(folder.path().join("out"));
        let foreign = folder.path().join(".out.chess-records");
        fs::create_dir(&foreign).unwrap();
        fs::write(foreign.join("mine"), "precious").unwrap();
        let error = Scratch::open(&output, "job").unwrap_err().to_string();
        assert!(
            error.ends_with(": stands in the way of temporary files and is none"),
            "{error}"
        );
        assert!(foreign.join("mine").exists());
        assert!(Scratch::open(&Output::new(".."), "job").is_err());
    }
}
