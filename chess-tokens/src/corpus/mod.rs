//! Months of games, fetched, filtered, converted and packed.
//!
//! Stages keep what they make in folders by month ([`Month`]), each with a [`manifest`] that tells how it
//! was made and how far it is. [`hub`] lists and downloads files of datasets.

mod file_hash;
pub mod hub;
pub mod manifest;
mod month;

pub use file_hash::{FileHash, FileHashError};
pub use manifest::{
    Counts, InputFile, Job, Manifest, ManifestError, Opened, OutputFile, StageFolder, State,
};
pub use month::{Month, MonthError, Months};
