//! The file of one shard: written as rows come, and checked when a build goes on.

use std::fs::File;
use std::hash::Hasher as _;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use chess_records::{AtomicFile, AtomicFileError};
use twox_hash::XxHash3_64;

use crate::{FlatRecord, NpyHeader};

/// Writes a shard of which it is not yet known how long it will be.
pub(super) struct ShardFile {
    file: AtomicFile,
    hash: XxHash3_64,
    rows: u64,
}

impl ShardFile {
    pub(super) fn create(path: &Path) -> Result<Self, AtomicFileError> {
        let mut shard = Self {
            file: AtomicFile::create(path)?,
            hash: XxHash3_64::new(),
            rows: 0,
        };
        // numpy's header is as long for any number of rows.
        shard.write(&NpyHeader::to_bytes(0))?;
        Ok(shard)
    }

    /// Adds whole rows.
    pub(super) fn push(&mut self, rows: &[u8]) -> Result<(), AtomicFileError> {
        self.hash.write(rows);
        self.rows += (rows.len() / FlatRecord::BYTES) as u64;
        self.write(rows)
    }

    /// Puts the file in its place and tells the hash of its rows.
    pub(super) fn finish(mut self) -> Result<u64, AtomicFileError> {
        let start = self.file.seek(SeekFrom::Start(0));
        start.map_err(|source| self.error(source))?;
        self.write(&NpyHeader::to_bytes(self.rows))?;
        self.file.finish()?;
        Ok(self.hash.finish())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), AtomicFileError> {
        let written = self.file.write_all(bytes);
        written.map_err(|source| self.error(source))
    }

    fn error(&self, source: io::Error) -> AtomicFileError {
        let path = self.file.target().to_path_buf();
        AtomicFileError::Write { path, source }
    }
}

/// Whether the file is that of a shard with so many rows of this hash, and nothing else.
pub(super) fn is_shard(path: &Path, rows: u64, rows_hash: u64) -> io::Result<bool> {
    let header = NpyHeader::to_bytes(rows);
    let row_bytes = rows.checked_mul(FlatRecord::BYTES as u64);
    let Some(bytes) = row_bytes.and_then(|rows| rows.checked_add(header.len() as u64)) else {
        return Ok(false);
    };
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        opened => opened?,
    };
    if file.metadata()?.len() != bytes {
        return Ok(false);
    }
    let mut file = BufReader::with_capacity(1 << 20, file);
    let mut found = vec![0; header.len()];
    file.read_exact(&mut found)?;
    Ok(found == header && hash(file)?.0 == rows_hash)
}

/// The hash of what there is to read, and how long it is.
pub(super) fn hash(mut reader: impl Read) -> io::Result<(u64, u64)> {
    let (mut hash, mut bytes) = (XxHash3_64::new(), 0);
    let mut buffer = vec![0; 1 << 20];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok((hash.finish(), bytes)),
            Ok(read) => {
                hash.write(&buffer[..read]);
                bytes += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
