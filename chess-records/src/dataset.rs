//! Numbered samples that can be fetched in any order.

use std::boxed::Box;
use std::error::Error;
use std::ops::Range;
use std::string::String;

use thiserror::Error;

/// Samples numbered from 0, fetched in batches.
///
/// The trait is object-safe for any one batch type: sources of different formats that fill the same
/// batch mix as `Box<dyn Dataset<Batch = _>>`, and [`Concat`] lays them end to end.
pub trait Dataset: Send + Sync {
    /// What a gather fills; a buffer that is used again and again.
    type Batch;

    /// How many samples there are.
    fn len(&self) -> u64;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Replaces the contents of `batch` with the samples `indices`, in that order. An index may
    /// stand there more than once.
    ///
    /// # Errors
    ///
    /// [`DatasetError::OutOfRange`] for an index past the end, [`DatasetError::Record`] for a record
    /// that is not what its format says. The batch then holds nothing to rely on.
    fn gather(&self, indices: &[u64], batch: &mut Self::Batch) -> Result<(), DatasetError>;

    /// How many blocks the samples lie in: pieces that are best read whole, such as a compressed
    /// group or a stretch of storage. Blocks are not empty.
    fn block_count(&self) -> u64;

    /// The samples of a block. Blocks follow each other without gaps and together hold every sample.
    ///
    /// # Panics
    ///
    /// When `block` is not under [`Dataset::block_count`].
    fn block(&self, block: u64) -> Range<u64>;

    /// Whether a game starts at sample `index`; `None` where the samples do not tell, or lie in an
    /// order in which games are not whole.
    ///
    /// # Panics
    ///
    /// When `index` is past the end.
    fn game_start(&self, index: u64) -> Option<bool>;
}

/// Why samples could not be fetched.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DatasetError {
    /// An index past the end.
    #[error("sample {index} asked for, the dataset holds {len}")]
    OutOfRange {
        /// The index.
        index: u64,
        /// How many samples there are.
        len: u64,
    },
    /// A record is not what its format says.
    #[error("record {index} at byte {byte_offset}")]
    Record {
        /// The record's number in its file.
        index: u64,
        /// Where it starts in its file, in bytes.
        byte_offset: u64,
        /// What is wrong with it.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A fault in one of several sources.
    #[error("{name}")]
    Source {
        /// The source's name: a path, where it came from a file.
        name: String,
        /// The fault.
        source: Box<DatasetError>,
    },
}
