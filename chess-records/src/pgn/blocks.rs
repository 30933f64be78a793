//! PGN cut into blocks of whole games, so that they can be read side by side.

use core::fmt;
use std::io::{self, Read};
use std::vec::Vec;

use thiserror::Error;

use super::PgnText;
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

/// Some whole games, about a mebibyte of text.
#[derive(Clone)]
pub struct PgnBlock {
    text: Vec<u8>,
    /// Where games end in the text.
    ends: Vec<usize>,
}

impl PgnBlock {
    /// How many games.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none; a reader gives no such block.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text of each game, with the blank lines before it.
    pub fn games(&self) -> impl Iterator<Item = PgnText<'_>> {
        let starts = std::iter::once(&0).chain(&self.ends);
        let bounds = starts.zip(&self.ends);
        bounds.map(|(&start, &end)| PgnText::new(&self.text[start..end]))
    }
}

impl fmt::Debug for PgnBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PgnBlock")
            .field("games", &self.len())
            .field("bytes", &self.text.len())
            .finish()
    }
}

/// Cuts a stream of PGN into blocks of whole games, so that they can be read side by side. The same text
/// gives the same blocks however it is read.
pub struct PgnBlocks<R> {
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
    /// Reads PGN that is not compressed.
    pub fn new(reader: R) -> Self {
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
    ///
    /// # Errors
    ///
    /// When the stream cannot be read, or a game does not end within 16 MiB. There is no reading on after
    /// an error.
    pub fn next_block(&mut self) -> Result<Option<PgnBlock>, PgnReadError> {
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
            text: core::mem::replace(&mut self.text, rest),
            ends: core::mem::take(&mut self.ends),
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

impl<R> fmt::Debug for PgnBlocks<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PgnBlocks")
            .field("byte_offset", &self.byte_offset)
            .finish_non_exhaustive()
    }
}
