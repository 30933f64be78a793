//! Files of records, read one after another in large pieces.

use std::boxed::Box;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::string::String;
use std::vec;
use std::vec::Vec;

use zerocopy::FromBytes;

use super::resume::identity;
use super::{FilesError, Meter};
use crate::{FixedRecord, LabelledPosition, ViewError};

/// How many bytes are read at a time.
pub(super) const CHUNK_BYTES: usize = 1 << 20;

/// Files of records, taken end to end. Their lengths are checked when they are opened; empty files
/// are files without records.
#[derive(Clone, Debug)]
pub struct Inputs<R> {
    files: Vec<Input>,
    record: PhantomData<R>,
}

#[derive(Clone, Debug)]
pub(super) struct Input {
    pub(super) path: PathBuf,
    pub(super) records: u64,
}

/// A piece of an input.
pub(super) struct Chunk<'a, R> {
    pub(super) input: &'a Input,
    /// The number of the first record, in the input.
    pub(super) first: u64,
    pub(super) records: &'a [R],
}

impl<R: FixedRecord> Inputs<R> {
    /// Looks at files, in the order in which they are to be read.
    ///
    /// # Errors
    ///
    /// When a path is not that of a readable regular file, or a length is not a multiple of the size
    /// of a record.
    pub fn open<P: Into<PathBuf>>(paths: impl IntoIterator<Item = P>) -> Result<Self, FilesError> {
        let files = paths.into_iter().map(|path| look_at::<R>(path.into()));
        Ok(Self {
            files: files.collect::<Result<_, _>>()?,
            record: PhantomData,
        })
    }

    /// How many records there are in all files together.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.files.iter().map(|file| file.records).sum()
    }

    /// How many bytes there are in all files together.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.records() * R::BYTES as u64
    }

    /// The files' paths, as given, with the number of records in each.
    pub fn files(&self) -> impl ExactSizeIterator<Item = (&Path, u64)> {
        self.files
            .iter()
            .map(|file| (file.path.as_path(), file.records))
    }

    pub(super) fn each(&self) -> impl Iterator<Item = &Input> {
        self.files.iter()
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|file| file.path.as_path())
    }

    /// What tells these inputs from others, and from themselves after a change.
    pub(super) fn identity(&self) -> String {
        let files = identity(self.paths());
        std::format!("{} bytes a record\n{files}", R::BYTES)
    }

    /// Reads all records from number `start` on.
    pub(super) fn read_from(
        &self,
        start: u64,
        meter: &mut Meter<'_, '_>,
        mut each: impl FnMut(&Chunk<'_, R>) -> Result<(), FilesError>,
    ) -> Result<(), FilesError> {
        let mut buffer = vec![0; CHUNK_BYTES / R::BYTES * R::BYTES];
        let mut skip = start;
        for input in &self.files {
            let first = skip.min(input.records);
            skip -= first;
            input.read_from(first, &mut buffer, |chunk| {
                each(chunk)?;
                meter.advance(size_of_val(chunk.records) as u64)
            })?;
        }
        Ok(())
    }
}

impl Input {
    pub(super) fn open(&self) -> Result<File, FilesError> {
        File::open(&self.path).map_err(|source| FilesError::open(&self.path, source))
    }

    /// Reads all records from number `first` of this file on.
    fn read_from<R: FixedRecord>(
        &self,
        first: u64,
        buffer: &mut [u8],
        mut each: impl FnMut(&Chunk<'_, R>) -> Result<(), FilesError>,
    ) -> Result<(), FilesError> {
        let read_error = |source| FilesError::read(&self.path, source);
        let mut file = self.open()?;
        let offset = SeekFrom::Start(first * R::BYTES as u64);
        file.seek(offset).map_err(read_error)?;
        let mut index = first;
        while index < self.records {
            let left = (self.records - index).saturating_mul(R::BYTES as u64);
            let wanted = usize::try_from(left).map_or(buffer.len(), |left| left.min(buffer.len()));
            let bytes = &mut buffer[..wanted];
            file.read_exact(bytes).map_err(read_error)?;
            let chunk = Chunk {
                input: self,
                first: index,
                records: as_records(bytes),
            };
            each(&chunk)?;
            index += chunk.records.len() as u64;
        }
        Ok(())
    }
}

impl<R: FixedRecord> Chunk<'_, R> {
    /// Decodes each record, with its place in the chunk.
    pub(super) fn decoded(
        &self,
    ) -> impl Iterator<Item = Result<(R, LabelledPosition), FilesError>> {
        let numbered = (self.first..).zip(self.records);
        numbered.map(|(index, record)| match record.decode() {
            Ok(decoded) => Ok((*record, decoded)),
            Err(source) => Err(FilesError::Record {
                path: self.input.path.clone(),
                index,
                byte_offset: index * R::BYTES as u64,
                source: Box::new(source),
            }),
        })
    }
}

