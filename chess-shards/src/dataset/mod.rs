//! Rows of several shards, numbered through.

mod compressed;
mod error;
mod file;
mod gather;
#[cfg(feature = "mmap")]
mod map;
mod memory;
mod options;
mod pool;
mod read_at;
mod regime;
mod samples;
mod starts;

use std::fs::File;
use std::path::{Path, PathBuf};

#[cfg(feature = "zstd")]
pub use compressed::unpack_shard;
pub use error::{RowError, ShardError};
pub use options::{Compressed, ShardOptions, ShardProgress};
pub use regime::{Measured, Regime, RegimeChoice};
pub use samples::{FlatColumnsDataset, FlatPositions};

use file::ShardFile;
use pool::Pool;
use starts::Starts;

/// The rows of some shards one after the other, in the order in which the files are named.
///
/// It is a [`Dataset`](chess_records::Dataset) of [`FlatRecord`](crate::FlatRecord)s as they stand,
/// unchecked; [`FlatColumnsDataset`] gathers them field by field, and [`FlatPositions`] as checked
/// positions.
///
/// Opening reads each file's header and compares its length. Files are then opened when a row of
/// theirs is asked for.
#[derive(Debug)]
pub struct FlatDataset {
    files: Vec<ShardFile>,
    starts: Starts,
    /// For each file, how many blocks are before it; and the number of all.
    blocks: Vec<u64>,
    source: Source,
    choice: RegimeChoice,
    threads: usize,
}

#[derive(Debug)]
enum Source {
    /// All rows are in memory.
    Memory,
    /// Rows are read one by one.
    Read(Pool<File>),
    #[cfg(feature = "mmap")]
    Mapped(Mapped),
}

#[cfg(feature = "mmap")]
#[derive(Debug)]
struct Mapped {
    unchanged: map::Unchanged,
    maps: Pool<map::Map>,
    cold: bool,
}

/// A file to be opened, and how many rows it must have, where that is known.
pub(crate) type Expected = (PathBuf, Option<u64>);

impl FlatDataset {
    /// How many rows make a block, unless a shard ends before: 3.2 MiB.
    pub const ROWS_PER_BLOCK: u64 = 16_384;

    /// Opens shards whose rows are read as they are asked for, one read each, or at once into memory
    /// ([`ShardOptions::in_memory`]). A file whose name ends in `.zst`, and one that is not there but
    /// has a compressed form beside it, with `.zst` added, is treated as [`ShardOptions::compressed`]
    /// says.
    ///
    /// # Errors
    ///
    /// A [`ShardError`] that names the file.
    pub fn open<P: Into<PathBuf>>(
        paths: impl IntoIterator<Item = P>,
        options: &ShardOptions,
    ) -> Result<Self, ShardError> {
        Self::open_expected(unknown(paths), options)
    }

    /// Opens shards as memory maps. With [`Regime::Auto`], some rows are read to find out how to go on;
    /// [`FlatDataset::regime`] says what was found. With [`Regime::Pread`], nothing is mapped.
    ///
    /// # Safety
    ///
    /// No file, be it one named here or one that it is decompressed to, may be changed or shortened, by
    /// this process or any other, while the dataset exists. Rows would change under their
    /// reader, which is undefined behaviour; and looking past the end of a shortened file ends the
    /// process (SIGBUS on Unix, a structured exception on Windows). A failing disk or network share
    /// does the same. Replacing a file by renaming another over it leaves maps as they are on Unix,
    /// and is refused on Windows.
    ///
    /// # Errors
    ///
    /// A [`ShardError`] that names the file.
    #[cfg(feature = "mmap")]
    #[allow(unsafe_code)]
    pub unsafe fn map<P: Into<PathBuf>>(
        paths: impl IntoIterator<Item = P>,
        options: &ShardOptions,
        regime: Regime,
    ) -> Result<Self, ShardError> {
        // SAFETY: the caller promises the same.
        unsafe { Self::map_expected(unknown(paths), options, regime) }
    }

