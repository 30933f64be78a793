//! Decompressing groups.

use std::fmt;
use std::vec::Vec;

use thiserror::Error;
use zerocopy::FromBytes;
use zstd::zstd_safe::{DCtx, DDict, get_error_name};

use super::frame::{Frame, FrameError};
use super::header::ZdatHeader;
use super::record::ZdatRecord;

/// The records of a group, decompressed.
#[derive(Clone, Default)]
pub struct ZdatGroup {
    pub(super) index: u64,
    pub(super) first_record: u64,
    pub(super) byte_offset: u64,
    pub(super) bytes: Vec<u8>,
}

impl ZdatGroup {
    /// An empty buffer for groups to be decompressed into.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            index: 0,
            first_record: 0,
            byte_offset: 0,
            bytes: Vec::new(),
        }
    }

    /// The group's number in its file.
    #[must_use]
    pub const fn index(&self) -> u64 {
        self.index
    }

    /// The number of its first record in its file.
    #[must_use]
    pub const fn first_record(&self) -> u64 {
        self.first_record
    }

    /// Where its frame starts in the file, in bytes.
    #[must_use]
    pub const fn byte_offset(&self) -> u64 {
        self.byte_offset
    }

    /// The records, borrowed from the decompressed bytes as they stand.
    #[must_use]
    pub fn records(&self) -> &[ZdatRecord] {
        // Records are aligned to 1 and the length was checked when the group was decompressed.
        match <[ZdatRecord]>::ref_from_bytes(&self.bytes) {
            Ok(records) => records,
            Err(_) => &[],
        }
    }

    /// The decompressed bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl fmt::Debug for ZdatGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ZdatGroup")
            .field("index", &self.index)
            .field("first_record", &self.first_record)
            .field("byte_offset", &self.byte_offset)
            .field("records", &self.records().len())
            .finish()
    }
}

/// A group that cannot be decompressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("group {group} at byte {byte_offset}")]
pub struct ZdatGroupError {
    /// The group's number.
    pub group: u64,
    /// Where its frame starts, or should start, in the file.
    pub byte_offset: u64,
    /// What is wrong with it.
    #[source]
    pub error: GroupFault,
}

/// Why a group cannot be decompressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GroupFault {
    /// It is no zstd frame.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The frame ends before the next group starts.
    #[error("{trailing} trailing bytes after a frame of {frame} bytes")]
    TrailingBytes {
        /// The frame's length in bytes.
        frame: u64,
        /// How many bytes are left over.
        trailing: u64,
    },
    /// The frame needs a dictionary that the file does not have.
    #[error("the frame needs dictionary {found}, the file has {}", Dictionary(*expected))]
    Dictionary {
        /// The number of the dictionary that the frame needs.
        found: u32,
        /// That of the file's, 0 = it has none or one without a number.
        expected: u32,
    },
    /// The decompressed length is not that of whole records.
    #[error("{found} bytes decompressed, expected a multiple of 4545")]
    PartialRecord {
        /// The length.
        found: u64,
    },
    /// The group holds another number of records than it must.
    #[error("{found} records, expected {expected}")]
    Records {
        /// How many it holds.
        found: u64,
        /// How many it must hold.
        expected: u64,
    },
    /// The group holds no record, or more than there are in a group.
    #[error("{found} bytes decompressed, expected 1 to {max} records of 4545 bytes each")]
    Size {
        /// The length that the frame states.
        found: u64,
        /// Records per group.
        max: u32,
    },
    /// The content does not decompress.
    #[error("the frame is damaged: {reason}")]
    Damaged {
        /// What zstd says.
        reason: &'static str,
    },
}

struct Dictionary(u32);

impl fmt::Display for Dictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("none with a number"),
            number => write!(f, "dictionary {number}"),
        }
    }
}

/// The dictionary of a file, prepared for decompression.
pub(super) struct PreparedDictionary {
    prepared: Option<DDict<'static>>,
    id: u32,
}

impl PreparedDictionary {
    /// `None` if the bytes begin as a zstd dictionary and are none.
    pub(super) fn new(bytes: &[u8]) -> Option<Self> {
        if bytes.is_empty() {
            let prepared = None;
            return Some(Self { prepared, id: 0 });
        }
        let prepared = DDict::try_create(bytes)?;
        let id = prepared.get_dict_id().map_or(0, |id| id.get());
        Some(Self {
            prepared: Some(prepared),
            id,
        })
    }

    /// Its number, 0 = none.
    pub(super) const fn id(&self) -> u32 {
        self.id
    }
}

