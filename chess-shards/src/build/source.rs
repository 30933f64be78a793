//! Where games come from.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

#[cfg(feature = "parquet")]
use chess_records::parquet::{ParquetReadError, UciRow, UciRows};
use chess_records::pgn::{self, PgnBlock, PgnBlocks, PgnReadError};
use chess_records::{Game, LeftOut, LeftOutGames};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::game::Replay;
use super::shard_file;

/// Games of a [`Source`] that are handled together.
const GAMES_A_BLOCK: usize = 4096;

/// The games to build from.
///
/// Games are read from beginning to end, once to count them and once to build, and never kept: the
/// memory does not depend on how many there are.
pub struct Source<'a> {
    name: String,
    kind: Kind<'a>,
}

enum Kind<'a> {
    Pgn(Vec<PathBuf>),
    #[cfg(feature = "parquet")]
    Parquet(Vec<PathBuf>),
    Games(OpenGames<'a>),
}

type GameIter<'a> = Box<dyn Iterator<Item = Game> + Send + 'a>;
type OpenGames<'a> = Box<dyn Fn() -> GameIter<'a> + Send + Sync + 'a>;

/// Why games cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SourceError {
    /// A file cannot be opened, or not be read to tell it from others.
    #[error("{}: cannot be read", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// What is no file, a pipe for one, cannot be read more than once.
    #[error("{}: is no regular file, and games are read more than once", path.display())]
    NoFile {
        /// What is there.
        path: PathBuf,
    },
    /// PGN cannot be read on.
    #[error("{}: no more games can be read", path.display())]
    Pgn {
        /// The file.
        path: PathBuf,
        /// Why.
        source: PgnReadError,
    },
    /// Parquet cannot be read on.
    #[cfg(feature = "parquet")]
    #[error("{}: no more games can be read", path.display())]
    Parquet {
        /// The file.
        path: PathBuf,
        /// Why.
        source: ParquetReadError,
    },
}

/// What a source is told by when a build goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SourceIdentity {
    name: String,
    files: Vec<FileIdentity>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FileIdentity {
    bytes: u64,
    xxh3_64: u64,
}

impl SourceIdentity {
    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

impl<'a> Source<'a> {
    /// The games of PGN files, one file after the other. Files that begin like zstd files are
    /// decompressed as they are read; they may have any number of frames, whose windows are at most
    /// 128 MiB.
    ///
    /// What counts as a game is what python-chess takes for one. Games of variants, from another start,
    /// without a result and with movetext that does not parse are left out and counted. A file
    /// may begin with a byte order mark, and its lines may end in any of the three ways. A build reads
    /// each more than once, so that pipes will not do.
    pub fn pgn(paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        let paths: Vec<_> = paths.into_iter().map(Into::into).collect();
        Self {
            name: names(&paths),
            kind: Kind::Pgn(paths),
        }
    }

    /// The games of Parquet files, one file after the other: `uci` (moves apart by a space), `result`,
    /// `white_elo` and `black_elo`; other columns are not looked at. Rows without one of the three
    /// results or without moves at all are left out and counted.
    #[cfg(feature = "parquet")]
    pub fn parquet(paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        let paths: Vec<_> = paths.into_iter().map(Into::into).collect();
        Self {
            name: names(&paths),
            kind: Kind::Parquet(paths),
        }
    }

    /// Games from anywhere. `open` is called for each pass over them and must give the same games each
    /// time; `name` must tell them from others, as a build goes on where it finds a part of a set with
    /// the same name and options.
    pub fn games<F, I>(name: impl Into<String>, open: F) -> Self
    where
        F: Fn() -> I + Send + Sync + 'a,
        I: Iterator<Item = Game> + Send + 'a,
    {
        Self {
            name: name.into(),
            kind: Kind::Games(Box::new(move || Box::new(open()))),
        }
    }

    /// With another name in `meta.json` than those of the files.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The name in `meta.json`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    fn paths(&self) -> &[PathBuf] {
        match &self.kind {
            Kind::Pgn(paths) => paths,
            #[cfg(feature = "parquet")]
            Kind::Parquet(paths) => paths,
            Kind::Games(_) => &[],
        }
    }

    /// Reads every file as it is.
    pub(super) fn identity(&self) -> Result<SourceIdentity, SourceError> {
        let files = self.paths().iter().map(|path| file_identity(path));
        Ok(SourceIdentity {
            name: self.name.clone(),
            files: files.collect::<Result<_, _>>()?,
        })
    }

    /// All games, in blocks.
    pub(super) fn blocks(
        &self,
    ) -> Box<dyn Iterator<Item = Result<Block, SourceError>> + Send + '_> {
        match &self.kind {
            Kind::Pgn(paths) => Box::new(paths.iter().flat_map(|path| pgn_blocks(path))),
            #[cfg(feature = "parquet")]
            Kind::Parquet(paths) => Box::new(paths.iter().flat_map(|path| uci_blocks(path))),
            Kind::Games(open) => {
                let mut games = open();
                Box::new(std::iter::from_fn(move || {
                    let block: Vec<_> = games.by_ref().take(GAMES_A_BLOCK).collect();
                    (!block.is_empty()).then_some(Ok(Block::Games(block)))
                }))
            }
        }
    }
}

