//! Putting the three files of a pack in place.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use chess_records::{AtomicFile, AtomicFileError};

use super::left_over::OLD_META_NAME;
use super::{PackWriter, WritePackError};
use crate::pack::Meta;

/// A step after which a process may be killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The new files are on the disk, under other names.
    Written,
    /// The old `meta.json` is away.
    OldAway,
    /// The new `tokens.npy` is there.
    Tokens,
    /// The new `starts.npy` is there.
    Starts,
    /// The new `meta.json` is there.
    Meta,
}

impl PackWriter {
    /// Writes and renames. `goes_on` is told of each step; where it says no, everything is left as a
    /// killed process would leave it.
    pub(super) fn commit(
        mut self,
        goes_on: &mut dyn FnMut(Step) -> bool,
    ) -> Result<Meta, WritePackError> {
        if self.is_broken {
            return Err(WritePackError::Broken);
        }
        self.tokens.complete()?;
        self.starts.complete()?;
        // What is named first is dropped last.
        let Self {
            new_folder: _new_folder,
            lock: _lock,
            folder,
            meta,
            tokens,
            starts,
            ..
        } = self;
        let new_meta = write_meta(&folder, &meta)?;
        macro_rules! step {
            ($step:expr; $($left:expr),*) => {
                if !goes_on($step) {
                    $(std::mem::forget($left);)*
                    return Ok(meta);
                }
            };
        }
        step!(Step::Written; tokens, starts, new_meta);
        let old = OldMeta::take_away(&folder)?;
        step!(Step::OldAway; tokens, starts, new_meta, old);
        if let Err(error) = tokens.finish() {
            // Nothing was replaced yet, unless it is only not known to be on the disk.
            if !matches!(error, AtomicFileError::SyncFolder { .. }) {
                old.put_back();
            }
            return Err(error.into());
        }
        step!(Step::Tokens; starts, new_meta, old);
        starts.finish()?;
        step!(Step::Starts; new_meta, old);
        new_meta.finish()?;
        step!(Step::Meta; old);
        old.remove();
        Ok(meta)
    }
}

fn write_meta(folder: &Path, meta: &Meta) -> Result<AtomicFile, AtomicFileError> {
    let path = folder.join(Meta::FILE_NAME);
    let mut file = AtomicFile::create(&path)?;
    let written = file.write_all(meta.to_json().as_bytes());
    written.map_err(|source| AtomicFileError::Write { path, source })?;
    file.sync()?;
    Ok(file)
}

/// The `meta.json` of the pack that is replaced.
struct OldMeta {
    path: PathBuf,
    /// Where it is now, if there was one.
    aside: Option<PathBuf>,
}

impl OldMeta {
    /// Takes the file away and makes sure that it stays away.
    fn take_away(folder: &Path) -> Result<Self, WritePackError> {
        let path = folder.join(Meta::FILE_NAME);
        // The next writer removes it.
        let aside = folder.join(OLD_META_NAME);
        let aside = match fs::rename(&path, &aside) {
            Ok(()) => Some(aside),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(source) => return Err(WritePackError::Old { path, source }),
        };
        let old = Self { path, aside };
        match sync_folder(folder) {
            Ok(()) => Ok(old),
            Err(source) => {
                let path = old.path.clone();
                old.put_back();
                Err(WritePackError::Old { path, source })
            }
        }
    }

    fn put_back(self) {
        if let Some(aside) = self.aside {
            // There is another error to tell already.
            let _ = fs::rename(aside, self.path);
        }
    }

    /// Gives the new file the old one's permissions and removes the old one. The new pack is in place
    /// whether this works or not.
    fn remove(self) {
        if let Some(aside) = self.aside {
            if let Ok(old) = fs::metadata(&aside) {
                let _ = fs::set_permissions(&self.path, old.permissions());
            }
            let _ = fs::remove_file(aside);
        }
    }
}

#[cfg(unix)]
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Elsewhere a folder cannot be opened as a file, and renaming is as safe as the system makes it.
#[cfg(not(unix))]
pub(super) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
