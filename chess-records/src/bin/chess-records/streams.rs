//! Where records come from and go to: files, or pipes named "-".

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, IsTerminal, Read, Seek, SeekFrom, Stdin, Stdout, Write};
use std::path::{Path, PathBuf};

use chess_records::ops::{Output, StreamRecord};
use chess_records::{AtomicFile, LabelledPosition};

use crate::arguments::OutputOptions;
use crate::failure::{Failure, is_fault};
use crate::format::Format;
use crate::progress::{Progress, Tracked};

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

/// The bytes of a source.
pub(crate) type Bytes = BufReader<Tracked<Raw>>;

/// A file or standard input, being read.
pub(crate) struct Source {
    name: PathBuf,
    buffered: Bytes,
    start: u64,
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
            buffered: BufReader::with_capacity(BUFFER_BYTES, progress.track(raw)),
            start: 0,
        })
    }

    /// Opens a file of fixed-size records at record `first`, if it can be done without reading all
    /// before; gives how many records were passed over.
    pub(crate) fn open_at<U: StreamRecord>(
        path: &Path,
        first: u64,
        progress: &Progress,
    ) -> Result<(Self, u64), Failure> {
        let mut source = Self::open(path, progress)?;
        let (Some(bytes), Some(len)) = (U::FIXED_BYTES, total_bytes(&[path.to_path_buf()])) else {
            return Ok((source, 0));
        };
        let bytes = bytes as u64;
        let first = first.min(len / bytes);
        if let Raw::File(file) = source.buffered.get_mut().get_mut() {
            let seek = file.seek(SeekFrom::Start(first * bytes));
            seek.map_err(|error| of_file(path, "cannot be read", error))?;
        }
        source.start = first;
        Ok((source, first))
    }

    /// The records, as they stand.
    pub(crate) fn records<U: StreamRecord>(self) -> impl Iterator<Item = Result<U, Failure>> {
        let name = self.name;
        U::reader(self.buffered).map(move |record| {
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
        self.buffered
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
            let files = inputs
                .iter()
                .map(PathBuf::as_path)
                .filter(|path| !is_pipe(path));
            return Ok(Self::File(target(path, force).create(files)?));
        }
        if format != Format::Text && io::stdout().is_terminal() {
            return Err(Failure::usage("binary records are not for a terminal"));
        }
        let stdout = BufWriter::with_capacity(BUFFER_BYTES, io::stdout());
        Ok(Self::Stdout(stdout))
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
            Self::File(file) => file.target().to_path_buf(),
            Self::Stdout(_) => "standard output".into(),
        }
    }

    pub(crate) fn finish(self) -> Result<(), Failure> {
        match self {
            Self::File(file) => Ok(file.finish()?),
            Self::Stdout(mut stdout) => Ok(stdout.flush()?),
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Stdout(stdout) => stdout.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
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
