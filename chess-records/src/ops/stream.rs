//! Records one after another, from a pipe or a file.

use std::error::Error;
use std::fmt::Debug;
use std::io::{self, BufRead, Write};
use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::vec;
use std::vec::Vec;

use super::inputs::as_records;
use crate::{EncodeError, FixedRecord, LabelledPosition, TextReadError, TextReader};
use thiserror::Error as ThisError;

/// What streams are made of: fixed-size records, and [`LabelledPosition`]s as lines of text.
pub trait StreamRecord: Sized + Debug {
    /// Reads records from a source, and nothing more after an error.
    type Reader<S: BufRead>: Iterator<Item = Result<Self, Self::ReadError>>;
    /// Why a record could not be read.
    type ReadError: Error + Send + Sync + 'static;
    /// Why a record is no position.
    type DecodeError: Error + Send + Sync + 'static;

    /// The size of a record in bytes, where all have the same.
    const FIXED_BYTES: Option<usize>;

    /// Reads from where `source` stands, which is taken to be the start of a record.
    fn reader<S: BufRead>(source: S) -> Self::Reader<S>;

    /// Reads from where `source` stands, which is taken to be `byte_offset`, the start of a record,
    /// after `before` records (of text: lines), so that errors tell the places in the whole.
    fn reader_at<S: BufRead>(source: S, before: u64, byte_offset: u64) -> Self::Reader<S>;

    /// Checks the record and says what it holds.
    ///
    /// # Errors
    ///
    /// For the first thing that is wrong.
    fn decode(&self) -> Result<LabelledPosition, Self::DecodeError>;

    /// Writes the record as it stood in its stream: the same bytes, or the same position as a line.
    ///
    /// # Errors
    ///
    /// What the sink says.
    fn write_to(&self, sink: &mut impl Write) -> io::Result<()>;
}

impl<R: FixedRecord> StreamRecord for R {
    type Reader<S: BufRead> = RecordReader<R, S>;
    type ReadError = RecordReadError;
    type DecodeError = R::Error;

    const FIXED_BYTES: Option<usize> = Some(R::BYTES);

    fn reader<S: BufRead>(source: S) -> RecordReader<R, S> {
        RecordReader::new(source)
    }

    fn reader_at<S: BufRead>(source: S, before: u64, _: u64) -> RecordReader<R, S> {
        RecordReader::starting_at(source, before)
    }

    fn decode(&self) -> Result<LabelledPosition, R::Error> {
        FixedRecord::decode(self)
    }

    fn write_to(&self, sink: &mut impl Write) -> io::Result<()> {
        sink.write_all(self.as_bytes())
    }
}

/// A line `FEN | score | result`; see [`LabelledPosition::text`].
impl StreamRecord for LabelledPosition {
    type Reader<S: BufRead> = TextReader<S>;
    type ReadError = TextReadError;
    type DecodeError = EncodeError;

    const FIXED_BYTES: Option<usize> = None;

    fn reader<S: BufRead>(source: S) -> TextReader<S> {
        TextReader::new(source)
    }

    fn reader_at<S: BufRead>(source: S, before: u64, byte_offset: u64) -> TextReader<S> {
        TextReader::starting_at(source, before, byte_offset)
    }

    fn decode(&self) -> Result<LabelledPosition, EncodeError> {
        Ok(*self)
    }

    fn write_to(&self, sink: &mut impl Write) -> io::Result<()> {
        writeln!(sink, "{}", self.text().map_err(io::Error::other)?)
    }
}

/// Fixed-size records from a source, one by one. After an error or the end the iterator yields
/// nothing more.
#[derive(Debug)]
pub struct RecordReader<R, S> {
    source: S,
    bytes: Vec<u8>,
    index: u64,
    done: bool,
    record: PhantomData<R>,
}

/// Why a record could not be read from a source.
#[derive(Debug, ThisError)]
#[non_exhaustive]
pub enum RecordReadError {
    /// Reading failed.
    #[error("record {index} at byte {byte_offset}: reading failed")]
    Io {
        /// The record's number.
        index: u64,
        /// Where it starts, in bytes from where reading began.
        byte_offset: u64,
        /// What the system said.
        source: io::Error,
    },
    /// The source ends inside a record.
    #[error(
        "record {index} at byte {byte_offset}: the end after {found} bytes, expected {expected}"
    )]
    Cut {
        /// The record's number.
        index: u64,
        /// Where it starts, in bytes from where reading began.
        byte_offset: u64,
        /// How many of its bytes there are.
        found: usize,
        /// The size of a record.
        expected: usize,
    },
}

