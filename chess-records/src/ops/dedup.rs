//! Removing duplicates from more records than fit into memory.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::vec;
use std::vec::Vec;

use super::inputs::CHUNK_BYTES;
use super::scratch::Scratch;
use super::spill::{Entries, Spill, field};
use super::{FilesError, Inputs, Meter, Output, PositionKey, Progress};
use crate::{BulletRecord, FixedRecord, MarlinMoveRecord, MarlinRecord};

/// Removal of records whose position came before or comes later; see [`PositionKey`] for what makes
/// positions the same. What is kept stays in the order of the inputs, byte for byte but for a
/// [mean score](Keep::MeanScore).
///
/// # Method
///
/// Pass 1 decodes each record and sends its number, score and key to one of several files by the
/// key's hash. Pass 2 finds in each file, in memory, which records stay. Pass 3 reads the inputs
/// again and writes those. The temporary files lie in a folder beside the output
/// (`.NAME.chess-records`) and take at most 1½ times the size of the inputs, the output apart. A run
/// that was killed or cancelled is not gone on with: the next run of the same output removes that
/// folder and begins anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dedup {
    /// Which of the records of a position stays.
    pub keep: Keep,
    /// How many bytes of memory the work may take, at least [`Dedup::MIN_MEMORY`] and more for very
    /// many records.
    pub memory: u64,
}

/// Which of several records of one position stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Keep {
    /// The first.
    #[default]
    First,
    /// The last.
    Last,
    /// The first, with the mean of all scores rounded to the nearest whole number, halves away from
    /// zero. Its result stays its own.
    MeanScore,
}

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DedupReport {
    /// How many records there were.
    pub records: u64,
    /// How many are left.
    pub kept: u64,
}

/// Records whose score is in centipawns and can be replaced.
pub trait ScoredRecord: FixedRecord {
    /// The score as the record has it, from the side its format says.
    fn stored_score_cp(&self) -> i16;

    /// The record with another score, from the same side.
    #[must_use]
    fn with_stored_score_cp(&self, score_cp: i16) -> Self;
}

macro_rules! scored {
    ($($record:ident at $offset:literal),*) => {$(
        impl ScoredRecord for $record {
            fn stored_score_cp(&self) -> i16 {
                self.score_cp()
            }

            fn with_stored_score_cp(&self, score_cp: i16) -> Self {
                let mut bytes = self.to_bytes();
                bytes[$offset..$offset + 2].copy_from_slice(&score_cp.to_le_bytes());
                Self::from_bytes(&bytes)
            }
        }
    )*};
}

scored!(MarlinRecord at 28, MarlinMoveRecord at 28, BulletRecord at 24);

/// Record number, score and key.
const ENTRY_BYTES: usize = 8 + 2 + PositionKey::BYTES;
/// Record number and score.
const KEPT_BYTES: usize = 8 + 2;
/// What a position takes in a hash table, at worst while the table grows.
const BYTES_PER_POSITION: u64 = 224;
/// Pass 3 has as many files open.
const MAX_PARTS: u64 = 512;
/// What is not for tables and buffers.
const OVERHEAD: u64 = 4 << 20;

impl Dedup {
    /// The least memory that is of use, in bytes.
    pub const MIN_MEMORY: u64 = 8 << 20;

    /// Writes the records of `inputs` that stay to `output`.
    ///
    /// # Errors
    ///
    /// A [`FilesError`]; [`FilesError::Record`] for a record that is no position and
    /// [`FilesError::Memory`] when the budget is too small.
    pub fn run<R: ScoredRecord>(
        &self,
        inputs: &Inputs<R>,
        output: &Output,
        progress: &mut Progress<'_>,
    ) -> Result<DedupReport, FilesError> {
        output.check(inputs.paths())?;
        let parts = self.parts(inputs.records())?;
        let scratch = Scratch::open_anew(output)?;
        let work = Work {
            inputs,
            keep: self.keep,
            scratch: &scratch,
            parts,
            buffer_bytes: self.buffer_bytes(parts),
        };
        let mut meter = Meter::new(3 * inputs.bytes(), progress);
        let lens = work.scatter(&mut meter)?;
        work.choose(&lens, &mut meter)?;
        let kept = work.write(&mut meter)?;
        scratch.finish()?;
        Ok(DedupReport {
            records: inputs.records(),
            kept,
        })
    }

