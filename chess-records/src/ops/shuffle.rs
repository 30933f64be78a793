//! A seeded shuffle of more records than fit into memory.

mod plan;
mod state;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::string::String;
use std::thread::{self, ScopedJoinHandle};
use std::vec;
use std::vec::Vec;

use plan::Plan;
use state::State;

use super::inputs::CHUNK_BYTES;
use super::scratch::Scratch;
use super::spill::{Entries, Spill, field};
use super::{FilesError, Inputs, Meter, Output, Progress};
use crate::{FixedRecord, Permutation};

/// A shuffle: record `i` of the inputs, taken end to end, becomes record
/// [`Permutation::new(n, seed)`](Permutation)`.get(i)` of the output, `n` being how many there are.
///
/// The order is that of [`Permutation`] whatever the memory: one of up to 2⁶⁴ orders, picked by the
/// seed. Over seeds every record is equally likely to land anywhere, as far as that can be measured;
/// of the *n*! orders of a large file nearly all are out of reach, as with any 64-bit seed.
///
/// # Method
///
/// If the output fits into the memory, it is filled there. Else pass 1 sends each record, with the
/// low 32 bits of its place, to the file of the stretch of the output where it belongs; pass 2 fills
/// each stretch in memory and appends it, and removes its file. The temporary files lie in a folder beside the output
/// (`.NAME.chess-records`), and take 1⅛ times the size of the inputs, the output apart.
///
/// # Interruption
///
/// A run that was killed or cancelled leaves that folder. The next run with the same inputs (paths,
/// lengths and times of last change), seed, memory and output goes on where it was; a run with
/// anything else of that output removes the folder and begins anew. After any other error the
/// folder is removed. Temporary files that a crash of the machine damaged are noticed by their
/// places and made anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shuffle {
    /// Which order.
    pub seed: u64,
    /// How many bytes of memory the shuffle may take, at least [`Shuffle::MIN_MEMORY`] and more for
    /// very many records.
    pub memory: u64,
}

/// How many bytes of input are scattered between two notes of the state.
const NOTE_BYTES: u64 = 256 << 20;

impl Shuffle {
    /// The least memory that is of use, in bytes.
    pub const MIN_MEMORY: u64 = 8 << 20;

    /// Shuffles `inputs` into `output`.
    ///
    /// # Errors
    ///
    /// A [`FilesError`]; [`FilesError::Memory`] when the budget is too small.
    pub fn run<R: FixedRecord>(
        &self,
        inputs: &Inputs<R>,
        output: &Output,
        progress: &mut Progress<'_>,
    ) -> Result<(), FilesError> {
        output.check(inputs.paths())?;
        let plan = Plan::new(inputs.records(), R::BYTES as u64, self.memory)?;
        let scratch = Scratch::open(output, &self.job(inputs, &plan))?;
        let work = Work {
            inputs,
            plan,
            order: Permutation::new(plan.records, self.seed),
            scratch: &scratch,
            note_bytes: NOTE_BYTES,
        };
        let mut shuffled = work.run(progress);
        if let Err(FilesError::Damaged { .. }) = shuffled {
            scratch.forget_state()?;
            shuffled = work.run(progress);
        }
        scratch.finish_or_keep(shuffled)
    }

    fn job<R: FixedRecord>(&self, inputs: &Inputs<R>, plan: &Plan) -> String {
        let Plan { stretch, .. } = plan;
        let inputs = inputs.identity();
        std::format!("shuffle by {}, {stretch} a stretch\n{inputs}", self.seed)
    }
}

/// A shuffle at work.
struct Work<'a, R> {
    inputs: &'a Inputs<R>,
    plan: Plan,
    order: Permutation,
    scratch: &'a Scratch,
    note_bytes: u64,
}

