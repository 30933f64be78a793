//! Writing `.zdat` files.

use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::vec::Vec;

use thiserror::Error;
use zerocopy::IntoBytes;
use zstd::zstd_safe::{self, CCtx, CDict};

use super::file::index_path;
use super::group::PreparedDictionary;
use super::header::{ZdatHeader, ZdatHeaderError};
use super::index;
use super::record::ZdatRecord;
use crate::{AtomicFile, AtomicFileError};

/// How a file is to be written.
#[derive(Clone, Debug)]
#[must_use]
pub struct ZdatWriterOptions {
    batch: u32,
    level: u32,
    dictionary: Vec<u8>,
}

impl ZdatWriterOptions {
    /// 32 records in a group, zstd level 9, no dictionary.
    pub const fn new() -> Self {
        Self {
            batch: 32,
            level: 9,
            dictionary: Vec::new(),
        }
    }

    /// So many records in a group, 1 to [`ZdatHeader::MAX_BATCH`]. Larger groups compress better, and
    /// cost more when a single record is wanted.
    pub const fn batch(mut self, batch: u32) -> Self {
        self.batch = batch;
        self
    }

    /// Compression at this zstd level, 1 to 22.
    pub const fn level(mut self, level: u32) -> Self {
        self.level = level;
        self
    }

    /// Compression with this dictionary, such as [`train_dictionary`] makes; none if it is empty.
    pub fn dictionary(mut self, dictionary: Vec<u8>) -> Self {
        self.dictionary = dictionary;
        self
    }
}

impl Default for ZdatWriterOptions {
    fn default() -> Self {
        Self::new()
    }
}