    pub(crate) fn open_expected(
        paths: impl IntoIterator<Item = Expected>,
        options: &ShardOptions,
    ) -> Result<Self, ShardError> {
        let opened = paths
            .into_iter()
            .map(|(path, rows)| ShardFile::open(&path, rows, options));
        let files = opened.collect::<Result<Vec<_>, _>>()?;
        Ok(Self::of_files(files, options))
    }

    /// # Safety
    ///
    /// As [`FlatDataset::map`].
    #[cfg(feature = "mmap")]
    #[allow(unsafe_code)]
    pub(crate) unsafe fn map_expected(
        paths: impl IntoIterator<Item = Expected>,
        options: &ShardOptions,
        regime: Regime,
    ) -> Result<Self, ShardError> {
        let dataset = Self::open_expected(paths, options)?;
        if matches!(dataset.source, Source::Memory) {
            return Ok(dataset);
        }
        // SAFETY: the caller promises that no file changes while the dataset exists.
        let promise = || unsafe { map::Unchanged::promise() };
        Ok(dataset.with_regime(promise, regime, options))
    }

    #[cfg(feature = "mmap")]
    fn with_regime(
        mut self,
        promise: impl Fn() -> map::Unchanged,
        regime: Regime,
        options: &ShardOptions,
    ) -> Self {
        if regime == Regime::Auto {
            self.choice = regime::measure::choose(&mut self, |dataset| {
                dataset.set_mapped(promise(), true, options)
            });
        } else {
            self.choice.regime = Some(regime);
        }
        if let Some(regime @ (Regime::Cached | Regime::Cold)) = self.choice.regime {
            self.set_mapped(promise(), regime == Regime::Cold, options);
        }
        self
    }

    /// Maps the files from now on; says how rows were fetched before.
    #[cfg(feature = "mmap")]
    fn set_mapped(
        &mut self,
        unchanged: map::Unchanged,
        cold: bool,
        options: &ShardOptions,
    ) -> Source {
        let maps = Pool::new(self.files.len(), options.max_open);
        let mapped = Mapped {
            unchanged,
            maps,
            cold,
        };
        std::mem::replace(&mut self.source, Source::Mapped(mapped))
    }

    fn of_files(files: Vec<ShardFile>, options: &ShardOptions) -> Self {
        let starts = Starts::new(files.iter().map(|file| file.rows));
        let mut blocks = vec![0];
        for (file, before) in files.iter().zip(0..) {
            let count = file.rows.div_ceil(Self::ROWS_PER_BLOCK);
            blocks.push(blocks[before] + count);
        }
        let (source, regime) = if files.iter().all(ShardFile::is_in_memory) {
            (Source::Memory, None)
        } else {
            let pool = Pool::new(files.len(), options.max_open);
            (Source::Read(pool), Some(Regime::Pread))
        };
        Self {
            files,
            starts,
            blocks,
            source,
            choice: RegimeChoice {
                regime,
                measured: None,
            },
            threads: options.threads,
        }
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.starts.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How rows are fetched.
    #[must_use]
    pub const fn regime(&self) -> &RegimeChoice {
        &self.choice
    }

    /// The files with the number of their rows. Of a shard that was decompressed to a file, that
    /// file.
    pub fn files(&self) -> impl ExactSizeIterator<Item = (&Path, u64)> {
        self.files.iter().map(|file| (&*file.path, file.rows))
    }

    /// The file in which a row stands, its number there and where it starts in the file, in bytes.
    pub(crate) fn place(&self, index: u64) -> Option<(PathBuf, u64, u64)> {
        let (file, row) = self.starts.find(index)?;
        let file = &self.files[file];
        Some((file.path.clone(), row, file.byte_offset(row)))
    }

    /// The file in which a row stands, and its number there; `None` past the end.
    #[must_use]
    pub fn locate(&self, index: u64) -> Option<(&Path, u64)> {
        let (file, row) = self.starts.find(index)?;
        Some((&self.files[file].path, row))
    }
}

fn unknown<P: Into<PathBuf>>(paths: impl IntoIterator<Item = P>) -> impl Iterator<Item = Expected> {
    paths.into_iter().map(|path| (path.into(), None))
}
