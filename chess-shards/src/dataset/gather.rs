//! Rows of a dataset into a batch.

use std::fs::File;
use std::sync::{Mutex, PoisonError};
use std::thread;

use chess_records::DatasetError;
use zerocopy::{FromBytes, IntoBytes};

use super::error::RowError;
#[cfg(feature = "mmap")]
use super::map::Map;
use super::pool::{Pool, Recent, borrow};
use super::read_at::read_exact_at;
use super::{FlatDataset, Source};
use crate::gather::{Sink, copy};
use crate::{FlatColumns, FlatRecord};

/// How many rows the system is asked to read before the first of them is looked at.
#[cfg(feature = "mmap")]
const STRETCH: usize = 1024;
/// How many rows there must be for each file for a list of all files' rows to be worth its making.
const ROWS_PER_FILE: usize = 8;
/// The fewest rows in memory for which another thread is worth its start.
const COPIES_PER_THREAD: usize = 4096;
/// The fewest rows in files for which another thread is worth its start.
const READS_PER_THREAD: usize = 8;

impl FlatDataset {
    /// Copies rows to `out`, in the order asked for. An index may stand there more than once.
    ///
    /// # Errors
    ///
    /// [`DatasetError::OutOfRange`] names an index past the end; [`DatasetError::Source`] a file
    /// that cannot be read, with the row. `out` then holds nothing to rely on.
    ///
    /// # Panics
    ///
    /// When `out` has not one element for each index.
    pub fn gather_records(
        &self,
        indices: &[u64],
        out: &mut [FlatRecord],
    ) -> Result<(), DatasetError> {
        assert_eq!(out.len(), indices.len(), "records for each index");
        self.gather_into(indices, out)
    }

    /// As [`gather_records`](Self::gather_records), with the records as plain bytes.
    ///
    /// # Errors
    ///
    /// As [`gather_records`](Self::gather_records).
    ///
    /// # Panics
    ///
    /// When `out` has not 202 bytes for each index.
    pub fn gather_bytes(&self, indices: &[u64], out: &mut [u8]) -> Result<(), DatasetError> {
        let bytes = indices.len().checked_mul(FlatRecord::BYTES);
        assert_eq!(Some(out.len()), bytes, "202 bytes for each index");
        match <[FlatRecord]>::mut_from_bytes(out) {
            Ok(records) => self.gather_into(indices, records),
            Err(_) => unreachable!("records are aligned to 1 and of 202 bytes"),
        }
    }

    /// Copies rows to buffers for each field, whose former contents are replaced, in the order asked
    /// for. An index may stand there more than once.
    ///
    /// # Errors
    ///
    /// As [`gather_records`](Self::gather_records).
    pub fn gather_columns(
        &self,
        indices: &[u64],
        out: &mut FlatColumns,
    ) -> Result<(), DatasetError> {
        out.resize(indices.len());
        self.gather_into(indices, out.columns_mut())
    }

    /// One row.
    ///
    /// # Errors
    ///
    /// As [`gather_records`](Self::gather_records).
    pub fn get(&self, index: u64) -> Result<FlatRecord, DatasetError> {
        let mut record = [FlatRecord::zeroed()];
        self.gather_part(&[index], &mut &mut record[..])?;
        Ok(record[0])
    }

