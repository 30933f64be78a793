//! What a writer that was killed has left.

use std::fs;
use std::io;
use std::path::Path;

use super::WritePackError;
use super::commit::sync_folder;
use crate::pack::{Meta, STARTS_NAME, TOKENS_NAME};

/// Where the `meta.json` of a pack is while the pack is replaced.
pub(in crate::pack) const OLD_META_NAME: &str = ".meta.json.old.tmp";

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

/// Puts a pack that is half replaced right, and removes what else is left. No other writer is at work.
pub(super) fn clear(folder: &Path) -> Result<(), WritePackError> {
    let error = |source| WritePackError::Folder {
        path: folder.to_path_buf(),
        source,
    };
    let put_right = names(folder).and_then(|names| put_right(folder, &names));
    put_right.map_err(error)?;
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

/// Ends what a writer was killed in the middle of: with the old pack, if none of its files was replaced
/// yet, else with the new one, all of which is on the disk. Where the writer failed instead, the new files
/// are gone, and nothing can be done.
fn put_right(folder: &Path, names: &[String]) -> io::Result<()> {
    let has = |wanted: &str| names.iter().any(|name| name == wanted);
    if has(Meta::FILE_NAME) || !has(OLD_META_NAME) {
        return Ok(());
    }
    let new = |target| {
        let mut new = names.iter().filter(|name| *name != OLD_META_NAME);
        new.find(|name| temporary_of(name) == Some(target))
    };
    if new(TOKENS_NAME).is_some() {
        fs::rename(folder.join(OLD_META_NAME), folder.join(Meta::FILE_NAME))?;
        return sync_folder(folder);
    }
    let Some(new_meta) = new(Meta::FILE_NAME) else {
        return Ok(());
    };
    if let Some(new_starts) = new(STARTS_NAME) {
        replace(folder, STARTS_NAME, new_starts, STARTS_NAME)?;
    }
    replace(folder, OLD_META_NAME, new_meta, Meta::FILE_NAME)
}

/// Puts a new file in its place, with the permissions of the old one.
fn replace(folder: &Path, old: &str, new: &str, target: &str) -> io::Result<()> {
    let (old, new) = (folder.join(old), folder.join(new));
    fs::set_permissions(&new, fs::metadata(old)?.permissions())?;
    fs::rename(new, folder.join(target))?;
    sync_folder(folder)
}

/// Of `.tokens.npy.77-0.tmp` and the like, what it was to become.
pub(super) fn temporary_of(name: &str) -> Option<&str> {
    let target = name.strip_prefix('.')?.strip_suffix(".tmp")?;
    let (target, _) = target.rsplit_once('.')?;
    [TOKENS_NAME, STARTS_NAME, Meta::FILE_NAME]
        .contains(&target)
        .then_some(target)
}
