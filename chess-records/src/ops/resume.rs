//! Outputs of work that goes on after an interruption.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;
use std::string::String;
use std::time::{Duration, Instant};
use std::vec::Vec;

use super::inputs::CHUNK_BYTES;
use super::output::refuse_twice;
use super::scratch::Scratch;
use super::{FilesError, Output};

/// One or more files, written from start to end by work that reads its inputs from start to end, and
/// that goes on where it was after it was killed.
///
/// Each file grows in a folder beside its place (`.NAME.chess-records`), with a note of the work
/// (`job`, and the inputs' paths, lengths and times of last change) and, every now and then, of a
/// *mark*: numbers that tell the work where in its inputs it was. Before a mark is noted, what was
/// written is brought to the disk. Work that begins with the same job finds the last mark again, and
/// the files as long as they were then; anything else begins anew.
///
/// ```no_run
/// use chess_records::ops::{Output, ResumableFiles};
///
/// let (input, output) = (std::path::Path::new("in"), Output::new("out"));
/// let bytes = std::fs::read(input)?;
/// let mut files = ResumableFiles::begin(&[&output], [input], "copy")?;
/// let done = files.mark().map_or(0, |mark| mark[0] as usize);
/// for (index, byte) in bytes.iter().enumerate().skip(done) {
///     files.put(0, &[*byte])?;
///     if files.is_due() {
///         files.note(&[index as u64 + 1])?;
///     }
/// }
/// files.finish()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Dropped unfinished, it removes what was written, as work that failed would fail again; use
/// [`ResumableFiles::keep`] after an interruption.
#[derive(Debug)]
pub struct ResumableFiles {
    parts: Vec<Part>,
    mark: Option<Vec<u64>>,
    pace: Pace,
}

#[derive(Debug)]
struct Part {
    scratch: Scratch,
    file: BufWriter<File>,
    written: u64,
}

impl ResumableFiles {
    /// Begins `outputs`, or goes on with them. `job` tells this work from any other that might write
    /// the same outputs.
    ///
    /// # Errors
    ///
    /// As [`Output::check`], and when the folders beside the outputs cannot be used.
    pub fn begin<'a>(
        outputs: &[&Output],
        inputs: impl IntoIterator<Item = &'a Path>,
        job: &str,
    ) -> Result<Self, FilesError> {
        let inputs: Vec<&Path> = inputs.into_iter().collect();
        refuse_twice(outputs)?;
        for output in outputs {
            output.check(inputs.iter().copied())?;
        }
        let job = whole_job(job, outputs, &inputs);
        let opened = outputs.iter().map(|output| Scratch::open(output, &job));
        let scratches: Vec<Scratch> = opened.collect::<Result<_, _>>()?;
        let noted = scratches.first().and_then(Scratch::state);
        let noted = noted.and_then(|text| parse(&text, &scratches));
        let lens = match &noted {
            Some((lens, _)) => lens.clone(),
            None => std::vec![0; scratches.len()],
        };
        let parts = scratches.into_iter().zip(lens);
        let parts = parts.map(|(scratch, len)| Part::open(scratch, len));
        Ok(Self {
            parts: parts.collect::<Result<_, _>>()?,
            mark: noted.map(|(_, mark)| mark),
            pace: Pace::new(),
        })
    }

    /// Where the work that is gone on with was, as it noted it; `None` if this begins anew.
    #[must_use]
    pub fn mark(&self) -> Option<&[u64]> {
        self.mark.as_deref()
    }

    /// How many bytes of a file are written.
    ///
    /// # Panics
    ///
    /// When there is no file of that number.
    #[must_use]
    pub fn written(&self, file: usize) -> u64 {
        self.parts[file].written
    }

    /// Adds to a file.
    ///
    /// # Errors
    ///
    /// [`FilesError::Write`].
    ///
    /// # Panics
    ///
    /// When there is no file of that number.
    #[inline]
    pub fn put(&mut self, file: usize, bytes: &[u8]) -> Result<(), FilesError> {
        let part = &mut self.parts[file];
        let written = part.file.write_all(bytes);
        written.map_err(|source| FilesError::write(part.scratch.target(), source))?;
        part.written += bytes.len() as u64;
        self.pace.bytes += bytes.len() as u64;
        Ok(())
    }

    /// Whether it is time for a note: after 256 MiB, or after a while, so that notes take a small
    /// part of the time. Cheap enough to be asked after every record.
    #[inline]
    pub fn is_due(&mut self) -> bool {
        self.pace.is_due()
    }

    /// Brings everything written to the disk and notes where the work is.
    ///
    /// # Errors
    ///
    /// When the system cannot write.
    pub fn note(&mut self, mark: &[u64]) -> Result<(), FilesError> {
        let started = Instant::now();
        for part in &mut self.parts {
            part.sync()?;
        }
        if let Some(first) = self.parts.first() {
            let lens: Vec<u64> = self.parts.iter().map(|part| part.written).collect();
            first.scratch.note_state(&text(&lens, mark))?;
        }
        self.pace.start_again(started.elapsed());
        Ok(())
    }

    /// Brings everything to the disk and puts the files in their places, one after another.
    ///
    /// # Errors
    ///
    /// When the system cannot write or rename.
    pub fn finish(mut self) -> Result<(), FilesError> {
        for part in &mut self.parts {
            part.sync()?;
        }
        self.parts.into_iter().try_for_each(|part| {
            let Part { scratch, file, .. } = part;
            // Windows renames no open file.
            drop(file);
            scratch.finish()
        })
    }

    /// Leaves everything for another run to go on with.
    pub fn keep(self) {
        for part in self.parts {
            // What is buffered was not noted.
            drop(part.file.into_parts());
            part.scratch.keep();
        }
    }

    /// [Keeps](Self::keep) the files of work that was cancelled; removes those of work that failed.
    pub(super) fn finish_or_keep<T, E: From<FilesError>>(
        self,
        work: Result<T, E>,
        was_cancelled: impl FnOnce(&E) -> bool,
    ) -> Result<T, E> {
        match work {
            Ok(done) => {
                self.finish()?;
                Ok(done)
            }
            Err(error) => {
                if was_cancelled(&error) {
                    self.keep();
                }
                Err(error)
            }
        }
    }
}