    fn gather_into<S: Sink>(&self, indices: &[u64], mut sink: S) -> Result<(), DatasetError> {
        let threads = self.threads_for(indices.len());
        if threads == 1 {
            return self.gather_part(indices, &mut sink);
        }
        let parts = Parts::new(indices, sink, threads);
        let work = || {
            while let Some((number, part, mut sink)) = parts.next() {
                if let Err(error) = self.gather_part(part, &mut sink) {
                    parts.fail(number, error);
                }
            }
        };
        thread::scope(|scope| {
            for _ in 1..threads {
                // Where the system gives no thread, the others do its work.
                let _ = thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        parts.into_result()
    }

    fn threads_for(&self, rows: usize) -> usize {
        let each = match self.choice.regime {
            Some(super::Regime::Pread) => READS_PER_THREAD,
            _ => COPIES_PER_THREAD,
        };
        self.threads.min(rows / each).max(1)
    }

    fn gather_part<S: Sink>(&self, indices: &[u64], sink: &mut S) -> Result<(), DatasetError> {
        match &self.source {
            Source::Memory => {
                let rows = |file: usize| self.files[file].memory();
                let at_hand = |file: usize, row| self.files[file].in_memory(row);
                let fetch = |_, _| Err(RowError::Shortened);
                self.gather_open(indices, 0, sink, rows, at_hand, fetch)
            }
            Source::Read(Pool::All(files)) => {
                self.gather_read(indices, sink, |file, record, offset| {
                    let opened = borrow(&files[file], || File::open(&self.files[file].path))?;
                    read_row(opened, record, offset)
                })
            }
            Source::Read(Pool::Limited(files)) => {
                self.gather_read(indices, sink, |file, record, offset| {
                    let open = || File::open(&self.files[file].path);
                    read_row(&*Recent::get(files, file, open)?, record, offset)
                })
            }
            #[cfg(feature = "mmap")]
            Source::Mapped(mapped) => match &mapped.maps {
                Pool::All(maps) => self.gather_mapped(mapped, maps, indices, sink),
                Pool::Limited(maps) => self.gather_by_file(mapped, maps, indices, sink),
            },
        }
    }

    /// Rows that can be borrowed: one by one from `at_hand` or, where there are many, from lists of all
    /// `rows`, which are made once.
    #[inline]
    fn gather_open<'a, S: Sink>(
        &'a self,
        indices: &[u64],
        first_slot: usize,
        sink: &mut S,
        rows: impl Fn(usize) -> &'a [FlatRecord],
        at_hand: impl Fn(usize, u64) -> Option<&'a FlatRecord>,
        fetch: impl Fn(usize, u64) -> Result<&'a FlatRecord, RowError>,
    ) -> Result<(), DatasetError> {
        if indices.len() / ROWS_PER_FILE < self.files.len() {
            return self.gather_borrowed(indices, first_slot, sink, at_hand, fetch);
        }
        let files: Vec<&[FlatRecord]> = (0..self.files.len()).map(rows).collect();
        let at_hand = |file: usize, row| files[file].get(usize::try_from(row).ok()?);
        self.gather_borrowed(indices, first_slot, sink, at_hand, fetch)
    }

    /// Rows that can be borrowed. Where `at_hand` has none, `fetch` opens its file or says what is
    /// wrong: the way without errors is short enough for the copying not to wait for it.
    #[inline]
    fn gather_borrowed<'a, S: Sink>(
        &'a self,
        indices: &[u64],
        first_slot: usize,
        sink: &mut S,
        at_hand: impl Fn(usize, u64) -> Option<&'a FlatRecord>,
        fetch: impl Fn(usize, u64) -> Result<&'a FlatRecord, RowError>,
    ) -> Result<(), DatasetError> {
        let find = |number: usize| {
            let (file, row) = self.starts.find(indices[number])?;
            at_hand(file, row)
        };
        let fetch = |number: usize| {
            let (file, row) = self.find(indices[number])?;
            let fetched = match self.files[file].in_memory(row) {
                Some(found) => Ok(found),
                None => fetch(file, row),
            };
            fetched.map_err(|error| self.row_error(file, row, error))
        };
        copy(
            indices.len(),
            find,
            fetch,
            |number| first_slot + number,
            sink,
        )
    }

    /// Rows that are read one by one.
    fn gather_read<S: Sink>(
        &self,
        indices: &[u64],
        sink: &mut S,
        read: impl Fn(usize, &mut FlatRecord, u64) -> Result<(), RowError>,
    ) -> Result<(), DatasetError> {
        let mut record = FlatRecord::zeroed();
        for (slot, &index) in indices.iter().enumerate() {
            let (file, row) = self.find(index)?;
            let shard = &self.files[file];
            if let Some(found) = shard.in_memory(row) {
                sink.put(slot, found);
                continue;
            }
            read(file, &mut record, shard.byte_offset(row))
                .map_err(|error| self.row_error(file, row, error))?;
            sink.put(slot, &record);
        }
        Ok(())
    }

    #[inline]
    fn find(&self, index: u64) -> Result<(usize, u64), DatasetError> {
        let len = self.len();
        let found = self.starts.find(index);
        found.ok_or(DatasetError::OutOfRange { index, len })
    }

    /// An error with the file and the row's number in it.
    #[cold]
    pub(super) fn row_error<E>(&self, file: usize, row: u64, error: E) -> DatasetError
    where
        E: std::error::Error + Send + Sync + 'static,
    {
        let shard = &self.files[file];
        let source = DatasetError::Record {
            index: row,
            byte_offset: shard.byte_offset(row),
            source: Box::new(error),
        };
        DatasetError::Source {
            name: shard.path.display().to_string(),
            source: Box::new(source),
        }
    }
}

#[cfg(feature = "mmap")]
impl FlatDataset {
    /// Rows of maps that all stay open.
    fn gather_mapped<S: Sink>(
        &self,
        mapped: &super::Mapped,
        maps: &[std::sync::OnceLock<Map>],
        indices: &[u64],
        sink: &mut S,
    ) -> Result<(), DatasetError> {
        let map = |file| borrow(&maps[file], || mapped.open(&self.files[file]));
        let rows = |file: usize| match maps[file].get() {
            Some(map) => map.records(),
            None => self.files[file].memory(),
        };
        let at_hand = |file: usize, row| match maps[file].get() {
            Some(map) => map.record(row),
            None => self.files[file].in_memory(row),
        };
        let fetch = |file, row| map(file)?.record(row).ok_or(RowError::Shortened);
        if !mapped.cold {
            return self.gather_open(indices, 0, sink, rows, at_hand, fetch);
        }
        for (stretch, first) in indices.chunks(STRETCH).zip((0..).step_by(STRETCH)) {
            for &index in stretch {
                let (file, row) = self.find(index)?;
                if !self.files[file].is_in_memory() {
                    let map = map(file).map_err(|error| self.row_error(file, row, error))?;
                    map.will_need(row);
                }
            }
            self.gather_open(stretch, first, sink, rows, at_hand, fetch)?;
        }
        Ok(())
    }