    fn parts(&self, records: u64) -> Result<usize, FilesError> {
        let bytes = records.saturating_mul(BYTES_PER_POSITION);
        let needed = (bytes.div_ceil(MAX_PARTS) + OVERHEAD).max(Self::MIN_MEMORY);
        if self.memory < needed {
            return Err(FilesError::Memory {
                given: self.memory,
                records,
                needed,
            });
        }
        Ok(bytes.div_ceil(self.memory - OVERHEAD).max(1) as usize)
    }

    fn buffer_bytes(&self, parts: usize) -> usize {
        let share = (self.memory - OVERHEAD) / (parts + Spill::SPARES) as u64;
        share.clamp(
            Spill::MIN_BUFFER_BYTES as u64,
            Spill::MAX_BUFFER_BYTES as u64,
        ) as usize
    }
}

/// Duplicates being removed.
struct Work<'a, R> {
    inputs: &'a Inputs<R>,
    keep: Keep,
    scratch: &'a Scratch,
    parts: usize,
    buffer_bytes: usize,
}

impl<R: ScoredRecord> Work<'_, R> {
    /// Pass 1. Gives the lengths of the files.
    fn scatter(&self, meter: &mut Meter<'_, '_>) -> Result<Vec<u64>, FilesError> {
        let paths = (0..self.parts).map(|part| self.part(part));
        let mut spill = Spill::open(paths, &vec![0; self.parts], self.buffer_bytes)?;
        let mut index = 0u64;
        self.inputs.read_from(0, meter, |chunk| {
            for decoded in chunk.decoded() {
                let (record, labelled) = decoded?;
                let key = PositionKey::new(&labelled.position);
                let part = key.hash(0) % self.parts as u64;
                let head = entry_head(index, record.stored_score_cp());
                spill.push(part as usize, [&head, key.as_bytes()])?;
                index += 1;
            }
            Ok(())
        })?;
        spill.flush()
    }

    /// Pass 2: lists of the records that stay, one for each file, in order.
    fn choose(&self, lens: &[u64], meter: &mut Meter<'_, '_>) -> Result<(), FilesError> {
        for (part, len) in lens.iter().enumerate() {
            let kept = self.choose_in(part)?;
            write_kept(&self.kept(part), &kept)?;
            meter.advance(len / ENTRY_BYTES as u64 * R::BYTES as u64)?;
        }
        Ok(())
    }

    fn choose_in(&self, part: usize) -> Result<Vec<(u64, i16)>, FilesError> {
        let mut groups: HashMap<PositionKey, Group> = HashMap::new();
        let mut entries = Entries::open(self.part(part), ENTRY_BYTES, CHUNK_BYTES)?;
        while let Some(entry) = entries.next()? {
            let key = PositionKey::from_bytes(field(entry, KEPT_BYTES));
            let (index, score_cp) = read_head(entry);
            let group = groups.entry(key).or_insert(Group {
                index,
                score_sum: 0,
                count: 0,
            });
            group.score_sum += i64::from(score_cp);
            group.count += 1;
            if self.keep == Keep::Last {
                group.index = index;
            }
        }
        let mut kept: Vec<_> = groups.into_values().map(Group::kept).collect();
        kept.sort_unstable();
        Ok(kept)
    }

    /// Pass 3. Gives how many records were written.
    fn write(&self, meter: &mut Meter<'_, '_>) -> Result<u64, FilesError> {
        let buffer_bytes = self.buffer_bytes.min(64 << 10);
        let lists =
            (0..self.parts).map(|part| Entries::open(self.kept(part), KEPT_BYTES, buffer_bytes));
        let mut kept = Merge::new(lists.collect::<Result<_, _>>()?)?;
        let path = self.scratch.result();
        let write_error = |source| FilesError::write(&path, source);
        let file = File::create(&path).map_err(write_error)?;
        let mut file = BufWriter::with_capacity(CHUNK_BYTES, file);
        let (mut index, mut written) = (0, 0);
        let mut next = kept.next()?;
        self.inputs.read_from(0, meter, |chunk| {
            for record in chunk.records {
                if let Some((_, score_cp)) = next.filter(|&(kept, _)| kept == index) {
                    let record = self.finished(record, score_cp);
                    file.write_all(record.as_bytes()).map_err(write_error)?;
                    written += 1;
                    next = kept.next()?;
                }
                index += 1;
            }
            Ok(())
        })?;
        let file = file
            .into_inner()
            .map_err(|error| write_error(error.into_error()))?;
        file.sync_all().map_err(write_error)?;
        Ok(written)
    }

    fn finished(&self, record: &R, mean_score_cp: i16) -> R {
        match self.keep {
            Keep::MeanScore => record.with_stored_score_cp(mean_score_cp),
            Keep::First | Keep::Last => *record,
        }
    }

    fn part(&self, part: usize) -> PathBuf {
        self.scratch.path(&std::format!("{part}.part"))
    }

    fn kept(&self, part: usize) -> PathBuf {
        self.scratch.path(&std::format!("{part}.kept"))
    }
}

