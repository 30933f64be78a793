//! Why a header is no shard's.

use std::io;

use thiserror::Error;

/// Why bytes are no header of a shard. Offsets are bytes from the start of the file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NpyError {
    /// The file does not begin as `.npy` files do.
    #[error(
        "the file begins with {}, expected 93 4e 55 4d 50 59 (\\x93NUMPY)",
        hex(found)
    )]
    Magic {
        /// Its first bytes.
        found: [u8; 6],
    },
    /// A version that there is not.
    #[error("npy version (offset 6) is {major}.{minor}, expected 1.0, 2.0 or 3.0")]
    Version {
        /// The first byte.
        major: u8,
        /// The second byte.
        minor: u8,
    },
    /// The text is too long to be read.
    #[error("the header's text (offset 8) has {found} bytes, expected at most {most}")]
    TextTooLong {
        /// How many bytes.
        found: u64,
        /// How many may be.
        most: usize,
    },
    /// The file ends inside its header.
    #[error("the file ends after {found} bytes, inside its header of {expected}")]
    Truncated {
        /// How many bytes there are.
        found: usize,
        /// How many there should be at least.
        expected: usize,
    },
    /// The text is no dictionary in Python's notation.
    #[error("the header's text at offset {offset} is not {expected}")]
    Text {
        /// Where reading stopped.
        offset: usize,
        /// What was expected there.
        expected: &'static str,
    },
    /// The dictionary has not the three keys of every `.npy` file.
    #[error("the header has the keys {found}, expected 'descr', 'fortran_order' and 'shape'")]
    Keys {
        /// The keys.
        found: String,
    },
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
        expected: &'static str,
    },
    /// There are too few fields or too many.
    #[error("the rows have {found} fields, expected 11")]
    FieldCount {
        /// How many.
        found: usize,
    },
    /// The rows are said to be in Fortran's order.
    #[error("'fortran_order' is {found}, expected False")]
    FortranOrder {
        /// What is written.
        found: String,
    },
    /// The array has not one dimension.
    #[error("the shape is {found}, expected one number of rows")]
    Shape {
        /// The shape, as written.
        found: String,
    },
    /// So many rows fit into no file.
    #[error("{rows} rows are more than a file can hold")]
    TooManyRows {
        /// How many.
        rows: u64,
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

/// Bytes as they are written in the docs.
fn hex(bytes: &[u8]) -> String {
    let bytes = bytes.iter().map(|byte| format!("{byte:02x}"));
    bytes.collect::<Vec<_>>().join(" ")
}