impl<R: FixedRecord, S: BufRead> RecordReader<R, S> {
    /// Reads from where `source` stands.
    pub fn new(source: S) -> Self {
        Self::starting_at(source, 0)
    }

    /// Reads from where `source` stands, which is taken to be the start of record `index`; errors
    /// count from there.
    pub fn starting_at(source: S, index: u64) -> Self {
        Self {
            source,
            bytes: vec![0; R::BYTES],
            index,
            done: false,
            record: PhantomData,
        }
    }

    fn read(&mut self) -> Result<Option<R>, RecordReadError> {
        let (index, byte_offset) = (self.index, self.index * R::BYTES as u64);
        let mut found = 0;
        while found < R::BYTES {
            match self.source.read(&mut self.bytes[found..]) {
                Ok(0) if found == 0 => return Ok(None),
                Ok(0) => {
                    return Err(RecordReadError::Cut {
                        index,
                        byte_offset,
                        found,
                        expected: R::BYTES,
                    });
                }
                Ok(read) => found += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => {
                    return Err(RecordReadError::Io {
                        index,
                        byte_offset,
                        source,
                    });
                }
            }
        }
        self.index += 1;
        Ok(as_records(&self.bytes).first().copied())
    }
}

impl<R: FixedRecord, S: BufRead> Iterator for RecordReader<R, S> {
    type Item = Result<R, RecordReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let record = self.read();
        self.done = !matches!(record, Ok(Some(_)));
        record.transpose()
    }
}

impl<R: FixedRecord, S: BufRead> FusedIterator for RecordReader<R, S> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MarlinRecord;
    use std::io::{BufReader, Read};
    use std::string::{String, ToString};

    fn read_all<T: StreamRecord>(source: impl Read) -> (Vec<u8>, Option<String>) {
        let (mut bytes, mut error) = (Vec::new(), None);
        let mut reader = T::reader(BufReader::with_capacity(7, source));
        for record in &mut reader {
            match record {
                Ok(record) => record.write_to(&mut bytes).unwrap(),
                Err(fault) => error = Some(fault.to_string()),
            }
        }
        assert!(reader.next().is_none());
        (bytes, error)
    }

    #[test]
    fn records_pass_as_they_are() {
        let bytes: Vec<u8> = (0..96).collect();
        assert_eq!(read_all::<MarlinRecord>(&bytes[..]), (bytes.clone(), None));
        assert_eq!(read_all::<MarlinRecord>(&bytes[..0]), (Vec::new(), None));
        let (whole, error) = read_all::<MarlinRecord>(&bytes[..65]);
        assert_eq!(whole, bytes[..64]);
        assert_eq!(
            error.as_deref(),
            Some("record 2 at byte 64: the end after 1 bytes, expected 32")
        );
    }

    #[test]
    fn failures_of_the_source_are_passed_on() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("unplugged"))
            }
        }
        let (_, error) = read_all::<MarlinRecord>((&[0; 40][..]).chain(Broken));
        assert_eq!(
            error.as_deref(),
            Some("record 1 at byte 32: reading failed")
        );
    }

    #[test]
    fn places_are_those_in_the_whole() {
        let mut cut = MarlinRecord::reader_at(&[0; 3][..], 5, 160);
        let error = cut.next().unwrap().unwrap_err().to_string();
        assert_eq!(
            error,
            "record 5 at byte 160: the end after 3 bytes, expected 32"
        );
        let mut lines = LabelledPosition::reader_at(&b"x"[..], 4, 99);
        let error = lines.next().unwrap().unwrap_err().to_string();
        assert_eq!(error, "line 5 at byte 99 is no record");
    }

    #[test]
    fn lines_pass_as_positions() {
        let line = "4k3/8/8/8/8/8/8/4K3 w - - 0 1 | 1 | [1.0]\r\n";
        let (text, error) = read_all::<LabelledPosition>(line.as_bytes());
        assert_eq!(error, None);
        assert_eq!(text, b"4k3/8/8/8/8/8/8/4K3 w - - 0 1 | 1 | 1.0\n");
    }
}
