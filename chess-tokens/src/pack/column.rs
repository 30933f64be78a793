//! Numbers of a `.npy` file of one dimension, read or mapped.
#![cfg_attr(feature = "mmap", allow(unsafe_code))]

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
#[cfg(feature = "mmap")]
use std::ops::Range;
use std::path::{Path, PathBuf};

use chess_records::npy::{Header, HeaderReadError};
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::OpenPackError;

/// A number as it stands in a pack.
pub(super) trait Number: Copy + FromBytes + IntoBytes + Immutable {
    /// numpy's name of the type.
    const DESCR: &'static str;
    const BYTES: u64 = size_of::<Self>() as u64;

    /// The number that a little-endian machine would have read.
    fn of_little_endian(self) -> Self;
}

impl Number for u16 {
    const DESCR: &'static str = "<u2";

    fn of_little_endian(self) -> Self {
        Self::from_le(self)
    }
}

impl Number for i64 {
    const DESCR: &'static str = "<i8";

    fn of_little_endian(self) -> Self {
        Self::from_le(self)
    }
}

/// The numbers of a file.
#[derive(Debug)]
pub(super) struct Column<T> {
    path: PathBuf,
    data_offset: u64,
    numbers: Numbers<T>,
}

#[derive(Debug)]
enum Numbers<T> {
    Read(Vec<T>),
    /// Of a file, or of memory. The numbers are the bytes in this range: there are so many, and they are
    /// aligned.
    #[cfg(feature = "mmap")]
    Mapped(memmap2::Mmap, Range<usize>),
}

impl<T: Number> Column<T> {
    /// Reads a file, which must hold so many numbers.
    pub(super) fn read(path: PathBuf, expected: u64) -> Result<Self, OpenPackError> {
        let mut opened = Opened::new::<T>(&path, expected)?;
        let numbers = opened.read(expected).map_err(io_error(&path))?;
        Ok(Self {
            path,
            data_offset: opened.data_offset,
            numbers,
        })
    }

    /// Maps a file, which must hold so many numbers. Where the numbers do not stand in the file as they
    /// do in memory they are read after all.
    ///
    /// # Safety
    ///
    /// The file must not be changed or shortened while it is mapped.
    #[cfg(feature = "mmap")]
    pub(super) unsafe fn map(path: PathBuf, expected: u64) -> Result<Self, OpenPackError> {
        let opened = Opened::new::<T>(&path, expected)?;
        // SAFETY: the caller promises that nobody changes the file.
        let map = unsafe { memmap2::Mmap::map(&opened.file) }.map_err(io_error(&path))?;
        let data_offset = opened.data_offset;
        let start = data_offset as usize;
        let is_as_in_memory = map
            .get(start..)
            .is_some_and(|bytes| <[T]>::ref_from_bytes(bytes).is_ok());
        if cfg!(target_endian = "big") || !is_as_in_memory {
            return Self::read(path, expected);
        }
        let range = start..map.len();
        Ok(Self {
            path,
            data_offset,
            numbers: Numbers::Mapped(map, range),
        })
    }

    /// The numbers of a file in memory.
    pub(super) fn parse(path: PathBuf, file: &[u8], expected: u64) -> Result<Self, OpenPackError> {
        let header = Header::parse(file).map_err(|source| OpenPackError::Header {
            path: path.clone(),
            source,
        })?;
        check_header::<T>(&path, &header, expected, file.len() as u64)?;
        let data = &file[header.data_offset() as usize..];
        let mut numbers = zeroed(expected).map_err(io_error(&path))?;
        numbers.as_mut_bytes().copy_from_slice(data);
        Ok(Self {
            path,
            data_offset: header.data_offset(),
            numbers: Numbers::Read(from_le(numbers)),
        })
    }

