//! What a command can fail of, and its exit code.

use std::error::Error;
use std::io;

use chess_records::ops::{
    FilesError, GameReadError, InterleaveError, RecordReadError, SplitFilesError,
};
pub(crate) use chess_records::tool_support::chain;
use chess_records::tool_support::is_broken_pipe;
use chess_records::{AtomicFileError, TextReadError};

use crate::interrupt;

/// Why a command ended early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The data is at fault.
    Data(Box<dyn Error>),
    /// Faults were found and said already.
    Said,
    /// Anything else.
    Other(Box<dyn Error>),
}

impl Failure {
    pub(crate) fn usage(text: impl Into<String>) -> Self {
        Self::Other(text.into().into())
    }

    pub(crate) fn data(error: impl Into<Box<dyn Error>>) -> Self {
        Self::Data(error.into())
    }

    /// What to say, if anything.
    pub(crate) fn text(&self) -> Option<String> {
        if interrupt::was_asked() {
            return Some("interrupted, the output is as it was".into());
        }
        match self {
            Self::Said => None,
            Self::Data(error) | Self::Other(error) => {
                (!is_broken_pipe(error.as_ref())).then(|| chain(error.as_ref()))
            }
        }
    }

    pub(crate) fn exit_code(&self) -> u8 {
        if interrupt::was_asked() {
            return 130;
        }
        match self {
            Self::Data(_) | Self::Said => 1,
            // Whoever read our output has seen enough.
            Self::Other(error) if is_broken_pipe(error.as_ref()) => 0,
            Self::Other(_) => 2,
        }
    }
}

impl From<FilesError> for Failure {
    fn from(error: FilesError) -> Self {
        match error {
            FilesError::Record { .. } | FilesError::View { .. } | FilesError::Game { .. } => {
                Self::Data(error.into())
            }
            _ => Self::Other(error.into()),
        }
    }
}

impl From<InterleaveError> for Failure {
    fn from(error: InterleaveError) -> Self {
        match error {
            InterleaveError::Files(error) => error.into(),
            _ => Self::Other(error.into()),
        }
    }
}

impl From<SplitFilesError> for Failure {
    fn from(error: SplitFilesError) -> Self {
        match error {
            SplitFilesError::Files(error) => error.into(),
            SplitFilesError::NotByGame => Self::Data(error.into()),
            _ => Self::Other(error.into()),
        }
    }
}

impl From<AtomicFileError> for Failure {
    fn from(error: AtomicFileError) -> Self {
        Self::Other(error.into())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Other(error.into())
    }
}

/// Whether reading failed because of what was read, not because it could not be read.
pub(crate) fn is_fault(error: &(dyn Error + 'static)) -> bool {
    let io_failed = matches!(
        error.downcast_ref::<RecordReadError>(),
        Some(RecordReadError::Io { .. })
    ) || matches!(
        error.downcast_ref::<TextReadError>(),
        Some(TextReadError::Io { .. })
    ) || matches!(
        error.downcast_ref::<GameReadError>(),
        Some(GameReadError::Io { .. })
    );
    !io_failed
}