/// The records of one position.
struct Group {
    /// The one that stays.
    index: u64,
    score_sum: i64,
    count: u32,
}

impl Group {
    fn kept(self) -> (u64, i16) {
        // Exact: sums of fewer than 2³² scores are under 2⁴⁷, quotients within an i16.
        let mean = self.score_sum as f64 / f64::from(self.count);
        (self.index, mean.round() as i16)
    }
}

fn entry_head(index: u64, score_cp: i16) -> [u8; KEPT_BYTES] {
    let mut head = [0; KEPT_BYTES];
    head[..8].copy_from_slice(&index.to_le_bytes());
    head[8..].copy_from_slice(&score_cp.to_le_bytes());
    head
}

fn read_head(entry: &[u8]) -> (u64, i16) {
    let index = u64::from_le_bytes(field(entry, 0));
    (index, i16::from_le_bytes(field(entry, 8)))
}

fn write_kept(path: &Path, kept: &[(u64, i16)]) -> Result<(), FilesError> {
    let written = File::create(path).and_then(|file| {
        let mut file = BufWriter::with_capacity(CHUNK_BYTES, file);
        for &(index, score_cp) in kept {
            file.write_all(&entry_head(index, score_cp))?;
        }
        file.flush()
    });
    written.map_err(|source| FilesError::write(path, source))
}

/// Lists in order, merged.
struct Merge {
    lists: Vec<Entries>,
    heads: BinaryHeap<Reverse<(u64, i16, usize)>>,
}

impl Merge {
    fn new(lists: Vec<Entries>) -> Result<Self, FilesError> {
        let mut merge = Self {
            heads: BinaryHeap::with_capacity(lists.len()),
            lists,
        };
        for list in 0..merge.lists.len() {
            merge.refill(list)?;
        }
        Ok(merge)
    }

    fn refill(&mut self, list: usize) -> Result<(), FilesError> {
        if let Some(entry) = self.lists[list].next()? {
            let (index, score_cp) = read_head(entry);
            self.heads.push(Reverse((index, score_cp, list)));
        }
        Ok(())
    }

    fn next(&mut self) -> Result<Option<(u64, i16)>, FilesError> {
        let Some(Reverse((index, score_cp, list))) = self.heads.pop() else {
            return Ok(None);
        };
        self.refill(list)?;
        Ok(Some((index, score_cp)))
    }
}
