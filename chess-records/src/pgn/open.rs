//! Streams of text, compressed or not.

use std::boxed::Box;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;
use std::vec::Vec;

/// What every zstd frame begins with.
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// What frames begin with that hold no text, after a byte of 0x50 to 0x5f. pzstd writes one before each
/// frame of text.
const SKIPPABLE_MAGIC: [u8; 3] = [0x2a, 0x4d, 0x18];

/// Whether a stream that begins like this is compressed by zstd.
fn is_zstd(beginning: &[u8]) -> bool {
    match beginning {
        [0x50..=0x5f, rest @ ..] => rest.starts_with(&SKIPPABLE_MAGIC),
        _ => beginning.starts_with(&ZSTD_MAGIC),
    }
}

/// The text of a file: of `games.pgn`, or of `games.pgn.zst`. What the file is called does not matter.
///
/// # Errors
///
/// When the file cannot be opened or its first bytes cannot be read.
pub fn open(path: impl AsRef<Path>) -> io::Result<Box<dyn Read + Send>> {
    text_of(File::open(path)?)
}

/// The text of a stream. One that begins like zstd's is decompressed as it is read; it may have any
/// number of frames, whose windows are at most 128 MiB.
///
/// # Errors
///
/// When the first bytes cannot be read.
pub fn text_of<'a>(mut stream: impl Read + Send + 'a) -> io::Result<Box<dyn Read + Send + 'a>> {
    let mut magic = Vec::new();
    stream.by_ref().take(4).read_to_end(&mut magic)?;
    let is_zstd = is_zstd(&magic);
    let whole = Cursor::new(magic).chain(stream);
    if is_zstd {
        let buffered = BufReader::with_capacity(1 << 18, whole);
        Ok(Box::new(zstd::Decoder::with_buffer(buffered)?))
    } else {
        Ok(Box::new(whole))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::String;

    fn read(stream: &[u8]) -> io::Result<String> {
        let mut text = String::new();
        text_of(stream)?.read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn streams_are_told_apart_by_their_first_bytes() {
        assert_eq!(read(b"").unwrap(), "");
        assert_eq!(read(b"e4").unwrap(), "e4");
        let frame = |text: &str| zstd::encode_all(text.as_bytes(), 1).unwrap();
        let frames = [frame("1. e4 "), frame("e5")].concat();
        assert_eq!(read(&frames).unwrap(), "1. e4 e5");
        assert!(read(&frames[..frames.len() - 1]).is_err());
        // As pzstd writes them.
        let skipped = b"\x50\x2a\x4d\x18\x04\0\0\0size";
        assert_eq!(read(&[skipped, &frames[..]].concat()).unwrap(), "1. e4 e5");
        assert_eq!(read(b"[*M\x17").unwrap(), "[*M\x17");
    }
}