/// Records of any bytes; trailing bytes that make no record are left out.
pub(super) fn as_records<R: FixedRecord>(bytes: &[u8]) -> &[R] {
    // Records are aligned to 1 and may be any bytes.
    <[R]>::ref_from_prefix(bytes).map_or(&[], |(records, _)| records)
}

fn look_at<R: FixedRecord>(path: PathBuf) -> Result<Input, FilesError> {
    let metadata = fs::metadata(&path).map_err(|source| FilesError::open(&path, source))?;
    if !metadata.is_file() {
        return Err(FilesError::NotAFile { path });
    }
    let (records, trailing) = (
        metadata.len() / R::BYTES as u64,
        (metadata.len() % R::BYTES as u64) as usize,
    );
    if trailing != 0 {
        let record_bytes = R::BYTES;
        let source = ViewError::TrailingBytes {
            records,
            record_bytes,
            trailing,
        };
        return Err(FilesError::View { path, source });
    }
    Ok(Input { path, records })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MarlinRecord;
    use std::error::Error;
    use std::ops::ControlFlow;
    use std::string::ToString;

    fn numbered(records: std::ops::Range<u32>) -> Vec<u8> {
        let record = |number: u32| {
            let mut bytes = [0; 32];
            bytes[..4].copy_from_slice(&number.to_le_bytes());
            bytes
        };
        records.flat_map(record).collect()
    }

    #[test]
    fn all_records_from_anywhere() {
        let folder = tempfile::tempdir().unwrap();
        let paths = ["a", "b", "c"].map(|name| folder.path().join(name));
        let large = CHUNK_BYTES as u32 / 32 + 5;
        fs::write(&paths[0], numbered(0..3)).unwrap();
        fs::write(&paths[1], "").unwrap();
        fs::write(&paths[2], numbered(3..large)).unwrap();
        let inputs = Inputs::<MarlinRecord>::open(&paths).unwrap();
        assert_eq!(inputs.records(), u64::from(large));
        assert!(
            inputs
                .files()
                .map(|(_, n)| n)
                .eq([3, 0, u64::from(large) - 3])
        );
        for start in [0, 2, 3, 7, u64::from(large), u64::MAX] {
            let mut found = Vec::new();
            let mut on = |_, _| ControlFlow::Continue(());
            let mut meter = Meter::new(0, &mut on);
            let read = inputs.read_from(start, &mut meter, |chunk| {
                found.extend(chunk.records.iter().map(MarlinRecord::occupied));
                Ok(())
            });
            read.unwrap();
            assert!(found.into_iter().eq(start..u64::from(large)), "{start}");
        }
    }

    #[test]
    fn what_is_no_input() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let error = |path: &Path| Inputs::<MarlinRecord>::open([path]).unwrap_err();
        let missing = error(&path).to_string();
        assert_eq!(
            missing,
            std::format!("{}: cannot be opened", path.display())
        );
        let is_folder = error(folder.path()).to_string();
        assert!(is_folder.ends_with(": is no regular file"), "{is_folder}");
        fs::write(&path, [0; 33]).unwrap();
        let odd = error(&path);
        assert_eq!(
            odd.to_string(),
            std::format!("{}: is no file of records", path.display())
        );
        assert_eq!(
            odd.source().unwrap().to_string(),
            "1 trailing bytes after 1 records of 32 bytes each"
        );
    }

    #[test]
    fn a_file_that_became_shorter() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, [0; 96]).unwrap();
        let inputs = Inputs::<MarlinRecord>::open([&path]).unwrap();
        fs::write(&path, [0; 64]).unwrap();
        let mut on = |_, _| ControlFlow::Continue(());
        let read = inputs.read_from(0, &mut Meter::new(0, &mut on), |_| Ok(()));
        assert!(matches!(read, Err(FilesError::Read { .. })));
    }
}
