//! The SHA-256 of files.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

/// The SHA-256 of a file, written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileHash([u8; 32]);

/// Why a text is no SHA-256.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a SHA-256, 64 hexadecimal digits")]
#[non_exhaustive]
pub struct FileHashError;

impl FileHash {
    /// The hash of bytes in memory.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The hash of a file, and how many bytes it has.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn of_file(path: impl AsRef<Path>) -> io::Result<(Self, u64)> {
        Self::of_reader(File::open(path)?, |_| Ok(()))
    }

    /// The hash of what there is to read, and how many bytes that is. `watch` is told how many bytes
    /// there were so far.
    pub(super) fn of_reader(
        mut reader: impl Read,
        mut watch: impl FnMut(u64) -> io::Result<()>,
    ) -> io::Result<(Self, u64)> {
        let (mut hash, mut bytes) = (Sha256::new(), 0);
        let mut buffer = vec![0; 1 << 20];
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return Ok((Self(hash.finalize().into()), bytes)),
                Ok(read) => {
                    hash.update(&buffer[..read]);
                    bytes += read as u64;
                    watch(bytes)?;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// 64 hexadecimal digits, small letters.
impl fmt::Display for FileHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for FileHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for FileHash {
    type Err = FileHashError;

    fn from_str(text: &str) -> Result<Self, FileHashError> {
        if text.len() != 64 {
            return Err(FileHashError);
        }
        let digit = |byte: u8| char::from(byte).to_digit(16).ok_or(FileHashError);
        let mut hash = [0; 32];
        for (byte, pair) in hash.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            *byte = (digit(pair[0])? << 4 | digit(pair[1])?) as u8;
        }
        Ok(Self(hash))
    }
}

/// As text.
impl Serialize for FileHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for FileHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of "abc", from FIPS 180-4's examples.
    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn hashes_of_bytes_and_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("abc");
        std::fs::write(&path, "abc").unwrap();
        let hash: FileHash = ABC.parse().unwrap();
        assert_eq!(FileHash::of_bytes(b"abc"), hash);
        assert_eq!(FileHash::of_file(&path).unwrap(), (hash, 3));
        assert_eq!(
            (hash.to_string(), format!("{hash:?}")),
            (ABC.into(), ABC.into())
        );
        assert_eq!(ABC.to_uppercase().parse(), Ok(hash));
        let json = serde_json::to_string(&hash).unwrap();
        assert_eq!(json, format!("\"{ABC}\""));
        assert_eq!(serde_json::from_str::<FileHash>(&json).unwrap(), hash);
    }

    #[test]
    fn texts_that_are_no_hash() {
        for text in [
            "",
            &ABC[1..],
            &format!("{ABC}0"),
            &ABC.replace('b', "g"),
            &"é".repeat(32),
        ] {
            let error = text.parse::<FileHash>().unwrap_err();
            assert_eq!(
                error.to_string(),
                "expected a SHA-256, 64 hexadecimal digits"
            );
        }
    }
}
