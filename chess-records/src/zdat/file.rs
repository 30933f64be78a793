//! Files: the data and the index beside it.
#![cfg_attr(feature = "mmap", allow(unsafe_code))]

use std::boxed::Box;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

use super::group::ZdatGroupError;
use super::index::IndexSource;
use super::record::ZdatRecord;
use super::view::{ZdatView, ZdatViewError};
use crate::{FileBytes, OpenError};

/// A `.zdat` file, with the index beside it.
///
/// It is a [`Dataset`](crate::Dataset) of its records.
#[derive(Debug)]
pub struct ZdatFile {
    path: PathBuf,
    index: IndexSource,
    view: Arc<ZdatView<FileBytes>>,
}

/// Why a `.zdat` file could not be opened.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ZdatOpenError {
    /// The data or the index cannot be read.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The data is not what it should be.
    #[error("{}: is no .zdat file", path.display())]
    View {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: ZdatViewError,
    },
}

impl ZdatFile {
    /// Reads a whole file into memory, and the index beside it, whose name is that of the file and
    /// `.idx`.
    ///
    /// Without an index, or with one that does not fit the data, the groups are found by walking
    /// from frame to frame; [`ZdatFile::index_source`] says so. For an index that must fit, there is
    /// [`ZdatView::with_index`].
    ///
    /// # Errors
    ///
    /// A [`ZdatOpenError`] that names the file.
    pub fn read(path: impl Into<PathBuf>) -> Result<Self, ZdatOpenError> {
        let path = path.into();
        Self::new(path, |path| FileBytes::read(path))
    }

    /// Maps the file into memory and reads the index beside it, as [`ZdatFile::read`] does; see
    /// [`FileBytes::map`]. A file without an index is walked through, which touches all of it.
    ///
    /// # Safety
    ///
    /// The file must not be changed or shortened while it is mapped, as [`FileBytes::map`] explains.
    ///
    /// # Errors
    ///
    /// A [`ZdatOpenError`] that names the file.
    #[cfg(feature = "mmap")]
    pub unsafe fn map(path: impl Into<PathBuf>) -> Result<Self, ZdatOpenError> {
        let path = path.into();
        // SAFETY: the caller promises what `FileBytes::map` asks for.
        Self::new(path, |path| unsafe { FileBytes::map(path) })
    }

    fn new(
        path: PathBuf,
        open: impl FnOnce(&Path) -> Result<FileBytes, OpenError>,
    ) -> Result<Self, ZdatOpenError> {
        let data = open(&path)?;
        let index = read_index(&path)?;
        let opened = ZdatView::open(data, index.as_ref().map(|bytes| (**bytes).as_ref()));
        match opened {
            Ok((view, index)) => Ok(Self {
                path,
                index,
                view: Arc::new(view),
            }),
            Err(source) => Err(ZdatOpenError::View { path, source }),
        }
    }

    /// The file's path, as given.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the index came from: whether its file was there and fit.
    #[must_use]
    pub const fn index_source(&self) -> IndexSource {
        self.index
    }

    /// The groups and records.
    #[must_use]
    pub const fn view(&self) -> &Arc<ZdatView<FileBytes>> {
        &self.view
    }

    /// How many records there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.view.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.view.is_empty()
    }

    /// A record by its number.
    ///
    /// # Errors
    ///
    /// When its group is not what it should be.
    ///
    /// # Panics
    ///
    /// When `index` is past the end.
    pub fn read_record(&self, index: u64) -> Result<ZdatRecord, ZdatGroupError> {
        self.view.read_record(index)
    }
}

/// Where the index of a file stands.
pub(super) fn index_path(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".idx");
    PathBuf::from(name)
}

/// The bytes of the index, unless there is none. An empty one is damaged, not missing.
fn read_index(path: &Path) -> Result<Option<Box<dyn AsRef<[u8]>>>, ZdatOpenError> {
    match FileBytes::read(index_path(path)) {
        Ok(bytes) => Ok(Some(Box::new(bytes))),
        Err(OpenError::NotFound { .. }) => Ok(None),
        Err(OpenError::Empty { .. }) => Ok(Some(Box::new([]))),
        Err(error) => Err(error.into()),
    }
}
