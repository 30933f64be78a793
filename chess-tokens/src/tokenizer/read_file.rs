//! Small files, read whole.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a small file could not be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadFileError {
    /// The system says so.
    #[error("{}: cannot be read", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file is larger than any that belongs here.
    #[error("{}: over {max} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The most bytes that are read.
        max: u64,
    },
}

/// The bytes of a file that has `max` at most.
pub(super) fn read_file(path: &Path, max: u64) -> Result<Vec<u8>, ReadFileError> {
    let failed = |source| ReadFileError::Io {
        path: path.to_owned(),
        source,
    };
    let file = File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(max + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > max {
        let path = path.to_owned();
        return Err(ReadFileError::TooLarge { path, max });
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("small");
        let text = |error: ReadFileError| {
            let prefix = format!("{}: ", path.display());
            error.to_string().replace(&prefix, "")
        };
        let missing = read_file(&path, 3).unwrap_err();
        assert_eq!(text(missing), "cannot be read");
        std::fs::write(&path, "abc").unwrap();
        assert_eq!(read_file(&path, 3).unwrap(), b"abc");
        assert_eq!(text(read_file(&path, 2).unwrap_err()), "over 2 bytes");
    }
}