impl<R: FixedRecord> Work<'_, R> {
    /// Leaves the result in the scratch folder.
    fn run(&self, progress: &mut Progress<'_>) -> Result<(), FilesError> {
        if self.plan.stretches == 1 {
            return self.in_memory(progress);
        }
        let mut meter = Meter::new(2 * self.inputs.bytes(), progress);
        let noted = self.scratch.state();
        let state = noted.and_then(|text| State::parse(&text, self.plan.stretches));
        let written = match state {
            Some(State::Gathered { stretches }) => stretches,
            Some(State::Scattered { records, lens }) => self.scatter(records, &lens, &mut meter)?,
            None => self.scatter(0, &vec![0; self.plan.stretches], &mut meter)?,
        };
        self.gather(written, &mut meter)
    }

    fn in_memory(&self, progress: &mut Progress<'_>) -> Result<(), FilesError> {
        let mut meter = Meter::new(self.inputs.bytes(), progress);
        let mut stretch = Stretch::new(R::BYTES, self.plan.records as usize);
        let mut places = self.order.iter();
        self.inputs.read_from(0, &mut meter, |chunk| {
            for (record, place) in chunk.records.iter().zip(&mut places) {
                stretch.put(place as usize, record.as_bytes());
            }
            Ok(())
        })?;
        let file = self.append(0, stretch.bytes())?;
        let synced = file.sync_all();
        synced.map_err(|source| FilesError::write(&self.scratch.result(), source))
    }

    /// Pass 1. Gives how many stretches are written: none.
    fn scatter(
        &self,
        done: u64,
        lens: &[u64],
        meter: &mut Meter<'_, '_>,
    ) -> Result<usize, FilesError> {
        let paths = (0..self.plan.stretches).map(|stretch| self.part(stretch));
        let opened = Spill::open(paths, lens, self.plan.buffer_bytes);
        let mut spill = opened.map_err(damaged_if_short)?;
        let mut places = self.order.iter_from(done);
        let mut noted = done;
        meter.advance(done * R::BYTES as u64)?;
        self.inputs.read_from(done, meter, |chunk| {
            for (record, place) in chunk.records.iter().zip(&mut places) {
                let (stretch, low) = (place / self.plan.stretch, place % self.plan.stretch);
                let low = (low as u32).to_le_bytes();
                spill.push(stretch as usize, [&low, record.as_bytes()])?;
            }
            if (places.index() - noted) * R::BYTES as u64 >= self.note_bytes {
                noted = places.index();
                let lens = spill.flush()?;
                self.note(&State::Scattered {
                    records: noted,
                    lens,
                })?;
            }
            Ok(())
        })?;
        spill.flush()?;
        self.note(&State::Gathered { stretches: 0 })?;
        Ok(0)
    }

    /// Pass 2.
    fn gather(&self, written: usize, meter: &mut Meter<'_, '_>) -> Result<(), FilesError> {
        let mut stretch = Stretch::new(R::BYTES, self.plan.stretch as usize);
        let written_records = self.plan.places(written).start;
        self.check_result(written_records * R::BYTES as u64)?;
        meter.done = self.inputs.bytes();
        meter.advance(written_records * R::BYTES as u64)?;
        thread::scope(|scope| {
            // A stretch is brought to the disk while the next is filled.
            let mut syncing = None;
            for number in written..self.plan.stretches {
                let places = self.plan.places(number);
                let records = (places.end - places.start) as usize;
                self.fill(number, records, &mut stretch, meter)?;
                if let Some(before) = syncing.take() {
                    self.stretch_is_safe(number - 1, before)?;
                }
                let file = self.append(places.start, stretch.bytes())?;
                syncing = Some(scope.spawn(move || file.sync_all()));
            }
            match syncing {
                Some(last) => self.stretch_is_safe(self.plan.stretches - 1, last),
                None => Ok(()),
            }
        })
    }

    /// Waits until a stretch is on the disk, and removes what it was made of.
    fn stretch_is_safe(
        &self,
        number: usize,
        syncing: ScopedJoinHandle<'_, io::Result<()>>,
    ) -> Result<(), FilesError> {
        let synced = syncing.join();
        let synced = synced.unwrap_or_else(|_| Err(io::Error::other("the thread panicked")));
        synced.map_err(|source| FilesError::write(&self.scratch.result(), source))?;
        self.note(&State::Gathered {
            stretches: number + 1,
        })?;
        self.scratch.remove(&self.part(number))
    }

    /// The result may be short after a crash of the machine, and gone if the process died when it was
    /// in place already.
    fn check_result(&self, written_bytes: u64) -> Result<(), FilesError> {
        let path = self.scratch.result();
        let bytes = fs::metadata(&path).map_or(0, |metadata| metadata.len());
        if bytes < written_bytes {
            return Err(FilesError::Damaged { path });
        }
        Ok(())
    }

    /// Reads the records of a stretch to their places.
    fn fill(
        &self,
        number: usize,
        records: usize,
        stretch: &mut Stretch,
        meter: &mut Meter<'_, '_>,
    ) -> Result<(), FilesError> {
        stretch.clear(records);
        let entries = Entries::open(self.part(number), 4 + R::BYTES, CHUNK_BYTES);
        let mut entries = entries.map_err(damaged_if_short)?;
        let (mut seen, mut reported) = (0, 0);
        while let Some(entry) = entries.next()? {
            let place = u32::from_le_bytes(field(entry, 0)) as usize;
            if !stretch.put(place, &entry[4..]) {
                return Err(entries.damaged());
            }
            seen += R::BYTES;
            if seen - reported >= CHUNK_BYTES {
                meter.advance((seen - reported) as u64)?;
                reported = seen;
            }
        }
        if seen != records * R::BYTES {
            return Err(entries.damaged());
        }
        meter.advance((seen - reported) as u64)
    }

    /// Writes a stretch to its place in the result, which is left to be brought to the disk.
    fn append(&self, first: u64, bytes: &[u8]) -> Result<File, FilesError> {
        let path = self.scratch.result();
        let written = write_at(&path, first * R::BYTES as u64, bytes);
        written.map_err(|source| FilesError::Write { path, source })
    }

    fn note(&self, state: &State) -> Result<(), FilesError> {
        self.scratch.note_state(&state.text())
    }

    fn part(&self, stretch: usize) -> PathBuf {
        self.scratch.path(&std::format!("{stretch}.part"))
    }
}

