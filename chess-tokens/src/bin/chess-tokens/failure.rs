//! What a command can fail of, and its exit code.

use std::error::Error;
use std::io;

use chess_records::tool_support::{chain, is_broken_pipe};

/// Why a command ended early.
#[derive(Debug)]
#[allow(dead_code)]
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

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Other(error.into())
    }
}