/// Why a file could not be written. What stood there before is as it was, unless noted.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ZdatWriteError {
    /// The records per group or the dictionary's length are out of range.
    #[error("the options fit no header")]
    Header(#[from] ZdatHeaderError),
    /// zstd has no such level.
    #[error("the zstd level is {found}, expected 1 to {max}")]
    Level {
        /// The level.
        found: u32,
        /// The highest there is.
        max: u32,
    },
    /// A file cannot be made, or not put in place. When that is the index, the data is in place
    /// without it, and readers walk through the data instead.
    #[error(transparent)]
    File(#[from] AtomicFileError),
    /// Writing failed.
    #[error("{}: cannot be written", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The old index cannot be removed, and would not fit the new data.
    #[error("{}: the old index cannot be removed", path.display())]
    OldIndex {
        /// The index.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// An earlier group was not written.
    #[error("{}: an earlier group was not written, the file cannot be finished", path.display())]
    Failed {
        /// The file.
        path: PathBuf,
    },
    /// zstd failed.
    #[error("group {group} cannot be compressed: {reason}")]
    Compress {
        /// The group.
        group: u64,
        /// What zstd says.
        reason: &'static str,
    },
}

/// Writes records to a `.zdat` file and the index beside it.
///
/// Both take their places only when [`ZdatWriter::finish`] has been called. A writer that is dropped
/// before leaves no trace.
pub struct ZdatWriter {
    data: AtomicFile,
    index: AtomicFile,
    header: ZdatHeader,
    compressor: Compressor,
    /// Records of the group that is not full yet.
    pending: Vec<u8>,
    /// Where groups start; the last is where the next one will.
    offsets: Vec<u64>,
    records: u64,
    failed: bool,
}

impl ZdatWriter {
    /// Begins a file that is to stand at `path`. An existing one, with its index, is replaced in the
    /// end; whether that is wanted is for the caller to ask first.
    ///
    /// # Errors
    ///
    /// When the options are out of range, or the files cannot be made.
    pub fn create(
        path: impl Into<PathBuf>,
        options: &ZdatWriterOptions,
    ) -> Result<Self, ZdatWriteError> {
        let header = header(options)?;
        let compressor = Compressor::new(options).ok_or(ZdatHeaderError::DictionaryDamaged)?;
        let path = path.into();
        let index = AtomicFile::create(index_path(&path))?;
        let mut writer = Self {
            data: AtomicFile::create(path)?,
            index,
            header,
            compressor,
            pending: Vec::with_capacity(header.group_bytes()),
            offsets: Vec::from([header.data_offset()]),
            records: 0,
            failed: false,
        };
        writer.write(&header.to_bytes())?;
        writer.write(&options.dictionary)?;
        Ok(writer)
    }

    /// Where the file will stand.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.data.target()
    }

    /// How many records were written.
    #[must_use]
    pub const fn records(&self) -> u64 {
        self.records
    }

    /// Adds a record.
    ///
    /// # Errors
    ///
    /// When a full group cannot be compressed or written. The file cannot be finished then.
    pub fn push(&mut self, record: &ZdatRecord) -> Result<(), ZdatWriteError> {
        self.pending.extend_from_slice(record.as_bytes());
        self.records += 1;
        if self.pending.len() >= self.header.group_bytes() {
            self.write_group()?;
        }
        Ok(())
    }

    /// Adds records.
    ///
    /// # Errors
    ///
    /// As [`ZdatWriter::push`].
    pub fn extend(&mut self, records: &[ZdatRecord]) -> Result<(), ZdatWriteError> {
        records.iter().try_for_each(|record| self.push(record))
    }

    /// Writes the last group and the index, and puts both files in their places.
    ///
    /// An old index is removed first and the new one put in place last, so that data and index of
    /// different files never stand side by side, not even after a crash.
    ///
    /// # Errors
    ///
    /// When the system cannot write, or an earlier group was not written.
    pub fn finish(mut self) -> Result<(), ZdatWriteError> {
        if !self.pending.is_empty() || self.failed {
            self.write_group()?;
        }
        let bytes = index::to_bytes(&self.offsets);
        let path = self.index.target().to_path_buf();
        if let Err(source) = self.index.write_all(&bytes) {
            return Err(ZdatWriteError::Io { path, source });
        }
        remove_old(&path)?;
        self.data.finish()?;
        self.index.finish()?;
        Ok(())
    }

    fn write_group(&mut self) -> Result<(), ZdatWriteError> {
        if self.failed {
            let path = self.path().to_path_buf();
            return Err(ZdatWriteError::Failed { path });
        }
        // Until the group is in the file as a whole.
        self.failed = true;
        let compressed = self.compressor.compress(&self.pending);
        let compressed = compressed.map_err(|code| ZdatWriteError::Compress {
            group: self.offsets.len() as u64 - 1,
            reason: zstd_safe::get_error_name(code),
        })?;
        let written = self.data.write_all(&self.compressor.out);
        written.map_err(|source| self.io_error(source))?;
        self.offsets.push(self.end() + compressed as u64);
        self.pending.clear();
        self.failed = false;
        Ok(())
    }

    fn end(&self) -> u64 {
        self.offsets.last().copied().unwrap_or_default()
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), ZdatWriteError> {
        let written = self.data.write_all(bytes);
        written.map_err(|source| self.io_error(source))
    }

    fn io_error(&self, source: io::Error) -> ZdatWriteError {
        let path = self.path().to_path_buf();
        ZdatWriteError::Io { path, source }
    }
}

impl fmt::Debug for ZdatWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ZdatWriter")
            .field("path", &self.path())
            .field("header", &self.header)
            .field("records", &self.records)
            .finish_non_exhaustive()
    }
}

fn header(options: &ZdatWriterOptions) -> Result<ZdatHeader, ZdatWriteError> {
    let max = zstd_safe::max_c_level() as u32;
    let found = options.level;
    if found == 0 || found > max {
        return Err(ZdatWriteError::Level { found, max });
    }
    let dictionary_len = u32::try_from(options.dictionary.len()).unwrap_or(u32::MAX);
    // What zstd would not take for reading is not written.
    PreparedDictionary::new(&options.dictionary).ok_or(ZdatHeaderError::DictionaryDamaged)?;
    Ok(ZdatHeader::new(
        options.batch,
        options.level,
        dictionary_len,
    )?)
}

