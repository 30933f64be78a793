//! Reading text records line by line.

use std::io::{self, BufRead};
use std::vec::Vec;

use thiserror::Error;

use super::TextError;
use crate::LabelledPosition;

/// The records of a text, line by line.
///
/// Lines end in `\n` or `\r\n`; the last one may lack its end. Empty lines are skipped but counted.
/// After an error or the end the iterator yields nothing more.
#[derive(Debug)]
pub struct TextReader<R> {
    source: R,
    line: Vec<u8>,
    line_number: u64,
    byte_offset: u64,
    done: bool,
}

/// Why a record could not be read from a text. Lines are counted from 1; byte offsets are those of
/// the line's first byte from where reading began.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TextReadError {
    /// Reading failed.
    #[error("line {line} at byte {byte_offset}: reading failed")]
    Io {
        /// The line being read.
        line: u64,
        /// Where it starts.
        byte_offset: u64,
        /// What went wrong.
        source: io::Error,
    },
    /// A line is longer than any record.
    #[error("line {line} at byte {byte_offset} has over {max} bytes")]
    TooLong {
        /// The line.
        line: u64,
        /// Where it starts.
        byte_offset: u64,
        /// The most bytes a line may have, without its end.
        max: usize,
    },
    /// A line is not UTF-8.
    #[error("line {line} at byte {byte_offset} is not UTF-8")]
    NotUtf8 {
        /// The line.
        line: u64,
        /// Where it starts.
        byte_offset: u64,
    },
    /// A line is no record.
    #[error("line {line} at byte {byte_offset} is no record")]
    Record {
        /// The line.
        line: u64,
        /// Where it starts.
        byte_offset: u64,
        /// What is wrong with it.
        source: TextError,
    },
}

impl<R: BufRead> TextReader<R> {
    /// The most bytes a line may have, without its end.
    pub const MAX_LINE_BYTES: usize = 4096;

    /// Reads from `source`, which is taken to stand at the beginning of a line.
    pub const fn new(source: R) -> Self {
        Self::starting_at(source, 0, 0)
    }

    /// Reads from `source`, which is taken to stand at `byte_offset`, the beginning of a line, after
    /// `lines` lines; errors count from there.
    pub const fn starting_at(source: R, lines: u64, byte_offset: u64) -> Self {
        Self {
            source,
            line: Vec::new(),
            line_number: lines,
            byte_offset,
            done: false,
        }
    }

    /// Replaces the contents of `batch` with the next records, at most `limit`. An empty batch means
    /// the end.
    ///
    /// # Errors
    ///
    /// As the iterator's; `batch` then holds the records before the fault.
    pub fn fill(
        &mut self,
        batch: &mut Vec<LabelledPosition>,
        limit: usize,
    ) -> Result<(), TextReadError> {
        batch.clear();
        for record in self.take(limit) {
            batch.push(record?);
        }
        Ok(())
    }

    /// The next record, or `None` at the end.
    fn read_record(&mut self) -> Result<Option<LabelledPosition>, TextReadError> {
        loop {
            let byte_offset = self.byte_offset;
            if !self.read_line()? {
                return Ok(None);
            }
            if !self.line.is_empty() {
                return self.parse_line(byte_offset).map(Some);
            }
        }
    }

    fn parse_line(&self, byte_offset: u64) -> Result<LabelledPosition, TextReadError> {
        let line = self.line_number;
        let Ok(text) = core::str::from_utf8(&self.line) else {
            return Err(TextReadError::NotUtf8 { line, byte_offset });
        };
        LabelledPosition::from_text(text).map_err(|source| TextReadError::Record {
            line,
            byte_offset,
            source,
        })
    }

    /// Reads a line without its end into the buffer; false at the end of the text.
    fn read_line(&mut self) -> Result<bool, TextReadError> {
        let line_start = self.byte_offset;
        self.line.clear();
        self.line_number += 1;
        loop {
            if let Some(found) = self.read_piece(line_start)? {
                return Ok(found);
            }
        }
    }

    /// Takes what the source has buffered of the line. `None` if the line goes on after it, else
    /// whether there was a line.
    fn read_piece(&mut self, line_start: u64) -> Result<Option<bool>, TextReadError> {
        let (line, byte_offset) = (self.line_number, line_start);
        let buffered = match self.source.fill_buf() {
            Ok(buffered) => buffered,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(None),
            Err(source) => {
                return Err(TextReadError::Io {
                    line,
                    byte_offset,
                    source,
                });
            }
        };
        let end = buffered.iter().position(|&byte| byte == b'\n');
        let piece = &buffered[..end.unwrap_or(buffered.len())];
        let at_end = buffered.is_empty();
        // One byte more than a line holds: the \r of its end.
        if self.line.len() + piece.len() > Self::MAX_LINE_BYTES + 1 {
            return Err(Self::too_long(line, byte_offset));
        }
        self.line.extend_from_slice(piece);
        let consumed = piece.len() + usize::from(end.is_some());
        self.source.consume(consumed);
        self.byte_offset += consumed as u64;
        if end.is_none() && !at_end {
            return Ok(None);
        }
        let found = end.is_some() || !self.line.is_empty();
        self.line.pop_if(|byte| *byte == b'\r');
        if self.line.len() > Self::MAX_LINE_BYTES {
            return Err(Self::too_long(line, byte_offset));
        }
        Ok(Some(found))
    }

