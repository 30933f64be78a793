//! Why work on files failed.

use std::boxed::Box;
use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::{AtomicFileError, ViewError, ViriFault};

/// Why work on files failed. Outputs are as they were, unless noted.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FilesError {
    /// An input cannot be opened.
    #[error("{}: cannot be opened", path.display())]
    Open {
        /// The input.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// An input is a folder, a pipe or something else without a length.
    #[error("{}: is no regular file", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// An input's bytes are no records.
    #[error("{}: is no file of records", path.display())]
    View {
        /// The input.
        path: PathBuf,
        /// What is wrong with its length.
        source: ViewError,
    },
    /// An input cannot be read; where it became shorter since it was opened, the end of the file is
    /// unexpected.
    #[error("{}: cannot be read", path.display())]
    Read {
        /// The input.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A record is not what its format says.
    #[error("{}: record {index} at byte {byte_offset}", path.display())]
    Record {
        /// The input.
        path: PathBuf,
        /// The record's number in the input.
        index: u64,
        /// Where it starts in the input, in bytes.
        byte_offset: u64,
        /// What is wrong with it.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A game is not what its format says.
    #[error("{}", path.display())]
    Game {
        /// The input.
        path: PathBuf,
        /// The game, and what is wrong with it.
        source: ViriFault,
    },
    /// The output is also an input, perhaps by another name.
    #[error("{}: is also an input, as {}", output.display(), input.display())]
    OutputIsInput {
        /// The output.
        output: PathBuf,
        /// The input, by the name given.
        input: PathBuf,
    },
    /// Two outputs are the same file.
    #[error("{}: is named as output twice", path.display())]
    OutputTwice {
        /// The output.
        path: PathBuf,
    },
    /// The output exists and is not to be replaced.
    #[error("{}: exists already", path.display())]
    Exists {
        /// The output.
        path: PathBuf,
    },
    /// The output cannot be put in place.
    #[error(transparent)]
    Output(#[from] AtomicFileError),
    /// A file being written cannot be written to.
    #[error("{}: cannot be written", path.display())]
    Write {
        /// The output or a temporary file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The folder for temporary files cannot be used.
    #[error("{}: cannot be used for temporary files", path.display())]
    Scratch {
        /// The folder, or a file in it.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Somebody else is writing the same output.
    #[error("{}: another run is at work here", path.display())]
    Busy {
        /// The folder for temporary files.
        path: PathBuf,
    },
    /// What stands where the folder for temporary files belongs was not made here.
    #[error("{}: stands in the way of temporary files and is none", path.display())]
    Foreign {
        /// The folder.
        path: PathBuf,
    },
    /// Temporary files are not what was written to them. Running again begins anew.
    #[error("{}: temporary files are damaged", path.display())]
    Damaged {
        /// The temporary file.
        path: PathBuf,
    },
    /// The budget of memory is too small for this many records.
    #[error(
        "{given} bytes of memory are too few for {records} records, expected at least {needed}"
    )]
    Memory {
        /// The budget.
        given: u64,
        /// How many records there are.
        records: u64,
        /// The smallest budget that will do.
        needed: u64,
    },
    /// The progress closure asked to stop.
    #[error("cancelled")]
    Cancelled,
}

impl FilesError {
    pub(super) const fn is_cancelled(&self) -> bool {
        matches!(self, Self::Cancelled)
    }

    pub(super) fn open(path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        Self::Open { path, source }
    }

    pub(super) fn read(path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        Self::Read { path, source }
    }

    pub(super) fn write(path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        Self::Write { path, source }
    }

    pub(super) fn scratch(path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        Self::Scratch { path, source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn texts() {
        let path = || PathBuf::from("a.marlin");
        let source = || io::Error::other("full");
        let errors = [
            FilesError::Open {
                path: path(),
                source: source(),
            },
            FilesError::NotAFile { path: path() },
            FilesError::Read {
                path: path(),
                source: source(),
            },
            FilesError::OutputTwice { path: path() },
            FilesError::Write {
                path: path(),
                source: source(),
            },
            FilesError::Scratch {
                path: path(),
                source: source(),
            },
            FilesError::Damaged { path: path() },
            FilesError::Memory {
                given: 1,
                records: 2,
                needed: 3,
            },
            FilesError::Cancelled,
        ];
        let texts = [
            "a.marlin: cannot be opened",
            "a.marlin: is no regular file",
            "a.marlin: cannot be read",
            "a.marlin: is named as output twice",
            "a.marlin: cannot be written",
            "a.marlin: cannot be used for temporary files",
            "a.marlin: temporary files are damaged",
            "1 bytes of memory are too few for 2 records, expected at least 3",
            "cancelled",
        ];
        assert_eq!(errors.map(|error| error.to_string()), texts);
    }
}