/// What is needed to decompress; made once and used for many groups.
pub(super) struct Context(DCtx<'static>);

impl Context {
    pub(super) fn new() -> Self {
        Self(DCtx::create())
    }

    /// Decompresses a frame over the contents of `bytes`. No more memory is taken than `header`
    /// allows a group, nor than the compressed bytes can stand for.
    pub(super) fn decompress(
        &mut self,
        compressed: &[u8],
        header: &ZdatHeader,
        dictionary: &PreparedDictionary,
        bytes: &mut Vec<u8>,
    ) -> Result<(), GroupFault> {
        let frame = Frame::parse(compressed)?;
        check_frame(&frame, compressed.len(), header, dictionary)?;
        let needed = frame.content_size.unwrap_or(frame.bound);
        // Not over the size of a group, which fits.
        let needed = needed.min(frame.bound).min(header.group_bytes() as u64) as usize;
        bytes.clear();
        bytes.reserve_exact(needed);
        let done = match &dictionary.prepared {
            Some(prepared) => self.0.decompress_using_ddict(bytes, compressed, prepared),
            None => self.0.decompress(bytes, compressed),
        };
        done.map_err(|code| {
            let reason = get_error_name(code);
            GroupFault::Damaged { reason }
        })?;
        check_size(bytes.len() as u64, header)
    }
}

/// What a frame's own headers tell.
pub(super) fn check_frame(
    frame: &Frame,
    compressed_len: usize,
    header: &ZdatHeader,
    dictionary: &PreparedDictionary,
) -> Result<(), GroupFault> {
    let trailing = (compressed_len - frame.len) as u64;
    if trailing > 0 {
        let frame = frame.len as u64;
        return Err(GroupFault::TrailingBytes { frame, trailing });
    }
    // A frame need not give its dictionary's number, and then zstd uses the one it is given.
    let (found, expected) = (frame.dictionary_id, dictionary.id);
    if found != 0 && found != expected {
        return Err(GroupFault::Dictionary { found, expected });
    }
    frame
        .content_size
        .map_or(Ok(()), |size| check_size(size, header))
}

fn check_size(found: u64, header: &ZdatHeader) -> Result<(), GroupFault> {
    if found == 0 || found > header.group_bytes() as u64 {
        let max = header.batch();
        return Err(GroupFault::Size { found, max });
    }
    if !found.is_multiple_of(ZdatRecord::BYTES as u64) {
        return Err(GroupFault::PartialRecord { found });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    fn decompress(content: &[u8], change: impl FnOnce(&mut Vec<u8>)) -> Result<usize, GroupFault> {
        let header = ZdatHeader::new(3, 1, 0).unwrap();
        let none = PreparedDictionary::new(&[]).unwrap();
        let mut compressed = zstd::bulk::compress(content, 1).unwrap();
        change(&mut compressed);
        let mut bytes = Vec::from([9; 7]);
        Context::new().decompress(&compressed, &header, &none, &mut bytes)?;
        assert!(bytes == content);
        Ok(bytes.capacity())
    }

    #[test]
    fn memory_is_not_taken_on_a_frames_word() {
        let capacity = decompress(&[7; 2 * 4545], |_| {}).unwrap();
        assert!((2 * 4545..3 * 4545).contains(&capacity), "{capacity}");
        // Three records are stated; the only block, of one byte, stands for two.
        let mut bytes = Vec::new();
        let header = ZdatHeader::new(ZdatHeader::MAX_BATCH, 1, 0).unwrap();
        let none = PreparedDictionary::new(&[]).unwrap();
        let stated = (4545u32 * 65536).to_le_bytes();
        let mut lying = [0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0, 3, 0x18, 1, 7];
        lying[5..9].copy_from_slice(&stated);
        let fault = Context::new().decompress(&lying, &header, &none, &mut bytes);
        assert!(matches!(fault, Err(GroupFault::Damaged { .. })));
        assert!(bytes.capacity() <= 128 << 10, "{}", bytes.capacity());
    }

    #[test]
    fn texts() {
        let text = |content: &[u8], change: fn(&mut Vec<u8>)| {
            decompress(content, change).unwrap_err().to_string()
        };
        let keep: fn(&mut Vec<u8>) = |_| {};
        assert_eq!(
            text(&[0; 9089], keep),
            "9089 bytes decompressed, expected a multiple of 4545"
        );
        for size in [0, 4 * 4545] {
            assert_eq!(
                text(&std::vec![0; size], keep),
                std::format!(
                    "{size} bytes decompressed, expected 1 to 3 records of 4545 bytes each"
                )
            );
        }
        let record = [0; 4545];
        let frame = zstd::bulk::compress(&record, 1).unwrap().len();
        assert_eq!(
            text(&record, |bytes| bytes.extend([1, 2])),
            std::format!("2 trailing bytes after a frame of {frame} bytes")
        );
        assert_eq!(
            text(&record, |bytes| bytes.truncate(10)),
            "the frame is cut off after 10 bytes"
        );
        // A block of one byte fewer than is stated.
        assert_eq!(
            text(&record, |bytes| {
                let [stated, ..] = u16::to_le_bytes(4545 - 256);
                let block = (1 | 1 << 1 | 4544u32 << 3).to_le_bytes();
                let high = (4545 - 256u16).to_le_bytes()[1];
                *bytes = Vec::from([0x28, 0xb5, 0x2f, 0xfd, 0x60, stated, high]);
                bytes.extend([block[0], block[1], block[2], 0]);
            }),
            "the frame is damaged: Data corruption detected"
        );
        assert_eq!(
            text(&record, |bytes| {
                bytes[4] |= 1;
                bytes.insert(5, 9);
            }),
            "the frame needs dictionary 9, the file has none with a number"
        );
        let dictionary = GroupFault::Dictionary {
            found: 9,
            expected: 8,
        };
        assert_eq!(
            dictionary.to_string(),
            "the frame needs dictionary 9, the file has dictionary 8"
        );
        let records = GroupFault::Records {
            found: 2,
            expected: 3,
        };
        assert_eq!(records.to_string(), "2 records, expected 3");
        let error = ZdatGroupError {
            group: 3,
            byte_offset: 1000,
            error: records,
        };
        assert_eq!(error.to_string(), "group 3 at byte 1000");
    }

    #[test]
    fn groups_as_they_stand() {
        let group = ZdatGroup {
            bytes: Vec::from([0; 9090]),
            ..ZdatGroup::new()
        };
        assert_eq!(group.records().len(), 2);
        assert_eq!(group.as_bytes().as_ptr(), group.records().as_ptr().cast());
        assert_eq!(
            std::format!("{group:?}"),
            "ZdatGroup { index: 0, first_record: 0, byte_offset: 0, records: 2 }"
        );
    }
}
