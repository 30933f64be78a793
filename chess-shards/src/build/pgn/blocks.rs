//! PGN cut into blocks of whole games, so that they can be read side by side.

use std::io::{self, Read};

use thiserror::Error;

use super::lines::{LineKind, Sections, next_line};

/// Blocks are about as long as this.
const BLOCK_BYTES: usize = 1 << 20;
/// A game that is longer is taken for a fault, such as a comment that does not end.
const MAX_GAME_BYTES: usize = 1 << 24;

/// Why PGN cannot be read on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PgnReadError {
    /// The stream cannot be read, or not be decompressed.
    #[error("cannot be read after {byte_offset} bytes of text")]
    Io {
        /// How much text was read.
        byte_offset: u64,
        /// What the system or the decompressor said.
        source: io::Error,
    },
    /// A game does not end.
    #[error(
        "the game at byte {byte_offset} of the text does not end within {} MiB, is a comment open?",
        MAX_GAME_BYTES >> 20
    )]
    GameBytes {
        /// Where it begins.
        byte_offset: u64,
    },
}

/// Whole games as text.
pub(crate) struct PgnBlock {
    text: Vec<u8>,
    /// Where games end in the text.
    ends: Vec<usize>,
}

impl PgnBlock {
    /// The text of each game, with the blank lines before it.
    pub(crate) fn games(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts
            .zip(&self.ends)
            .map(|(&start, &end)| &self.text[start..end])
    }
}

/// Cuts a stream into blocks. The same text gives the same blocks however it is read.
pub(crate) struct PgnBlocks<R> {
    reader: R,
    text: Vec<u8>,
    /// Where in the stream the text begins.
    byte_offset: u64,
    /// How much of the text was looked at.
    scanned: usize,
    sections: Sections,
    ends: Vec<usize>,
    at_end: bool,
}

impl<R: Read> PgnBlocks<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self {
            reader,
            text: Vec::new(),
            byte_offset: 0,
            scanned: 0,
            sections: Sections::new(),
            ends: Vec::new(),
            at_end: false,
        }
    }

    /// The next block; `None` at the end of the stream.
    pub(crate) fn next_block(&mut self) -> Result<Option<PgnBlock>, PgnReadError> {
        while !self.at_end && (self.ends.is_empty() || self.text.len() < BLOCK_BYTES) {
            self.read_more()?;
            self.scan();
            self.check_length()?;
        }
        let Some(&end) = self.ends.last() else {
            return Ok(None);
        };
        let rest = self.text.split_off(end);
        self.byte_offset += end as u64;
        self.scanned -= end;
        Ok(Some(PgnBlock {
            text: std::mem::replace(&mut self.text, rest),
            ends: std::mem::take(&mut self.ends),
        }))
    }

    fn read_more(&mut self) -> Result<(), PgnReadError> {
        let limit = BLOCK_BYTES as u64;
        let read = self.reader.by_ref().take(limit).read_to_end(&mut self.text);
        let byte_offset = self.byte_offset + self.text.len() as u64;
        let read = read.map_err(|source| PgnReadError::Io {
            byte_offset,
            source,
        })?;
        self.at_end = (read as u64) < limit;
        Ok(())
    }

    fn scan(&mut self) {
        while let Some((line, len)) = next_line(&self.text[self.scanned..], self.at_end) {
            let kind = self.sections.next(line);
            self.scanned += len;
            if kind == LineKind::End {
                self.ends.push(self.scanned);
            }
        }
        if self.at_end && self.sections.in_game() {
            self.sections = Sections::new();
            self.ends.push(self.text.len());
        }
    }

    fn check_length(&self) -> Result<(), PgnReadError> {
        let start = self.ends.last().copied().unwrap_or(0);
        if self.text.len() - start > MAX_GAME_BYTES {
            let byte_offset = self.byte_offset + start as u64;
            return Err(PgnReadError::GameBytes { byte_offset });
        }
        Ok(())
    }
}
