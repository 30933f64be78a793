//! Whether the files of a run are still those that it began with.

use std::fs::{self, File};
use std::hash::Hasher;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_64;

use crate::{Outcome, output_file};

/// What a file is known by: its length and a checksum of its beginning, its end and stretches spread
/// evenly between; small files are read whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KnownFile {
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
    /// XXH3-64, in hexadecimal digits.
    pub(crate) fingerprint: String,
}

/// How many stretches are read of a large file, and how long they are.
const STRETCHES: u64 = 64;
const STRETCH_BYTES: u64 = 1 << 16;

impl KnownFile {
    pub(crate) fn of(path: &Path) -> Outcome<Self> {
        let known = Self::read(path);
        let shown = path.display();
        Ok(known.map_err(|error| format!("cannot read {shown}: {error}"))?)
    }

    fn read(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let bytes = file.metadata()?.len();
        let mut hasher = XxHash3_64::new();
        let mut stretch = Vec::new();
        for start in starts(bytes) {
            stretch.clear();
            file.seek(SeekFrom::Start(start))?;
            file.by_ref()
                .take(STRETCH_BYTES)
                .read_to_end(&mut stretch)?;
            hasher.write(&stretch);
        }
        Ok(Self {
            path: path.into(),
            bytes,
            fingerprint: format!("{:016x}", hasher.finish()),
        })
    }

    /// Whether the other file holds the same, as far as can be told.
    pub(crate) fn is_copy_of(&self, other: &Self) -> bool {
        self.bytes == other.bytes && self.fingerprint == other.fingerprint
    }

    /// Refuses another file in this one's place.
    fn check(&self) -> Outcome {
        let (now, path) = (Self::of(&self.path)?, self.path.display());
        if now.bytes != self.bytes {
            return Err(format!(
                "{path} is not the file that the run began with: it has {} bytes, expected {}",
                now.bytes, self.bytes
            )
            .into());
        }
        if now.fingerprint != self.fingerprint {
            return Err(format!(
                "{path} is not the file that the run began with: its content has changed"
            )
            .into());
        }
        Ok(())
    }
}

/// Where the stretches start.
fn starts(bytes: u64) -> Vec<u64> {
    if bytes <= STRETCHES * STRETCH_BYTES {
        let stretches = 0..bytes.div_ceil(STRETCH_BYTES);
        return stretches.map(|number| number * STRETCH_BYTES).collect();
    }
    let last = u128::from(bytes - STRETCH_BYTES);
    let start = |number: u64| (u128::from(number) * last / u128::from(STRETCHES - 1)) as u64;
    (0..STRETCHES).map(start).collect()
}

/// Writes down what the files are known by.
pub(crate) fn write(path: &Path, files: &[KnownFile]) -> Outcome {
    let text = serde_json::to_string_pretty(files)? + "\n";
    output_file::write(path, text.as_bytes(), true)
}

/// Checks the files that were written down.
pub(crate) fn check(path: &Path) -> Outcome {
    let shown = path.display();
    let text = fs::read_to_string(path);
    let text = text.map_err(|error| format!("cannot read {shown}: {error}"))?;
    let files: Vec<KnownFile> =
        serde_json::from_str(&text).map_err(|error| format!("{shown}: {error}"))?;
    files.iter().try_for_each(KnownFile::check)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data");
        for len in [
            0,
            100,
            STRETCHES * STRETCH_BYTES,
            STRETCHES * STRETCH_BYTES + 77,
        ] {
            let mut bytes: Vec<u8> = (0..len).map(|at| (at * 31 % 251) as u8).collect();
            fs::write(&path, &bytes).unwrap();
            let known = KnownFile::of(&path).unwrap();
            known.check().unwrap();
            bytes.push(1);
            fs::write(&path, &bytes).unwrap();
            let text = known.check().unwrap_err().to_string();
            let end = format!("it has {} bytes, expected {len}", len + 1);
            assert!(text.ends_with(&end), "{text}");
            bytes.pop();
            if let Some(last) = bytes.last_mut() {
                *last ^= 1;
                fs::write(&path, &bytes).unwrap();
                let text = known.check().unwrap_err().to_string();
                assert!(text.ends_with("its content has changed"), "{text}");
            }
        }
    }
}