    /// Rows of maps that may not all be open at a time: file by file, in ascending order.
    fn gather_by_file<S: Sink>(
        &self,
        mapped: &super::Mapped,
        maps: &Mutex<Recent<Map>>,
        indices: &[u64],
        sink: &mut S,
    ) -> Result<(), DatasetError> {
        let mut places = Vec::with_capacity(indices.len());
        for (slot, &index) in indices.iter().enumerate() {
            let (file, row) = self.find(index)?;
            places.push((file, row, slot));
        }
        places.sort_unstable();
        for of_file in places.chunk_by(|one, other| one.0 == other.0) {
            let (file, first_row, _) = of_file[0];
            let shard = &self.files[file];
            if shard.is_in_memory() {
                self.gather_places(of_file, sink, |row| shard.in_memory(row))?;
                continue;
            }
            let map = Recent::get(maps, file, || mapped.open(shard))
                .map_err(|error| self.row_error(file, first_row, error))?;
            for stretch in of_file.chunks(STRETCH) {
                if mapped.cold {
                    stretch.iter().for_each(|&(_, row, _)| map.will_need(row));
                }
                self.gather_places(stretch, sink, |row| map.record(row))?;
            }
        }
        Ok(())
    }

    fn gather_places<'a, S: Sink>(
        &self,
        places: &[Place],
        sink: &mut S,
        record: impl Fn(u64) -> Option<&'a FlatRecord>,
    ) -> Result<(), DatasetError> {
        let find = |number: usize| record(places[number].1);
        let fetch = |number: usize| {
            let (file, row, _) = places[number];
            Err(self.row_error(file, row, RowError::Shortened))
        };
        copy(places.len(), find, fetch, |number| places[number].2, sink)
    }
}

/// A file, a row in it and a slot of the batch.
#[cfg(feature = "mmap")]
type Place = (usize, u64, usize);

#[cfg(feature = "mmap")]
impl super::Mapped {
    fn open(&self, file: &super::file::ShardFile) -> Result<Map, RowError> {
        Map::open(file, &self.unchanged, self.cold)
    }
}

/// Parts of a batch that threads take in turn.
struct Parts<'a, S> {
    left: Mutex<Vec<Part<'a, S>>>,
    /// What failed in the first of the parts that failed.
    failed: Mutex<Option<(usize, DatasetError)>>,
}

/// A part's number, its rows and where they go.
type Part<'a, S> = (usize, &'a [u64], S);

impl<'a, S: Sink> Parts<'a, S> {
    fn new(indices: &'a [u64], mut sink: S, count: usize) -> Self {
        let each = indices.len().div_ceil(count);
        let mut left = Vec::with_capacity(count);
        for (number, part) in indices.chunks(each).enumerate() {
            let (of_part, rest) = sink.split_at(part.len());
            sink = rest;
            left.push((number, part, of_part));
        }
        left.reverse();
        Self {
            left: Mutex::new(left),
            failed: Mutex::new(None),
        }
    }

    fn next(&self) -> Option<Part<'a, S>> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.pop()
    }

    fn fail(&self, number: usize, error: DatasetError) {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if failed.as_ref().is_none_or(|(first, _)| number < *first) {
            *failed = Some((number, error));
        }
    }

    fn into_result(self) -> Result<(), DatasetError> {
        let failed = self.failed.into_inner();
        match failed.unwrap_or_else(PoisonError::into_inner) {
            Some((_, error)) => Err(error),
            None => Ok(()),
        }
    }
}

fn read_row(file: &File, record: &mut FlatRecord, offset: u64) -> Result<(), RowError> {
    match read_exact_at(file, record.as_mut_bytes(), offset) {
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Err(RowError::Shortened),
        read => Ok(read?),
    }
}
