//! Where records come from and go to: files, or pipes named "-".

use std::cell::Cell;
use std::fs::{self, File};
use std::io::{
    self, BufRead, BufReader, BufWriter, IsTerminal, Read, Seek, SeekFrom, Stdin, Stdout, Write,
};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use chess_records::ops::{Output, StreamRecord};
use chess_records::tool_support::{Progress, Tracked};
use chess_records::{AtomicFile, LabelledPosition};

use crate::arguments::OutputOptions;
use crate::failure::{Failure, is_fault};
use crate::format::Format;
use crate::resume::{Resumable, Start};

const BUFFER_BYTES: usize = 1 << 20;

/// Whether a path stands for a pipe.
pub(crate) fn is_pipe(path: &Path) -> bool {
    path == Path::new("-")
}

/// The bytes of all files together, unless one is a pipe.
pub(crate) fn total_bytes(paths: &[PathBuf]) -> Option<u64> {
    let bytes = |path: &PathBuf| {
        let regular = fs::metadata(path).ok().filter(fs::Metadata::is_file);
        regular.map(|metadata| metadata.len())
    };
    paths.iter().map(bytes).sum()
}

/// Where bytes come from.
pub(crate) enum Raw {
    File(File),
    Stdin(Stdin),
}

impl Read for Raw {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read(buffer),
            Self::Stdin(stdin) => stdin.read(buffer),
        }
    }
}

/// The bytes of a source, which knows how far it was read.
pub(crate) struct Bytes {
    buffered: BufReader<Tracked<Raw>>,
    cursor: Cursor,
}

/// How many bytes of a source were taken.
#[derive(Clone, Default)]
pub(crate) struct Cursor(Rc<Cell<u64>>);

impl Cursor {
    pub(crate) fn get(&self) -> u64 {
        self.0.get()
    }

    fn advance(&self, bytes: u64) {
        self.0.set(self.get() + bytes);
    }
}

impl Read for Bytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.buffered.read(buffer)?;
        self.cursor.advance(read as u64);
        Ok(read)
    }
}

impl BufRead for Bytes {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.buffered.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        self.buffered.consume(bytes);
        self.cursor.advance(bytes as u64);
    }
}

/// A file or standard input, being read.
pub(crate) struct Source {
    name: PathBuf,
    bytes: Bytes,
    /// How many records come before.
    start: u64,
    /// How many records or lines come before, as their reader counts.
    units: u64,
}

impl Source {
    pub(crate) fn open(path: &Path, progress: &Progress) -> Result<Self, Failure> {
        let raw = if is_pipe(path) {
            Raw::Stdin(io::stdin())
        } else {
            Raw::File(File::open(path).map_err(|error| of_file(path, "cannot be opened", error))?)
        };
        Ok(Self {
            name: path.to_path_buf(),
            bytes: Bytes {
                buffered: BufReader::with_capacity(BUFFER_BYTES, progress.track(raw)),
                cursor: Cursor::default(),
            },
            start: 0,
            units: 0,
        })
    }

    /// Opens a source at byte `byte`, where record `number` begins.
    pub(crate) fn open_from<U: StreamRecord>(
        path: &Path,
        (number, byte): (u64, u64),
        progress: &Progress,
    ) -> Result<Self, Failure> {
        let mut source = Self::open(path, progress)?;
        source.start = number;
        source.units = match U::FIXED_BYTES {
            Some(_) => number,
            None => source.count_lines(byte)?,
        };
        source.seek(byte)?;
        Ok(source)
    }

    /// Opens a file of fixed-size records at record `first`, if it can be done without reading all
    /// before; gives how many records were passed over.
    pub(crate) fn open_at<U: StreamRecord>(
        path: &Path,
        first: u64,
        progress: &Progress,
    ) -> Result<(Self, u64), Failure> {
        let (Some(bytes), Some(len)) = (U::FIXED_BYTES, total_bytes(&[path.to_path_buf()])) else {
            return Ok((Self::open(path, progress)?, 0));
        };
        let bytes = bytes as u64;
        let first = first.min(len / bytes);
        let source = Self::open_from::<U>(path, (first, first * bytes), progress)?;
        Ok((source, first))
    }

