//! What a command can fail of, and its exit code.

use std::error::Error;
use std::io;

use chess_records::ops::FilesError;
pub(crate) use chess_records::tool_support::chain;
use chess_records::tool_support::{interrupt, is_broken_pipe};
use chess_records::{AtomicFileError, DatasetError};
use chess_shards::build::{BuildError, SourceError};
use chess_shards::{MetaReadError, ShardError, ShardSetError};

/// Why a command ended early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The data is at fault.
    Data(Box<dyn Error>),
    /// Faults were found and said already.
    Said,
    /// Ctrl-C was pressed; what is left of the work.
    Interrupted(&'static str),
    /// Anything else.
    Other(Box<dyn Error>),
}

impl Failure {
    pub(crate) fn usage(text: impl Into<String>) -> Self {
        Self::Other(text.into().into())
    }

    /// Fails after Ctrl-C; `left` says what became of the work.
    pub(crate) fn if_interrupted(left: &'static str) -> Result<(), Self> {
        if interrupt::was_asked() {
            Err(Self::Interrupted(left))
        } else {
            Ok(())
        }
    }

    pub(crate) fn data(error: impl Into<Box<dyn Error>>) -> Self {
        Self::Data(error.into())
    }

    /// What to say, if anything.
    pub(crate) fn text(&self) -> Option<String> {
        match self {
            Self::Said => None,
            Self::Interrupted(left) => Some(format!("interrupted, {left}")),
            Self::Data(error) | Self::Other(error) => {
                (!is_broken_pipe(error.as_ref())).then(|| chain(error.as_ref()))
            }
        }
    }

    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Data(_) | Self::Said => 1,
            Self::Interrupted(_) => 130,
            // Whoever read our output has seen enough.
            Self::Other(error) if is_broken_pipe(error.as_ref()) => 0,
            Self::Other(_) => 2,
        }
    }
}

impl From<MetaReadError> for Failure {
    fn from(error: MetaReadError) -> Self {
        match error {
            MetaReadError::Io { .. } => Self::Other(error.into()),
            _ => Self::Data(error.into()),
        }
    }
}

impl From<ShardError> for Failure {
    fn from(error: ShardError) -> Self {
        match error {
            ShardError::Header { .. }
            | ShardError::Length { .. }
            | ShardError::Rows { .. }
            | ShardError::Decompress { .. } => Self::Data(error.into()),
            _ => Self::Other(error.into()),
        }
    }
}

impl From<ShardSetError> for Failure {
    fn from(error: ShardSetError) -> Self {
        match error {
            ShardSetError::Meta(error) => error.into(),
            ShardSetError::Shard(error) => error.into(),
            _ => Self::Other(error.into()),
        }
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        match error {
            SourceError::Io { .. } | SourceError::NoFile { .. } => Self::Other(error.into()),
            _ => Self::Data(error.into()),
        }
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Source(error) => error.into(),
            BuildError::NoGames { .. }
            | BuildError::FewerGames { .. }
            | BuildError::MoreGames { .. }
            | BuildError::SourceChanged { .. }
            | BuildError::MissingShard { .. } => Self::Data(error.into()),
            _ => Self::Other(error.into()),
        }
    }
}

impl From<DatasetError> for Failure {
    fn from(error: DatasetError) -> Self {
        Self::Other(error.into())
    }
}

impl From<FilesError> for Failure {
    fn from(error: FilesError) -> Self {
        Self::Other(error.into())
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
