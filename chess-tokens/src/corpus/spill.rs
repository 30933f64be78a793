//! Folders for what does not fit into memory, of which those that killed processes have left are removed.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

/// What the folders of sessions are called.
const PREFIX: &str = "session-";

/// The folder of one session; it goes with it.
pub(super) struct SpillFolder {
    path: PathBuf,
    /// Locked for as long as the session lives, where that can be done. What is not locked is nobody's.
    lock: Option<File>,
}

impl SpillFolder {
    /// Makes a folder in `parent`, which is made too, and removes what others have left there.
    pub(super) fn make(parent: &Path) -> io::Result<Self> {
        static COUNTER: AtomicU32 = AtomicU32::new(0);
        fs::create_dir_all(parent)?;
        remove_left(parent)?;
        loop {
            let number = COUNTER.fetch_add(1, Ordering::Relaxed);
            let path = parent.join(format!("{PREFIX}{}-{number}", process::id()));
            fs::create_dir_all(&path)?;
            let lock = lock(&path)?;
            // Another session may have taken it for one that was left.
            if path.is_dir() {
                return Ok(Self { path, lock });
            }
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for SpillFolder {
    fn drop(&mut self) {
        drop(self.lock.take());
        // The next session removes what cannot be removed now.
        let _ = fs::remove_dir_all(&self.path);
    }
}

#[cfg(unix)]
fn lock(folder: &Path) -> io::Result<Option<File>> {
    match File::open(folder) {
        Ok(file) => Ok(file.try_lock().is_ok().then_some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Elsewhere a folder cannot be opened as a file.
#[cfg(not(unix))]
fn lock(_: &Path) -> io::Result<Option<File>> {
    Ok(None)
}

/// Removes folders of sessions that are not locked. Where folders have no locks, nothing is.
fn remove_left(parent: &Path) -> io::Result<()> {
    for entry in fs::read_dir(parent)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        if !name.is_some_and(|name| name.starts_with(PREFIX)) {
            continue;
        }
        let Ok(Some(lock)) = lock(&path) else {
            continue;
        };
        // Whoever removes it too leaves nothing to do.
        let _ = fs::remove_dir_all(&path);
        drop(lock);
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_goes_and_what_is_used_stays() {
        let folder = tempfile::tempdir().unwrap();
        let parent = folder.path().join("spill");
        let left = parent.join("session-1-0");
        fs::create_dir_all(left.join("datafusion-x")).unwrap();
        fs::create_dir_all(parent.join("mine")).unwrap();
        let one = SpillFolder::make(&parent).unwrap();
        assert!(!left.exists() && one.path().is_dir());
        let two = SpillFolder::make(&parent).unwrap();
        assert!(one.path().is_dir() && two.path() != one.path());
        drop(one);
        drop(two);
        let names: Vec<_> = fs::read_dir(&parent)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(names, ["mine"]);
    }
}
