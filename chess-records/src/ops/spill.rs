//! Entries of one size, scattered over files.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::mem;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};
use std::vec;
use std::vec::Vec;

use super::FilesError;

/// Files that grow at their ends, each with a buffer in memory. Full buffers are written by a thread
/// of their own while others fill. A file is open only while a buffer is written, so that there may be
/// more files than a process can have open.
#[derive(Debug)]
pub(super) struct Spill {
    buffers: Vec<Vec<u8>>,
    buffer_bytes: usize,
    /// How many buffers beside those of the files may still be made.
    spares: usize,
    /// `None` once nothing more is to be written.
    full: Option<Sender<Task>>,
    replies: Receiver<Reply>,
    writer: Option<JoinHandle<Result<(), FilesError>>>,
}

/// What the writer is to do.
#[derive(Debug)]
enum Task {
    /// Add a buffer to a part.
    Write(usize, Vec<u8>),
    /// Tell the parts' lengths.
    Measure,
}

#[derive(Debug)]
enum Reply {
    /// A buffer that was written.
    Empty(Vec<u8>),
    /// The parts' lengths in bytes.
    Lens(Vec<u64>),
}

impl Spill {
    /// A buffer smaller than this spends its time opening files.
    pub(super) const MIN_BUFFER_BYTES: usize = 4 << 10;
    /// A larger buffer gains nothing.
    pub(super) const MAX_BUFFER_BYTES: usize = 1 << 20;
    /// How many buffers there are beside one for each file.
    pub(super) const SPARES: usize = 4;

    /// Files that hold `written` bytes each; whatever they hold beyond that is cut off, and all of it
    /// where there is nothing to keep.
    pub(super) fn open(
        paths: impl Iterator<Item = PathBuf>,
        written: &[u64],
        buffer_bytes: usize,
    ) -> Result<Self, FilesError> {
        let parts = paths.zip(written).map(|(path, &written)| {
            cut(&path, written).map_err(|source| FilesError::scratch(&path, source))?;
            Ok(Part { path, written })
        });
        let parts = parts.collect::<Result<Vec<_>, FilesError>>()?;
        let ((full, tasks), (reply, replies)) = (mpsc::channel(), mpsc::channel());
        Ok(Self {
            buffers: vec![Vec::new(); parts.len()],
            buffer_bytes,
            spares: Self::SPARES,
            full: Some(full),
            replies,
            writer: Some(thread::spawn(move || write_parts(parts, &tasks, &reply))),
        })
    }

    /// Adds an entry to a file.
    #[inline]
    pub(super) fn push(&mut self, part: usize, pieces: [&[u8]; 2]) -> Result<(), FilesError> {
        let bytes = pieces[0].len() + pieces[1].len();
        if self.buffers[part].len() + bytes > self.buffers[part].capacity() {
            self.make_room(part, bytes)?;
        }
        let buffer = &mut self.buffers[part];
        buffer.extend_from_slice(pieces[0]);
        buffer.extend_from_slice(pieces[1]);
        Ok(())
    }

    /// Gives a part an empty buffer for at least so many bytes.
    #[cold]
    fn make_room(&mut self, part: usize, bytes: usize) -> Result<(), FilesError> {
        if !self.buffers[part].is_empty() {
            let empty = self.spare()?;
            let full = mem::replace(&mut self.buffers[part], empty);
            self.tell(Task::Write(part, full))?;
        }
        self.buffers[part].reserve_exact(self.buffer_bytes.max(bytes));
        Ok(())
    }

    /// An empty buffer; waits for the writer when there are as many as there may be.
    fn spare(&mut self) -> Result<Vec<u8>, FilesError> {
        if self.spares > 0 {
            self.spares -= 1;
            return Ok(Vec::new());
        }
        loop {
            match self.replies.recv() {
                Ok(Reply::Empty(buffer)) => return Ok(buffer),
                Ok(Reply::Lens(_)) => {}
                Err(_) => return Err(self.failure()),
            }
        }
    }