    const fn too_long(line: u64, byte_offset: u64) -> TextReadError {
        TextReadError::TooLong {
            line,
            byte_offset,
            max: Self::MAX_LINE_BYTES,
        }
    }
}

impl<R: BufRead> Iterator for TextReader<R> {
    type Item = Result<LabelledPosition, TextReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let record = self.read_record();
        self.done = !matches!(record, Ok(Some(_)));
        record.transpose()
    }
}

impl<R: BufRead> std::iter::FusedIterator for TextReader<R> {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error;
    use std::io::{BufReader, Read};
    use std::string::{String, ToString};

    const A: &str = "4k3/8/8/8/8/8/8/4K3 w - - 0 1 | 1 | 1.0";
    const B: &str = "4k3/8/8/8/8/8/8/4K3 b - - 0 1 | 2 | 0.0";

    /// The records as text, then the error's text. A buffer of 7 bytes splits every line.
    fn read(text: impl AsRef<[u8]>) -> Vec<String> {
        let mut reader = TextReader::new(BufReader::with_capacity(7, text.as_ref()));
        let mut lines = Vec::new();
        for record in &mut reader {
            lines.push(match record {
                Ok(record) => record.text().unwrap().to_string(),
                Err(error) => error.to_string(),
            });
        }
        assert!(reader.next().is_none(), "nothing follows the end");
        lines
    }

    #[test]
    fn line_ends_and_empty_lines() {
        assert!(read("").is_empty());
        assert!(read("\n\r\n\n").is_empty());
        assert_eq!(read(A), [A]);
        for text in [
            std::format!("{A}\n{B}\n"),
            std::format!("{A}\r\n{B}"),
            std::format!("\n{A}\n\r\n{B}\r\n\r\n"),
        ] {
            assert_eq!(read(&text), [A, B]);
        }
    }

    #[test]
    fn faults_name_their_line_and_end_the_reading() {
        assert_eq!(
            read(std::format!("{A}\r\n\nx | 1 | 1\n{B}\n")),
            [A, "line 3 at byte 42 is no record"]
        );
        assert_eq!(
            read([A.as_bytes(), b"\n\xff\n"].concat()),
            [A, "line 2 at byte 40 is not UTF-8"]
        );
        assert_eq!(read(" \n"), ["line 1 at byte 0 is no record"]);
        let error = TextReader::new(&b"x"[..]).next().unwrap().unwrap_err();
        assert_eq!(
            error.source().unwrap().to_string(),
            "the line has 1 fields, expected 3: FEN | score | result"
        );
    }

    #[test]
    fn long_lines_are_refused_before_they_fill_memory() {
        let padded = |bytes: usize| std::format!("{A}{}", " ".repeat(bytes - A.len()));
        for end in ["", "\n", "\r\n"] {
            assert_eq!(read(padded(4096) + end), [A]);
            assert_eq!(
                read(padded(4097) + end),
                ["line 1 at byte 0 has over 4096 bytes"]
            );
        }
        let endless = BufReader::new(io::repeat(b' '));
        let mut reader = TextReader::new(endless);
        assert!(reader.next().unwrap().is_err());
        assert!(reader.line.capacity() <= 2 * TextReader::<&[u8]>::MAX_LINE_BYTES);
    }

    #[test]
    fn failures_of_the_source_are_passed_on() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("unplugged"))
            }
        }
        let mut reader = TextReader::new(BufReader::new(A.as_bytes().chain(Broken)));
        let error = reader.next().unwrap().unwrap_err();
        assert_eq!(error.to_string(), "line 1 at byte 0: reading failed");
        assert_eq!(error.source().unwrap().to_string(), "unplugged");
    }

    #[test]
    fn batches_are_refilled() {
        let text = [A, B, A].join("\n");
        let mut reader = TextReader::new(text.as_bytes());
        let mut batch = Vec::new();
        let mut sizes = Vec::new();
        for _ in 0..3 {
            reader.fill(&mut batch, 2).unwrap();
            sizes.push(batch.len());
        }
        assert_eq!(sizes, [2, 1, 0]);
    }
}
