//! Games of an engine against itself, numbered, in chunks.

use std::io::{self, Write};
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::vec::Vec;

use chess_records::{
    AtomicFile, AtomicFileError, EncodeError, FenError, ViriFault, ViriGame, ViriMoveError,
    ViriWriteError,
};
use rand_core::SeedableRng;
use rand_pcg::Pcg64;
use thiserror::Error;

use super::ending::Adjudication;
use super::in_order::in_order;
use super::play::{PlayedGame, play};
use super::record::{ChunkFormat, viri};
use super::starts::Starts;
use super::statistics::GameStatistics;
use crate::selfplay::evaluation::Evaluation;
use crate::selfplay::search::{Limits, Search};

/// Plays numbered games, each a fixed function of its number, the seed and the evaluation: a chunk made
/// twice, with any number of threads, has the same bytes.
#[derive(Clone, Debug)]
#[must_use]
pub struct Datagen {
    seed: u64,
    games_per_chunk: u64,
    nodes: u64,
    table_bytes: usize,
    starts: Starts,
    adjudication: Adjudication,
    format: ChunkFormat,
}

/// Why a chunk cannot be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DatagenError {
    /// The chunk cannot be created or put in its place.
    #[error(transparent)]
    File(#[from] AtomicFileError),
    /// Writing failed.
    #[error("{}: writing failed", path.display())]
    Write {
        /// The chunk.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// The games' numbers do not fit into 64 bits.
    #[error("chunk {chunk} of {games_per_chunk} games has numbers over 2^64")]
    Numbers {
        /// The chunk.
        chunk: u64,
        /// The games of each.
        games_per_chunk: u64,
    },
    /// A game has a start that is no position of chess-records.
    #[error("a start cannot be recorded")]
    Start(#[from] FenError),
    /// A start record cannot hold it.
    #[error("a start cannot be recorded")]
    StartRecord(#[from] EncodeError),
    /// A move has no viriformat bits.
    #[error("a move cannot be recorded")]
    Move(#[from] ViriMoveError),
    /// A game does not replay.
    #[error("a game cannot be recorded")]
    Game(#[from] ViriWriteError),
    /// A recorded game does not replay.
    #[error("a recorded game cannot be read")]
    Replay(#[from] ViriFault),
}

impl Default for Datagen {
    fn default() -> Self {
        Self::new()
    }
}

impl Datagen {
    /// Seed 0, 1,000 games a chunk, 6,000 nodes a move, [`Starts::new`], [`Adjudication::new`],
    /// viriformat.
    pub fn new() -> Self {
        Self {
            seed: 0,
            games_per_chunk: 1_000,
            nodes: 6_000,
            table_bytes: 4 << 20,
            starts: Starts::new(),
            adjudication: Adjudication::new(),
            format: ChunkFormat::Viri,
        }
    }

    /// The seed of all games.
    pub const fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// So many games a chunk: chunk `n` has the games from `n` times this number on.
    pub const fn games_per_chunk(mut self, games: u64) -> Self {
        self.games_per_chunk = games;
        self
    }

    /// So many nodes a move.
    pub const fn nodes(mut self, nodes: u64) -> Self {
        self.nodes = nodes;
        self
    }

    /// Where games start.
    pub fn starts(mut self, starts: Starts) -> Self {
        self.starts = starts;
        self
    }

    /// When games are broken off.
    pub const fn adjudication(mut self, adjudication: Adjudication) -> Self {
        self.adjudication = adjudication;
        self
    }

    /// What chunks hold.
    pub const fn format(mut self, format: ChunkFormat) -> Self {
        self.format = format;
        self
    }

    /// The name of the file of a chunk.
    #[must_use]
    pub fn file_name(&self, chunk: u64) -> PathBuf {
        std::format!("games-{chunk:05}.{}", self.format.extension()).into()
    }

    /// Plays the games of a chunk into `folder`, on `threads` threads (at least one) that each have an
    /// evaluation of their own, and puts the file in its place when all are played: an interruption leaves
    /// nothing of it. A file that stands there is replaced.
    ///
    /// A process that is killed leaves a file whose name begins with a dot and ends in `.tmp`; nobody reads
    /// it, and it may be removed.
    ///
    /// `tell` hears of each game, in order, and may break off; `None` is then returned.
    ///
    /// # Errors
    ///
    /// When the file cannot be written, or the games' numbers do not fit into 64 bits. The other errors are faults of this crate.
    pub fn chunk<E: Evaluation>(
        &self,
        folder: &Path,
        chunk: u64,
        threads: usize,
        evaluation: impl Fn() -> E + Sync,
        mut tell: impl FnMut(&GameStatistics) -> ControlFlow<()>,
    ) -> Result<Option<GameStatistics>, DatagenError> {
        let numbers = self.numbers(chunk)?;
        let path = folder.join(self.file_name(chunk));
        let mut file = AtomicFile::create(&path)?;
        let (mut statistics, mut failure) = (GameStatistics::default(), None);
        let flow = in_order(
            numbers,
            threads,
            || Search::new(evaluation(), self.table_bytes),
            |search, number| viri(&self.game(search, number)),
            |_, game| match self.keep(game, &mut statistics, &mut file, &path) {
                Ok(()) => tell(&statistics),
                Err(error) => {
                    failure = Some(error);
                    ControlFlow::Break(())
                }
            },
        );
        match (failure, flow) {
            (Some(error), _) => Err(error),
            (None, ControlFlow::Break(())) => Ok(None),
            (None, ControlFlow::Continue(())) => {
                file.finish()?;
                Ok(Some(statistics))
            }
        }
    }

    /// The numbers of a chunk's games.
    fn numbers(&self, chunk: u64) -> Result<Range<u64>, DatagenError> {
        let games_per_chunk = self.games_per_chunk;
        let first = chunk.checked_mul(games_per_chunk);
        let numbers = first.and_then(|first| Some(first..first.checked_add(games_per_chunk)?));
        numbers.ok_or(DatagenError::Numbers {
            chunk,
            games_per_chunk,
        })
    }

    /// Counts a game and writes it.
    fn keep(
        &self,
        game: Result<Vec<u8>, DatagenError>,
        statistics: &mut GameStatistics,
        file: &mut AtomicFile,
        path: &Path,
    ) -> Result<(), DatagenError> {
        let game = game?;
        statistics.add(ViriGame::first(&game, 0, 0)?.0)?;
        let written = file.write_all(&self.format.bytes(&game)?);
        written.map_err(|source| DatagenError::Write {
            path: path.into(),
            source,
        })
    }

    /// Plays the game of a number.
    pub fn game<E: Evaluation>(&self, search: &mut Search<E>, number: u64) -> PlayedGame {
        let mut random = game_random(self.seed, number);
        search.clear();
        let start = self.starts.draw(&mut random, search);
        search.clear();
        play(&start, self.adjudication, |board, before| {
            Some(search.search(board, before, Limits::new().nodes(self.nodes)))
        })
    }
}

/// The random numbers of a game.
pub(in crate::selfplay) fn game_random(seed: u64, number: u64) -> Pcg64 {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&number.to_le_bytes());
    Pcg64::from_seed(bytes)
}
