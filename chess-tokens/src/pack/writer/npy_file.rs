//! An array that grows.

use std::io::{self, Seek, SeekFrom, Write};
use std::path::PathBuf;

use chess_records::npy::{self, Literal};
use chess_records::{AtomicFile, AtomicFileError};
use zerocopy::{Immutable, IntoBytes};

/// A `.npy` file of one dimension of which it is not yet known how long it will be.
#[derive(Debug)]
pub(super) struct NpyFile {
    file: AtomicFile,
    descr: Literal,
    rows: u64,
}

impl NpyFile {
    pub(super) fn create(path: PathBuf, descr: &str) -> Result<Self, AtomicFileError> {
        let mut file = Self {
            file: AtomicFile::create(path)?,
            descr: Literal::Text(descr.into()),
            rows: 0,
        };
        // numpy's header is as long for any number of rows.
        file.write_header()?;
        Ok(file)
    }

    /// Adds numbers, in the machine's byte order.
    pub(super) fn push<T: IntoBytes + Immutable>(
        &mut self,
        numbers: &[T],
    ) -> Result<(), AtomicFileError> {
        let written = if cfg!(target_endian = "little") {
            self.file.write_all(numbers.as_bytes())
        } else {
            numbers.iter().try_for_each(|number| {
                let little_endian: Vec<u8> = number.as_bytes().iter().rev().copied().collect();
                self.file.write_all(&little_endian)
            })
        };
        written.map_err(|source| self.error(source))?;
        self.rows += numbers.len() as u64;
        Ok(())
    }

    /// Writes the header that says how many rows there are and brings everything to the disk; the file
    /// is not yet in its place.
    pub(super) fn complete(&mut self) -> Result<(), AtomicFileError> {
        let start = self.file.seek(SeekFrom::Start(0));
        start.map_err(|source| self.error(source))?;
        self.write_header()?;
        self.file.sync()
    }

    /// Puts the file in its place.
    pub(super) fn finish(self) -> Result<(), AtomicFileError> {
        self.file.finish()
    }

    fn write_header(&mut self) -> Result<(), AtomicFileError> {
        let header = npy::to_bytes(&self.descr, &[self.rows]);
        let written = self.file.write_all(&header);
        written.map_err(|source| self.error(source))
    }

    fn error(&self, source: io::Error) -> AtomicFileError {
        let path = self.file.target().to_path_buf();
        AtomicFileError::Write { path, source }
    }
}
