//! One shard: its header, and where its rows are.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use zerocopy::FromBytes;

use super::ShardError;
use super::compressed::{self, Unpacked};
use super::memory::Memory;
use super::options::ShardOptions;
use crate::{FlatRecord, NpyHeader, NpyReadError};

/// A shard whose header and length were checked.
#[derive(Debug)]
pub(super) struct ShardFile {
    /// Where the rows are read from: the file asked for, or what it was decompressed to.
    pub(super) path: PathBuf,
    pub(super) rows: u64,
    pub(super) data_offset: u64,
    /// The rows, where they are in memory.
    memory: Option<Memory>,
}

impl ShardFile {
    /// Opens `path`, or the file with `.zst` added if only that is there; of a path that ends in
    /// `.zst` itself, that very file. It must have as many rows as expected.
    pub(super) fn open(
        path: &Path,
        expected_rows: Option<u64>,
        options: &ShardOptions,
    ) -> Result<Self, ShardError> {
        let is_compressed = path.extension().is_some_and(|extension| extension == "zst");
        if !is_compressed && exists(path)? {
            return Self::open_plain(path, expected_rows, options.in_memory);
        }
        let mut zst = path.as_os_str().to_owned();
        if !is_compressed {
            zst.push(".zst");
        }
        let zst = PathBuf::from(zst);
        if !exists(&zst)? {
            let path = path.to_path_buf();
            return Err(ShardError::Missing { path });
        }
        match compressed::unpack(&zst, expected_rows, options)? {
            Unpacked::File(path) => Self::open_plain(&path, expected_rows, options.in_memory),
            Unpacked::Memory { rows, bytes } => Ok(Self {
                path: zst,
                rows,
                data_offset: 0,
                memory: Some(bytes),
            }),
        }
    }

    pub(super) fn open_plain(
        path: &Path,
        expected_rows: Option<u64>,
        in_memory: bool,
    ) -> Result<Self, ShardError> {
        let io_error = |source| ShardError::Io {
            path: path.to_path_buf(),
            source,
        };
        let mut file = File::open(path).map_err(io_error)?;
        let header = read_header(BufReader::with_capacity(512, &file), path)?;
        check_rows(path, header.rows(), expected_rows)?;
        let found = file.metadata().map_err(io_error)?.len();
        check_length(path, &header, found)?;
        let memory = if in_memory {
            let place = SeekFrom::Start(header.data_offset());
            file.seek(place).map_err(io_error)?;
            let len = header.file_bytes() - header.data_offset();
            let read = |rows: &mut [u8]| file.read_exact(rows).map_err(io_error);
            Some(Memory::filled(len, io_error, read)?)
        } else {
            None
        };
        Ok(Self {
            path: path.to_path_buf(),
            rows: header.rows(),
            data_offset: header.data_offset(),
            memory,
        })
    }

    pub(super) const fn is_in_memory(&self) -> bool {
        self.memory.is_some()
    }

    /// All rows, or none where they are not in memory.
    pub(super) fn memory(&self) -> &[FlatRecord] {
        self.memory
            .as_deref()
            .map_or(&[], |bytes| records_at(bytes, 0))
    }

    /// A row, where it is in memory.
    #[inline]
    pub(super) fn in_memory(&self, row: u64) -> Option<&FlatRecord> {
        record_at(self.memory.as_deref()?, row * FlatRecord::BYTES as u64)
    }

    /// Where a row stands in the file.
    pub(super) const fn byte_offset(&self, row: u64) -> u64 {
        self.data_offset + row * FlatRecord::BYTES as u64
    }

    /// How long the file must be.
    #[cfg(feature = "mmap")]
    pub(super) const fn file_bytes(&self) -> u64 {
        self.byte_offset(self.rows)
    }
}

/// The record that begins at an offset, unless the bytes end before.
#[inline]
pub(super) fn record_at(bytes: &[u8], offset: u64) -> Option<&FlatRecord> {
    let offset = usize::try_from(offset).ok()?;
    let bytes = bytes.get(offset..)?.get(..FlatRecord::BYTES)?;
    FlatRecord::ref_from_bytes(bytes).ok()
}

/// The whole records from `offset` on.
pub(super) fn records_at(bytes: &[u8], offset: u64) -> &[FlatRecord] {
    let from = usize::try_from(offset).ok();
    let bytes = from.and_then(|from| bytes.get(from..)).unwrap_or_default();
    let whole = bytes.len() - bytes.len() % FlatRecord::BYTES;
    <[FlatRecord]>::ref_from_bytes(&bytes[..whole]).unwrap_or_default()
}

pub(super) fn read_header(file: impl Read, path: &Path) -> Result<NpyHeader, ShardError> {
    let path = || path.to_path_buf();
    NpyHeader::read(file).map_err(|error| match error {
        NpyReadError::Io(source) => ShardError::Io {
            path: path(),
            source,
        },
        NpyReadError::Header(source) => ShardError::Header {
            path: path(),
            source,
        },
    })
}

pub(super) fn check_rows(path: &Path, found: u64, expected: Option<u64>) -> Result<(), ShardError> {
    match expected {
        Some(expected) if expected != found => Err(ShardError::Rows {
            path: path.to_path_buf(),
            found,
            expected,
        }),
        _ => Ok(()),
    }
}

/// Whether a file of `found` bytes holds the header's rows and nothing else.
pub(super) fn check_length(path: &Path, header: &NpyHeader, found: u64) -> Result<(), ShardError> {
    if found == header.file_bytes() {
        return Ok(());
    }
    Err(ShardError::Length {
        path: path.to_path_buf(),
        rows: header.rows(),
        found,
        expected: header.file_bytes(),
    })
}

fn exists(path: &Path) -> Result<bool, ShardError> {
    path.try_exists().map_err(|source| ShardError::Io {
        path: path.to_path_buf(),
        source,
    })
}
