//! Which files are read, and how.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use super::format::{beginning, format_of};
use super::ordered::Ordered;
use super::read::Reader;
use super::{Blocks, GameBlock, GameFormat, Games, SourceError};

/// Files of games, one after the other.
#[derive(Clone, Debug)]
pub struct GameFiles {
    paths: Vec<PathBuf>,
    bytes: u64,
    threads: usize,
}

impl GameFiles {
    /// More threads would only take memory.
    const MOST_THREADS: usize = 256;

    /// Looks at the first bytes of each file, so that one that cannot be read is known before any game
    /// is. What is no regular file, such as a pipe, is looked at when it is read.
    ///
    /// # Errors
    ///
    /// When a file cannot be opened, or holds no games or in a way that this build does not read.
    pub fn open(paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Result<Self, SourceError> {
        let paths: Vec<_> = paths.into_iter().map(Into::into).collect();
        let mut bytes = 0;
        for path in &paths {
            bytes += check(path)?;
        }
        let threads = thread::available_parallelism().map_or(1, usize::from);
        Ok(Self {
            paths,
            bytes,
            threads,
        }
        .threads(threads))
    }

    /// So many threads make games of text, beside the one that reads the files: as many as the machine
    /// has unless told otherwise. 0 is as 1, and more than 256 are as 256. What is read does not depend
    /// on it.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.clamp(1, Self::MOST_THREADS);
        self
    }

    /// The files.
    #[must_use]
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// How many bytes the files have; what is no regular file does not count.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// All games, in order.
    ///
    /// # Errors
    ///
    /// When no threads can be started.
    pub fn games(&self) -> Result<Games, SourceError> {
        Ok(Games::new(self.map_blocks(|block| block)?))
    }

    /// What `map` makes of each block of games, in order. It is called on the threads that read, so that
    /// what takes long, such as making tokens, is done side by side.
    ///
    /// # Errors
    ///
    /// When no threads can be started.
    pub fn map_blocks<T: Send + 'static>(
        &self,
        map: impl Fn(GameBlock) -> T + Send + Sync + 'static,
    ) -> Result<Blocks<T>, SourceError> {
        let meter = Meter::default();
        let (paths, reader_meter) = (self.paths.clone(), meter.clone());
        let ordered = Ordered::start(
            self.threads,
            move |send| {
                let mut reader = Reader::new(reader_meter, send);
                paths.iter().try_for_each(|path| reader.read(path))
            },
            move |raw| map(GameBlock::read(&raw)),
        );
        Ok(Blocks::new(ordered?, meter, self.bytes))
    }
}

/// How much of the files was read.
#[derive(Clone, Debug, Default)]
pub(super) struct Meter(Arc<AtomicU64>);

impl Meter {
    pub(super) fn add(&self, bytes: u64) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Whether a file can be read; how many bytes it has.
fn check(path: &Path) -> Result<u64, SourceError> {
    let error = io_error(path);
    let metadata = std::fs::metadata(path).map_err(&error)?;
    if metadata.is_dir() {
        return Err(SourceError::Format {
            path: path.to_path_buf(),
            found: "a folder",
        });
    }
    if !metadata.is_file() {
        return Ok(0);
    }
    let beginning = File::open(path).and_then(|mut file| beginning(&mut file));
    readable_format(path, &beginning.map_err(error)?)?;
    Ok(metadata.len())
}

/// What begins like this, if this build reads it.
pub(super) fn readable_format(path: &Path, beginning: &[u8]) -> Result<GameFormat, SourceError> {
    let format = format_of(beginning).map_err(|found| SourceError::Format {
        path: path.to_path_buf(),
        found,
    })?;
    match format.is_read() {
        true => Ok(format),
        false => Err(SourceError::Feature {
            path: path.to_path_buf(),
            format,
        }),
    }
}

pub(super) fn io_error(path: &Path) -> impl Fn(io::Error) -> SourceError {
    move |source| SourceError::Io {
        path: path.to_path_buf(),
        source,
    }
}