impl Part {
    /// Goes on after so many bytes of the result.
    fn open(scratch: Scratch, written: u64) -> Result<Self, FilesError> {
        let path = scratch.result();
        let file = open_at(&path, written).map_err(|source| FilesError::scratch(&path, source))?;
        Ok(Self {
            scratch,
            file: BufWriter::with_capacity(CHUNK_BYTES, file),
            written,
        })
    }

    fn sync(&mut self) -> Result<(), FilesError> {
        let synced = self.file.flush();
        let synced = synced.and_then(|()| self.file.get_ref().sync_all());
        synced.map_err(|source| FilesError::write(self.scratch.target(), source))
    }
}

/// Opens a file to go on at `offset`; what it holds beyond is cut off.
pub(super) fn open_at(path: &Path, offset: u64) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let mut file = options
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)?;
    file.set_len(offset)?;
    file.seek(SeekFrom::Start(offset))?;
    Ok(file)
}

/// What tells files from others, and from themselves after a change.
pub(super) fn identity<'a>(paths: impl IntoIterator<Item = &'a Path>) -> String {
    let mut text = String::new();
    for path in paths {
        let whole = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let metadata = fs::metadata(path).ok();
        let bytes = metadata.as_ref().map_or(0, fs::Metadata::len);
        let modified = metadata.and_then(|metadata| metadata.modified().ok());
        let since = modified.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        let stamp = since.map_or(0, |since| since.as_nanos());
        // A string takes what is written to it.
        let _ = writeln!(text, "{bytes} bytes, written {stamp}: {whole:?}");
    }
    text
}

fn whole_job(job: &str, outputs: &[&Output], inputs: &[&Path]) -> String {
    let outputs: Vec<&Path> = outputs.iter().map(|output| output.path()).collect();
    let inputs = identity(inputs.iter().copied());
    std::format!("{job}\n{outputs:?}\n{inputs}")
}

/// The lengths of the files, and the mark.
fn text(lens: &[u64], mark: &[u64]) -> String {
    std::format!("{}\n{}", numbers(lens), numbers(mark))
}

