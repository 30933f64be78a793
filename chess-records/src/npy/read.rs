//! Reading a header.

use std::borrow::Cow;
use std::io::{self, Read};
use std::string::{String, ToString};
use std::vec::Vec;

use super::literal::{self, Literal};
use super::{Header, HeaderError, HeaderReadError, MAGIC};

impl Header {
    /// Reads the header of a file from its first bytes; those after the header may be left out.
    ///
    /// # Errors
    ///
    /// A [`HeaderError`] for the first thing that is not as in a `.npy` file.
    pub fn parse(bytes: &[u8]) -> Result<Self, HeaderError> {
        let text = TextPlace::find(bytes)?;
        let Some(latin_or_utf8) = bytes.get(text.start..text.end) else {
            return Err(HeaderError::Truncated {
                found: bytes.len(),
                expected: text.end,
            });
        };
        let decoded = text.decode(latin_or_utf8)?;
        let [descr, order, shape] = values(literal::parse(&decoded, text.start)?)?;
        Ok(Self {
            descr,
            fortran_order: fortran_order(&order)?,
            shape: numbers(&shape)?,
            data_offset: text.end as u64,
        })
    }

    /// Reads the header of a file and no byte more.
    ///
    /// # Errors
    ///
    /// When reading fails, and as [`Header::parse`].
    pub fn read(mut file: impl Read) -> Result<Self, HeaderReadError> {
        let mut bytes = Vec::new();
        read_up_to(&mut file, &mut bytes, TextPlace::SHORT_PREFIX)?;
        if bytes.get(6).is_some_and(|&major| major > 1) {
            read_up_to(&mut file, &mut bytes, TextPlace::LONG_PREFIX)?;
        }
        let text = TextPlace::find(&bytes)?;
        read_up_to(&mut file, &mut bytes, text.end)?;
        Ok(Self::parse(&bytes)?)
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

    fn find(bytes: &[u8]) -> Result<Self, HeaderError> {
        let magic = array(bytes, 0)?;
        if magic != *MAGIC {
            return Err(HeaderError::Magic { found: magic });
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
            [major, minor] => return Err(HeaderError::Version { major, minor }),
        };
        let most = Header::MAX_TEXT_BYTES;
        match usize::try_from(found).ok().filter(|&found| found <= most) {
            Some(found) => Ok(Self {
                start,
                end: start + found,
                is_utf8,
            }),
            None => Err(HeaderError::TextTooLong {
                found: found.into(),
                most,
            }),
        }
    }

    fn decode<'a>(&self, bytes: &'a [u8]) -> Result<Cow<'a, str>, HeaderError> {
        match std::str::from_utf8(bytes) {
            Ok(text) if self.is_utf8 || text.is_ascii() => Ok(text.into()),
            Err(error) if self.is_utf8 => Err(HeaderError::Text {
                offset: self.start + error.valid_up_to(),
                expected: "UTF-8",
            }),
            // Latin-1, whose bytes are the first code points.
            _ => Ok(bytes.iter().copied().map(char::from).collect()),
        }
    }
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N], HeaderError> {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest.first_chunk() {
        Some(array) => Ok(*array),
        None => Err(HeaderError::Truncated {
            found: bytes.len(),
            expected: at + N,
        }),
    }
}

/// What stands under the three keys.
fn values(header: Literal) -> Result<[Literal; 3], HeaderError> {
    let Literal::Dict(items) = header else {
        let found = header.to_string();
        return Err(HeaderError::Keys { found });
    };
    let under = |name: &str| {
        let mut values = items
            .iter()
            .filter(|(key, _)| matches!(key, Literal::Text(key) if key == name));
        values.next().map(|(_, value)| value.clone())
    };
    let all = (under("descr"), under("fortran_order"), under("shape"));
    match all {
        (Some(descr), Some(order), Some(shape)) if items.len() == 3 => Ok([descr, order, shape]),
        _ => Err(HeaderError::Keys {
            found: keys(&items),
        }),
    }
}

fn keys(items: &[(Literal, Literal)]) -> String {
    let keys: Vec<_> = items.iter().map(|(key, _)| key.to_string()).collect();
    keys.join(", ")
}

fn fortran_order(order: &Literal) -> Result<bool, HeaderError> {
    match order {
        Literal::Bool(fortran) => Ok(*fortran),
        other => Err(HeaderError::Order {
            found: other.to_string(),
        }),
    }
}

fn numbers(shape: &Literal) -> Result<Vec<u64>, HeaderError> {
    let error = || HeaderError::ShapeNotTuple {
        found: shape.to_string(),
    };
    let Literal::Tuple(items) = shape else {
        return Err(error());
    };
    let number = |item: &Literal| match item {
        Literal::Number(number) => Ok(*number),
        _ => Err(error()),
    };
    items.iter().map(number).collect()
}
