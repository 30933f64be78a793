//! Folders that one process at a time writes to.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::Duration;

/// What came of locking a folder.
pub(crate) enum FolderLock {
    /// It is locked for as long as the file is open.
    Held(File),
    /// Somebody else has it.
    Busy,
    /// There are no locks here: a share without them, or a system where folders cannot be opened.
    Unknown,
}

/// How often a lock is tried. A process that is just being started by another thread holds a copy of
/// a lock that was let go until it is its own program.
const TRIES: u32 = 20;
const BETWEEN: Duration = Duration::from_millis(10);

/// Locks a folder against other processes.
///
/// # Errors
///
/// When it cannot be opened.
pub(crate) fn lock(folder: &Path) -> io::Result<FolderLock> {
    if cfg!(not(unix)) {
        return Ok(FolderLock::Unknown);
    }
    let file = File::open(folder)?;
    for _ in 0..TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(FolderLock::Held(file)),
            Err(TryLockError::WouldBlock) => thread::sleep(BETWEEN),
            Err(TryLockError::Error(_)) => return Ok(FolderLock::Unknown),
        }
    }
    Ok(FolderLock::Busy)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let held = lock(folder.path()).unwrap();
        assert!(matches!(held, FolderLock::Held(_)));
        assert!(matches!(lock(folder.path()), Ok(FolderLock::Busy)));
        let later = thread::spawn(move || {
            thread::sleep(Duration::from_millis(30));
            drop(held);
        });
        assert!(matches!(lock(folder.path()), Ok(FolderLock::Held(_))));
        later.join().unwrap();
    }
}
