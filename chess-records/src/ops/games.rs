//! Games of viriformat, one after another, from a pipe or a file.

use std::io::{self, BufRead, Read};
use std::vec::Vec;

use crate::{MarlinRecord, ViriFault, ViriGame};
use thiserror::Error;

/// What a start record is followed by, again and again, until it is zeros.
const PLY_BYTES: usize = 4;

/// Reads games from a source, in memory for one game alone. After an error or the end it gives
/// nothing more.
///
/// Each game is checked to have an end and a start record that is a position; its moves are checked
/// by [`ViriGame::verify`] or as they are replayed.
#[derive(Debug)]
pub struct GameReader<S> {
    source: S,
    bytes: Vec<u8>,
    number: u64,
    byte_offset: u64,
    done: bool,
}

/// Why a game could not be read from a source.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GameReadError {
    /// Reading failed.
    #[error("game {game} at byte {byte_offset}: reading failed")]
    Io {
        /// The game's number.
        game: u64,
        /// Where it starts, in bytes from where reading began.
        byte_offset: u64,
        /// What the system said.
        source: io::Error,
    },
    /// The source ends inside a game, or the start record is no position.
    #[error(transparent)]
    Fault(#[from] ViriFault),
    /// A game goes on and on: its end, or that of all before, must have got lost.
    #[error(
        "game {game} at byte {byte_offset}: no end after {} plies",
        GameReader::<()>::MAX_PLIES
    )]
    Endless {
        /// The game's number.
        game: u64,
        /// Where it starts, in bytes from where reading began.
        byte_offset: u64,
    },
}

impl<S> GameReader<S> {
    /// The most plies of a game that is read; no game by the rules comes near.
    pub const MAX_PLIES: usize = 1 << 16;
}

impl<S: BufRead> GameReader<S> {
    /// Reads from where `source` stands, which is taken to be the start of a game.
    pub const fn new(source: S) -> Self {
        Self::starting_at(source, 0, 0)
    }

    /// Reads from where `source` stands, which is taken to be the start of game `number` at
    /// `byte_offset`; games and errors count from there.
    pub const fn starting_at(source: S, number: u64, byte_offset: u64) -> Self {
        Self {
            source,
            bytes: Vec::new(),
            number,
            byte_offset,
            done: false,
        }
    }

    /// The next game, unless there is none.
    ///
    /// # Errors
    ///
    /// A [`GameReadError`].
    pub fn next_game(&mut self) -> Result<Option<ViriGame<'_>>, GameReadError> {
        if self.done {
            return Ok(None);
        }
        self.done = true;
        let (number, byte_offset) = (self.number, self.byte_offset);
        self.read_bytes()?;
        if self.bytes.is_empty() {
            return Ok(None);
        }
        let (game, _) = ViriGame::first(&self.bytes, number, byte_offset)?;
        game.check_start()?;
        self.number += 1;
        self.byte_offset += self.bytes.len() as u64;
        self.done = false;
        Ok(Some(game))
    }

    /// Where the next game starts: its number and byte offset.
    #[must_use]
    pub const fn place(&self) -> (u64, u64) {
        (self.number, self.byte_offset)
    }

    /// The bytes of the last game that was read, its zeros included.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Reads the bytes of a game, or what there is of them.
    fn read_bytes(&mut self) -> Result<(), GameReadError> {
        self.bytes.clear();
        if self.read_piece(MarlinRecord::BYTES)? < MarlinRecord::BYTES {
            return Ok(());
        }
        for _ in 0..=Self::MAX_PLIES {
            let found = self.read_piece(PLY_BYTES)?;
            if found < PLY_BYTES || self.bytes.ends_with(&[0; PLY_BYTES]) {
                return Ok(());
            }
        }
        Err(GameReadError::Endless {
            game: self.number,
            byte_offset: self.byte_offset,
        })
    }

    /// Adds so many bytes, or what is left of the source; gives how many those are.
    fn read_piece(&mut self, bytes: usize) -> Result<usize, GameReadError> {
        let mut piece = self.source.by_ref().take(bytes as u64);
        piece
            .read_to_end(&mut self.bytes)
            .map_err(|source| GameReadError::Io {
                game: self.number,
                byte_offset: self.byte_offset,
                source,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ViriGames;
    use std::io::BufReader;
    use std::string::{String, ToString};

    const GAMES: &[u8] = include_bytes!("../../tests/golden/viri/valid/games.viri");

    fn read_all(source: impl Read) -> (Vec<u8>, u64, Option<String>) {
        let mut reader = GameReader::new(BufReader::with_capacity(7, source));
        let (mut bytes, mut games) = (Vec::new(), 0);
        loop {
            match reader.next_game() {
                Ok(Some(game)) => {
                    assert_eq!(
                        (game.number(), game.byte_offset()),
                        (games, bytes.len() as u64)
                    );
                    games += 1;
                    bytes.extend(reader.bytes());
                }
                Ok(None) => return (bytes, games, None),
                Err(error) => {
                    assert!(
                        matches!(reader.next_game(), Ok(None)),
                        "nothing after an error"
                    );
                    return (bytes, games, Some(error.to_string()));
                }
            }
        }
    }

    #[test]
    fn games_pass_as_they_are() {
        let games = ViriGames::new(GAMES).unwrap().len();
        assert_eq!(read_all(GAMES), (GAMES.to_vec(), games, None));
        assert_eq!(read_all(&GAMES[..0]), (Vec::new(), 0, None));
    }

    #[test]
    fn reading_goes_on_from_a_place() {
        let mut all = GameReader::new(GAMES);
        for _ in 0..3 {
            all.next_game().unwrap();
        }
        let (number, byte_offset) = all.place();
        assert_eq!(number, 3);
        let rest = &GAMES[byte_offset as usize..];
        let mut rest = GameReader::starting_at(rest, number, byte_offset);
        let (expected, found) = (all.next_game().unwrap(), rest.next_game().unwrap());
        let place = |game: ViriGame<'_>| (game.number(), game.byte_offset(), game.len());
        assert_eq!(expected.map(place), found.map(place));
        assert_eq!(found.map(|game| game.number()), Some(3));
    }

    #[test]
    fn cut_sources_fault_as_cut_bytes_do() {
        for len in [1, 31, 32, 33, 36, 100, 101, 1000, 5001] {
            let (_, expected) = ViriGames::sound_prefix(&GAMES[..len]);
            let (_, _, error) = read_all(&GAMES[..len]);
            assert_eq!(error, expected.map(|fault| fault.to_string()), "{len}");
        }
    }

    #[test]
    fn starts_that_are_no_positions_end_it() {
        let bytes = include_bytes!("../../tests/golden/viri/invalid/bad-start.viri");
        let (sound, fault) = ViriGames::sound_prefix(bytes);
        let (_, games, error) = read_all(&bytes[..]);
        assert_eq!(games, sound.len());
        assert_eq!(error, fault.map(|fault| fault.to_string()));
        assert!(error.is_some());
    }

    #[test]
    fn games_without_an_end_take_no_memory() {
        let endless = GAMES[..32].chain(io::repeat(1));
        let (_, _, error) = read_all(endless);
        assert_eq!(
            error.as_deref(),
            Some("game 0 at byte 0: no end after 65536 plies")
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
        let (_, _, error) = read_all(GAMES[..40].chain(Broken));
        assert_eq!(error.as_deref(), Some("game 0 at byte 0: reading failed"));
    }
}
