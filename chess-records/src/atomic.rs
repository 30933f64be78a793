//! Files that are there whole or not at all.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use thiserror::Error;

use crate::permutation::{GOLDEN_GAMMA, mix};

/// A file that takes its place only when it is finished.
///
/// What is written goes to a temporary file beside the target. [`AtomicFile::finish`] brings it
/// safely to the disk and renames it over the target: whoever opens the target finds the old file or
/// the whole new one, even after a crash. An `AtomicFile` that is dropped unfinished removes the
/// temporary file and leaves the target as it was.
///
/// An existing target is replaced, and its permissions are kept; whether that is wanted is for the
/// caller to ask first. What is no regular file, or may not be written, is not replaced.
#[derive(Debug)]
pub struct AtomicFile {
    target: PathBuf,
    temporary: PathBuf,
    /// `None` once the file is closed.
    file: Option<BufWriter<File>>,
    renamed: bool,
}

/// Why a file could not be written. The target is as it was, unless noted.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AtomicFileError {
    /// The path names no file, such as `..`.
    #[error("{}: names no file", path.display())]
    NoName {
        /// The path.
        path: PathBuf,
    },
    /// The target is a folder.
    #[error("{}: is a folder, a file cannot take its place", path.display())]
    Folder {
        /// The target.
        path: PathBuf,
    },
    /// The target is a symbolic link: renaming would replace the link and not the file it points to,
    /// which is seldom what is meant.
    #[error("{}: is a symbolic link, name the file it points to", path.display())]
    Symlink {
        /// The target.
        path: PathBuf,
    },
    /// The target is a device, a pipe or a socket.
    #[error("{}: is no regular file", path.display())]
    NotRegular {
        /// The target.
        path: PathBuf,
    },
    /// The target may not be written.
    #[error("{}: is read-only", path.display())]
    ReadOnly {
        /// The target.
        path: PathBuf,
    },
    /// The target cannot be examined.
    #[error("{}: cannot be examined", path.display())]
    Examine {
        /// The target.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The temporary file beside the target cannot be made.
    #[error("{}: cannot be created in its folder", path.display())]
    Create {
        /// The target.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// What was written cannot be brought to the disk.
    #[error("{}: cannot be written", path.display())]
    Write {
        /// The temporary file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The temporary file cannot be renamed.
    #[error("{}: cannot be put in place", path.display())]
    Rename {
        /// The target.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The new file is in place, but may not be there after a crash: the folder cannot be brought to
    /// the disk.
    #[error("{}: the folder cannot be brought to the disk", path.display())]
    SyncFolder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl AtomicFile {
    /// Begins a file that is to stand at `target`.
    ///
    /// # Errors
    ///
    /// When the target is there and is no regular file or may not be written, or when no file can be
    /// made beside it.
    pub fn create(target: impl Into<PathBuf>) -> Result<Self, AtomicFileError> {
        let target = target.into();
        check_target(&target)?;
        let (temporary, file) = create_beside(&target)?;
        Ok(Self {
            target,
            temporary,
            file: Some(BufWriter::new(file)),
            renamed: false,
        })
    }

    /// Where the file will stand.
    #[must_use]
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Brings what was written so far to the disk. Where several files belong together, what can go
    /// wrong has then gone wrong before the first of them is [finished](Self::finish).
    ///
    /// # Errors
    ///
    /// When the system cannot write.
    pub fn sync(&mut self) -> Result<(), AtomicFileError> {
        let file = self.open_file();
        let synced = file.and_then(|file| file.flush().and_then(|()| file.get_ref().sync_all()));
        synced.map_err(|source| AtomicFileError::Write {
            path: self.temporary.clone(),
            source,
        })
    }

    /// Brings what was written to the disk and puts the file in its place.
    ///
    /// # Errors
    ///
    /// When the system cannot write or rename. The target is then as it was, except after
    /// [`AtomicFileError::SyncFolder`].
    pub fn finish(mut self) -> Result<(), AtomicFileError> {
        let closed = self.close().and_then(|()| self.keep_permissions());
        closed.map_err(|source| AtomicFileError::Write {
            path: self.temporary.clone(),
            source,
        })?;
        rename(&self.temporary, &self.target)?;
        self.renamed = true;
        sync_folder(folder(&self.target))
    }

    /// Windows renames no open file.
    fn close(&mut self) -> io::Result<()> {
        let Some(file) = self.file.take() else {
            return Ok(());
        };
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()
    }

    fn keep_permissions(&self) -> io::Result<()> {
        match fs::metadata(&self.target) {
            Ok(old) => fs::set_permissions(&self.temporary, old.permissions()),
            Err(_) => Ok(()),
        }
    }

    fn open_file(&mut self) -> io::Result<&mut BufWriter<File>> {
        let closed = || io::Error::other("the file is closed");
        self.file.as_mut().ok_or_else(closed)
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.open_file()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.open_file()?.flush()
    }
}

/// For formats whose start tells how much follows.
impl Seek for AtomicFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.open_file()?.seek(to)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            // Without the parts a BufWriter would still write what it holds.
            drop(file.into_parts());
        }
        if !self.renamed {
            // Nothing can be done about a temporary file that cannot be removed.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

fn rename(temporary: &Path, target: &Path) -> Result<(), AtomicFileError> {
    fs::rename(temporary, target).map_err(|source| {
        let path = target.to_path_buf();
        AtomicFileError::Rename { path, source }
    })
}

/// Puts a closed file that was brought to the disk in the place of `target`, as
/// [`AtomicFile::finish`] does.
#[cfg(feature = "formats")]
pub(crate) fn put_in_place(temporary: &Path, target: &Path) -> Result<(), AtomicFileError> {
    rename(temporary, target)?;
    sync_folder(folder(target))
}

pub(crate) fn check_target(target: &Path) -> Result<(), AtomicFileError> {
    let path = target.to_path_buf();
    if target.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Err(AtomicFileError::NoName { path });
    }
    match fs::symlink_metadata(target) {
        Ok(metadata) if metadata.is_dir() => Err(AtomicFileError::Folder { path }),
        Ok(metadata) if metadata.is_symlink() => Err(AtomicFileError::Symlink { path }),
        Ok(metadata) if !metadata.is_file() => Err(AtomicFileError::NotRegular { path }),
        Ok(metadata) if metadata.permissions().readonly() => {
            Err(AtomicFileError::ReadOnly { path })
        }
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(AtomicFileError::Examine { path, source }),
    }
}

/// The folder, in a form that can be opened: "data.bin" stands in ".".
pub(crate) fn folder(target: &Path) -> &Path {
    match target.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

fn create_beside(target: &Path) -> Result<(PathBuf, File), AtomicFileError> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let Some(name) = target.file_name() else {
        let path = target.to_path_buf();
        return Err(AtomicFileError::NoName { path });
    };
    loop {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let suffix = std::format!(".{}-{number}.tmp", process::id());
        let path = folder(target).join(hidden_name(name, &suffix));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((path, file)),
            // Left by a process that was killed and had the same number.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(source) => {
                let path = target.to_path_buf();
                return Err(AtomicFileError::Create { path, source });
            }
        }
    }
}

/// `.NAME` and a suffix of at most 50 bytes; a hash stands for a name that would make this longer than
/// file systems allow (255 bytes).
pub(crate) fn hidden_name(name: &OsStr, suffix: &str) -> OsString {
    const LONGEST: usize = 200;
    let mut hidden = OsString::from(".");
    if name.len() <= LONGEST {
        hidden.push(name);
    } else {
        let bytes = name.as_encoded_bytes().iter().copied().map(u64::from);
        let hash = bytes.fold(0, |hash, byte| mix(hash ^ byte).wrapping_add(GOLDEN_GAMMA));
        hidden.push(std::format!("{hash:016x}"));
    }
    hidden.push(suffix);
    hidden
}

#[cfg(unix)]
fn sync_folder(path: &Path) -> Result<(), AtomicFileError> {
    let synced = File::open(path).and_then(|folder| folder.sync_all());
    synced.map_err(|source| {
        let path = path.to_path_buf();
        AtomicFileError::SyncFolder { path, source }
    })
}

/// Elsewhere a folder cannot be opened as a file, and renaming is as safe as the system makes it.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> Result<(), AtomicFileError> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;
    use std::vec::Vec;

    fn names(folder: &Path) -> Vec<OsString> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name()).collect()
    }

    #[test]
    fn the_target_changes_only_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("data.bin");
        fs::write(&target, "old").unwrap();
        let mut file = AtomicFile::create(&target).unwrap();
        file.write_all(b"new").unwrap();
        file.flush().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"old");
        assert_eq!(file.target(), target);
        file.finish().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"new");
        assert_eq!(names(folder.path()), ["data.bin"]);
    }

    #[test]
    fn the_start_can_be_written_last() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("data.bin");
        let mut file = AtomicFile::create(&target).unwrap();
        file.write_all(b"? rows").unwrap();
        file.seek(SeekFrom::Start(0)).unwrap();
        file.write_all(b"7").unwrap();
        file.finish().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"7 rows");
    }

    #[test]
    fn dropping_leaves_no_trace() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("data.bin");
        fs::write(&target, "old").unwrap();
        let mut file = AtomicFile::create(&target).unwrap();
        file.write_all(&[7; 100_000]).unwrap();
        drop(file);
        assert_eq!(fs::read(&target).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["data.bin"]);
    }

    #[test]
    fn two_writers_do_not_disturb_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("data.bin");
        let mut one = AtomicFile::create(&target).unwrap();
        let mut two = AtomicFile::create(&target).unwrap();
        one.write_all(b"one").unwrap();
        two.write_all(b"two").unwrap();
        two.finish().unwrap();
        one.finish().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"one");
    }

    #[test]
    fn names_as_long_as_the_system_allows() {
        let folder = tempfile::tempdir().unwrap();
        for len in [200, 201, 255] {
            let target = folder.path().join("x".repeat(len));
            let mut file = AtomicFile::create(&target).unwrap();
            file.write_all(b"new").unwrap();
            file.finish().unwrap();
            assert_eq!(fs::read(&target).unwrap(), b"new");
        }
        assert_eq!(names(folder.path()).len(), 3);
        let hidden = |name: &str| hidden_name(OsStr::new(name), ".tmp");
        assert_eq!(hidden("data.bin"), ".data.bin.tmp");
        assert_ne!(hidden(&"x".repeat(255)), hidden(&"x".repeat(254)));
        assert_eq!(hidden(&"y".repeat(255)).len(), 21);
    }

    #[test]
    fn targets_that_cannot_be_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let shown = path.display();
        let error = |target: &Path| AtomicFile::create(target).unwrap_err().to_string();
        assert_eq!(
            error(path),
            std::format!("{shown}: is a folder, a file cannot take its place")
        );
        assert_eq!(error(Path::new("")), ": names no file");
        assert_eq!(error(Path::new("new/")), "new/: names no file");
        let missing = error(&path.join("missing").join("data.bin"));
        assert!(
            missing.ends_with("data.bin: cannot be created in its folder"),
            "{missing}"
        );
        assert!(names(path).is_empty());
    }

    #[test]
    fn a_file_that_may_not_be_written_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("data.bin");
        fs::write(&target, "old").unwrap();
        let mut permissions = fs::metadata(&target).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&target, permissions).unwrap();
        let error = AtomicFile::create(&target).unwrap_err();
        assert_eq!(
            error.to_string(),
            std::format!("{}: is read-only", target.display())
        );
    }

    #[test]
    #[cfg(unix)]
    fn permissions_are_kept_and_sockets_are_not_replaced() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("data.bin");
        fs::write(&target, "old").unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o600)).unwrap();
        AtomicFile::create(&target).unwrap().finish().unwrap();
        let mode = fs::metadata(&target).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let error = AtomicFile::create(&socket).unwrap_err();
        assert_eq!(
            error.to_string(),
            std::format!("{}: is no regular file", socket.display())
        );
    }

    #[test]
    #[cfg(unix)]
    fn symbolic_links_are_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("elsewhere", &link).unwrap();
        assert_eq!(
            AtomicFile::create(&link).unwrap_err().to_string(),
            std::format!(
                "{}: is a symbolic link, name the file it points to",
                link.display()
            )
        );
    }

    #[test]
    fn what_was_synced_is_not_yet_in_place() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("data.bin");
        let mut file = AtomicFile::create(&target).unwrap();
        file.write_all(b"synced").unwrap();
        file.sync().unwrap();
        assert!(!target.exists());
        let written = fs::read(&file.temporary).unwrap();
        assert_eq!(written, b"synced", "nothing is left in a buffer");
        file.write_all(b" and more").unwrap();
        file.finish().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"synced and more");
    }

    #[test]
    fn a_target_that_became_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("data.bin");
        let file = AtomicFile::create(&target).unwrap();
        fs::create_dir(&target).unwrap();
        assert_eq!(
            file.finish().unwrap_err().to_string(),
            std::format!("{}: cannot be put in place", target.display())
        );
        assert_eq!(names(folder.path()), ["data.bin"]);
    }

    #[test]
    fn texts_of_the_other_errors() {
        let path = || PathBuf::from("data.bin");
        let source = || io::Error::other("full");
        for (error, text) in [
            (
                AtomicFileError::Examine {
                    path: path(),
                    source: source(),
                },
                "data.bin: cannot be examined",
            ),
            (
                AtomicFileError::Write {
                    path: path(),
                    source: source(),
                },
                "data.bin: cannot be written",
            ),
            (
                AtomicFileError::SyncFolder {
                    path: path(),
                    source: source(),
                },
                "data.bin: the folder cannot be brought to the disk",
            ),
        ] {
            assert_eq!(error.to_string(), text);
        }
    }

    #[test]
    fn names_without_a_folder_stand_in_the_current_one() {
        assert_eq!(folder(Path::new("data.bin")), Path::new("."));
        assert_eq!(folder(Path::new("a/data.bin")), Path::new("a"));
    }
}
