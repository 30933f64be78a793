//! Why a header cannot be read, or is not of the array that was asked for.

use std::format;
use std::io;
use std::string::String;
use std::vec::Vec;

use thiserror::Error;

/// Why bytes are no header, or not that of an array as it was asked for. Offsets are bytes from the start of the file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HeaderError {
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
    /// The order is not told.
    #[error("'fortran_order' is {found}, expected True or False")]
    Order {
        /// What is written.
        found: String,
    },
    /// The shape is none.
    #[error("the shape is {found}, expected a tuple of numbers")]
    ShapeNotTuple {
        /// What is written.
        found: String,
    },
    /// The items are of another type.
    #[error("the items are {found}, expected '{expected}'")]
    Descr {
        /// The type, as written.
        found: String,
        /// The type that was asked for.
        expected: &'static str,
    },
    /// The items are in Fortran's order.
    #[error("'fortran_order' is True, expected False")]
    FortranOrder,
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
pub enum HeaderReadError {
    /// Reading failed.
    #[error("the header cannot be read")]
    Io(#[from] io::Error),
    /// It is no header.
    #[error(transparent)]
    Header(#[from] HeaderError),
}

/// Bytes as they are written in the docs.
fn hex(bytes: &[u8]) -> String {
    let bytes = bytes.iter().map(|byte| format!("{byte:02x}"));
    bytes.collect::<Vec<_>>().join(" ")
}
