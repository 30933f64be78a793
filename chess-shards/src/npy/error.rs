//! Why a header is no shard's.

use std::io;

use chess_records::npy::HeaderError;
use thiserror::Error;

/// Why bytes are no header of a shard. Offsets are bytes from the start of the file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NpyError {
    /// It is no header, or not that of an array of one dimension.
    #[error(transparent)]
    Header(#[from] HeaderError),
    /// The rows are not structured.
    #[error("the items are {found}, expected rows of named fields")]
    NotStructured {
        /// The type, as written.
        found: String,
    },
    /// The pad byte is missing.
    #[error(
        "the rows have 201 bytes, expected 202: the byte ('', '|V1') before 'move_number' is missing, as numpy's concatenate drops padding; rebuild the file with the full dtype"
    )]
    NoPadByte,
    /// A field is not what it should be.
    #[error("field {index} of the rows is {found}, expected {expected}")]
    Field {
        /// The field's number, from 0.
        index: usize,
        /// The field, as written.
        found: String,
        /// What it should be.
        expected: String,
    },
    /// There are too few fields or too many.
    #[error("the rows have {found} fields, expected 11")]
    FieldCount {
        /// How many.
        found: usize,
    },
}

/// Why a header could not be read from a file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NpyReadError {
    /// Reading failed.
    #[error("the header cannot be read")]
    Io(#[from] io::Error),
    /// It is no header of a shard.
    #[error(transparent)]
    Header(#[from] NpyError),
}
