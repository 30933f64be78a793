//! Files of records: read into memory, or mapped.
#![cfg_attr(feature = "mmap", allow(unsafe_code))]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::vec::Vec;

use thiserror::Error;

use crate::{Fault, FixedRecord, RecordView, ViewError};

/// The bytes of a file.
#[derive(Debug)]
pub struct FileBytes(Bytes);

#[derive(Debug)]
enum Bytes {
    Read(Vec<u8>),
    #[cfg(feature = "mmap")]
    Mapped(memmap2::Mmap),
}

/// Why a file could not be opened.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OpenError {
    /// There is no such file.
    #[error("{}: no such file", path.display())]
    NotFound {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file may not be read.
    #[error("{}: no permission to read", path.display())]
    PermissionDenied {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The path is a folder's.
    #[error("{}: is a folder, expected a file", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
    },
    /// The file has no bytes: more likely a failed download or an unfinished write than data.
    #[error("{}: is empty", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// Reading failed in another way.
    #[error("{}: cannot be read", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file's bytes are no records.
    #[error("{}: is no file of records", path.display())]
    View {
        /// The file.
        path: PathBuf,
        /// What is wrong with its length.
        source: ViewError,
    },
}

impl FileBytes {
    /// Reads a whole file into memory.
    ///
    /// # Errors
    ///
    /// An [`OpenError`] that names the file.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let path = path.as_ref();
        refuse_folder(path)?;
        let bytes = fs::read(path).map_err(|source| io_error(path, source))?;
        Self(Bytes::Read(bytes)).refuse_empty(path)
    }

    /// Maps a file into memory: nothing is read until it is looked at, and the system may drop and
    /// read again what is not in use, so that the file may be larger than memory.
    ///
    /// # Safety
    ///
    /// The file must not change, and above all not be shortened, by this process or any other,
    /// while it is mapped. Bytes borrowed from the map would change under their borrower, which is
    /// undefined behaviour; and looking past the end of a shortened file ends the process (SIGBUS on
    /// Unix, a structured exception on Windows). A failing disk or network share does the same.
    /// Replacing the file by renaming another over it, as [`AtomicFile`](crate::AtomicFile) does,
    /// leaves the map as it is on Unix; Windows refuses it while the file is mapped.
    ///
    /// # Errors
    ///
    /// An [`OpenError`] that names the file.
    #[cfg(feature = "mmap")]
    pub unsafe fn map(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let path = path.as_ref();
        refuse_folder(path)?;
        let file = fs::File::open(path).map_err(|source| io_error(path, source))?;
        let metadata = file.metadata().map_err(|source| io_error(path, source))?;
        if metadata.len() == 0 {
            let path = path.to_path_buf();
            return Err(OpenError::Empty { path });
        }
        // SAFETY: the caller promises that nobody changes the file while it is mapped.
        let map = unsafe { memmap2::Mmap::map(&file) };
        let map = map.map_err(|source| io_error(path, source))?;
        Ok(Self(Bytes::Mapped(map)))
    }

    fn refuse_empty(self, path: &Path) -> Result<Self, OpenError> {
        if self.as_ref().is_empty() {
            let path = path.to_path_buf();
            return Err(OpenError::Empty { path });
        }
        Ok(self)
    }
}

impl AsRef<[u8]> for FileBytes {
    fn as_ref(&self) -> &[u8] {
        match &self.0 {
            Bytes::Read(bytes) => bytes,
            #[cfg(feature = "mmap")]
            Bytes::Mapped(map) => map,
        }
    }
}

/// Systems differ in what they say when a folder is opened or read as a file.
fn refuse_folder(path: &Path) -> Result<(), OpenError> {
    let metadata = fs::metadata(path).map_err(|source| io_error(path, source))?;
    if metadata.is_dir() {
        let path = path.to_path_buf();
        return Err(OpenError::Folder { path });
    }
    Ok(())
}

