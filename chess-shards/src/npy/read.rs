//! Reading a header.

use std::io::Read;

use chess_records::npy::{Header, HeaderReadError, Literal};

use super::{NpyError, NpyHeader, NpyReadError, PAD_FIELD, fields};
use crate::FlatRecord;

impl NpyHeader {
    /// Reads the header of a file from its first bytes; those after the header may be left out.
    ///
    /// # Errors
    ///
    /// An [`NpyError`] for the first thing that is not as in a shard.
    pub fn parse(bytes: &[u8]) -> Result<Self, NpyError> {
        Self::checked(&Header::parse(bytes)?)
    }

    /// Reads the header of a file and no byte more.
    ///
    /// # Errors
    ///
    /// When reading fails, and as [`NpyHeader::parse`].
    pub fn read(file: impl Read) -> Result<Self, NpyReadError> {
        match Header::read(file) {
            Ok(header) => Ok(Self::checked(&header)?),
            Err(HeaderReadError::Io(source)) => Err(source.into()),
            Err(HeaderReadError::Header(source)) => Err(NpyError::from(source).into()),
            // There are no others so far.
            Err(other) => Err(std::io::Error::other(other).into()),
        }
    }

    fn checked(header: &Header) -> Result<Self, NpyError> {
        check_fields(header.descr())?;
        Ok(Self {
            rows: header.rows(FlatRecord::BYTES as u64)?,
            data_offset: header.data_offset(),
        })
    }
}

fn check_fields(found: &Literal) -> Result<(), NpyError> {
    let Literal::List(found) = found else {
        return Err(NpyError::NotStructured {
            found: found.to_string(),
        });
    };
    let expected = fields();
    let without_pad = [&expected[..PAD_FIELD], &expected[PAD_FIELD + 1..]].concat();
    if *found == without_pad {
        return Err(NpyError::NoPadByte);
    }
    for (index, (found, expected)) in found.iter().zip(&expected).enumerate() {
        if found != expected {
            return Err(NpyError::Field {
                index,
                found: found.to_string(),
                expected: expected.to_string(),
            });
        }
    }
    if found.len() != expected.len() {
        return Err(NpyError::FieldCount { found: found.len() });
    }
    Ok(())
}
