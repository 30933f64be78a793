//! Going on after an interruption.

use std::env;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use chess_records::ops::{FilesError, Output, ResumableFiles};
use chess_records::tool_support::Progress;

use crate::failure::Failure;
use crate::interrupt;
use crate::report::note;
use crate::streams::total_bytes;

const ANEW: &str = "beginning anew: what was interrupted had other arguments or inputs";

/// Where in its inputs a command is, and what it has counted so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Start {
    /// Which of the inputs.
    pub(crate) file: usize,
    /// How many records or games of it are done.
    pub(crate) number: u64,
    /// The byte after them.
    pub(crate) byte: u64,
    pub(crate) counts: Vec<u64>,
}

impl Start {
    /// Where in an input reading begins: record and byte.
    pub(crate) fn within(&self, file: usize) -> (u64, u64) {
        if file == self.file {
            (self.number, self.byte)
        } else {
            (0, 0)
        }
    }

    /// A number that was counted.
    pub(crate) fn count(&self, index: usize) -> u64 {
        self.counts.get(index).copied().unwrap_or(0)
    }

    /// Of the inputs' bytes, those before it are done.
    pub(crate) fn progress(&self, inputs: &[PathBuf]) -> Progress {
        let progress = Progress::of_bytes(total_bytes(inputs));
        let before = inputs.get(..self.file).and_then(total_bytes);
        progress.skip(before.unwrap_or(0));
        progress
    }

    fn from_mark(mark: &[u64]) -> Option<Self> {
        let (&[file, number, byte], counts) = mark.split_first_chunk()?;
        Some(Self {
            file: file as usize,
            number,
            byte,
            counts: counts.to_vec(),
        })
    }

    fn to_mark(&self) -> Vec<u64> {
        let head = [self.file as u64, self.number, self.byte];
        head.into_iter()
            .chain(self.counts.iter().copied())
            .collect()
    }
}

/// An output that is gone on with by the same command, if its inputs are the same.
pub(crate) struct Resumable {
    name: PathBuf,
    /// `None` once finished.
    files: Option<ResumableFiles>,
}

impl Resumable {
    pub(crate) fn begin<'a>(
        output: &Output,
        inputs: impl Iterator<Item = &'a Path>,
    ) -> Result<Self, Failure> {
        let was_interrupted = output.is_interrupted();
        let files = ResumableFiles::begin(&[output], inputs, &job())?;
        if was_interrupted && files.mark().is_none() {
            note(ANEW)?;
        }
        Ok(Self {
            name: output.path().to_path_buf(),
            files: Some(files),
        })
    }

    pub(crate) fn name(&self) -> &Path {
        &self.name
    }

    pub(crate) fn start(&self, unit: &str) -> Result<Start, Failure> {
        let mark = self.files.as_ref().and_then(ResumableFiles::mark);
        let Some(start) = mark.and_then(Start::from_mark) else {
            return Ok(Start::default());
        };
        let file = match start.file {
            0 => String::new(),
            file => format!(" of file {}", file + 1),
        };
        note(&format!("continuing at {unit} {}{file}", start.number))?;
        Ok(start)
    }

    pub(crate) fn note_if_due(&mut self, here: impl FnOnce() -> Start) -> Result<(), Failure> {
        if let Some(files) = &mut self.files
            && files.is_due()
        {
            files.note(&here().to_mark())?;
        }
        Ok(())
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let closed = || io::Error::other("the file is closed");
        let files = self.files.as_mut().ok_or_else(closed)?;
        match files.put(0, bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(FilesError::Write { source, .. }) => Err(source),
            Err(error) => Err(io::Error::other(error)),
        }
    }

    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        match self.files.take() {
            Some(files) => Ok(files.finish()?),
            None => Ok(()),
        }
    }
}

impl Drop for Resumable {
    fn drop(&mut self) {
        if let Some(files) = self.files.take()
            && interrupt::was_asked()
        {
            files.keep();
        }
    }
}

/// What tells this run from those with other arguments: all but whether files may be replaced.
fn job() -> String {
    let arguments = env::args_os().skip(1);
    let arguments: Vec<_> = arguments
        .filter(|argument| argument != "-f" && argument != "--force")
        .collect();
    format!("{} {arguments:?}", env!("CARGO_PKG_VERSION"))
}

/// For a library function that goes on after an interruption: shows its progress, stops it after
/// Ctrl-C, and says where it begins if that is not the start. It passes over its inputs, of
/// `pass_bytes` bytes, several times; what is counted takes `unit_bytes` each.
pub(crate) fn shown<T>(
    output: &Output,
    pass_bytes: u64,
    (unit, unit_bytes): (&str, usize),
    work: impl FnOnce(&mut dyn FnMut(u64, u64) -> ControlFlow<()>) -> T,
) -> T {
    let mut begin = Some(output.is_interrupted());
    let progress = Progress::of_bytes(Some(0));
    work(&mut |done, total| {
        let said = match begin.take() {
            None | Some(false) if done == 0 => None,
            Some(_) if done == 0 => Some(ANEW.to_owned()),
            Some(_) => {
                let (pass, passes) = (done / pass_bytes + 1, total.div_ceil(pass_bytes));
                let number = done % pass_bytes / unit_bytes as u64;
                let of_passes = match passes {
                    1 => String::new(),
                    _ => format!(", pass {pass} of {passes}"),
                };
                Some(format!("continuing at {unit} {number}{of_passes}"))
            }
            None => None,
        };
        // Nothing is left to say where standard error is closed.
        said.map(|said| note(&said));
        progress.report(done, total)
    })
}
