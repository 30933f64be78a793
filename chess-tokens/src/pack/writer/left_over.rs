//! What a writer that was killed has left.

use std::fs;
use std::io;
use std::path::Path;

use super::WritePackError;
use crate::pack::{Meta, STARTS_NAME, TOKENS_NAME};

/// Where the `meta.json` of a pack is while the pack is replaced.
pub(super) const OLD_META_NAME: &str = ".meta.json.old.tmp";

/// Whether a folder holds a pack that was to be the first there, and whose
/// [`PackWriter`](super::PackWriter) was killed while it put the files in place, or is just at it: some
/// of the files may be there, and no `meta.json`. The next writer begins anew.
///
/// A folder that cannot be looked at holds none.
#[must_use]
pub fn is_unfinished(folder: impl AsRef<Path>) -> bool {
    names(folder.as_ref()).is_ok_and(|names| are_of_unfinished(&names))
}

fn names(folder: &Path) -> io::Result<Vec<String>> {
    let entries = fs::read_dir(folder)?;
    entries
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect()
}

/// The new `meta.json` is written before the first file is put in place, and put in place last.
fn are_of_unfinished(names: &[String]) -> bool {
    let has = |wanted: &str| names.iter().any(|name| name == wanted);
    let new_meta = names.iter().filter(|name| *name != OLD_META_NAME);
    let mut new_meta = new_meta.filter(|name| temporary_of(name) == Some(Meta::FILE_NAME));
    !has(Meta::FILE_NAME) && !has(OLD_META_NAME) && new_meta.next().is_some()
}

/// Removes it. No other writer is at work.
pub(super) fn remove(folder: &Path) -> Result<(), WritePackError> {
    let error = |source| WritePackError::Folder {
        path: folder.to_path_buf(),
        source,
    };
    let names = names(folder).map_err(error)?;
    // First of all what is known for a left-over by the others.
    if are_of_unfinished(&names) {
        let placed = |name: &&String| [TOKENS_NAME, STARTS_NAME].contains(&name.as_str());
        for name in names.iter().filter(placed) {
            fs::remove_file(folder.join(name)).map_err(error)?;
        }
    }
    for name in names.iter().filter(|name| temporary_of(name).is_some()) {
        fs::remove_file(folder.join(name)).map_err(error)?;
    }
    Ok(())
}

/// Of `.tokens.npy.77-0.tmp` and the like, what it was to become.
pub(super) fn temporary_of(name: &str) -> Option<&str> {
    let target = name.strip_prefix('.')?.strip_suffix(".tmp")?;
    let (target, _) = target.rsplit_once('.')?;
    [TOKENS_NAME, STARTS_NAME, Meta::FILE_NAME]
        .contains(&target)
        .then_some(target)
}
