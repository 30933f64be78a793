//! Entries of one size, scattered over files.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::vec;
use std::vec::Vec;

use super::FilesError;

/// Files that grow at their ends, each with a buffer in memory. A file is open only while its buffer
/// is emptied, so that there may be more files than a process can have open.
#[derive(Debug)]
pub(super) struct Spill {
    parts: Vec<Part>,
    buffer_bytes: usize,
}

#[derive(Debug)]
struct Part {
    path: PathBuf,
    buffer: Vec<u8>,
    /// Bytes in the file.
    written: u64,
}

impl Spill {
    /// A buffer smaller than this spends its time opening files.
    pub(super) const MIN_BUFFER_BYTES: usize = 4 << 10;
    /// A larger buffer gains nothing.
    pub(super) const MAX_BUFFER_BYTES: usize = 1 << 20;

    /// Files that hold `written` bytes each; whatever they hold beyond that is cut off, and all of it
    /// where there is nothing to keep.
    pub(super) fn open(
        paths: impl Iterator<Item = PathBuf>,
        written: &[u64],
        buffer_bytes: usize,
    ) -> Result<Self, FilesError> {
        let parts = paths.zip(written).map(|(path, &written)| {
            cut(&path, written).map_err(|source| FilesError::scratch(&path, source))?;
            Ok(Part {
                path,
                buffer: Vec::new(),
                written,
            })
        });
        Ok(Self {
            parts: parts.collect::<Result<_, FilesError>>()?,
            buffer_bytes,
        })
    }

    /// Adds an entry to a file.
    #[inline]
    pub(super) fn push(&mut self, part: usize, pieces: [&[u8]; 2]) -> Result<(), FilesError> {
        let part = &mut self.parts[part];
        let bytes = pieces[0].len() + pieces[1].len();
        if part.buffer.len() + bytes > self.buffer_bytes {
            part.flush()?;
        }
        if part.buffer.capacity() == 0 {
            part.buffer.reserve_exact(self.buffer_bytes.max(bytes));
        }
        part.buffer.extend_from_slice(pieces[0]);
        part.buffer.extend_from_slice(pieces[1]);
        Ok(())
    }

    /// Empties all buffers and gives the files' lengths.
    pub(super) fn flush(&mut self) -> Result<Vec<u64>, FilesError> {
        let flushed = self.parts.iter_mut().map(|part| {
            part.flush()?;
            Ok(part.written)
        });
        flushed.collect()
    }
}

impl Part {
    fn flush(&mut self) -> Result<(), FilesError> {
        let opened = OpenOptions::new().append(true).open(&self.path);
        let written = opened.and_then(|mut file| file.write_all(&self.buffer));
        written.map_err(|source| FilesError::write(&self.path, source))?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}

fn cut(path: &Path, bytes: u64) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let file = options
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)?;
    if file.metadata()?.len() < bytes {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    file.set_len(bytes)
}

/// Reads the entries of a file one after another.
#[derive(Debug)]
pub(super) struct Entries {
    path: PathBuf,
    file: File,
    entry_bytes: usize,
    /// A whole number of entries.
    buffer: Vec<u8>,
    /// What of the buffer is read and not yet given.
    unread: Range<usize>,
}

impl Entries {
    pub(super) fn open(
        path: PathBuf,
        entry_bytes: usize,
        buffer_bytes: usize,
    ) -> Result<Self, FilesError> {
        let file = File::open(&path).map_err(|source| FilesError::scratch(&path, source))?;
        let entries = (buffer_bytes / entry_bytes).max(1);
        Ok(Self {
            path,
            file,
            entry_bytes,
            buffer: vec![0; entries * entry_bytes],
            unread: 0..0,
        })
    }

    /// The next entry, or `None` at the end.
    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, FilesError> {
        if self.unread.is_empty() {
            self.refill()?;
        }
        if self.unread.is_empty() {
            return Ok(None);
        }
        let start = self.unread.start;
        self.unread.start += self.entry_bytes;
        Ok(Some(&self.buffer[start..start + self.entry_bytes]))
    }

    fn refill(&mut self) -> Result<(), FilesError> {
        let mut filled = 0;
        while filled < self.buffer.len() {
            match self.file.read(&mut self.buffer[filled..]) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => return Err(FilesError::read(&self.path, source)),
            }
        }
        if !filled.is_multiple_of(self.entry_bytes) {
            return Err(self.damaged());
        }
        self.unread = 0..filled;
        Ok(())
    }

    pub(super) fn damaged(&self) -> FilesError {
        let path = self.path.clone();
        FilesError::Damaged { path }
    }
}

/// The `N` bytes of an entry from `offset` on.
pub(super) fn field<const N: usize>(entry: &[u8], offset: usize) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&entry[offset..offset + N]);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn entries_come_back_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = |part: usize| folder.path().join(std::format!("{part}"));
        let mut spill = Spill::open((0..3).map(path), &[0; 3], 10).unwrap();
        for number in 0..100u8 {
            let part = usize::from(number % 2);
            spill.push(part, [&[number], &[7, number]]).unwrap();
        }
        assert_eq!(spill.flush().unwrap(), [150, 150, 0]);
        let mut entries = Entries::open(path(1), 3, 16).unwrap();
        for number in (1..100).step_by(2) {
            assert_eq!(entries.next().unwrap(), Some(&[number, 7, number][..]));
        }
        assert_eq!(entries.next().unwrap(), None);
        assert_eq!(Entries::open(path(2), 3, 16).unwrap().next().unwrap(), None);
    }

    #[test]
    fn going_on_cuts_what_was_not_noted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part");
        fs::write(&path, "abcdef").unwrap();
        let paths = || [path.clone()].into_iter();
        let mut spill = Spill::open(paths(), &[3], 10).unwrap();
        spill.push(0, [b"x", b""]).unwrap();
        assert_eq!(spill.flush().unwrap(), [4]);
        assert_eq!(fs::read(&path).unwrap(), b"abcx");
        assert!(Spill::open(paths(), &[5], 10).is_err());
        let mut odd = Entries::open(path, 3, 4).unwrap();
        assert!(odd.next().unwrap().is_some());
        assert!(matches!(odd.next(), Err(FilesError::Damaged { .. })));
    }
}
