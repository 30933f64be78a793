//! Files that keep a second process out.

use std::fs::{File, TryLockError};
use std::io;

/// Makes the file if it is not there, and locks it; `None` if it is locked already. The system unlocks
/// it when the process ends, however it does.
#[cfg(feature = "train")]
pub(crate) fn create(path: &std::path::Path) -> io::Result<Option<File>> {
    let file = std::fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)?;
    Ok(lock(&file)?.then_some(file))
}

/// Locks a file, unless it is locked already.
pub(crate) fn lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}