fn write_at(path: &Path, offset: u64, bytes: &[u8]) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let mut file = options
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)?;
    file.set_len(offset)?;
    file.seek(SeekFrom::Start(offset))?;
    file.write_all(bytes)?;
    Ok(file)
}

/// Parts that are shorter than noted, or gone, are damaged.
fn damaged_if_short(error: FilesError) -> FilesError {
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

/// A stretch of the output that is being filled.
struct Stretch {
    record_bytes: usize,
    bytes: Vec<u8>,
    /// A bit for each place that is filled.
    filled: Vec<u64>,
    records: usize,
}

impl Stretch {
    fn new(record_bytes: usize, records: usize) -> Self {
        Self {
            record_bytes,
            bytes: vec![0; records * record_bytes],
            filled: vec![0; records.div_ceil(64)],
            records,
        }
    }

    fn clear(&mut self, records: usize) {
        self.filled.fill(0);
        self.records = records;
    }

    /// Puts a record at a place; false if there is none or it is filled.
    #[inline]
    fn put(&mut self, place: usize, record: &[u8]) -> bool {
        let bit = 1 << (place % 64);
        if place >= self.records || self.filled[place / 64] & bit != 0 {
            return false;
        }
        self.filled[place / 64] |= bit;
        let start = place * self.record_bytes;
        self.bytes[start..start + self.record_bytes].copy_from_slice(record);
        true
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.records * self.record_bytes]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MarlinRecord;
    use std::ops::ControlFlow;

    const RECORDS: u64 = 400_000;

    /// Records that hold their numbers.
    fn write_input(folder: &Path) -> Inputs<MarlinRecord> {
        let path = folder.join("in");
        let bytes: Vec<u8> = (0..RECORDS)
            .flat_map(|number| [number, 0, 0, 0])
            .flat_map(u64::to_le_bytes)
            .collect();
        fs::write(&path, bytes).unwrap();
        Inputs::open([path]).unwrap()
    }

    const SMALL: Shuffle = Shuffle {
        seed: 5,
        memory: Shuffle::MIN_MEMORY,
    };

    fn go_on(_: u64, _: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn expected() -> Vec<u8> {
        let mut bytes = vec![0; 32 * RECORDS as usize];
        for (number, place) in Permutation::new(RECORDS, 5).iter().enumerate() {
            bytes[32 * place as usize..][..8].copy_from_slice(&(number as u64).to_le_bytes());
        }
        bytes
    }

    #[test]
    fn the_order_is_the_permutations_whatever_the_memory() {
        let folder = tempfile::tempdir().unwrap();
        let inputs = write_input(folder.path());
        let output = Output::new(folder.path().join("out"));
        for memory in [Shuffle::MIN_MEMORY, 14 << 20, 1 << 30] {
            let shuffle = Shuffle { memory, ..SMALL };
            shuffle.run(&inputs, &output, &mut go_on).unwrap();
            assert!(fs::read(output.path()).unwrap() == expected(), "{memory}");
            fs::remove_file(output.path()).unwrap();
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    /// Runs until `stop` bytes are done, noting the state after every chunk.
    fn run_until(inputs: &Inputs<MarlinRecord>, scratch: &Scratch, stop: u64) -> Vec<u64> {
        let plan = Plan::new(RECORDS, 32, SMALL.memory).unwrap();
        let work = Work {
            inputs,
            plan,
            order: Permutation::new(RECORDS, 5),
            scratch,
            note_bytes: 1,
        };
        let mut seen = Vec::new();
        let ran = work.run(&mut |done, total| {
            assert!(done <= total);
            seen.push(done);
            if done >= stop {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        assert_eq!(ran.is_ok(), stop > 64 * RECORDS);
        seen
    }

    #[test]
    fn it_goes_on_from_anywhere() {
        let folder = tempfile::tempdir().unwrap();
        let inputs = write_input(folder.path());
        let scratch = Scratch::open_anew(&Output::new(folder.path().join("out"))).unwrap();
        assert!(Plan::new(RECORDS, 32, SMALL.memory).unwrap().stretches > 3);
        let mut last = 0;
        for stop in (1..18).map(|step| step * 1_500_000) {
            let seen = run_until(&inputs, &scratch, stop);
            let first = seen.iter().find(|&&done| done > 0).unwrap();
            // At most a chunk, or two stretches of the second pass, are done again.
            assert!(first + (8 << 20) >= last, "{first} after {last}");
            last = *seen.last().unwrap();
        }
        run_until(&inputs, &scratch, u64::MAX);
        assert!(fs::read(scratch.result()).unwrap() == expected());
    }

    #[test]
    fn damaged_temporary_files_are_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let inputs = write_input(folder.path());
        let output = Output::new(folder.path().join("out"));
        let scratch_folder = folder.path().join(".out.chess-records");
        type Damage = fn(&Path);
        let damages: [Damage; 4] = [
            |folder| fs::remove_file(folder.join("3.part")).unwrap(),
            |folder| {
                let part = folder.join("3.part");
                let mut bytes = fs::read(&part).unwrap();
                let middle = bytes.len() / 2;
                bytes[middle..middle + 4096].fill(0);
                fs::write(part, bytes).unwrap();
            },
            |folder| fs::write(folder.join("3.part"), "short").unwrap(),
            |folder| fs::write(folder.join("result"), "short").unwrap(),
        ];
        for damage in damages {
            let mut stop = |done: u64, _| {
                if done > 40 * RECORDS {
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            };
            let cancelled = SMALL.run(&inputs, &output, &mut stop);
            assert!(matches!(cancelled, Err(FilesError::Cancelled)));
            damage(&scratch_folder);
            SMALL.run(&inputs, &output, &mut go_on).unwrap();
            assert!(fs::read(output.path()).unwrap() == expected());
            assert!(!scratch_folder.exists());
            fs::remove_file(output.path()).unwrap();
        }
    }

    #[test]
    fn a_process_that_died_when_all_was_done() {
        let folder = tempfile::tempdir().unwrap();
        let inputs = write_input(folder.path());
        let output = Output::replacing(folder.path().join("out"));
        let plan = Plan::new(RECORDS, 32, SMALL.memory).unwrap();
        let scratch = Scratch::open(&output, &SMALL.job(&inputs, &plan)).unwrap();
        let stretches = plan.stretches;
        scratch
            .note_state(&State::Gathered { stretches }.text())
            .unwrap();
        let cancelled = scratch.finish_or_keep(Err(FilesError::Cancelled));
        assert!(cancelled.is_err());
        SMALL.run(&inputs, &output, &mut go_on).unwrap();
        assert!(fs::read(output.path()).unwrap() == expected());
    }
}
