//! Removing duplicates from more records than fit into memory.

mod state;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::string::String;
use std::vec;
use std::vec::Vec;

use state::State;

use super::inputs::CHUNK_BYTES;
use super::resume::open_at;
use super::scratch::Scratch;
use super::spill::{Entries, Spill, damaged_if_short, field};
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
/// (`.NAME.chess-records`) and take at most 1½ times the size of the inputs, the output apart.
///
/// # Interruption
///
/// As that of a [shuffle](super::Shuffle#interruption): the same run goes on where it was, in
/// whichever pass.
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
/// How many bytes of input are read between two notes of the state.
const NOTE_BYTES: u64 = 256 << 20;
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
        let scratch = Scratch::open(output, &self.job(inputs))?;
        let work = Work {
            inputs,
            keep: self.keep,
            scratch: &scratch,
            parts,
            buffer_bytes: self.buffer_bytes(parts),
            note_bytes: NOTE_BYTES,
        };
        let mut kept = work.run(progress);
        if let Err(FilesError::Damaged { .. }) = kept {
            scratch.forget_state()?;
            kept = work.run(progress);
        }
        let kept = scratch.finish_or_keep(kept)?;
        Ok(DedupReport {
            records: inputs.records(),
            kept,
        })
    }

    fn job<R: ScoredRecord>(&self, inputs: &Inputs<R>) -> String {
        std::format!("{self:?}\n{}", inputs.identity())
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
    note_bytes: u64,
}

