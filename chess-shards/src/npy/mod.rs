//! The header of a shard's `.npy` file.
//!
//! It is one of those of [`chess_records::npy`], for rows of the fields of [`FlatRecord`].
//!
//! [`NpyHeader::to_bytes`] writes what numpy writes: version 1.0 and 384 bytes in all, whose text is
//!
//! ```text
//! {'descr': [('position', '|u1', (64,)), ('legal_idx', '<u2', (64,)), ('legal_cnt', '|u1'), ('from_square', '|u1'), ('action_plane', '|u1'), ('castling_rights', '|u1'), ('en_passant_file', '|u1'), ('is_white', '|u1'), ('result', '|i1'), ('', '|V1'), ('move_number', '<u2')], 'fortran_order': False, 'shape': (180,), }
//! ```
//!
//! The layout is that of numpy's `numpy.lib.format`.

mod error;
mod read;

pub use error::{NpyError, NpyReadError};

use chess_records::npy::{self, Header, Literal};

use crate::FlatRecord;

/// The fields of a row: name, type and, of a vector, how many.
const FIELDS: [(&str, &str, Option<u64>); 11] = [
    ("position", "|u1", Some(64)),
    ("legal_idx", "<u2", Some(64)),
    ("legal_cnt", "|u1", None),
    ("from_square", "|u1", None),
    ("action_plane", "|u1", None),
    ("castling_rights", "|u1", None),
    ("en_passant_file", "|u1", None),
    ("is_white", "|u1", None),
    ("result", "|i1", None),
    ("", "|V1", None),
    ("move_number", "<u2", None),
];
/// Which of them is the byte that makes rows 202 bytes long.
const PAD_FIELD: usize = 9;

/// What the header of a shard says, checked: rows of the fields of [`FlatRecord`], how many, and
/// where the first one stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NpyHeader {
    rows: u64,
    data_offset: u64,
}

impl NpyHeader {
    /// The longest text that is read. numpy's own is under 384 bytes.
    pub const MAX_TEXT_BYTES: usize = Header::MAX_TEXT_BYTES;

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
        npy::to_bytes(&Literal::List(fields()), &[rows])
    }
}

/// The fields of a row, as numpy writes them.
fn fields() -> Vec<Literal> {
    let field = |(name, kind, count): (&str, &str, Option<u64>)| {
        let count = count.map(|count| Literal::Tuple(vec![Literal::Number(count)]));
        let words = [Literal::from(name), Literal::from(kind)];
        Literal::Tuple(words.into_iter().chain(count).collect())
    };
    FIELDS.into_iter().map(field).collect()
}

#[cfg(test)]
mod tests;
