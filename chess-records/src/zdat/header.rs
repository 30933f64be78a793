//! What stands before the first group.

use core::ops::Range;

use thiserror::Error;
use zerocopy::little_endian::U32;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::ZdatRecord;

const MAGIC: [u8; 8] = *b"SJNGDAT1";

/// The header of a file, checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZdatHeader {
    batch: u32,
    level: u32,
    dictionary_len: u32,
}

/// Why bytes do not begin as a `.zdat` file does. Offsets are bytes from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ZdatHeaderError {
    /// The file ends inside the header.
    #[error("{found} bytes, expected a header of 24")]
    Truncated {
        /// How many bytes there are.
        found: u64,
    },
    /// The file begins with something else.
    #[error("the magic (offset 0) is \"{}\", expected \"SJNGDAT1\"", found.escape_ascii())]
    Magic {
        /// What it begins with.
        found: [u8; 8],
    },
    /// Records have another size.
    #[error("the record size (offset 8) is {found}, expected 4545")]
    RecordSize {
        /// The size.
        found: u32,
    },
    /// Groups have no records, or more than [`ZdatHeader::MAX_BATCH`].
    #[error("the records per group (offset 12) are {found}, expected 1 to 65536")]
    Batch {
        /// How many.
        found: u32,
    },
    /// The dictionary is larger than [`ZdatHeader::MAX_DICTIONARY_BYTES`].
    #[error("the dictionary's length (offset 20) is {found}, expected at most 33554432")]
    DictionaryTooLong {
        /// The length, in bytes.
        found: u32,
    },
    /// The file ends inside the dictionary.
    #[error("the dictionary's length (offset 20) is {expected}, but {found} bytes follow")]
    DictionaryTruncated {
        /// The length that the header gives.
        expected: u32,
        /// How many bytes follow the header.
        found: u64,
    },
    /// The dictionary starts as one of zstd's and is none.
    #[error("the dictionary (offset 24) is damaged")]
    DictionaryDamaged,
}

#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Wire {
    magic: [u8; 8],
    record_size: U32,
    batch: U32,
    level: U32,
    dictionary_len: U32,
}

const _: () = assert!(size_of::<Wire>() == ZdatHeader::BYTES);

impl ZdatHeader {
    /// The size of a header without the dictionary.
    pub const BYTES: usize = 24;

    /// The most records a group may have: 284 MiB of them. A reader never needs more memory for a
    /// group, whatever a header says.
    pub const MAX_BATCH: u32 = 1 << 16;

    /// The longest dictionary, 32 MiB as in zstd's own tool.
    pub const MAX_DICTIONARY_BYTES: u32 = 32 << 20;

    /// Reads and checks the header at the start of `file`, which must hold the dictionary as well.
    ///
    /// # Errors
    ///
    /// A [`ZdatHeaderError`] for the first thing that is wrong.
    pub fn parse(file: &[u8]) -> Result<Self, ZdatHeaderError> {
        let Ok((wire, rest)) = Wire::ref_from_prefix(file) else {
            let found = file.len() as u64;
            return Err(ZdatHeaderError::Truncated { found });
        };
        if wire.magic != MAGIC {
            let found = wire.magic;
            return Err(ZdatHeaderError::Magic { found });
        }
        let found = wire.record_size.get();
        if found != ZdatRecord::BYTES as u32 {
            return Err(ZdatHeaderError::RecordSize { found });
        }
        let header = Self::new(
            wire.batch.get(),
            wire.level.get(),
            wire.dictionary_len.get(),
        )?;
        let found = rest.len() as u64;
        if found < u64::from(header.dictionary_len) {
            let expected = header.dictionary_len;
            return Err(ZdatHeaderError::DictionaryTruncated { expected, found });
        }
        Ok(header)
    }