impl<R: ScoredRecord> Work<'_, R> {
    /// Leaves the result in the scratch folder, and gives how many records it has.
    fn run(&self, progress: &mut Progress<'_>) -> Result<u64, FilesError> {
        let mut meter = Meter::new(3 * self.inputs.bytes(), progress);
        let noted = self.scratch.state();
        let nothing = || State::Scattered {
            records: 0,
            lens: vec![0; self.parts],
        };
        let state = noted.and_then(|text| State::parse(&text, self.parts));
        match state.unwrap_or_else(nothing) {
            State::Scattered { records, lens } => {
                let lens = self.scatter(records, &lens, &mut meter)?;
                self.choose(0, &lens, &mut meter)?;
                self.write(0, 0, &mut meter)
            }
            State::Chosen { files, lens } => {
                let chosen: u64 = lens[..files].iter().copied().map(record_bytes::<R>).sum();
                meter.advance(self.inputs.bytes() + chosen)?;
                self.choose(files, &lens, &mut meter)?;
                self.write(0, 0, &mut meter)
            }
            State::Written { read, written } => {
                meter.done = 2 * self.inputs.bytes();
                self.write(read, written, &mut meter)
            }
        }
    }

    /// Pass 1. Gives the lengths of the files.
    fn scatter(
        &self,
        done: u64,
        lens: &[u64],
        meter: &mut Meter<'_, '_>,
    ) -> Result<Vec<u64>, FilesError> {
        let paths = (0..self.parts).map(|part| self.part(part));
        let opened = Spill::open(paths, lens, self.buffer_bytes);
        let mut spill = opened.map_err(damaged_if_short)?;
        let (mut index, mut noted) = (done, done);
        meter.advance(done * R::BYTES as u64)?;
        self.inputs.read_from(done, meter, |chunk| {
            for decoded in chunk.decoded() {
                let (record, labelled) = decoded?;
                let key = PositionKey::new(&labelled.position);
                let part = key.hash(0) % self.parts as u64;
                let head = entry_head(index, record.stored_score_cp());
                spill.push(part as usize, [&head, key.as_bytes()])?;
                index += 1;
            }
            if (index - noted) * R::BYTES as u64 >= self.note_bytes {
                noted = index;
                let (records, lens) = (noted, spill.flush()?);
                self.note(&State::Scattered { records, lens })?;
            }
            Ok(())
        })?;
        let lens = spill.flush()?;
        self.note(&State::Chosen {
            files: 0,
            lens: lens.clone(),
        })?;
        Ok(lens)
    }

    /// Pass 2: lists of the records that stay, one for each file, in order.
    fn choose(
        &self,
        done: usize,
        lens: &[u64],
        meter: &mut Meter<'_, '_>,
    ) -> Result<(), FilesError> {
        for (part, &len) in lens.iter().enumerate().skip(done) {
            let kept = self.choose_in(part, len)?;
            write_kept(&self.kept(part), &kept)?;
            self.note(&State::Chosen {
                files: part + 1,
                lens: lens.to_vec(),
            })?;
            self.scratch.remove(&self.part(part))?;
            meter.advance(record_bytes::<R>(len))?;
        }
        Ok(())
    }

    fn choose_in(&self, part: usize, len: u64) -> Result<Vec<(u64, i16)>, FilesError> {
        let mut groups: HashMap<PositionKey, Group> = HashMap::new();
        let entries = Entries::open(self.part(part), ENTRY_BYTES, CHUNK_BYTES);
        let mut entries = entries.map_err(damaged_if_short)?;
        let mut before = None;
        for _ in 0..len / ENTRY_BYTES as u64 {
            let Some(entry) = entries.next()? else {
                return Err(entries.damaged());
            };
            let key = PositionKey::from_bytes(field(entry, KEPT_BYTES));
            let (index, score_cp) = read_head(entry);
            // Numbers rise, but not where a crash left zeros.
            if before >= Some(index) {
                return Err(entries.damaged());
            }
            before = Some(index);
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
    fn write(
        &self,
        read: u64,
        mut written: u64,
        meter: &mut Meter<'_, '_>,
    ) -> Result<u64, FilesError> {
        let mut kept = self.kept_from(read)?;
        let path = self.scratch.result();
        let write_error = |source| FilesError::write(&path, source);
        if fs::metadata(&path).map_or(0, |metadata| metadata.len()) < written * R::BYTES as u64 {
            return Err(FilesError::Damaged { path });
        }
        let file = open_at(&path, written * R::BYTES as u64).map_err(write_error)?;
        let mut file = BufWriter::with_capacity(CHUNK_BYTES, file);
        let (mut index, mut noted) = (read, read);
        let mut next = kept.next()?;
        meter.advance(read * R::BYTES as u64)?;
        self.inputs.read_from(read, meter, |chunk| {
            for record in chunk.records {
                if let Some((_, score_cp)) = next.filter(|&(kept, _)| kept == index) {
                    let record = self.finished(record, score_cp);
                    file.write_all(record.as_bytes()).map_err(write_error)?;
                    written += 1;
                    next = kept.next()?;
                }
                index += 1;
            }
            if (index - noted) * R::BYTES as u64 >= self.note_bytes {
                noted = index;
                sync(&mut file).map_err(write_error)?;
                self.note(&State::Written {
                    read: noted,
                    written,
                })?;
            }
            Ok(())
        })?;
        sync(&mut file).map_err(write_error)?;
        Ok(written)
    }

    /// The records that stay, from record `read` on.
    fn kept_from(&self, read: u64) -> Result<Merge, FilesError> {
        let buffer_bytes = self.buffer_bytes.min(64 << 10);
        let lists =
            (0..self.parts).map(|part| Entries::open(self.kept(part), KEPT_BYTES, buffer_bytes));
        let lists = lists.collect::<Result<_, _>>().map_err(damaged_if_short)?;
        let mut kept = Merge::new(lists)?;
        while kept.first().is_some_and(|first| first < read) {
            kept.next()?;
        }
        Ok(kept)
    }

    fn note(&self, state: &State) -> Result<(), FilesError> {
        self.scratch.note_state(&state.text())
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

/// The bytes of the records that a file of so many bytes has entries of.
fn record_bytes<R: FixedRecord>(entries: u64) -> u64 {
    entries / ENTRY_BYTES as u64 * R::BYTES as u64
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

fn sync(file: &mut BufWriter<File>) -> io::Result<()> {
    file.flush()?;
    file.get_ref().sync_all()
}

fn write_kept(path: &Path, kept: &[(u64, i16)]) -> Result<(), FilesError> {
    let written = File::create(path).and_then(|file| {
        let mut file = BufWriter::with_capacity(CHUNK_BYTES, file);
        for &(index, score_cp) in kept {
            file.write_all(&entry_head(index, score_cp))?;
        }
        sync(&mut file)
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

    /// The number of the next record.
    fn first(&self) -> Option<u64> {
        self.heads.peek().map(|Reverse((index, ..))| *index)
    }

    fn next(&mut self) -> Result<Option<(u64, i16)>, FilesError> {
        let Some(Reverse((index, score_cp, list))) = self.heads.pop() else {
            return Ok(None);
        };
        self.refill(list)?;
        Ok(Some((index, score_cp)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MarlinRecord;
    use std::ops::ControlFlow;

    const RECORDS: u64 = 100_000;
    const DEDUP: Dedup = Dedup {
        keep: Keep::MeanScore,
        memory: Dedup::MIN_MEMORY,
    };

    /// The golden positions again and again, with other scores and clocks.
    fn write_input(folder: &Path) -> Inputs<MarlinRecord> {
        let (golden, _) =
            include_bytes!("../../tests/golden/marlin/valid/positions.marlin").as_chunks::<32>();
        let numbered = (0..RECORDS).zip(golden.iter().cycle());
        let bytes: Vec<u8> = numbered
            .flat_map(|(number, record)| {
                let mut record = *record;
                record[28..30].copy_from_slice(&(number as i16).to_le_bytes());
                record
            })
            .collect();
        let path = folder.join("in");
        fs::write(&path, bytes).unwrap();
        Inputs::open([path]).unwrap()
    }

    #[test]
    fn it_goes_on_from_anywhere() {
        let folder = tempfile::tempdir().unwrap();
        let inputs = write_input(folder.path());
        let whole = Output::new(folder.path().join("whole"));
        let report = DEDUP.run(&inputs, &whole, &mut |_, _| ControlFlow::Continue(()));
        let report = report.unwrap();
        assert!(report.kept < report.records);
        let scratch = Scratch::open_anew(&Output::new(folder.path().join("out"))).unwrap();
        let work = Work {
            inputs: &inputs,
            keep: DEDUP.keep,
            scratch: &scratch,
            parts: 5,
            buffer_bytes: 4096,
            note_bytes: 1,
        };
        let total = 3 * inputs.bytes();
        let mut last = 0;
        for stop in (1..24).map(|step| step * total / 24) {
            let mut seen = Vec::new();
            let cancelled = work.run(&mut |done, _| {
                seen.push(done);
                if done >= stop {
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            });
            assert!(matches!(cancelled, Err(FilesError::Cancelled)), "{stop}");
            // At most a chunk or a file is done again.
            let first = seen.iter().find(|&&done| done > 0).unwrap();
            assert!(first + (2 << 20) >= last, "{first} after {last}");
            last = *seen.last().unwrap();
        }
        let kept = work.run(&mut |_, _| ControlFlow::Continue(())).unwrap();
        assert_eq!(kept, report.kept);
        assert!(fs::read(scratch.result()).unwrap() == fs::read(whole.path()).unwrap());
    }
}
