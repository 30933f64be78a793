//! What of a match is on the disk, so that it goes on after an interruption.
//!
//! `games.pgn` holds the games. `match.log` has one line about the match and then one for each pair: its
//! half points for the first player, and how long `games.pgn` is with it. A pair counts when its line
//! is whole; what `games.pgn` has beyond is cut off. Files that are no match's are left as they are.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::string::String;
use std::{format, fs};

use thiserror::Error;

use super::elo::Pairs;
use crate::file_lock;

/// Why a match cannot be kept on the disk.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MatchError {
    /// A file cannot be read or written.
    #[error("{}: cannot be read or written", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// Another process plays the match.
    #[error("{}: another process is playing this match", path.display())]
    Busy {
        /// The log.
        path: PathBuf,
    },
    /// The folder holds another match.
    #[error("{}: holds another match ({found}), expected {expected}", path.display())]
    Other {
        /// The log.
        path: PathBuf,
        /// What its first line says.
        found: String,
        /// What it would say of this match.
        expected: String,
    },
    /// There are games, but no log says of which match: they are not overwritten.
    #[error("{}: is there already, take a folder without one", path.display())]
    Taken {
        /// The file of games.
        path: PathBuf,
    },
    /// Games are lost that the log tells of.
    #[error("{}: has {found} bytes, expected {expected} or more, as match.log says", path.display())]
    Short {
        /// The file of games.
        path: PathBuf,
        /// Its length in bytes.
        found: u64,
        /// The length after the last pair of the log.
        expected: u64,
    },
    /// A line of the log is none.
    #[error("{}: line {line} is {found:?}, expected half points and bytes", path.display())]
    Line {
        /// The log.
        path: PathBuf,
        /// The line's number, from 1.
        line: usize,
        /// The line.
        found: String,
    },
}

/// The files of a match.
#[derive(Debug)]
pub(super) struct MatchLog {
    log: Named,
    games: Named,
    bytes: u64,
}

/// A file that knows its name.
#[derive(Debug)]
struct Named {
    path: PathBuf,
    file: File,
}

impl Named {
    fn open(path: PathBuf) -> Result<Self, MatchError> {
        let mut options = OpenOptions::new();
        let opened = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path);
        match opened {
            Ok(file) => Ok(Self { path, file }),
            Err(source) => Err(MatchError::Io { path, source }),
        }
    }

    fn run<T>(&mut self, work: impl FnOnce(&mut File) -> io::Result<T>) -> Result<T, MatchError> {
        work(&mut self.file).map_err(|source| MatchError::Io {
            path: self.path.clone(),
            source,
        })
    }

    /// Ends the file at a length and goes there.
    fn cut(&mut self, len: u64) -> Result<(), MatchError> {
        self.run(|file| {
            file.set_len(len)?;
            file.seek(SeekFrom::Start(len)).map(drop)
        })
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), MatchError> {
        self.run(|file| {
            file.write_all(bytes)?;
            file.sync_data()
        })
    }
}

impl MatchLog {
    /// Opens the match in `folder`, or begins it there. Gives the pairs that are finished.
    pub(super) fn open(folder: &Path, about: &str) -> Result<(Self, Pairs), MatchError> {
        fs::create_dir_all(folder).map_err(|source| MatchError::Io {
            path: folder.into(),
            source,
        })?;
        let mut log = Named::open(folder.join("match.log"))?;
        if !log.run(|file| file_lock::lock(file))? {
            return Err(MatchError::Busy { path: log.path });
        }
        let mut text = String::new();
        log.run(|file| file.read_to_string(&mut text))?;
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        check_about(&log.path, &text, about)?;
        let (pairs, bytes) = read_pairs(&log.path, whole)?;
        let games = open_games(folder, bytes, whole.is_empty())?;
        // Only now is it sure that both files are this match's.
        let mut opened = Self { log, games, bytes };
        opened.games.cut(bytes)?;
        opened.log.cut(whole.len() as u64)?;
        if whole.is_empty() {
            opened.log.append(format!("{about}\n").as_bytes())?;
        }
        Ok((opened, pairs))
    }

    /// Adds a pair: first its games, then its line.
    pub(super) fn add(&mut self, half_points: usize, games: &str) -> Result<(), MatchError> {
        self.games.append(games.as_bytes())?;
        self.bytes += games.len() as u64;
        let line = format!("{half_points} {}\n", self.bytes);
        self.log.append(line.as_bytes())
    }
}

/// The first line must be about this match, or the beginning of such a line, if that is all there is.
fn check_about(path: &Path, text: &str, about: &str) -> Result<(), MatchError> {
    let is_ours = match text.split_once('\n') {
        Some((found, _)) => found == about,
        None => about.starts_with(text),
    };
    match is_ours {
        true => Ok(()),
        false => Err(MatchError::Other {
            path: path.into(),
            found: text.lines().next().unwrap_or_default().into(),
            expected: about.into(),
        }),
    }
}

/// The pairs of whole lines, and how long the games are with them.
fn read_pairs(path: &Path, whole: &str) -> Result<(Pairs, u64), MatchError> {
    let (mut pairs, mut end) = (Pairs::default(), 0);
    for (line, found) in (2..).zip(whole.lines().skip(1)) {
        let (half_points, bytes) = read_line(found)
            .filter(|&(_, bytes)| bytes > end)
            .ok_or_else(|| MatchError::Line {
                path: path.into(),
                line,
                found: found.into(),
            })?;
        pairs.add(half_points);
        end = bytes;
    }
    Ok((pairs, end))
}

/// The file of games, which is to have so many bytes at least, and none where a match begins.
fn open_games(folder: &Path, expected: u64, begins: bool) -> Result<Named, MatchError> {
    let mut games = Named::open(folder.join("games.pgn"))?;
    let found = games.run(|file| Ok(file.metadata()?.len()))?;
    if begins && found > 0 {
        return Err(MatchError::Taken { path: games.path });
    }
    if found < expected {
        return Err(MatchError::Short {
            path: games.path,
            found,
            expected,
        });
    }
    Ok(games)
}

fn read_line(line: &str) -> Option<(usize, u64)> {
    let (half_points, bytes) = line.split_once(' ')?;
    let half_points = half_points
        .parse()
        .ok()
        .filter(|&half_points| half_points <= 4)?;
    Some((half_points, bytes.parse().ok()?))
}
