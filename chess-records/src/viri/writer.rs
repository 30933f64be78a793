//! Writing games.

use std::io::{self, Write};
use std::path::PathBuf;
use std::vec::Vec;

use thiserror::Error;

use super::PLY_BYTES;
use crate::{AtomicFile, AtomicFileError, MarlinError, MarlinRecord, MoveError, ViriMove};

/// Writes games. Each is checked before any byte of it is written.
///
/// [`ViriWriter::create`] writes to an [`AtomicFile`], which takes its place when
/// [finished](ViriWriter::finish).
#[derive(Debug)]
pub struct ViriWriter<W> {
    sink: W,
    games: u64,
    buffer: Vec<u8>,
}

/// Why a game could not be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ViriWriteError {
    /// The start record is no position. Nothing was written.
    #[error("game {game}: the start record is no position")]
    Start {
        /// How many games stand before.
        game: u64,
        /// What is wrong with it.
        source: MarlinError,
    },
    /// A move breaks a rule. Nothing was written.
    #[error("game {game}, ply {ply}: {played} cannot be played")]
    Move {
        /// How many games stand before.
        game: u64,
        /// How many moves stand before.
        ply: u64,
        /// The move.
        played: ViriMove,
        /// The rule.
        source: MoveError,
    },
    /// Writing failed; a part of the game may have been written.
    #[error("game {game}: writing failed")]
    Io {
        /// How many games stand before.
        game: u64,
        /// What went wrong.
        source: io::Error,
    },
}

impl ViriWriter<AtomicFile> {
    /// Begins a file that will stand at `path`, over any that stands there.
    ///
    /// # Errors
    ///
    /// As [`AtomicFile::create`].
    pub fn create(path: impl Into<PathBuf>) -> Result<Self, AtomicFileError> {
        AtomicFile::create(path).map(Self::new)
    }

    /// Brings the games to the disk and puts the file in its place.
    ///
    /// # Errors
    ///
    /// As [`AtomicFile::finish`].
    pub fn finish(self) -> Result<(), AtomicFileError> {
        self.sink.finish()
    }
}

impl<W: Write> ViriWriter<W> {
    /// Writes to `sink`, a game at a time.
    pub const fn new(sink: W) -> Self {
        Self {
            sink,
            games: 0,
            buffer: Vec::new(),
        }
    }

    /// Writes a game: the record of the position it starts from, whose result is the game's, and the
    /// moves, each with White's score in centipawns of the position before it.
    ///
    /// # Errors
    ///
    /// When the record is no position or a move breaks a rule (nothing is then written, and the
    /// writer can go on), or writing fails.
    pub fn write_game(
        &mut self,
        start: &MarlinRecord,
        moves: impl IntoIterator<Item = (ViriMove, i16)>,
    ) -> Result<(), ViriWriteError> {
        let game = self.games;
        self.fill_buffer(start, moves)?;
        let written = self.sink.write_all(&self.buffer);
        written.map_err(|source| ViriWriteError::Io { game, source })?;
        self.games += 1;
        Ok(())
    }

    fn fill_buffer(
        &mut self,
        start: &MarlinRecord,
        moves: impl IntoIterator<Item = (ViriMove, i16)>,
    ) -> Result<(), ViriWriteError> {
        let game = self.games;
        let decoded = start.decode();
        let decoded = decoded.map_err(|source| ViriWriteError::Start { game, source })?;
        let mut position = decoded.position;
        self.buffer.clear();
        self.buffer.extend(start.as_bytes());
        for (ply, (played, score_cp)) in (0..).zip(moves) {
            position = position
                .after_move(played)
                .map_err(|source| ViriWriteError::Move {
                    game,
                    ply,
                    played,
                    source,
                })?;
            self.buffer.extend(played.to_bits().to_le_bytes());
            self.buffer.extend(score_cp.to_le_bytes());
        }
        self.buffer.extend([0; PLY_BYTES]);
        Ok(())
    }

    /// How many games were written.
    #[must_use]
    pub const fn games(&self) -> u64 {
        self.games
    }

    /// What is written to.
    pub fn into_inner(self) -> W {
        self.sink
    }
}