    #[inline]
    pub(super) fn numbers(&self) -> &[T] {
        match &self.numbers {
            Numbers::Read(numbers) => numbers,
            #[cfg(feature = "mmap")]
            // Always some, as was found when the file was mapped.
            Numbers::Mapped(map, range) => {
                <[T]>::ref_from_bytes(&map[range.clone()]).unwrap_or_default()
            }
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Where a number stands in the file.
    pub(super) const fn byte_offset(&self, index: u64) -> u64 {
        self.data_offset + index * T::BYTES
    }
}

/// So many bytes are worth pages of their own: two of the large ones.
#[cfg(feature = "mmap")]
const LARGE: u64 = 4 << 20;

/// A file whose header and length were checked.
struct Opened {
    file: File,
    data_offset: u64,
}

impl Opened {
    fn new<T: Number>(path: &Path, expected: u64) -> Result<Self, OpenPackError> {
        let file = File::open(path).map_err(io_error(path))?;
        let header = Header::read(BufReader::with_capacity(512, &file));
        let header = header.map_err(|error| match error {
            HeaderReadError::Header(source) => OpenPackError::Header {
                path: path.to_path_buf(),
                source,
            },
            HeaderReadError::Io(source) => io_error(path)(source),
            other => io_error(path)(io::Error::other(other)),
        })?;
        let len = file.metadata().map_err(io_error(path))?.len();
        check_header::<T>(path, &header, expected, len)?;
        Ok(Self {
            file,
            data_offset: header.data_offset(),
        })
    }

    fn read<T: Number>(&mut self, count: u64) -> io::Result<Numbers<T>> {
        self.file.seek(SeekFrom::Start(self.data_offset))?;
        #[cfg(feature = "mmap")]
        if count * T::BYTES >= LARGE {
            return self.read_into_pages(count);
        }
        let mut numbers = zeroed(count)?;
        self.file.read_exact(numbers.as_mut_bytes())?;
        Ok(Numbers::Read(from_le(numbers)))
    }

    /// Reads into large pages where the system gives any: tokens that lie anywhere are then found
    /// without a walk through page tables.
    #[cfg(feature = "mmap")]
    fn read_into_pages<T: Number>(&mut self, count: u64) -> io::Result<Numbers<T>> {
        let bytes = usize::try_from(count * T::BYTES).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let mut pages = memmap2::MmapMut::map_anon(bytes)?;
        #[cfg(target_os = "linux")]
        {
            // Slower without it, but no less right.
            let _ = pages.advise(memmap2::Advice::HugePage);
        }
        self.file.read_exact(&mut pages)?;
        if cfg!(target_endian = "big") {
            pages
                .chunks_exact_mut(size_of::<T>())
                .for_each(<[u8]>::reverse);
        }
        Ok(Numbers::Mapped(pages.make_read_only()?, 0..bytes))
    }
}

fn check_header<T: Number>(
    path: &Path,
    header: &Header,
    expected: u64,
    file_bytes: u64,
) -> Result<(), OpenPackError> {
    let path = || path.to_path_buf();
    let rows = header.rows_of(T::DESCR, T::BYTES);
    let rows = rows.map_err(|source| OpenPackError::Header {
        path: path(),
        source,
    })?;
    if rows != expected {
        return Err(OpenPackError::Count {
            path: path(),
            found: rows,
            expected,
        });
    }
    let expected = header.data_offset() + rows * T::BYTES;
    if file_bytes != expected {
        return Err(OpenPackError::Length {
            path: path(),
            rows,
            found: file_bytes,
            expected,
        });
    }
    Ok(())
}

fn zeroed<T: Number>(count: u64) -> io::Result<Vec<T>> {
    let count = usize::try_from(count).map_err(|_| io::ErrorKind::OutOfMemory)?;
    let mut numbers = Vec::new();
    let room = numbers.try_reserve_exact(count);
    room.map_err(|_| io::ErrorKind::OutOfMemory)?;
    numbers.resize(count, T::new_zeroed());
    Ok(numbers)
}

fn from_le<T: Number>(mut numbers: Vec<T>) -> Vec<T> {
    if cfg!(target_endian = "big") {
        for number in &mut numbers {
            *number = number.of_little_endian();
        }
    }
    numbers
}

fn io_error(path: &Path) -> impl Fn(io::Error) -> OpenPackError {
    move |source| OpenPackError::Io {
        path: path.to_path_buf(),
        source,
    }
}
