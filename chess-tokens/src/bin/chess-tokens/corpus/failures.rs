//! Errors of the pipeline as failures of commands.

use chess_tokens::corpus::fetch::FetchError;
use chess_tokens::corpus::pipeline::{ConfigError, PipelineError};
use chess_tokens::corpus::stages::StageError;
use chess_tokens::corpus::{ManifestError, QueryError, SessionError, TableError};

use crate::failure::Failure;

/// What is left of the work after Ctrl-C.
const GOES_ON: &str = "what is finished is kept: the same command goes on with the rest";

impl From<StageError> for Failure {
    fn from(error: StageError) -> Self {
        match error {
            StageError::Cancelled => Self::Interrupted(GOES_ON),
            StageError::Folder(error) => error.into(),
            StageError::OwnInput { .. } => Self::usage(error.to_string()),
            StageError::NoGames { .. } | StageError::Table(_) | StageError::Query(_) => {
                Self::Data(error.into())
            }
            _ => Self::Other(error.into()),
        }
    }
}

impl From<ManifestError> for Failure {
    fn from(error: ManifestError) -> Self {
        match error {
            ManifestError::OtherJob { .. } | ManifestError::Unknown { .. } => {
                Self::usage(format!("{error}; --overwrite begins anew"))
            }
            ManifestError::Changed { .. } | ManifestError::Json { .. } => Self::Data(error.into()),
            _ => Self::Other(error.into()),
        }
    }
}

impl From<FetchError> for Failure {
    fn from(error: FetchError) -> Self {
        match error {
            FetchError::Cancelled => Self::Interrupted(GOES_ON),
            FetchError::Folder {
                source: ManifestError::OtherJob { .. } | ManifestError::Unknown { .. },
                ..
            } => {
                let text = chess_records::tool_support::chain(&error);
                Self::usage(format!("{text}; --overwrite begins anew"))
            }
            FetchError::NoGames { .. } | FetchError::Filter { .. } => Self::Data(error.into()),
            _ => Self::Other(error.into()),
        }
    }
}

impl From<PipelineError> for Failure {
    fn from(error: PipelineError) -> Self {
        match error {
            error if error.is_cancelled() => Self::Interrupted(GOES_ON),
            PipelineError::Fetch(error) => error.into(),
            PipelineError::Stage { source, .. } => source.into(),
            PipelineError::Input { source, .. } => source.into(),
            error => Self::Other(error.into()),
        }
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::Other(error.into())
    }
}

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Self {
        Self::Other(error.into())
    }
}

impl From<QueryError> for Failure {
    fn from(error: QueryError) -> Self {
        Self::Other(error.into())
    }
}

impl From<TableError> for Failure {
    fn from(error: TableError) -> Self {
        Self::Other(error.into())
    }
}
