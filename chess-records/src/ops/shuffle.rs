//! A seeded shuffle of more records than fit into memory.

mod order;
mod plan;
mod state;

use std::fs::{self, File};
use std::io::{self, Write};
use std::mem;
use std::path::PathBuf;
use std::string::String;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, ScopedJoinHandle};
use std::vec;
use std::vec::Vec;

use zerocopy::IntoBytes;

use order::Order;
use plan::Plan;
use state::State;

use super::inputs::CHUNK_BYTES;
use super::resume::open_at;
use super::scratch::Scratch;
use super::spill::{Entries, Spill, damaged_if_short, field};
use super::{FilesError, Inputs, Meter, Output, Progress};
use crate::FixedRecord;

/// A shuffle: the records of the inputs, taken end to end, in an order picked by the seed.
///
/// The order depends on the seed and the number of records alone, whatever the memory or the number
/// of cores. Over seeds every order is equally likely, as far as 64 bits can tell; of the *n*! orders
/// of a large file nearly all are out of reach, as with any 64-bit seed.
///
/// # Method
///
/// Every record draws a bucket by its number and the seed; buckets follow one another and are
/// shuffled within, each in the cache of a core. If the output fits into the memory, that is done
/// there. Else the output is cut into stretches of whole buckets: pass 1 sends each record, with 16
/// bits of its bucket, to the file of its stretch; pass 2 fills each stretch in memory, shuffles its
/// buckets, appends it, and removes its file. Reading, shuffling, writing and bringing to the disk go
/// on at once, on up to four threads. The temporary files lie in a folder beside the output
/// (`.NAME.chess-records`), and take 1¹⁄₁₆ times the size of the inputs, the output apart.
///
/// # Interruption
///
/// A run that was killed or cancelled leaves that folder. The next run with the same inputs (paths,
/// lengths and times of last change), seed, memory and output goes on where it was; a run with
/// anything else of that output removes the folder and begins anew. After any other error the
/// folder is removed. Temporary files that a crash of the machine damaged are noticed by their
/// buckets and made anew.
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

/// The bytes of a bucket's number in its stretch.
const BUCKET_BYTES: usize = 2;

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
        let work = |scratch| Work::new(self, inputs, scratch, NOTE_BYTES);
        let scratch = Scratch::open(output, &self.job(inputs))?;
        let shuffled = work(&scratch).and_then(|work| {
            let shuffled = work.run(progress);
            if let Err(FilesError::Damaged { .. }) = shuffled {
                scratch.forget_state()?;
                return work.run(progress);
            }
            shuffled
        });
        scratch.finish_or_keep(shuffled)
    }

    fn job<R: FixedRecord>(&self, inputs: &Inputs<R>) -> String {
        let Self { seed, memory } = self;
        let inputs = inputs.identity();
        std::format!("shuffle by buckets, seed {seed}, memory {memory}\n{inputs}")
    }
}

/// A shuffle at work.
struct Work<'a, R> {
    inputs: &'a Inputs<R>,
    order: Order,
    plan: Plan,
    scratch: &'a Scratch,
    note_bytes: u64,
}

impl<'a, R: FixedRecord> Work<'a, R> {
    fn new(
        shuffle: &Shuffle,
        inputs: &'a Inputs<R>,
        scratch: &'a Scratch,
        note_bytes: u64,
    ) -> Result<Self, FilesError> {
        let record_bytes = R::BYTES as u64;
        let order = Order::new(inputs.records(), record_bytes, shuffle.seed);
        Ok(Self {
            inputs,
            plan: Plan::new(&order, record_bytes, shuffle.memory)?,
            order,
            scratch,
            note_bytes,
        })
    }

