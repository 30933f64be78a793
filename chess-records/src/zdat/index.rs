//! Where the groups start: `.zdat.idx`.

use std::vec::Vec;

use thiserror::Error;
use zerocopy::little_endian::U64;
use zerocopy::{FromBytes, IntoBytes};

use super::{ZdatGroupError, ZdatHeader};

const MAGIC: [u8; 8] = *b"SJNGIDX1";
/// Magic and count.
const START_BYTES: usize = 16;

/// Where the index of an open file came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IndexSource {
    /// From its own file, checked against the data.
    Read,
    /// From the data, frame by frame: there was no index file.
    Missing,
    /// From the data, frame by frame: the index file is not used because of this error.
    Damaged(ZdatIndexError),
}

/// What the count at the start of an index counts. Writers differ; the number of offsets tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counted {
    Frames,
    Records(u64),
}

/// Why an index cannot be used. Offsets are bytes from the start of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ZdatIndexError {
    /// The index ends before its first offset.
    #[error("the index has {found} bytes, expected at least 24")]
    Truncated {
        /// How many bytes it has.
        found: u64,
    },
    /// The index begins with something else.
    #[error("the index's magic (offset 0) is \"{}\", expected \"SJNGIDX1\"", found.escape_ascii())]
    Magic {
        /// What it begins with.
        found: [u8; 8],
    },
    /// The index ends inside an offset.
    #[error("{trailing} trailing bytes after {offsets} offsets of 8 bytes each in the index")]
    TrailingBytes {
        /// How many whole offsets there are.
        offsets: u64,
        /// How many bytes are left over.
        trailing: usize,
    },
    /// The count fits the offsets neither as a number of frames nor as one of records.
    #[error(
        "the index's count (offset 8) is {count}, but {offsets} offsets follow: \
         neither that many frames nor that many records in groups of {batch}"
    )]
    Count {
        /// The count.
        count: u64,
        /// How many offsets follow it.
        offsets: u64,
        /// Records per group.
        batch: u32,
    },
    /// The first group does not start where header and dictionary end.
    #[error("group 0 starts at byte {found} by the index, expected {expected}")]
    Start {
        /// Where it starts by the index.
        found: u64,
        /// Where header and dictionary end.
        expected: u64,
    },
    /// A group ends where it starts, or before.
    #[error("group {group} goes from byte {start} to {end} by the index")]
    NotAscending {
        /// The group.
        group: u64,
        /// Its offset.
        start: u64,
        /// The next offset.
        end: u64,
    },
    /// The last offset is not the end of the data.
    #[error("the data ends at byte {found} by the index, expected {expected}")]
    End {
        /// The last offset.
        found: u64,
        /// The length of the data file.
        expected: u64,
    },
    /// No sound group starts at the last offset but one.
    #[error("the last group is not where the index says")]
    LastGroup(#[from] ZdatGroupError),
    /// The last group does not hold the records that the count leaves for it.
    #[error("the index counts {count} records, the groups hold {found}")]
    Records {
        /// The count.
        count: u64,
        /// How many records there are.
        found: u64,
    },
}

/// Reads an index and checks it against the header and the length of the data.
pub(super) fn parse(
    index: &[u8],
    header: &ZdatHeader,
    data_len: u64,
) -> Result<(Vec<u64>, Counted), ZdatIndexError> {
    let (count, offsets) = split(index)?;
    let counted = counted(count, offsets.len() as u64, header.batch())?;
    check(offsets, header, data_len)?;
    Ok((offsets.iter().map(|offset| offset.get()).collect(), counted))
}

fn split(index: &[u8]) -> Result<(u64, &[U64]), ZdatIndexError> {
    let found = index.len() as u64;
    let Some((start, rest)) = index.split_first_chunk::<START_BYTES>() else {
        return Err(ZdatIndexError::Truncated { found });
    };
    let [magic, count]: [[u8; 8]; 2] = zerocopy::transmute!(*start);
    if magic != MAGIC {
        return Err(ZdatIndexError::Magic { found: magic });
    }
    let Ok((offsets, trailing)) = <[U64]>::ref_from_prefix(rest) else {
        return Err(ZdatIndexError::Truncated { found });
    };
    if offsets.is_empty() {
        return Err(ZdatIndexError::Truncated { found });
    }
    if !trailing.is_empty() {
        return Err(ZdatIndexError::TrailingBytes {
            offsets: offsets.len() as u64,
            trailing: trailing.len(),
        });
    }
    Ok((u64::from_le_bytes(count), offsets))
}

fn counted(count: u64, offsets: u64, batch: u32) -> Result<Counted, ZdatIndexError> {
    let frames = offsets - 1;
    if count == frames {
        Ok(Counted::Frames)
    } else if count.div_ceil(batch.into()) == frames {
        Ok(Counted::Records(count))
    } else {
        Err(ZdatIndexError::Count {
            count,
            offsets,
            batch,
        })
    }
}