fn io_error(path: &Path, source: io::Error) -> OpenError {
    let path = path.to_path_buf();
    match source.kind() {
        io::ErrorKind::NotFound => OpenError::NotFound { path, source },
        io::ErrorKind::PermissionDenied => OpenError::PermissionDenied { path, source },
        _ => OpenError::Io { path, source },
    }
}

/// A file of records: a [view](RecordView) of its bytes that knows the file's path and names it in
/// errors.
///
/// It is a [`Dataset`](crate::Dataset).
#[derive(Debug)]
pub struct RecordFile<R: FixedRecord> {
    path: PathBuf,
    view: RecordView<R, FileBytes>,
}

/// A record in a file that is not what its format says.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", path.display())]
#[non_exhaustive]
pub struct FileFault<E: std::error::Error + 'static> {
    /// The file.
    pub path: PathBuf,
    /// The fault, with the record's number and byte offset.
    #[source]
    pub fault: Fault<E>,
}

impl<R: FixedRecord> RecordFile<R> {
    /// Reads a whole file into memory.
    ///
    /// # Errors
    ///
    /// An [`OpenError`] that names the file.
    pub fn read(path: impl Into<PathBuf>) -> Result<Self, OpenError> {
        let path = path.into();
        let bytes = FileBytes::read(&path)?;
        Self::new(path, bytes)
    }

    /// Maps a file into memory; see [`FileBytes::map`].
    ///
    /// # Safety
    ///
    /// The file must not be changed or shortened while it is mapped, as [`FileBytes::map`] explains.
    ///
    /// # Errors
    ///
    /// An [`OpenError`] that names the file.
    #[cfg(feature = "mmap")]
    pub unsafe fn map(path: impl Into<PathBuf>) -> Result<Self, OpenError> {
        let path = path.into();
        // SAFETY: the caller promises what `FileBytes::map` asks for.
        let bytes = unsafe { FileBytes::map(&path) }?;
        Self::new(path, bytes)
    }

    fn new(path: PathBuf, bytes: FileBytes) -> Result<Self, OpenError> {
        match RecordView::new(bytes) {
            Ok(view) => Ok(Self { path, view }),
            Err(source) => Err(OpenError::View { path, source }),
        }
    }

    /// The file's path, as given.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The records.
    #[must_use]
    pub const fn view(&self) -> &RecordView<R, FileBytes> {
        &self.view
    }

    /// All records.
    #[must_use]
    pub fn records(&self) -> &[R] {
        self.view.records()
    }

    /// How many records there are: at least one.
    #[must_use]
    #[allow(clippy::len_without_is_empty)] // Empty files are refused.
    pub fn len(&self) -> u64 {
        self.view.len()
    }

    /// A record, unless `index` is past the end.
    #[must_use]
    pub fn get(&self, index: u64) -> Option<&R> {
        self.view.get(index)
    }

    /// Checks a record and says what it holds.
    ///
    /// # Errors
    ///
    /// A [`FileFault`] with the file, the record's number and its byte offset.
    ///
    /// # Panics
    ///
    /// When `index` is past the end.
    pub fn decode(&self, index: u64) -> Result<crate::LabelledPosition, FileFault<R::Error>> {
        self.view.decode(index).map_err(|fault| self.named(fault))
    }

    /// Checks every record and yields those that are at fault, in order.
    pub fn verify(&self) -> impl Iterator<Item = FileFault<R::Error>> {
        self.view.verify().map(|fault| self.named(fault))
    }

    fn named(&self, fault: Fault<R::Error>) -> FileFault<R::Error> {
        let path = self.path.clone();
        FileFault { path, fault }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dataset, DatasetError, MarlinRecord};
    use std::error::Error;
    use std::string::ToString;

    /// Bare kings, White to move, draw.
    const KINGS: [u8; 32] = {
        let mut bytes = [0; 32];
        (bytes[0], bytes[7], bytes[8]) = (0x10, 0x10, 0xd5);
        (bytes[24], bytes[30]) = (64, 1);
        bytes
    };

    type Open = fn(&Path) -> Result<RecordFile<MarlinRecord>, OpenError>;