impl std::fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source")
            .field("name", &self.name)
            .field("paths", &self.paths())
            .finish_non_exhaustive()
    }
}

fn names(paths: &[PathBuf]) -> String {
    let name = |path: &PathBuf| {
        let name = path.file_name().unwrap_or(path.as_os_str());
        name.to_string_lossy().into_owned()
    };
    paths.iter().map(name).collect::<Vec<_>>().join(", ")
}

fn file_identity(path: &Path) -> Result<FileIdentity, SourceError> {
    let metadata = fs::metadata(path).map_err(|source| io_error(path, source))?;
    if !metadata.is_file() {
        let path = path.to_path_buf();
        return Err(SourceError::NoFile { path });
    }
    let hashed = File::open(path).and_then(shard_file::hash);
    let (xxh3_64, bytes) = hashed.map_err(|source| io_error(path, source))?;
    Ok(FileIdentity { bytes, xxh3_64 })
}

fn io_error(path: &Path, source: io::Error) -> SourceError {
    let path = path.to_path_buf();
    SourceError::Io { path, source }
}

type Blocks<'a> = Box<dyn Iterator<Item = Result<Block, SourceError>> + Send + 'a>;

/// The blocks of a file, up to the first error.
fn until_error<'a>(
    mut next: impl FnMut() -> Result<Option<Block>, SourceError> + Send + 'a,
) -> Blocks<'a> {
    let mut failed = false;
    Box::new(std::iter::from_fn(move || {
        if failed {
            return None;
        }
        let block = next();
        failed = block.is_err();
        block.transpose()
    }))
}

fn pgn_blocks(path: &Path) -> Blocks<'_> {
    let mut blocks = match pgn::open(path) {
        Ok(reader) => PgnBlocks::new(reader),
        Err(source) => return Box::new(std::iter::once(Err(io_error(path, source)))),
    };
    until_error(move || {
        let block = blocks.next_block();
        let block = block.map_err(|source| SourceError::Pgn {
            path: path.to_path_buf(),
            source,
        })?;
        Ok(block.map(Block::Pgn))
    })
}

#[cfg(feature = "parquet")]
fn uci_blocks(path: &Path) -> Blocks<'_> {
    let error = |source| SourceError::Parquet {
        path: path.to_path_buf(),
        source,
    };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(source) => return Box::new(std::iter::once(Err(io_error(path, source)))),
    };
    let mut rows = match UciRows::new(file) {
        Ok(rows) => rows,
        Err(source) => return Box::new(std::iter::once(Err(error(source)))),
    };
    until_error(move || {
        let block = rows.next_rows(GAMES_A_BLOCK).map_err(error)?;
        Ok(block.map(Block::Uci))
    })
}

/// Some games of a source, as they are read.
pub(super) enum Block {
    Pgn(PgnBlock),
    #[cfg(feature = "parquet")]
    Uci(Vec<UciRow>),
    Games(Vec<Game>),
}

/// The games of a block that count.
#[derive(Default)]
pub(super) struct BlockGames {
    pub(super) count: u64,
    /// Empty if games were only counted.
    pub(super) games: Vec<Replay>,
    pub(super) left_out: LeftOutGames,
}

/// What is to be read of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    /// Games without both Elos are left out.
    pub(super) needs_elos: bool,
    /// Games are replayed and kept, and not only counted.
    pub(super) keep: bool,
    /// The most games that count.
    pub(super) most: u64,
}

impl Block {
    /// Reads up to the last game that may count.
    pub(super) fn read(&self, reading: Reading) -> BlockGames {
        let mut read = BlockGames::default();
        match self {
            Self::Pgn(block) => read.extend(block.games(), reading, |text| {
                // Only who replays a game knows whether it counts.
                let replay = match reading.needs_elos {
                    true => text.replay_rated(),
                    false => text.replay(),
                };
                replay.map(|replay| move || Replay::from(replay))
            }),
            #[cfg(feature = "parquet")]
            Self::Uci(rows) => read.extend(rows, reading, |row| {
                row.check()?;
                check_elos(row.white_elo().zip(row.black_elo()), reading.needs_elos)?;
                Ok(move || Replay::from(row))
            }),
            Self::Games(games) => read.extend(games, reading, |game| {
                check_elos(game.elos(), reading.needs_elos)?;
                if game.moves.len() > Game::MAX_PLIES {
                    return Err(LeftOut::TooLong);
                }
                Ok(move || Replay::from(game))
            }),
        }
        read
    }
}

fn check_elos(elos: Option<(i32, i32)>, needed: bool) -> Result<(), LeftOut> {
    match needed && elos.is_none() {
        true => Err(LeftOut::MissingElo),
        false => Ok(()),
    }
}

impl BlockGames {
    /// Takes games one after another: each counts if `check` finds nothing against it, and is then
    /// replayed if it is to be kept.
    fn extend<T, R: FnOnce() -> Replay>(
        &mut self,
        games: impl IntoIterator<Item = T>,
        reading: Reading,
        check: impl Fn(T) -> Result<R, LeftOut>,
    ) {
        for game in games {
            if self.count == reading.most {
                return;
            }
            match check(game) {
                Ok(replay) => {
                    self.count += 1;
                    if reading.keep {
                        self.games.push(replay());
                    }
                }
                Err(reason) => self.left_out.add(reason),
            }
        }
    }
}
