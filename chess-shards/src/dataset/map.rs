//! Shards as memory maps.
#![allow(unsafe_code)]

use std::fs::File;

use memmap2::Mmap;

use super::error::RowError;
use super::file::{ShardFile, record_at, records_at};
use crate::FlatRecord;

/// The promise that files do not change while they are mapped.
#[derive(Debug)]
pub(super) struct Unchanged(());

impl Unchanged {
    /// # Safety
    ///
    /// No file that is mapped with this promise may change or be shortened while it is mapped.
    pub(super) const unsafe fn promise() -> Self {
        Self(())
    }
}

/// A mapped shard.
#[derive(Debug)]
pub(super) struct Map {
    map: Mmap,
    data_offset: u64,
}

impl Map {
    /// Maps a shard, which must still have its length. `scattered` turns read-ahead off.
    pub(super) fn open(
        file: &ShardFile,
        _unchanged: &Unchanged,
        scattered: bool,
    ) -> Result<Self, RowError> {
        let opened = File::open(&file.path)?;
        let (found, expected) = (opened.metadata()?.len(), file.file_bytes());
        if found != expected {
            return Err(RowError::Changed { found, expected });
        }
        // SAFETY: whoever made `Unchanged` promises that nobody changes the file while it is mapped.
        let map = unsafe { Mmap::map(&opened) }?;
        #[cfg(unix)]
        if scattered {
            // Slower without it, but no less right.
            let _ = map.advise(memmap2::Advice::Random);
        }
        #[cfg(not(unix))]
        let _ = scattered;
        Ok(Self {
            map,
            data_offset: file.data_offset,
        })
    }

    /// The rows that the map has.
    pub(super) fn records(&self) -> &[FlatRecord] {
        records_at(&self.map, self.data_offset)
    }

    #[inline]
    pub(super) fn record(&self, row: u64) -> Option<&FlatRecord> {
        let offset = self.data_offset + row * FlatRecord::BYTES as u64;
        record_at(&self.map, offset)
    }

    /// Asks the system to read a row soon, without waiting for it.
    pub(super) fn will_need(&self, row: u64) {
        #[cfg(unix)]
        {
            let offset = self.data_offset + row * FlatRecord::BYTES as u64;
            // Not over, as the row is in the map.
            let offset = offset as usize;
            let advice = memmap2::Advice::WillNeed;
            // Slower without it, but no less right.
            let _ = self.map.advise_range(advice, offset, FlatRecord::BYTES);
        }
        #[cfg(not(unix))]
        let _ = row;
    }
}