    /// Every way to open a file.
    const WAYS: &[Open] = &[
        |path| RecordFile::read(path),
        #[cfg(feature = "mmap")]
        |path| {
            // SAFETY: the tests leave their files alone while they are mapped.
            unsafe { RecordFile::map(path) }
        },
    ];

    /// Opens a file of these bytes in every way.
    fn each(bytes: &[u8], check: impl Fn(&Path, Result<RecordFile<MarlinRecord>, OpenError>)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.marlin");
        fs::write(&path, bytes).unwrap();
        for open in WAYS {
            check(&path, open(&path));
        }
    }

    #[test]
    fn records_are_found_in_files() {
        each(KINGS.repeat(3).as_slice(), |path, file| {
            let file = file.unwrap();
            assert_eq!(file.path(), path);
            assert_eq!(file.len(), 3);
            assert_eq!(file.records().len(), 3);
            assert_eq!(file.get(2).unwrap().to_bytes(), KINGS);
            assert_eq!(file.get(3), None);
            assert!(file.decode(2).is_ok());
            assert_eq!(file.verify().count(), 0);
            assert_eq!(file.view().len(), 3);
            assert_eq!((file.block_count(), file.block(0)), (1, 0..3));
        });
    }

    #[test]
    fn faults_name_the_file() {
        let mut bytes = [KINGS; 3];
        bytes[1][30] = 3;
        each(bytes.as_flattened(), |path, file| {
            let file = file.unwrap();
            let fault = file.decode(1).unwrap_err();
            let faults: Vec<_> = file.verify().collect();
            assert_eq!(faults, core::slice::from_ref(&fault));
            assert_eq!(fault.to_string(), path.display().to_string());
            let inner = fault.source().unwrap();
            assert_eq!(inner.to_string(), "record 1 at byte 32");
            let error = file.gather(&[1], &mut Vec::new()).unwrap_err();
            assert!(matches!(error, DatasetError::Source { .. }));
            assert_eq!(error.to_string(), path.display().to_string());
            assert_eq!(error.source().unwrap().to_string(), "record 1 at byte 32");
        });
    }

    #[test]
    fn truncated_and_empty_files() {
        each(&KINGS.repeat(2)[..63], |path, file| {
            let error = file.unwrap_err();
            let text = std::format!("{}: is no file of records", path.display());
            assert_eq!(error.to_string(), text);
            assert_eq!(
                error.source().unwrap().to_string(),
                "31 trailing bytes after 1 records of 32 bytes each"
            );
        });
        each(&[], |path, file| {
            let text = std::format!("{}: is empty", path.display());
            assert_eq!(file.unwrap_err().to_string(), text);
        });
    }

    #[test]
    fn folders_and_missing_files() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("missing");
        for open in WAYS {
            let error = open(folder.path()).unwrap_err();
            let shown = folder.path().display();
            assert!(matches!(error, OpenError::Folder { .. }));
            assert_eq!(
                error.to_string(),
                std::format!("{shown}: is a folder, expected a file")
            );
            let error = open(&missing).unwrap_err();
            assert!(matches!(error, OpenError::NotFound { .. }));
            let text = std::format!("{}: no such file", missing.display());
            assert_eq!(error.to_string(), text);
        }
    }

    #[test]
    #[cfg(unix)]
    fn files_that_may_not_be_read() {
        use std::os::unix::fs::PermissionsExt;
        each(&KINGS, |path, _| {
            fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
            if fs::File::open(path).is_ok() {
                std::println!("skipped: this user may read files without permission (root?)");
                return;
            }
            for open in WAYS {
                let error = open(path).unwrap_err();
                assert!(matches!(error, OpenError::PermissionDenied { .. }));
            }
        });
    }

    #[test]
    fn texts_of_what_the_system_says() {
        let text = |kind: io::ErrorKind| io_error(Path::new("a.marlin"), kind.into()).to_string();
        assert_eq!(
            text(io::ErrorKind::PermissionDenied),
            "a.marlin: no permission to read"
        );
        assert_eq!(text(io::ErrorKind::TimedOut), "a.marlin: cannot be read");
    }
}