    pub(super) fn new(
        batch: u32,
        level: u32,
        dictionary_len: u32,
    ) -> Result<Self, ZdatHeaderError> {
        if batch == 0 || batch > Self::MAX_BATCH {
            return Err(ZdatHeaderError::Batch { found: batch });
        }
        if dictionary_len > Self::MAX_DICTIONARY_BYTES {
            let found = dictionary_len;
            return Err(ZdatHeaderError::DictionaryTooLong { found });
        }
        Ok(Self {
            batch,
            level,
            dictionary_len,
        })
    }

    /// Records per group; the last group may have fewer.
    #[must_use]
    pub const fn batch(&self) -> u32 {
        self.batch
    }

    /// The zstd level the file was written with, as the header says.
    #[must_use]
    pub const fn level(&self) -> u32 {
        self.level
    }

    /// The dictionary's length in bytes; 0 = none.
    #[must_use]
    pub const fn dictionary_len(&self) -> u32 {
        self.dictionary_len
    }

    /// The bytes of a full group.
    #[must_use]
    pub const fn group_bytes(&self) -> usize {
        self.batch as usize * ZdatRecord::BYTES
    }

    /// Where the dictionary stands in the file.
    pub(super) const fn dictionary(&self) -> Range<usize> {
        Self::BYTES..Self::BYTES + self.dictionary_len as usize
    }

    /// Where the first group starts in the file, in bytes.
    #[must_use]
    pub const fn data_offset(&self) -> u64 {
        Self::BYTES as u64 + self.dictionary_len as u64
    }

    /// The bytes, without the dictionary.
    #[must_use]
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let wire = Wire {
            magic: MAGIC,
            record_size: U32::new(ZdatRecord::BYTES as u32),
            batch: U32::new(self.batch),
            level: U32::new(self.level),
            dictionary_len: U32::new(self.dictionary_len),
        };
        zerocopy::transmute!(wire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::{String, ToString};
    use std::vec::Vec;

    fn bytes() -> Vec<u8> {
        ZdatHeader::new(32, 9, 3)
            .unwrap()
            .to_bytes()
            .into_iter()
            .chain(*b"abc")
            .collect()
    }

    fn error(change: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut bytes = bytes();
        change(&mut bytes);
        ZdatHeader::parse(&bytes).unwrap_err().to_string()
    }

    #[test]
    fn what_is_written_is_read() {
        let header = ZdatHeader::parse(&bytes()).unwrap();
        assert_eq!(
            (header.batch(), header.level(), header.dictionary_len()),
            (32, 9, 3)
        );
        assert_eq!(header.group_bytes(), 32 * 4545);
        assert_eq!(header.data_offset(), 27);
        assert_eq!(header.to_bytes()[..], bytes()[..24]);
    }

    #[test]
    fn texts() {
        assert_eq!(
            error(|bytes| bytes.truncate(23)),
            "23 bytes, expected a header of 24"
        );
        assert_eq!(
            error(|bytes| bytes[7] = 0),
            r#"the magic (offset 0) is "SJNGDAT\x00", expected "SJNGDAT1""#
        );
        assert_eq!(
            error(|bytes| bytes[8..12].fill(255)),
            "the record size (offset 8) is 4294967295, expected 4545"
        );
        for (found, bytes) in [(0, [0; 4]), (u32::MAX, [255; 4]), (65537, [1, 0, 1, 0])] {
            assert_eq!(
                error(|header| header[12..16].copy_from_slice(&bytes)),
                std::format!("the records per group (offset 12) are {found}, expected 1 to 65536")
            );
        }
        assert_eq!(
            error(|bytes| bytes[20..24].fill(255)),
            "the dictionary's length (offset 20) is 4294967295, expected at most 33554432"
        );
        assert_eq!(
            error(|bytes| bytes[20] = 4),
            "the dictionary's length (offset 20) is 4, but 3 bytes follow"
        );
        assert_eq!(
            ZdatHeaderError::DictionaryDamaged.to_string(),
            "the dictionary (offset 24) is damaged"
        );
    }
}
