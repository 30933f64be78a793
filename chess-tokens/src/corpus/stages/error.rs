//! Why a stage fails.

use std::path::PathBuf;

use thiserror::Error;

use crate::corpus::ManifestError;
use crate::corpus::parquet_file::ParquetWriteError;
use crate::corpus::session::QueryError;
use crate::corpus::tables::TableError;
use crate::pack::WritePackError;

/// Why a stage fails. What other calls have finished stays.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StageError {
    /// The settings make no sense.
    #[error("the settings make no sense")]
    Settings(#[from] SettingsError),
    /// Files cannot be read as a table.
    #[error("the games cannot be read")]
    Table(#[from] TableError),
    /// The query cannot be planned or worked out.
    #[error("the result cannot be worked out")]
    Query(#[from] QueryError),
    /// What came out cannot be written.
    #[error("the result cannot be written")]
    Write(#[from] ParquetWriteError),
    /// A pack cannot be written.
    #[error("the pack cannot be written")]
    Pack(#[from] WritePackError),
    /// The folder cannot be used.
    #[error("the folder cannot be used")]
    Folder(#[from] ManifestError),
    /// What is read lies where the result is to be.
    #[error("{}: lies in the folder {} that is to be written", input.display(), folder.display())]
    OwnInput {
        /// The folder of the result.
        folder: PathBuf,
        /// A file that is read.
        input: PathBuf,
    },
    /// No game is left.
    #[error("{}: no game is left of {read}", folder.display())]
    NoGames {
        /// The folder in which they should be.
        folder: PathBuf,
        /// How many there were.
        read: u64,
    },
    /// The progress callback asked to stop.
    #[error("stopped on request")]
    Cancelled,
}

/// Why settings make no sense.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// No rating is within the bounds.
    #[error("min_elo {min} is over max_elo {max}")]
    Elo {
        /// The lower bound.
        min: i32,
        /// The upper bound.
        max: i32,
    },
    /// No game may have ended.
    #[error("terminations are none, expected at least one")]
    NoTerminations,
    /// No games are asked for.
    #[error("limit is 0, expected at least 1 game")]
    NoLimit,
    /// No length is within the bounds.
    #[error("min_plies {min} is over max_plies {max}")]
    Plies {
        /// The lower bound.
        min: u32,
        /// The upper bound.
        max: u32,
    },
    /// The column `n_plies` cannot tell of such lengths.
    #[error("max_plies {max}, expected at most {}", super::ToUci::MOST_PLIES)]
    MostPlies {
        /// The upper bound.
        max: u32,
    },
    /// A bin has no width.
    #[error("bin_width is 0, expected at least 1")]
    BinWidth,
    /// A bin does not begin where bins do.
    #[error("{name} {found} is no multiple of bin_width {bin_width}")]
    BinStart {
        /// Which setting.
        name: &'static str,
        /// Its value.
        found: u32,
        /// How wide bins are.
        bin_width: u32,
    },
    /// There are no bins.
    #[error("min_bin {min} is over max_bin {max}")]
    Bins {
        /// The first bin.
        min: u32,
        /// The last one.
        max: u32,
    },
    /// There are no such ratings.
    #[error("max_bin {max}, expected at most {}", super::EloBins::MOST_ELO)]
    MostElo {
        /// The last bin.
        max: u32,
    },
    /// No games are to be drawn.
    #[error("n_per_bin is 0, expected at least 1")]
    NoQuota,
    /// There is nothing to pack.
    #[error("there are no months and no files to pack")]
    NothingToPack,
    /// A month cannot be for training and for validation.
    #[error("{month} is the month of validation and among those of training")]
    ValMonth {
        /// The month.
        month: crate::corpus::Month,
    },
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::error::ArrowError;
    use datafusion::common::DataFusionError;

    use super::super::{EloBins, Filter, ToUci};
    use super::*;

    #[test]
    fn settings_that_make_no_sense() {
        let filter = |filter: Filter| filter.check().unwrap_err().to_string();
        let max_elo = Some(1799);
        assert_eq!(
            filter(Filter {
                max_elo,
                ..Filter::default()
            }),
            "min_elo 1800 is over max_elo 1799"
        );
        let terminations = Vec::new();
        assert_eq!(
            filter(Filter {
                terminations,
                ..Filter::default()
            }),
            "terminations are none, expected at least one"
        );
        let uci = |min_plies, max_plies| {
            let stage = ToUci {
                min_plies,
                max_plies,
            };
            stage.check().unwrap_err().to_string()
        };
        assert_eq!(uci(21, 20), "min_plies 21 is over max_plies 20");
        assert_eq!(uci(0, 32_768), "max_plies 32768, expected at most 32767");
        let bins = |change: fn(&mut EloBins)| {
            let mut bins = EloBins::default();
            change(&mut bins);
            bins.check().unwrap_err().to_string()
        };
        assert_eq!(
            bins(|bins| bins.bin_width = 0),
            "bin_width is 0, expected at least 1"
        );
        assert_eq!(
            bins(|bins| bins.min_bin = 1850),
            "min_bin 1850 is no multiple of bin_width 100"
        );
        assert_eq!(
            bins(|bins| bins.max_bin = 1),
            "max_bin 1 is no multiple of bin_width 100"
        );
        assert_eq!(
            bins(|bins| bins.max_bin = 100),
            "min_bin 1800 is over max_bin 100"
        );
        assert_eq!(
            bins(|bins| bins.max_bin = 40_000),
            "max_bin 40000, expected at most 32767"
        );
        assert_eq!(
            bins(|bins| bins.n_per_bin = 0),
            "n_per_bin is 0, expected at least 1"
        );
        let texts = [
            (
                SettingsError::NoLimit,
                "limit is 0, expected at least 1 game",
            ),
            (
                SettingsError::NothingToPack,
                "there are no months and no files to pack",
            ),
            (
                SettingsError::ValMonth {
                    month: "2025-05".parse().unwrap(),
                },
                "2025-05 is the month of validation and among those of training",
            ),
        ];
        for (error, text) in texts {
            assert_eq!(error.to_string(), text);
        }
        for good in [
            Filter::default().check(),
            ToUci::default().check(),
            EloBins::default().check(),
        ] {
            assert_eq!(good, Ok(()));
        }
    }

    #[test]
    fn texts() {
        let path = || PathBuf::from("out");
        let missing = || ManifestError::Missing { path: path() };
        let damaged = || DataFusionError::Internal("x".into());
        let errors = [
            (SettingsError::BinWidth.into(), "the settings make no sense"),
            (TableError::NoFiles.into(), "the games cannot be read"),
            (
                QueryError::run(damaged()).into(),
                "the result cannot be worked out",
            ),
            (
                ParquetWriteError::Rows {
                    path: path(),
                    source: ArrowError::DivideByZero,
                }
                .into(),
                "the result cannot be written",
            ),
            (missing().into(), "the folder cannot be used"),
            (
                StageError::OwnInput {
                    folder: path(),
                    input: "out/x.parquet".into(),
                },
                "out/x.parquet: lies in the folder out that is to be written",
            ),
            (
                StageError::NoGames {
                    folder: path(),
                    read: 7,
                },
                "out: no game is left of 7",
            ),
            (StageError::Cancelled, "stopped on request"),
        ];
        let errors: [(StageError, &str); 8] = errors;
        for (error, text) in errors {
            assert_eq!(error.to_string(), text);
        }
    }
}