    /// Goes to a byte of a file, from its start.
    pub(crate) fn seek(&mut self, byte: u64) -> Result<(), Failure> {
        if let Raw::File(file) = self.bytes.buffered.get_mut().get_mut() {
            let seek = file.seek(SeekFrom::Start(byte));
            seek.map_err(|error| of_file(&self.name, "cannot be read", error))?;
            self.bytes.buffered.get_ref().progress().skip(byte);
            self.bytes.cursor.0.set(byte);
        }
        Ok(())
    }

    /// How many lines the first `bytes` bytes of a file hold.
    fn count_lines(&mut self, bytes: u64) -> Result<u64, Failure> {
        let (mut lines, mut piece) = (0, vec![0; BUFFER_BYTES]);
        let mut before = self.bytes.buffered.get_mut().get_mut().take(bytes);
        loop {
            let read = before.read(&mut piece);
            let read = read.map_err(|error| of_file(&self.name, "cannot be read", error))?;
            if read == 0 {
                return Ok(lines);
            }
            lines += piece[..read].iter().filter(|&&byte| byte == b'\n').count() as u64;
        }
    }

    /// How far it was read, also once it is a reader's.
    pub(crate) fn cursor(&self) -> Cursor {
        self.bytes.cursor.clone()
    }

    /// The records, as they stand.
    pub(crate) fn records<U: StreamRecord>(self) -> impl Iterator<Item = Result<U, Failure>> {
        let name = self.name;
        let byte = self.bytes.cursor.get();
        U::reader_at(self.bytes, self.units, byte).map(move |record| {
            record.map_err(|error| {
                let fault = is_fault(&error);
                let named = Named::of(&name, error);
                if fault {
                    Failure::data(named)
                } else {
                    Failure::Other(named.into())
                }
            })
        })
    }

    /// The records with what they hold, or what is wrong with them.
    pub(crate) fn decoded<U: StreamRecord>(
        self,
    ) -> impl Iterator<Item = Result<(U, LabelledPosition), Failure>> {
        let (name, start) = (self.name.clone(), self.start);
        let numbered = (start..).zip(self.records::<U>());
        numbered.map(move |(index, record)| {
            let record = record?;
            match record.decode() {
                Ok(decoded) => Ok((record, decoded)),
                Err(error) => Err(Failure::data(Named::of(
                    &name,
                    Placed::of(Place::record::<U>(index), error),
                ))),
            }
        })
    }

    pub(crate) fn into_bytes(self) -> Bytes {
        self.bytes
    }
}

fn of_file(path: &Path, what: &str, error: io::Error) -> Failure {
    Failure::Other(Box::new(Named::of(
        path,
        Because(what.into(), error.into()),
    )))
}

/// An error with the path it concerns.
#[derive(Debug)]
pub(crate) struct Named(String, Box<dyn std::error::Error>);

impl Named {
    pub(crate) fn of(path: &Path, error: impl std::error::Error + 'static) -> Self {
        let name = if is_pipe(path) {
            "standard input".into()
        } else {
            path.display().to_string()
        };
        Self(name, Box::new(error))
    }
}

/// Where in its file a record stands.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    Record { index: u64, byte: Option<u64> },
    Ply { game: u64, ply: u64 },
}

impl Place {
    pub(crate) fn record<U: StreamRecord>(index: u64) -> Self {
        let byte = U::FIXED_BYTES.map(|bytes| index * bytes as u64);
        Self::Record { index, byte }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Record { index, byte: None } => write!(f, "record {index}"),
            Self::Record {
                index,
                byte: Some(byte),
            } => write!(f, "record {index} at byte {byte}"),
            Self::Ply { game, ply } => write!(f, "game {game}, ply {ply}"),
        }
    }
}

/// An error with the place of the record it concerns.
#[derive(Debug)]
pub(crate) struct Placed(String, Box<dyn std::error::Error>);

