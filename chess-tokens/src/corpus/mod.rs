//! Months of games, fetched, filtered, converted and packed.
//!
//! Stages keep what they make in folders by month ([`Month`]), each with a [`manifest`] that tells how it
//! was made and how far it is. [`hub`] lists and downloads files of datasets, and [`fetch`]
//! brings months of games from there.

pub mod fetch;
mod file_hash;
#[cfg(feature = "corpus")]
pub mod functions;
pub mod hub;
pub mod manifest;
mod month;
#[cfg(feature = "corpus")]
mod parquet_file;
#[cfg(feature = "corpus")]
mod pgn_table;
#[cfg(feature = "corpus")]
pub mod pipeline;
#[cfg(feature = "corpus")]
mod rows;
#[cfg(feature = "corpus")]
mod session;
#[cfg(feature = "corpus")]
mod spill;
#[cfg(feature = "corpus")]
pub mod sql;
#[cfg(feature = "corpus")]
pub mod stages;
#[cfg(feature = "corpus")]
mod tables;

pub use file_hash::{FileHash, FileHashError};
pub use manifest::{
    Counts, InputFile, Job, Manifest, ManifestError, Opened, OutputFile, Overwrite, StageFolder,
    State,
};
pub use month::{Month, MonthError, Months};
#[cfg(feature = "corpus")]
pub use parquet_file::ParquetWriteError;
#[cfg(feature = "corpus")]
pub use rows::Rows;
#[cfg(feature = "corpus")]
pub use session::{QueryError, Session, SessionError, SessionOptions};
#[cfg(feature = "corpus")]
pub use tables::TableError;