fn numbers(numbers: &[u64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(|n| std::format!("{n}")).collect();
    numbers.join(" ")
}

/// `None` for what is no note, or not of these files.
fn parse(text: &str, scratches: &[Scratch]) -> Option<(Vec<u64>, Vec<u64>)> {
    let (lens, mark) = text.split_once('\n')?;
    let numbers = |text: &str| -> Option<Vec<u64>> {
        let words = text.split_whitespace();
        words.map(|word| word.parse().ok()).collect()
    };
    let lens = numbers(lens)?;
    let long_enough = |(scratch, &len): (&Scratch, &u64)| {
        fs::metadata(scratch.result()).is_ok_and(|metadata| metadata.len() >= len)
    };
    let whole = lens.len() == scratches.len() && scratches.iter().zip(&lens).all(long_enough);
    Some((lens, numbers(mark)?)).filter(|_| whole)
}

/// When to note.
#[derive(Debug)]
struct Pace {
    /// Written since the last note.
    bytes: u64,
    asked: u32,
    since: Instant,
    pause: Duration,
}

impl Pace {
    const MAX_BYTES: u64 = 256 << 20;
    const SHORTEST: Duration = Duration::from_millis(100);
    const LONGEST: Duration = Duration::from_secs(10);
    /// How much longer than a note the work between two is.
    const WORK: u32 = 20;
    /// The time is looked at once in so many questions.
    const QUESTIONS: u32 = 256;

    fn new() -> Self {
        Self {
            bytes: 0,
            asked: 0,
            since: Instant::now(),
            pause: Self::SHORTEST,
        }
    }

    #[inline]
    fn is_due(&mut self) -> bool {
        self.asked = self.asked.wrapping_add(1);
        self.bytes >= Self::MAX_BYTES
            || self.asked.is_multiple_of(Self::QUESTIONS) && self.since.elapsed() >= self.pause
    }

    fn start_again(&mut self, note_took: Duration) {
        let pause = note_took.saturating_mul(Self::WORK);
        *self = Self {
            pause: pause.clamp(Self::SHORTEST, Self::LONGEST),
            ..Self::new()
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn folder() -> (TempDir, [Output; 2]) {
        let folder = tempfile::tempdir().unwrap();
        let outputs = ["a", "b"].map(|name| Output::new(folder.path().join(name)));
        fs::write(folder.path().join("in"), "input").unwrap();
        (folder, outputs)
    }

    fn begin(folder: &TempDir, outputs: &[Output; 2], job: &str) -> ResumableFiles {
        let input = folder.path().join("in");
        let [a, b] = outputs;
        ResumableFiles::begin(&[a, b], [input.as_path()], job).unwrap()
    }

    /// Leaves "aa" and "bbb" noted, and more that is not.
    fn interrupted() -> (TempDir, [Output; 2]) {
        let (folder, outputs) = folder();
        let mut files = begin(&folder, &outputs, "job");
        assert_eq!(files.mark(), None);
        files.put(0, b"aa").unwrap();
        files.put(1, b"bbb").unwrap();
        files.note(&[7, 0, u64::MAX]).unwrap();
        files.put(0, b"lost").unwrap();
        files.keep();
        (folder, outputs)
    }

    #[test]
    fn it_goes_on_where_it_was_noted() {
        let (folder, outputs) = interrupted();
        let mut files = begin(&folder, &outputs, "job");
        assert_eq!(files.mark(), Some(&[7, 0, u64::MAX][..]));
        assert_eq!((files.written(0), files.written(1)), (2, 3));
        files.put(0, b"A").unwrap();
        files.finish().unwrap();
        assert_eq!(fs::read(outputs[0].path()).unwrap(), b"aaA");
        assert_eq!(fs::read(outputs[1].path()).unwrap(), b"bbb");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    }

    #[test]
    fn anything_else_begins_anew() {
        type Change = fn(&TempDir) -> &'static str;
        let changes: [Change; 5] = [
            |_| "another job",
            |folder| {
                fs::write(folder.path().join("in"), "longer input").unwrap();
                "job"
            },
            |folder| {
                let file = File::options().append(true).open(folder.path().join("in"));
                let later = std::time::SystemTime::now() + Duration::from_secs(9);
                file.unwrap().set_modified(later).unwrap();
                "job"
            },
            |folder| {
                fs::write(folder.path().join(".b.chess-records/result"), "b").unwrap();
                "job"
            },
            |folder| {
                fs::write(folder.path().join(".a.chess-records/state"), "2 3\nx").unwrap();
                "job"
            },
        ];
        for change in changes {
            let (folder, outputs) = interrupted();
            let job = change(&folder);
            let mut files = begin(&folder, &outputs, job);
            assert_eq!(files.mark(), None);
            files.put(1, b"new").unwrap();
            files.finish().unwrap();
            assert_eq!(fs::read(outputs[0].path()).unwrap(), b"");
            assert_eq!(fs::read(outputs[1].path()).unwrap(), b"new");
        }
    }

    #[test]
    fn failed_work_leaves_nothing() {
        let (folder, outputs) = interrupted();
        drop(begin(&folder, &outputs, "job"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn outputs_are_checked_first() {
        let (folder, [a, _]) = folder();
        let input = folder.path().join("in");
        let begin = |outputs: &[&Output]| {
            ResumableFiles::begin(outputs, [input.as_path()], "job").unwrap_err()
        };
        assert!(matches!(begin(&[&a, &a]), FilesError::OutputTwice { .. }));
        let same = Output::replacing(&input);
        assert!(matches!(begin(&[&same]), FilesError::OutputIsInput { .. }));
        let old = Output::new(&input);
        let taken = ResumableFiles::begin(&[&old], [], "job").unwrap_err();
        assert!(matches!(taken, FilesError::Exists { .. }));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn notes_take_a_small_part_of_the_time() {
        let mut pace = Pace::new();
        assert!((0..1000).all(|_| !pace.is_due()));
        pace.bytes = Pace::MAX_BYTES;
        assert!(pace.is_due());
        pace.start_again(Duration::from_millis(30));
        assert_eq!((pace.bytes, pace.pause), (0, Duration::from_millis(600)));
        pace.start_again(Duration::from_secs(30));
        assert_eq!(pace.pause, Pace::LONGEST);
        pace.start_again(Duration::ZERO);
        assert_eq!(pace.pause, Pace::SHORTEST);
        std::thread::sleep(Pace::SHORTEST);
        assert!((0..Pace::QUESTIONS).any(|_| pace.is_due()));
    }
}
