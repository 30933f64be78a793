//! What a file is, by its first bytes.

use std::fmt;
use std::io::{self, Read};

/// A kind of file that holds games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GameFormat {
    /// Text, as far as it is known: PGN that is not compressed.
    Pgn,
    /// PGN compressed by zstd.
    PgnZstd,
    /// A zip, which must hold one PGN.
    Zip,
    /// Parquet of UCI moves.
    Parquet,
}

impl GameFormat {
    /// The feature of this crate that reads it.
    #[must_use]
    pub const fn feature(self) -> &'static str {
        match self {
            Self::Pgn | Self::PgnZstd | Self::Zip => "pgn",
            Self::Parquet => "parquet",
        }
    }

    /// Whether this build reads it.
    #[must_use]
    pub const fn is_read(self) -> bool {
        match self {
            Self::Pgn | Self::PgnZstd | Self::Zip => cfg!(feature = "pgn"),
            Self::Parquet => cfg!(feature = "parquet"),
        }
    }
}

impl fmt::Display for GameFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pgn => "PGN",
            Self::PgnZstd => "PGN compressed by zstd",
            Self::Zip => "a zip",
            Self::Parquet => "Parquet",
        })
    }
}

/// What files begin with.
const BEGINNINGS: [(&[u8], GameFormat); 4] = [
    (&[0x28, 0xb5, 0x2f, 0xfd], GameFormat::PgnZstd),
    (b"PK\x03\x04", GameFormat::Zip),
    // A zip without files.
    (b"PK\x05\x06", GameFormat::Zip),
    (b"PAR1", GameFormat::Parquet),
];
/// What others begin with, which are easily taken for files of games.
const OTHERS: [(&[u8], &str); 8] = [
    (&[0x1f, 0x8b], "compressed by gzip"),
    (b"BZh", "compressed by bzip2"),
    (&[0xfd, b'7', b'z', b'X', b'Z'], "compressed by xz"),
    (&[b'7', b'z', 0xbc, 0xaf], "an archive of 7-Zip"),
    (b"\x93NUMPY", "an array of numpy"),
    (b"\x7fELF", "a program"),
    (&[0xff, 0xfe], "text in UTF-16"),
    (&[0xfe, 0xff], "text in UTF-16"),
];
/// As many bytes as the longest beginning.
pub(super) const BEGINNING_BYTES: usize = 6;

/// What begins like this; what holds no games by its name.
pub(super) fn format_of(beginning: &[u8]) -> Result<GameFormat, &'static str> {
    let others = OTHERS
        .iter()
        .find(|(bytes, _)| beginning.starts_with(bytes));
    if let Some((_, name)) = others {
        return Err(name);
    }
    if is_skippable_frame(beginning) {
        return Ok(GameFormat::PgnZstd);
    }
    let known = BEGINNINGS
        .iter()
        .find(|(bytes, _)| beginning.starts_with(bytes));
    Ok(known.map_or(GameFormat::Pgn, |&(_, format)| format))
}

/// Whether a frame of zstd begins like this that holds no text, such as pzstd writes before others.
const fn is_skippable_frame(beginning: &[u8]) -> bool {
    matches!(beginning, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

/// The first bytes of a stream, fewer if it is shorter.
pub(super) fn beginning(stream: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let limit = BEGINNING_BYTES as u64;
    stream.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings() {
        for (bytes, format) in [
            (&b""[..], GameFormat::Pgn),
            (b"P", GameFormat::Pgn),
            (b"PA", GameFormat::Pgn),
            (b"[Event", GameFormat::Pgn),
            (b"PAR1..", GameFormat::Parquet),
            (b"PK\x03\x04..", GameFormat::Zip),
            (b"\x28\xb5\x2f\xfd", GameFormat::PgnZstd),
            (b"\x50\x2a\x4d\x18", GameFormat::PgnZstd),
            (b"\x5f\x2a\x4d\x18..", GameFormat::PgnZstd),
            (b"[*M]", GameFormat::Pgn),
        ] {
            assert_eq!(format_of(bytes), Ok(format), "{bytes:?}");
        }
        assert_eq!(format_of(b"BZh91A"), Err("compressed by bzip2"));
        assert_eq!(format_of(b"\x1f\x8b"), Err("compressed by gzip"));
        assert_eq!(format_of(b"\x93NUMPY"), Err("an array of numpy"));
        assert_eq!(format_of(b"\xff\xfe[\0"), Err("text in UTF-16"));
        assert_eq!(format_of(b"\xfe\xff\0["), Err("text in UTF-16"));
        let longest = OTHERS.iter().map(|(bytes, _)| bytes.len()).max();
        assert_eq!(longest, Some(BEGINNING_BYTES));
    }
}
