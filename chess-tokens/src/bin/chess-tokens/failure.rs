//! What a command can fail of, and its exit code.

use std::error::Error;
use std::io;

use chess_records::AtomicFileError;
pub(crate) use chess_records::tool_support::chain;
use chess_records::tool_support::{interrupt, is_broken_pipe};
use chess_tokens::pack::{MetaReadError, OpenPackError, PackFault, TokenizerMismatch};
use chess_tokens::source::{PackGamesError, SourceError};
use chess_tokens::tokenizer::{OpenBpeError, OpenVocabularyError, ReadFileError};

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

    pub(crate) fn data(error: impl Into<Box<dyn Error>>) -> Self {
        Self::Data(error.into())
    }

    /// Fails after Ctrl-C; `left` says what became of the work.
    pub(crate) fn if_interrupted(left: &'static str) -> Result<(), Self> {
        match interrupt::was_asked() {
            true => Err(Self::Interrupted(left)),
            false => Ok(()),
        }
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

impl From<OpenPackError> for Failure {
    fn from(error: OpenPackError) -> Self {
        match error {
            OpenPackError::Io { .. }
            | OpenPackError::NoMeta { .. }
            | OpenPackError::HalfReplaced { .. }
            | OpenPackError::Meta(MetaReadError::Io { .. })
            | OpenPackError::Replaced { .. } => Self::Other(error.into()),
            _ => Self::Data(error.into()),
        }
    }
}

impl From<PackFault> for Failure {
    fn from(fault: PackFault) -> Self {
        Self::Data(fault.into())
    }
}

impl From<TokenizerMismatch> for Failure {
    fn from(error: TokenizerMismatch) -> Self {
        Self::Data(error.into())
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        match error {
            SourceError::Io { .. }
            | SourceError::NoFile { .. }
            | SourceError::Feature { .. }
            | SourceError::Thread(_)
            | SourceError::Lost => Self::Other(error.into()),
            _ => Self::Data(error.into()),
        }
    }
}

impl From<PackGamesError> for Failure {
    fn from(error: PackGamesError) -> Self {
        match error {
            PackGamesError::Source(error) => error.into(),
            PackGamesError::Encode { .. } => Self::Data(error.into()),
            PackGamesError::Stopped => Self::Interrupted("the output is as it was"),
            _ => Self::Other(error.into()),
        }
    }
}

impl From<OpenBpeError> for Failure {
    fn from(error: OpenBpeError) -> Self {
        match error {
            OpenBpeError::Read(ReadFileError::Io { .. }) => Self::Other(error.into()),
            _ => Self::Data(error.into()),
        }
    }
}

impl From<OpenVocabularyError> for Failure {
    fn from(error: OpenVocabularyError) -> Self {
        match error {
            OpenVocabularyError::Read(ReadFileError::Io { .. }) => Self::Other(error.into()),
            _ => Self::Data(error.into()),
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