    fn tell(&mut self, task: Task) -> Result<(), FilesError> {
        let told = self.full.as_ref().map(|full| full.send(task));
        match told {
            Some(Ok(())) => Ok(()),
            _ => Err(self.failure()),
        }
    }

    /// Why the writer ended early.
    fn failure(&mut self) -> FilesError {
        self.full = None;
        let ended = self.writer.take().map(JoinHandle::join);
        match ended {
            Some(Ok(Err(error))) => error,
            _ => FilesError::write(Path::new(""), io::Error::other("the writing thread ended")),
        }
    }

    /// Empties all buffers and gives the files' lengths.
    pub(super) fn flush(&mut self) -> Result<Vec<u64>, FilesError> {
        for part in 0..self.buffers.len() {
            let full = mem::take(&mut self.buffers[part]);
            if !full.is_empty() {
                self.tell(Task::Write(part, full))?;
            }
        }
        self.tell(Task::Measure)?;
        loop {
            match self.replies.recv() {
                // Let go: the next buffers are made when they are needed.
                Ok(Reply::Empty(_)) => {}
                Ok(Reply::Lens(lens)) => {
                    self.spares = Self::SPARES;
                    return Ok(lens);
                }
                Err(_) => return Err(self.failure()),
            }
        }
    }
}

/// Waits until nothing is written any more, so that the files can be removed.
impl Drop for Spill {
    fn drop(&mut self) {
        self.full = None;
        if let Some(writer) = self.writer.take() {
            // A failure is told by what comes after it, or does not matter any more.
            let _ = writer.join();
        }
    }
}

#[derive(Debug)]
struct Part {
    path: PathBuf,
    /// Bytes in the file.
    written: u64,
}

impl Part {
    fn append(&mut self, bytes: &[u8]) -> Result<(), FilesError> {
        let opened = OpenOptions::new().append(true).open(&self.path);
        let written = opened.and_then(|mut file| file.write_all(bytes));
        written.map_err(|source| FilesError::write(&self.path, source))?;
        self.written += bytes.len() as u64;
        Ok(())
    }
}

/// The writer's work. That nobody waits for a reply is no failure: then the work was given up.
fn write_parts(
    mut parts: Vec<Part>,
    tasks: &Receiver<Task>,
    reply: &Sender<Reply>,
) -> Result<(), FilesError> {
    for task in tasks {
        let done = match task {
            Task::Write(part, mut buffer) => {
                parts[part].append(&buffer)?;
                buffer.clear();
                Reply::Empty(buffer)
            }
            Task::Measure => Reply::Lens(parts.iter().map(|part| part.written).collect()),
        };
        let _ = reply.send(done);
    }
    Ok(())
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

    /// All entries at hand, one after another; nothing at the end.
    pub(super) fn next_many(&mut self) -> Result<&[u8], FilesError> {
        if self.unread.is_empty() {
            self.refill()?;
        }
        let many = mem::replace(&mut self.unread, 0..0);
        Ok(&self.buffer[many])
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

/// Parts that are shorter than noted, or gone, are damaged.
pub(super) fn damaged_if_short(error: FilesError) -> FilesError {
    use io::ErrorKind::{NotFound, UnexpectedEof};
    match error {
        FilesError::Scratch { path, source }
            if matches!(source.kind(), NotFound | UnexpectedEof) =>
        {
            FilesError::Damaged { path }
        }
        other => other,
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
    #[test]
    fn failures_of_the_writer_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part");
        let mut spill = Spill::open([path.clone()].into_iter(), &[0], 10).unwrap();
        fs::remove_file(&path).unwrap();
        let mut failed = (0..1000).find_map(|_| spill.push(0, [&[0; 8], &[]]).err());
        let error = failed.get_or_insert_with(|| spill.flush().unwrap_err());
        let text = std::format!("{}: cannot be written", path.display());
        assert_eq!(std::string::ToString::to_string(error), text);
        assert!(spill.flush().is_err(), "and nothing is written after one");
    }
}
