//! Reading a header.

use std::borrow::Cow;
use std::io::{self, Read};

use super::literal::{self, Literal};
use super::{FIELDS, MAGIC, NpyError, NpyHeader, NpyReadError, PAD_FIELD};
use crate::FlatRecord;

impl NpyHeader {
    /// Reads the header of a file from its first bytes; those after the header may be left out.
    ///
    /// # Errors
    ///
    /// An [`NpyError`] for the first thing that is not as in a shard.
    pub fn parse(bytes: &[u8]) -> Result<Self, NpyError> {
        let text = TextPlace::find(bytes)?;
        let Some(latin_or_utf8) = bytes.get(text.start..text.end) else {
            return Err(NpyError::Truncated {
                found: bytes.len(),
                expected: text.end,
            });
        };
        let decoded = text.decode(latin_or_utf8)?;
        let rows = rows(&literal::parse(&decoded, text.start)?)?;
        Self::new(rows, text.end as u64)
    }

    /// Reads the header of a file and no byte more.
    ///
    /// # Errors
    ///
    /// When reading fails, and as [`NpyHeader::parse`].
    pub fn read(mut file: impl Read) -> Result<Self, NpyReadError> {
        let mut bytes = Vec::new();
        read_up_to(&mut file, &mut bytes, TextPlace::SHORT_PREFIX)?;
        if bytes.get(6).is_some_and(|&major| major > 1) {
            read_up_to(&mut file, &mut bytes, TextPlace::LONG_PREFIX)?;
        }
        let text = TextPlace::find(&bytes)?;
        read_up_to(&mut file, &mut bytes, text.end)?;
        Ok(Self::parse(&bytes)?)
    }

    fn new(rows: u64, data_offset: u64) -> Result<Self, NpyError> {
        let bytes = rows.checked_mul(FlatRecord::BYTES as u64);
        let bytes = bytes.and_then(|bytes| bytes.checked_add(data_offset));
        // What a file's length can say.
        match bytes.is_some_and(|bytes| i64::try_from(bytes).is_ok()) {
            true => Ok(Self { rows, data_offset }),
            false => Err(NpyError::TooManyRows { rows }),
        }
    }
}

/// Reads until there are `len` bytes or the file ends.
fn read_up_to(file: &mut impl Read, bytes: &mut Vec<u8>, len: usize) -> io::Result<()> {
    let wanted = len.saturating_sub(bytes.len()) as u64;
    file.take(wanted).read_to_end(bytes)?;
    Ok(())
}

/// Where the text stands, and how it is encoded.
struct TextPlace {
    start: usize,
    end: usize,
    is_utf8: bool,
}

impl TextPlace {
    /// Magic, version and length of version 1.0.
    const SHORT_PREFIX: usize = 10;
    /// Those of the others.
    const LONG_PREFIX: usize = 12;

    fn find(bytes: &[u8]) -> Result<Self, NpyError> {
        let magic = array(bytes, 0)?;
        if magic != *MAGIC {
            return Err(NpyError::Magic { found: magic });
        }
        let (start, found, is_utf8) = match array(bytes, 6)? {
            [1, 0] => {
                let found = u16::from_le_bytes(array(bytes, 8)?);
                (Self::SHORT_PREFIX, u32::from(found), false)
            }
            [major @ (2 | 3), 0] => {
                let found = u32::from_le_bytes(array(bytes, 8)?);
                (Self::LONG_PREFIX, found, major == 3)
            }
            [major, minor] => return Err(NpyError::Version { major, minor }),
        };
        let most = NpyHeader::MAX_TEXT_BYTES;
        match usize::try_from(found).ok().filter(|&found| found <= most) {
            Some(found) => Ok(Self {
                start,
                end: start + found,
                is_utf8,
            }),
            None => Err(NpyError::TextTooLong {
                found: found.into(),
                most,
            }),
        }
    }

    fn decode<'a>(&self, bytes: &'a [u8]) -> Result<Cow<'a, str>, NpyError> {
        match std::str::from_utf8(bytes) {
            Ok(text) if self.is_utf8 || text.is_ascii() => Ok(text.into()),
            Err(error) if self.is_utf8 => Err(NpyError::Text {
                offset: self.start + error.valid_up_to(),
                expected: "UTF-8",
            }),
            // Latin-1, whose bytes are the first code points.
            _ => Ok(bytes.iter().copied().map(char::from).collect()),
        }
    }
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N], NpyError> {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest.first_chunk() {
        Some(array) => Ok(*array),
        None => Err(NpyError::Truncated {
            found: bytes.len(),
            expected: at + N,
        }),
    }
}

/// The number of rows, if all else is as in a shard.
fn rows(header: &Literal<'_>) -> Result<u64, NpyError> {
    let [fields, order, shape] = values(header)?;
    check_fields(fields)?;
    if *order != Literal::Bool(false) {
        let found = order.to_string();
        return Err(NpyError::FortranOrder { found });
    }
    match shape {
        Literal::Tuple(items) if let [Literal::Number(rows)] = items[..] => Ok(rows),
        _ => Err(NpyError::Shape {
            found: shape.to_string(),
        }),
    }
}

/// What stands under the three keys.
fn values<'a>(header: &'a Literal<'a>) -> Result<[&'a Literal<'a>; 3], NpyError> {
    let found = || NpyError::Keys {
        found: match header {
            Literal::Dict(items) => {
                let keys: Vec<_> = items.iter().map(|(key, _)| key.to_string()).collect();
                keys.join(", ")
            }
            other => other.to_string(),
        },
    };
    let Literal::Dict(items) = header else {
        return Err(found());
    };
    let under = |name: &'static str| {
        let item = items.iter().find(|(key, _)| *key == Literal::Text(name));
        item.map(|(_, value)| value).ok_or_else(found)
    };
    match items.len() {
        3 => Ok([under("descr")?, under("fortran_order")?, under("shape")?]),
        _ => Err(found()),
    }
}

fn check_fields(fields: &Literal<'_>) -> Result<(), NpyError> {
    let Literal::List(fields) = fields else {
        return Err(NpyError::NotStructured {
            found: fields.to_string(),
        });
    };
    let found: Vec<_> = fields.iter().map(Literal::to_string).collect();
    let without_pad = FIELDS.iter().filter(|&&field| field != PAD_FIELD);
    if found.iter().eq(without_pad) {
        return Err(NpyError::NoPadByte);
    }
    for (index, (found, expected)) in found.iter().zip(FIELDS).enumerate() {
        if found != expected {
            let found = found.clone();
            return Err(NpyError::Field {
                index,
                found,
                expected,
            });
        }
    }
    if found.len() != FIELDS.len() {
        return Err(NpyError::FieldCount { found: found.len() });
    }
    Ok(())
}