fn check(offsets: &[U64], header: &ZdatHeader, data_len: u64) -> Result<(), ZdatIndexError> {
    let [first, .., last] = offsets else {
        // A file without records: one offset, which is both.
        let found = offsets.first().map_or(0, |offset| offset.get());
        return check_ends(found, found, header, data_len);
    };
    check_ends(first.get(), last.get(), header, data_len)?;
    for (group, pair) in (0..).zip(offsets.windows(2)) {
        let (start, end) = (pair[0].get(), pair[1].get());
        if end <= start {
            return Err(ZdatIndexError::NotAscending { group, start, end });
        }
    }
    Ok(())
}

fn check_ends(
    first: u64,
    last: u64,
    header: &ZdatHeader,
    data_len: u64,
) -> Result<(), ZdatIndexError> {
    let expected = header.data_offset();
    if first != expected {
        return Err(ZdatIndexError::Start {
            found: first,
            expected,
        });
    }
    if last != data_len {
        return Err(ZdatIndexError::End {
            found: last,
            expected: data_len,
        });
    }
    Ok(())
}

/// The index of groups that start at these offsets, the end of the data last. Its count is that of
/// the frames: one fewer than the offsets.
pub(super) fn to_bytes(offsets: &[u64]) -> Vec<u8> {
    let count = offsets.len().saturating_sub(1) as u64;
    let numbers: Vec<U64> = [count]
        .iter()
        .chain(offsets)
        .map(|&n| U64::new(n))
        .collect();
    [&MAGIC[..], numbers.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::{String, ToString};

    fn header() -> ZdatHeader {
        ZdatHeader::new(10, 1, 6).unwrap()
    }

    fn index(count: u64, offsets: &[u64]) -> Vec<u8> {
        let mut bytes = to_bytes(offsets);
        bytes[8..16].copy_from_slice(&count.to_le_bytes());
        bytes
    }

    fn error(bytes: &[u8]) -> String {
        parse(bytes, &header(), 60).unwrap_err().to_string()
    }

    #[test]
    fn both_readings_of_the_count() {
        let offsets = [30, 40, 60];
        let read = |count| parse(&index(count, &offsets), &header(), 60);
        assert_eq!(read(2), Ok((offsets.to_vec(), Counted::Frames)));
        for count in 11..=20 {
            assert_eq!(read(count), Ok((offsets.to_vec(), Counted::Records(count))));
        }
        for count in [0, 1, 3, 10, 21, u64::MAX - 1, u64::MAX] {
            assert_eq!(
                read(count).unwrap_err().to_string(),
                std::format!(
                    "the index's count (offset 8) is {count}, but 3 offsets follow: \
                     neither that many frames nor that many records in groups of 10"
                )
            );
        }
    }

    #[test]
    fn files_without_records() {
        let read = |offset| parse(&index(0, &[offset]), &header(), 30);
        assert_eq!(read(30), Ok((Vec::from([30]), Counted::Frames)));
        assert!(matches!(read(31), Err(ZdatIndexError::Start { .. })));
        let error = parse(&index(0, &[30]), &header(), 31).unwrap_err();
        assert!(matches!(error, ZdatIndexError::End { .. }));
    }

    #[test]
    fn texts() {
        let sound = index(2, &[30, 40, 60]);
        assert!(parse(&sound, &header(), 60).is_ok());
        for cut in 0..24 {
            let text = std::format!("the index has {cut} bytes, expected at least 24");
            assert_eq!(error(&sound[..cut]), text);
        }
        assert_eq!(
            error(&sound[..39]),
            "7 trailing bytes after 2 offsets of 8 bytes each in the index"
        );
        assert_eq!(
            error(&[b"SJNGDAT1", &sound[8..]].concat()),
            r#"the index's magic (offset 0) is "SJNGDAT1", expected "SJNGIDX1""#
        );
        assert_eq!(
            error(&index(2, &[24, 40, 60])),
            "group 0 starts at byte 24 by the index, expected 30"
        );
        assert_eq!(
            error(&index(2, &[30, 40, 61])),
            "the data ends at byte 61 by the index, expected 60"
        );
        for middle in [30, 29, 0] {
            let text = std::format!("group 0 goes from byte 30 to {middle} by the index");
            assert_eq!(error(&index(2, &[30, middle, 60])), text);
        }
        assert_eq!(
            error(&index(2, &[30, u64::MAX, 60])),
            std::format!("group 1 goes from byte {} to 60 by the index", u64::MAX)
        );
        let group = ZdatGroupError {
            group: 1,
            byte_offset: 40,
            error: crate::zdat::FrameError::Magic { found: 0 }.into(),
        };
        assert_eq!(
            ZdatIndexError::from(group).to_string(),
            "the last group is not where the index says"
        );
        let records = ZdatIndexError::Records {
            count: 12,
            found: 13,
        };
        assert_eq!(
            records.to_string(),
            "the index counts 12 records, the groups hold 13"
        );
    }
}