impl Placed {
    pub(crate) fn of(place: Place, error: impl Into<Box<dyn std::error::Error>>) -> Self {
        Self(place.to_string(), error.into())
    }
}

/// What could not be done, and what the system said.
#[derive(Debug)]
struct Because(String, Box<dyn std::error::Error>);

macro_rules! error_with_source {
    ($($error:ty),*) => {$(
        impl std::fmt::Display for $error {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::error::Error for $error {
            fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
                Some(self.1.as_ref())
            }
        }
    )*};
}

error_with_source!(Named, Placed, Because);

/// A file that takes its place at the end, or standard output.
pub(crate) enum Sink {
    /// Gone on with after an interruption.
    Resumable(Resumable),
    /// What is read from a pipe cannot be read again.
    File(AtomicFile),
    Stdout(BufWriter<Stdout>),
}

impl Sink {
    /// Begins the output of a command that reads `inputs`.
    pub(crate) fn create(
        output: &OutputOptions,
        format: Format,
        inputs: &[PathBuf],
    ) -> Result<Self, Failure> {
        Self::at(&output.output, output.force, format, inputs)
    }

    pub(crate) fn at(
        path: &Path,
        force: bool,
        format: Format,
        inputs: &[PathBuf],
    ) -> Result<Self, Failure> {
        if !is_pipe(path) {
            let output = target(path, force);
            let files = inputs.iter().map(PathBuf::as_path);
            if files.clone().any(is_pipe) {
                let files = files.filter(|path| !is_pipe(path));
                return Ok(Self::File(output.create(files)?));
            }
            return Ok(Self::Resumable(Resumable::begin(&output, files)?));
        }
        if format != Format::Text && io::stdout().is_terminal() {
            return Err(Failure::usage("binary records are not for a terminal"));
        }
        let stdout = BufWriter::with_capacity(BUFFER_BYTES, io::stdout());
        Ok(Self::Stdout(stdout))
    }

    /// Where in the inputs to begin. Says so if it is not the start; `unit` is what is counted.
    pub(crate) fn start(&self, unit: &str) -> Result<Start, Failure> {
        match self {
            Self::Resumable(resumable) => resumable.start(unit),
            Self::File(_) | Self::Stdout(_) => Ok(Start::default()),
        }
    }

    /// Notes every now and then where the command is, if it can go on there.
    pub(crate) fn note_if_due(&mut self, here: impl FnOnce() -> Start) -> Result<(), Failure> {
        match self {
            Self::Resumable(resumable) => resumable.note_if_due(here),
            Self::File(_) | Self::Stdout(_) => Ok(()),
        }
    }

    pub(crate) fn put(&mut self, record: &impl StreamRecord) -> Result<(), Failure> {
        let written = record.write_to(self);
        written.map_err(|error| of_file(&self.name(), "cannot be written", error))
    }

    pub(crate) fn put_bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let written = self.write_all(bytes);
        written.map_err(|error| of_file(&self.name(), "cannot be written", error))
    }

    fn name(&self) -> PathBuf {
        match self {
            Self::Resumable(resumable) => resumable.name().to_path_buf(),
            Self::File(file) => file.target().to_path_buf(),
            Self::Stdout(_) => "standard output".into(),
        }
    }

    pub(crate) fn finish(self) -> Result<(), Failure> {
        match self {
            Self::Resumable(resumable) => resumable.finish(),
            Self::File(file) => Ok(file.finish()?),
            Self::Stdout(mut stdout) => Ok(stdout.flush()?),
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Resumable(resumable) => resumable.write(bytes),
            Self::File(file) => file.write(bytes),
            Self::Stdout(stdout) => stdout.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            // Notes and the end flush it.
            Self::Resumable(_) => Ok(()),
            Self::File(file) => file.flush(),
            Self::Stdout(stdout) => stdout.flush(),
        }
    }
}

/// A file to write, which may replace another only by force.
pub(crate) fn target(path: &Path, force: bool) -> Output {
    if force {
        Output::replacing(path)
    } else {
        Output::new(path)
    }
}