fn remove_old(index: &Path) -> Result<(), ZdatWriteError> {
    match fs::remove_file(index) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            let path = index.to_path_buf();
            Err(ZdatWriteError::OldIndex { path, source })
        }
        _ => Ok(()),
    }
}

struct Compressor {
    context: CCtx<'static>,
    dictionary: Option<CDict<'static>>,
    level: i32,
    out: Vec<u8>,
}

impl Compressor {
    /// `None` if the dictionary is none.
    fn new(options: &ZdatWriterOptions) -> Option<Self> {
        let level = options.level as i32;
        let dictionary = match &options.dictionary[..] {
            [] => None,
            bytes => Some(CDict::try_create(bytes, level)?),
        };
        Some(Self {
            context: CCtx::create(),
            dictionary,
            level,
            out: Vec::new(),
        })
    }

    /// Compresses into `out` and says how many bytes that are.
    fn compress(&mut self, bytes: &[u8]) -> Result<usize, usize> {
        self.out.clear();
        self.out.reserve(zstd_safe::compress_bound(bytes.len()));
        match &self.dictionary {
            Some(dictionary) => self
                .context
                .compress_using_cdict(&mut self.out, bytes, dictionary),
            None => self.context.compress(&mut self.out, bytes, self.level),
        }
    }
}

/// Why zstd could make no dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("no dictionary of {max_bytes} bytes can be made of {records} records: {reason}")]
pub struct TrainError {
    /// The most bytes it was to have.
    pub max_bytes: usize,
    /// How many records there were.
    pub records: usize,
    /// What zstd says.
    pub reason: &'static str,
}

/// Makes a dictionary of at most so many bytes, by zstd's own training on some records of the data
/// that is to be compressed: a few hundred from all over it, at least, and some 100 times the
/// dictionary's size are best. 16 KiB will do.
///
/// # Errors
///
/// When zstd cannot make one: most often because there are too few records.
pub fn train_dictionary(records: &[ZdatRecord], max_bytes: usize) -> Result<Vec<u8>, TrainError> {
    let sizes = std::vec![ZdatRecord::BYTES; records.len()];
    let max_bytes = max_bytes.min(ZdatHeader::MAX_DICTIONARY_BYTES as usize);
    let mut dictionary = Vec::with_capacity(max_bytes);
    let trained = zstd_safe::train_from_buffer(&mut dictionary, records.as_bytes(), &sizes);
    match trained {
        Ok(_) => Ok(dictionary),
        Err(code) => Err(TrainError {
            max_bytes,
            records: records.len(),
            reason: zstd_safe::get_error_name(code),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn an_old_index_that_stays_keeps_the_data_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.zdat");
        let writer = ZdatWriter::create(&path, &ZdatWriterOptions::new()).unwrap();
        fs::create_dir(index_path(&path)).unwrap();
        assert_eq!(
            writer.finish().unwrap_err().to_string(),
            std::format!("{}.idx: the old index cannot be removed", path.display())
        );
        assert!(!path.exists());
    }

    #[test]
    fn a_file_that_failed_is_not_finished() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.zdat");
        let mut writer = ZdatWriter::create(&path, &ZdatWriterOptions::new()).unwrap();
        writer.failed = true;
        assert_eq!(
            writer.finish().unwrap_err().to_string(),
            std::format!(
                "{}: an earlier group was not written, the file cannot be finished",
                path.display()
            )
        );
        assert!(!path.exists());
    }

    #[test]
    fn texts_of_the_other_errors() {
        let path = PathBuf::from("some.zdat");
        let source = io::Error::other("full");
        let error = ZdatWriteError::Io { path, source };
        assert_eq!(error.to_string(), "some.zdat: cannot be written");
        let reason = "no memory";
        let error = ZdatWriteError::Compress { group: 3, reason };
        assert_eq!(error.to_string(), "group 3 cannot be compressed: no memory");
    }
}
