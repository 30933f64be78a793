//! The headers of numpy's `.npy` files.
//!
//! A file begins with the magic bytes `93 4e 55 4d 50 59` (`\x93NUMPY`), a version (two bytes), the
//! length of a text (u16 in version 1.0, u32 in 2.0 and 3.0, little-endian) and the text, a Python
//! dictionary padded with spaces and ended by a line feed. The items of the array follow and nothing
//! else. 1,454 numbers of 16 bits begin so, 128 bytes in all:
//!
//! ```text
//! 0000  93 4e 55 4d 50 59 01 00  76 00 7b 27 64 65 73 63   .NUMPY..v.{'desc
//! 0010  72 27 3a 20 27 3c 75 32  27 2c 20 27 66 6f 72 74   r': '<u2', 'fort
//! 0020  72 61 6e 5f 6f 72 64 65  72 27 3a 20 46 61 6c 73   ran_order': Fals
//! 0030  65 2c 20 27 73 68 61 70  65 27 3a 20 28 31 34 35   e, 'shape': (145
//! 0040  34 2c 29 2c 20 7d 20 20  20 20 20 20 20 20 20 20   4,), }
//! ...
//! 0070  20 20 20 20 20 20 20 20  20 20 20 20 20 20 20 0a                  .
//! ```
//!
//! The layout is that of numpy's
//! [`numpy.lib.format`](https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).

mod error;
mod literal;
mod read;
mod write;

use std::vec::Vec;

pub use error::{HeaderError, HeaderReadError};
pub use literal::Literal;
pub use write::to_bytes;

const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// What a header says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    descr: Literal,
    fortran_order: bool,
    shape: Vec<u64>,
    data_offset: u64,
}

impl Header {
    /// The longest text that is read, in bytes. numpy's own are of some hundred.
    pub const MAX_TEXT_BYTES: usize = 1 << 16;

    /// The type of the items, as numpy describes it: `'<u2'`, or a list of named fields.
    #[must_use]
    pub const fn descr(&self) -> &Literal {
        &self.descr
    }

    /// Whether the first index of an item is the one that changes fastest.
    #[must_use]
    pub const fn fortran_order(&self) -> bool {
        self.fortran_order
    }

    /// How many items there are along each dimension.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// Where the first item stands in the file, in bytes.
    #[must_use]
    pub const fn data_offset(&self) -> u64 {
        self.data_offset
    }

    /// The number of items of an array of one dimension, each of so many bytes. With it the length of
    /// the file, `data_offset() + rows * item_bytes`, fits into an i64.
    ///
    /// # Errors
    ///
    /// When the array is in Fortran's order, has not one dimension or is larger than a file can be.
    pub fn rows(&self, item_bytes: u64) -> Result<u64, HeaderError> {
        if self.fortran_order {
            return Err(HeaderError::FortranOrder);
        }
        let [rows] = self.shape[..] else {
            let found = write::shape_text(&self.shape);
            return Err(HeaderError::Shape { found });
        };
        let bytes = rows.checked_mul(item_bytes);
        let bytes = bytes.and_then(|bytes| bytes.checked_add(self.data_offset));
        match bytes.is_some_and(|bytes| i64::try_from(bytes).is_ok()) {
            true => Ok(rows),
            false => Err(HeaderError::TooManyRows { rows }),
        }
    }

    /// As [`Header::rows`], of items of the plain type `descr`, such as `<u2`.
    ///
    /// # Errors
    ///
    /// When the items are of another type, and as [`Header::rows`].
    pub fn rows_of(&self, descr: &'static str, item_bytes: u64) -> Result<u64, HeaderError> {
        match &self.descr {
            Literal::Text(found) if found == descr => self.rows(item_bytes),
            found => Err(HeaderError::Descr {
                found: std::format!("{found}"),
                expected: descr,
            }),
        }
    }
}

#[cfg(test)]
mod tests;
