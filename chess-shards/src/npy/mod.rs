//! The header of a shard's `.npy` file.
//!
//! A file begins with the magic bytes `93 4e 55 4d 50 59` (`\x93NUMPY`), a version (two bytes), the
//! length of a text (u16 in version 1.0, u32 in 2.0 and 3.0, little-endian) and the text, a Python
//! dictionary padded with spaces and ended by a line feed. Rows follow and nothing else.
//!
//! [`NpyHeader::to_bytes`] writes what numpy writes: version 1.0 and 384 bytes in all, whose text is
//!
//! ```text
//! {'descr': [('position', '|u1', (64,)), ('legal_idx', '<u2', (64,)), ('legal_cnt', '|u1'), ('from_square', '|u1'), ('action_plane', '|u1'), ('castling_rights', '|u1'), ('en_passant_file', '|u1'), ('is_white', '|u1'), ('result', '|i1'), ('', '|V1'), ('move_number', '<u2')], 'fortran_order': False, 'shape': (180,), }
//! ```
//!
//! The layout is that of numpy's `numpy.lib.format`.

mod error;
mod literal;
mod read;

pub use error::{NpyError, NpyReadError};

use crate::FlatRecord;

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// What numpy aligns the first row to.
const ALIGNMENT: usize = 64;

/// The fields of a row, as numpy writes them.
const FIELDS: [&str; 11] = [
    "('position', '|u1', (64,))",
    "('legal_idx', '<u2', (64,))",
    "('legal_cnt', '|u1')",
    "('from_square', '|u1')",
    "('action_plane', '|u1')",
    "('castling_rights', '|u1')",
    "('en_passant_file', '|u1')",
    "('is_white', '|u1')",
    "('result', '|i1')",
    PAD_FIELD,
    "('move_number', '<u2')",
];
/// The byte that makes rows 202 bytes long.
const PAD_FIELD: &str = "('', '|V1')";

/// What the header of a shard says, checked: rows of the fields of [`FlatRecord`], how many, and
/// where the first one stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NpyHeader {
    rows: u64,
    data_offset: u64,
}

impl NpyHeader {
    /// The longest text that is read. numpy's own is under 384 bytes.
    pub const MAX_TEXT_BYTES: usize = 1 << 16;

    /// How many rows there are.
    #[must_use]
    pub const fn rows(&self) -> u64 {
        self.rows
    }

    /// Where the first row stands in the file, in bytes.
    #[must_use]
    pub const fn data_offset(&self) -> u64 {
        self.data_offset
    }

    /// How long the whole file must be, in bytes.
    #[must_use]
    pub const fn file_bytes(&self) -> u64 {
        // Not over, as reading has looked.
        self.data_offset + self.rows * FlatRecord::BYTES as u64
    }

    /// The header of a file with so many rows, byte for byte as numpy writes it.
    #[must_use]
    pub fn to_bytes(rows: u64) -> Vec<u8> {
        let fields = FIELDS.join(", ");
        let text = format!("{{'descr': [{fields}], 'fortran_order': False, 'shape': ({rows},), }}");
        let before_text = MAGIC.len() + 4;
        let total = (before_text + text.len() + 1).next_multiple_of(ALIGNMENT);
        let text_bytes = (total - before_text) as u16;
        let mut bytes = Vec::with_capacity(total);
        bytes.extend(MAGIC);
        bytes.extend([1, 0]);
        bytes.extend(text_bytes.to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes.resize(total - 1, b' ');
        bytes.push(b'\n');
        bytes
    }
}

#[cfg(test)]
mod tests;
