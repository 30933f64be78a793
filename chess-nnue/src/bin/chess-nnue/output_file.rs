//! Files that the tool writes: whole or not at all, and never over another unless told to.

use std::io::Write;
use std::path::Path;

use chess_records::AtomicFile;

use crate::Outcome;

/// Refuses a path where a file stands already.
pub(crate) fn check_free(path: &Path, force: bool) -> Outcome {
    if !force && path.symlink_metadata().is_ok() {
        let shown = path.display();
        return Err(format!("{shown} is there already, --force overwrites it").into());
    }
    Ok(())
}

/// Writes a file under its name only when it is whole.
pub(crate) fn write(path: &Path, bytes: &[u8], force: bool) -> Outcome {
    check_free(path, force)?;
    let mut file = AtomicFile::create(path)?;
    let written = file.write_all(bytes);
    written.map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    Ok(file.finish()?)
}
