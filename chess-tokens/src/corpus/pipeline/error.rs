//! Why a pipeline cannot be described or run.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::corpus::fetch::FetchError;
use crate::corpus::hub::HubConfigError;
use crate::corpus::stages::{SettingsError, StageError};
use crate::corpus::{ManifestError, Month};
use crate::tokenizer::OpenBpeError;
use crate::{Scheme, SchemeError};

/// Why a description of a pipeline is none.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{}: cannot be read", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// An option of the text makes no sense.
    #[error("line {line}, {option}")]
    At {
        /// The line in which it stands, from 1; that of its table if it stands nowhere.
        line: usize,
        /// The option, with its table.
        option: String,
        /// What is wrong.
        source: Box<Self>,
    },
    /// A file is no description that makes sense.
    #[error("{}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: Box<Self>,
    },
    /// The text is no TOML, or has options that there are not.
    #[error("is no description of a pipeline")]
    Toml {
        /// What is wrong, and where.
        source: Box<toml::de::Error>,
    },
    /// Settings of a stage make no sense.
    #[error("settings make no sense")]
    Settings(#[from] SettingsError),
    /// A month is there twice.
    #[error("month {month} is there twice")]
    MonthTwice {
        /// The month.
        month: Month,
    },
    /// Months cannot come from two places.
    #[error("there are [fetch] and [raw], expected one of them")]
    TwoOrigins,
    /// Months must come from somewhere.
    #[error("there are months and neither [fetch] nor [raw], expected one of them")]
    NoOrigin,
    /// Nothing is to be read.
    #[error("there are no months and no [[database]], expected some")]
    NoGames,
    /// A database is called like no folder should be.
    #[error("database {found:?}, expected letters, digits, - and _")]
    DatabaseName {
        /// Its name.
        found: String,
    },
    /// Two databases have one name.
    #[error("database {name} is there twice")]
    DatabaseTwice {
        /// Their name.
        name: String,
    },
    /// A database has no files.
    #[error("database {name} has no files")]
    NoFiles {
        /// Its name.
        name: String,
    },
    /// There is no such scheme.
    #[error("the scheme is none")]
    Scheme(#[from] SchemeError),
    /// A file of a tokenizer is needed, or there is one that is not.
    #[error("scheme {scheme}: bpe is a trained tokenizer for the scheme bpe, and for no other")]
    Bpe {
        /// The scheme.
        scheme: Scheme,
    },
    /// The month to validate with is not among the months.
    #[error("val_month {month} is not among the months")]
    ValMonth {
        /// The month.
        month: Month,
    },
    /// Games to validate with come from a month.
    #[error("there are val_games and no val_month")]
    ValGames,
    /// The only games are those to validate with.
    #[error("there are no games to draw: those of {month} are to validate with")]
    NothingToDraw {
        /// The month.
        month: Month,
    },
    /// Drawn games are to be trained on, and none are drawn.
    #[error("train is elo-bins, and there is no [elo_bins]")]
    NoBins,
}

/// Why a pipeline stops. What is finished stays, and the same description goes on with it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PipelineError {
    /// The hub cannot be asked.
    #[error("the hub cannot be asked")]
    Hub(#[from] HubConfigError),
    /// A month cannot be fetched.
    #[error("stage fetch fails")]
    Fetch(#[from] FetchError),
    /// Another stage fails.
    #[error("stage {stage} fails")]
    Stage {
        /// The stage.
        stage: &'static str,
        /// Why.
        source: StageError,
    },
    /// What a stage should read is not there.
    #[error("the input of stage {stage} cannot be used")]
    Input {
        /// The stage.
        stage: &'static str,
        /// Why.
        source: ManifestError,
    },
    /// The tokenizer cannot be opened.
    #[error("the tokenizer cannot be opened")]
    Tokenizer(#[from] OpenBpeError),
    /// The observer asked to stop.
    #[error("stopped on request")]
    Cancelled,
}

impl PipelineError {
    /// Whether it stopped because it was asked to.
    #[must_use]
    pub const fn is_cancelled(&self) -> bool {
        matches!(
            self,
            Self::Cancelled
                | Self::Fetch(FetchError::Cancelled)
                | Self::Stage {
                    source: StageError::Cancelled,
                    ..
                }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        let missing = || ManifestError::Missing { path: "out".into() };
        let errors = [
            (FetchError::Limit.into(), "stage fetch fails"),
            (
                PipelineError::Stage {
                    stage: "uci",
                    source: StageError::Cancelled,
                },
                "stage uci fails",
            ),
            (
                PipelineError::Input {
                    stage: "pack",
                    source: missing(),
                },
                "the input of stage pack cannot be used",
            ),
            (PipelineError::Cancelled, "stopped on request"),
        ];
        for (error, text) in errors {
            assert_eq!(error.to_string(), text);
        }
        let hub = crate::corpus::hub::Hub::builder("no/such/name").build();
        let error = PipelineError::from(hub.unwrap_err());
        assert_eq!(error.to_string(), "the hub cannot be asked");
        let bpe = crate::tokenizer::BpeTokenizer::open("/nowhere/bpe.json".as_ref());
        let error = PipelineError::from(bpe.unwrap_err());
        assert_eq!(error.to_string(), "the tokenizer cannot be opened");
    }

    #[test]
    fn whether_it_was_asked_to_stop() {
        let stage = |source| PipelineError::Stage {
            stage: "uci",
            source,
        };
        assert!(PipelineError::Cancelled.is_cancelled());
        assert!(PipelineError::from(FetchError::Cancelled).is_cancelled());
        assert!(stage(StageError::Cancelled).is_cancelled());
        assert!(!PipelineError::from(FetchError::Limit).is_cancelled());
        let folder = "out".into();
        assert!(!stage(StageError::NoGames { folder, read: 1 }).is_cancelled());
    }
}