    /// Leaves the result in the scratch folder.
    fn run(&self, progress: &mut Progress<'_>) -> Result<(), FilesError> {
        let mut meter = Meter::new(2 * self.inputs.bytes(), progress);
        let stretches = self.stretches();
        if stretches == 1 {
            return self.in_memory(&mut meter);
        }
        let noted = self.scratch.state();
        let state = noted.and_then(|text| State::parse(&text, stretches));
        let written = match state {
            Some(State::Gathered { stretches }) => stretches,
            Some(State::Scattered { records, lens }) => self.scatter(records, &lens, &mut meter)?,
            None => self.scatter(0, &vec![0; stretches], &mut meter)?,
        };
        self.gather(written, &mut meter)
    }

    fn stretches(&self) -> usize {
        self.plan.stretches().len()
    }

    fn in_memory(&self, meter: &mut Meter<'_, '_>) -> Result<(), FilesError> {
        let mut stretch = Stretch::new(self.plan.longest());
        stretch.begin(0, &self.plan);
        meter.advance(0)?;
        let mut number = 0;
        self.inputs.read_from(0, meter, |chunk| {
            for record in chunk.records {
                stretch.put(self.order.bucket(number), *record);
                number += 1;
            }
            Ok(())
        })?;
        self.shuffle_buckets(&mut stretch);
        let file = self.append(&stretch, meter)?;
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
        let paths = (0..self.stretches()).map(|stretch| self.part(stretch));
        let opened = Spill::open(paths, lens, self.plan.buffer_bytes);
        let mut spill = opened.map_err(damaged_if_short)?;
        let routes = self.plan.routes();
        let (mut number, mut noted) = (done, done);
        meter.advance(done * R::BYTES as u64)?;
        self.inputs.read_from(done, meter, |chunk| {
            for record in chunk.records {
                let (stretch, bucket) = routes[self.order.bucket(number)];
                spill.push(stretch as usize, [&bucket.to_le_bytes(), record.as_bytes()])?;
                number += 1;
            }
            if (number - noted) * R::BYTES as u64 >= self.note_bytes {
                noted = number;
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

    /// Pass 2. A stretch is filled while the one before is shuffled and written and that before is
    /// brought to the disk.
    fn gather(&self, written: usize, meter: &mut Meter<'_, '_>) -> Result<(), FilesError> {
        let records = self.records_before(written);
        self.check_result(records * R::BYTES as u64)?;
        meter.done = self.inputs.bytes();
        meter.advance(records * R::BYTES as u64)?;
        let ((full, filled), (empty, emptied)) = (mpsc::channel(), mpsc::channel());
        thread::scope(|scope| {
            scope.spawn(move || self.fill_all(written, &emptied, &full));
            let mut syncing: Option<(usize, Syncing<'_>)> = None;
            for _ in 0..2 {
                // As long as nothing failed, the filling thread waits for these.
                let _ = empty.send(Stretch::new(self.plan.longest()));
            }
            // The ends that are moved here are dropped when anything fails, which ends the thread.
            let (filled, empty) = (filled, empty);
            for stretch in &filled {
                let mut stretch = stretch?;
                self.shuffle_buckets(&mut stretch);
                if let Some((number, before)) = syncing.take() {
                    self.stretch_is_safe(number, before)?;
                }
                let (file, number) = (self.append(&stretch, meter)?, stretch.number);
                syncing = Some((number, scope.spawn(move || file.sync_all())));
                let _ = empty.send(stretch);
            }
            match syncing {
                Some((number, last)) => self.stretch_is_safe(number, last),
                None => Ok(()),
            }
        })
    }

    fn records_before(&self, stretch: usize) -> u64 {
        match stretch.checked_sub(1) {
            Some(last) => self.plan.places(last).end,
            None => 0,
        }
    }

    /// Fills stretches from number `first` on, until one fails or nobody wants more.
    fn fill_all(
        &self,
        first: usize,
        empty: &Receiver<Stretch<R>>,
        full: &Sender<Result<Stretch<R>, FilesError>>,
    ) {
        for number in first..self.stretches() {
            let Ok(mut stretch) = empty.recv() else {
                return;
            };
            stretch.begin(number, &self.plan);
            let filled = self.fill(&mut stretch).map(|()| stretch);
            let failed = filled.is_err();
            if full.send(filled).is_err() || failed {
                return;
            }
        }
    }

    /// Reads the records of a stretch to their buckets.
    fn fill(&self, stretch: &mut Stretch<R>) -> Result<(), FilesError> {
        let entry_bytes = BUCKET_BYTES + R::BYTES;
        let entries = Entries::open(self.part(stretch.number), entry_bytes, CHUNK_BYTES);
        let mut entries = entries.map_err(damaged_if_short)?;
        let mut sound = true;
        loop {
            let many = entries.next_many()?;
            if many.is_empty() {
                break;
            }
            for entry in many.chunks_exact(BUCKET_BYTES + R::BYTES) {
                let bucket = u16::from_le_bytes(field(entry, 0));
                let record = R::read_from_bytes(&entry[BUCKET_BYTES..]);
                sound &= record.is_ok_and(|record| stretch.put(bucket.into(), record));
            }
        }
        if sound && stretch.is_full() {
            Ok(())
        } else {
            Err(entries.damaged())
        }
    }

    /// On as many threads as there are cores to use: what a bucket becomes depends on nothing else.
    fn shuffle_buckets(&self, stretch: &mut Stretch<R>) {
        let first = self.plan.stretches()[stretch.number].start;
        let mut buckets = stretch.buckets();
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let share = buckets.len().div_ceil(threads.min(MAX_THREADS));
        thread::scope(|scope| {
            let numbered = (first..).step_by(share).zip(buckets.chunks_mut(share));
            for (first, share) in numbered {
                scope.spawn(move || {
                    for (bucket, records) in (first..).zip(share) {
                        self.order.shuffle(bucket, records);
                    }
                });
            }
        });
    }

    /// Waits until a stretch is on the disk, and removes what it was made of.
    fn stretch_is_safe(&self, number: usize, syncing: Syncing<'_>) -> Result<(), FilesError> {
        let synced = syncing.join();
        let synced = synced.unwrap_or_else(|_| Err(io::Error::other("the thread panicked")));
        synced.map_err(|source| FilesError::write(&self.scratch.result(), source))?;
        let stretches = number + 1;
        self.note(&State::Gathered { stretches })?;
        self.scratch.remove(&self.part(number))
    }

    fn check_result(&self, written_bytes: u64) -> Result<(), FilesError> {
        let path = self.scratch.result();
        let bytes = fs::metadata(&path).map_or(0, |metadata| metadata.len());
        if bytes < written_bytes {
            return Err(FilesError::Damaged { path });
        }
        Ok(())
    }

    /// Writes a stretch to its place in the result, which is left to be brought to the disk.
    fn append(&self, stretch: &Stretch<R>, meter: &mut Meter<'_, '_>) -> Result<File, FilesError> {
        let path = self.scratch.result();
        let write_error = |source| FilesError::write(&path, source);
        let offset = self.plan.places(stretch.number).start * R::BYTES as u64;
        let mut file = open_at(&path, offset).map_err(write_error)?;
        for piece in stretch.records().as_bytes().chunks(PIECE_BYTES) {
            file.write_all(piece).map_err(write_error)?;
            meter.advance(piece.len() as u64)?;
        }
        Ok(file)
    }

    fn note(&self, state: &State) -> Result<(), FilesError> {
        self.scratch.note_state(&state.text())
    }

    fn part(&self, stretch: usize) -> PathBuf {
        self.scratch.path(&std::format!("{stretch}.part"))
    }
}

/// A file being brought to the disk.
type Syncing<'scope> = ScopedJoinHandle<'scope, io::Result<()>>;

/// More threads wait for memory alone.
const MAX_THREADS: usize = 8;

/// How much is written at a time.
const PIECE_BYTES: usize = 4 << 20;

/// A stretch of the output that is being filled, bucket by bucket.
struct Stretch<R> {
    number: usize,
    /// As many as the longest stretch has.
    records: Vec<R>,
    /// Where each bucket starts, and the end.
    starts: Vec<usize>,
    /// How far each bucket is filled.
    filled: Vec<usize>,
}

impl<R: FixedRecord> Stretch<R> {
    fn new(records: usize) -> Self {
        Self {
            number: 0,
            records: vec![R::new_zeroed(); records],
            starts: Vec::new(),
            filled: Vec::new(),
        }
    }

    /// Makes this the stretch of that number, with nothing in it.
    fn begin(&mut self, number: usize, plan: &Plan) {
        self.number = number;
        self.starts = plan.starts_in(number);
        self.filled = self.starts[..self.starts.len() - 1].to_vec();
    }

    /// Adds a record to a bucket; false if there is none or it is full.
    #[inline]
    fn put(&mut self, bucket: usize, record: R) -> bool {
        let Some(filled) = self.filled.get_mut(bucket) else {
            return false;
        };
        let has_room = *filled < self.starts[bucket + 1];
        if has_room {
            self.records[*filled] = record;
            *filled += 1;
        }
        has_room
    }

    fn is_full(&self) -> bool {
        self.filled[..] == self.starts[1..]
    }

    fn records(&self) -> &[R] {
        let records = self.starts.last().copied().unwrap_or(0);
        &self.records[..records]
    }

    fn buckets(&mut self) -> Vec<&mut [R]> {
        let mut rest = &mut self.records[..];
        let lens = self.starts.windows(2).map(|ends| ends[1] - ends[0]);
        lens.map(|len| {
            let (bucket, after) = mem::take(&mut rest).split_at_mut(len);
            rest = after;
            bucket
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MarlinRecord;
    use std::ops::ControlFlow;
    use std::path::Path;

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

    /// By the plainest means.
    fn expected() -> Vec<u8> {
        let order = Order::new(RECORDS, 32, SMALL.seed);
        let mut buckets = vec![Vec::new(); order.buckets()];
        for record in 0..RECORDS {
            buckets[order.bucket(record)].push([record, 0, 0, 0]);
        }
        for (number, bucket) in buckets.iter_mut().enumerate() {
            order.shuffle(number, bucket);
        }
        let words = buckets.concat();
        words
            .concat()
            .into_iter()
            .flat_map(u64::to_le_bytes)
            .collect()
    }

    #[test]
    fn the_order_does_not_depend_on_the_memory() {
        let folder = tempfile::tempdir().unwrap();
        let inputs = write_input(folder.path());
        let output = Output::new(folder.path().join("out"));
        for memory in [Shuffle::MIN_MEMORY, 14 << 20, 40 << 20] {
            let shuffle = Shuffle { memory, ..SMALL };
            shuffle.run(&inputs, &output, &mut go_on).unwrap();
            assert!(fs::read(output.path()).unwrap() == expected(), "{memory}");
            fs::remove_file(output.path()).unwrap();
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    /// Runs until `stop` bytes are done, noting the state after every chunk.
    fn run_until(inputs: &Inputs<MarlinRecord>, scratch: &Scratch, stop: u64) -> Vec<u64> {
        let work = Work::new(&SMALL, inputs, scratch, 1).unwrap();
        assert!(work.stretches() > 3);
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
        let scratch = Scratch::open(&output, &SMALL.job(&inputs)).unwrap();
        let work = Work::new(&SMALL, &inputs, &scratch, 1).unwrap();
        let stretches = work.stretches();
        work.note(&State::Gathered { stretches }).unwrap();
        let cancelled = scratch.finish_or_keep::<()>(Err(FilesError::Cancelled));
        assert!(cancelled.is_err());
        SMALL.run(&inputs, &output, &mut go_on).unwrap();
        assert!(fs::read(output.path()).unwrap() == expected());
    }
}
