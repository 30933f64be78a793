//! The outside of a zstd frame: how long it is and what it says of itself. Nothing is decompressed.
//!
//! Layout: RFC 8878, section 3.1.1.

use thiserror::Error;

const MAGIC: u32 = 0xfd2f_b528;
/// The most bytes a block stands for.
const MAX_BLOCK_BYTES: u64 = 128 << 10;

/// A frame as its own headers describe it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// The compressed length in bytes, with everything that belongs to the frame.
    pub(super) len: usize,
    /// The decompressed length that the frame states, if it does.
    pub(super) content_size: Option<u64>,
    /// The most bytes that its blocks can stand for.
    pub(super) bound: u64,
    /// The number of the dictionary that it needs, 0 = not stated.
    pub(super) dictionary_id: u32,
}

/// Why bytes are no zstd frame. Offsets are bytes from where the frame should start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FrameError {
    /// The bytes end inside the frame.
    #[error("the frame is cut off after {found} bytes")]
    Truncated {
        /// How many bytes there are.
        found: u64,
    },
    /// Something else stands where the frame should start.
    #[error("the magic (offset 0) is {found:#010x}, expected 0xfd2fb528 for a zstd frame")]
    Magic {
        /// What stands there.
        found: u32,
    },
    /// A bit is set that must not be, or a block is of a kind that there is not.
    #[error("a reserved value in the zstd frame (offset {offset})")]
    Reserved {
        /// Where.
        offset: u64,
    },
}

/// Reads numbers from the front.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn skip(&mut self, count: usize) -> Result<(), FrameError> {
        self.take(count).map(drop)
    }

    fn take(&mut self, count: usize) -> Result<&[u8], FrameError> {
        let end = self.at.checked_add(count);
        let taken = end.and_then(|end| self.bytes.get(self.at..end));
        let found = self.bytes.len() as u64;
        let taken = taken.ok_or(FrameError::Truncated { found })?;
        self.at += count;
        Ok(taken)
    }

    /// A little-endian number of at most 8 bytes.
    fn number(&mut self, count: usize) -> Result<u64, FrameError> {
        let bytes = self.take(count)?.iter().rev();
        Ok(bytes.fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }
}

impl Frame {
    /// Reads the headers of the frame at the start of `bytes`, which may go on after it.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, FrameError> {
        let mut cursor = Cursor { bytes, at: 0 };
        let found = cursor.number(4)? as u32;
        if found != MAGIC {
            return Err(FrameError::Magic { found });
        }
        let descriptor = cursor.number(1)? as u8;
        if descriptor & 0x08 != 0 {
            return Err(FrameError::Reserved { offset: 4 });
        }
        let single_segment = descriptor & 0x20 != 0;
        if !single_segment {
            cursor.skip(1)?; // window size
        }
        let dictionary_bytes = [0, 1, 2, 4][usize::from(descriptor & 3)];
        let dictionary_id = cursor.number(dictionary_bytes)? as u32;
        let content_size = content_size(&mut cursor, descriptor >> 6, single_segment)?;
        let bound = skip_blocks(&mut cursor)?;
        if descriptor & 0x04 != 0 {
            cursor.skip(4)?; // checksum
        }
        Ok(Self {
            len: cursor.at,
            content_size,
            bound,
            dictionary_id,
        })
    }
}

fn content_size(
    cursor: &mut Cursor<'_>,
    kind: u8,
    single_segment: bool,
) -> Result<Option<u64>, FrameError> {
    Ok(match kind {
        0 if !single_segment => None,
        0 => Some(cursor.number(1)?),
        1 => Some(cursor.number(2)? + 256),
        2 => Some(cursor.number(4)?),
        _ => Some(cursor.number(8)?),
    })
}

/// Skips the blocks and says how many bytes they can stand for.
fn skip_blocks(cursor: &mut Cursor<'_>) -> Result<u64, FrameError> {
    let mut bound = 0;
    loop {
        let offset = cursor.at as u64;
        let header = cursor.number(3)?;
        let size = header >> 3;
        let (compressed, content) = match header >> 1 & 3 {
            0 => (size, size),
            1 => (1, size),
            2 => (size, MAX_BLOCK_BYTES),
            _ => return Err(FrameError::Reserved { offset }),
        };
        if size > MAX_BLOCK_BYTES {
            return Err(FrameError::Reserved { offset });
        }
        cursor.skip(compressed as usize)?;
        bound += content;
        if header & 1 != 0 {
            return Ok(bound);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;
    use std::vec;
    use std::vec::Vec;

    fn compressed(content: &[u8], level: i32) -> Vec<u8> {
        zstd::bulk::compress(content, level).unwrap()
    }

    #[test]
    fn frames_end_where_zstd_ends_them() {
        let noise: Vec<u8> = (0..400_000u32)
            .map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8)
            .collect();
        for content in [
            &[][..],
            &[7; 300],
            &[7; 70_000],
            &[0; 400_000],
            &noise[..200],
            &noise,
        ] {
            for level in [-5, 1, 9] {
                let mut bytes = compressed(content, level);
                let len = bytes.len();
                bytes.extend([0x28, 0xb5]);
                let frame = Frame::parse(&bytes).unwrap();
                assert_eq!(frame.len, len);
                assert_eq!(frame.content_size, Some(content.len() as u64));
                assert!(frame.bound >= content.len() as u64);
                assert_eq!(frame.dictionary_id, 0);
                for cut in 0..len.min(100) {
                    let error = Frame::parse(&bytes[..cut]).unwrap_err();
                    let text = std::format!("the frame is cut off after {cut} bytes");
                    assert_eq!(error.to_string(), text);
                }
            }
        }
    }

    #[test]
    fn streamed_frames_with_a_checksum() {
        let mut encoder = zstd::stream::Encoder::new(Vec::new(), 1).unwrap();
        encoder.include_checksum(true).unwrap();
        std::io::Write::write_all(&mut encoder, &vec![7; 1000]).unwrap();
        let bytes = encoder.finish().unwrap();
        let frame = Frame::parse(&bytes).unwrap();
        assert_eq!((frame.len, frame.content_size), (bytes.len(), None));
        assert!(Frame::parse(&bytes[..bytes.len() - 1]).is_err());
    }

    #[test]
    fn texts() {
        let error = |bytes: &[u8]| Frame::parse(bytes).unwrap_err().to_string();
        assert_eq!(
            error(&[0x50, 0x2a, 0x4d, 0x18, 0]),
            "the magic (offset 0) is 0x184d2a50, expected 0xfd2fb528 for a zstd frame"
        );
        let start = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 1];
        assert_eq!(
            error(&[&start[..], &[0x0f, 0, 0, 0]].concat()),
            "a reserved value in the zstd frame (offset 6)"
        );
        assert_eq!(
            error(&[&start[..], &[0xff, 0xff, 0xff, 0]].concat()),
            "a reserved value in the zstd frame (offset 6)"
        );
        assert_eq!(
            error(&[0x28, 0xb5, 0x2f, 0xfd, 0x28, 1]),
            "a reserved value in the zstd frame (offset 4)"
        );
    }
}
