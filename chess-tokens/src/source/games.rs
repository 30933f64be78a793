//! Games and blocks of them, as they come.

use std::fmt;
use std::vec;

use chess_records::{Game, LeftOut, LeftOutGames};

use super::SourceError;
use super::files::Meter;
use super::ordered::Ordered;
use super::read::RawBlock;

/// Some games of a file, in order.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct GameBlock {
    /// Those that count.
    pub games: Vec<Game>,
    /// How many do not.
    pub left_out: LeftOutGames,
}

impl GameBlock {
    pub(super) fn read(raw: &RawBlock) -> Self {
        let mut block = Self::default();
        match raw {
            #[cfg(feature = "pgn")]
            RawBlock::Pgn(texts) => texts.games().for_each(|text| block.take(text.game())),
            #[cfg(feature = "parquet")]
            RawBlock::Uci(rows) => rows.iter().for_each(|row| block.take(row.game())),
        }
        block
    }

    fn take(&mut self, game: Result<Game, LeftOut>) {
        match game {
            Ok(game) => self.games.push(game),
            Err(reason) => self.left_out.add(reason),
        }
    }
}

/// What was made of each block of games, in order. Made by
/// [`GameFiles::map_blocks`](super::GameFiles::map_blocks). It ends after an error; dropped early, it
/// stops the threads.
pub struct Blocks<T> {
    blocks: Ordered<T>,
    meter: Meter,
    bytes: u64,
}

impl<T> Blocks<T> {
    pub(super) const fn new(blocks: Ordered<T>, meter: Meter, bytes: u64) -> Self {
        Self {
            blocks,
            meter,
            bytes,
        }
    }

    /// How many of [`GameFiles::bytes`](super::GameFiles::bytes) were read, about: the threads are ahead
    /// of the blocks that were taken.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.meter.bytes().min(self.bytes)
    }
}

impl<T> Iterator for Blocks<T> {
    type Item = Result<T, SourceError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.blocks.next()
    }
}

impl<T> fmt::Debug for Blocks<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Blocks")
            .field("bytes_read", &self.bytes_read())
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

/// The games of files, in order. Made by [`GameFiles::games`](super::GameFiles::games). It ends after an
/// error; dropped early, it stops the threads.
#[derive(Debug)]
pub struct Games {
    blocks: Blocks<GameBlock>,
    block: vec::IntoIter<Game>,
    left_out: LeftOutGames,
}

impl Games {
    pub(super) fn new(blocks: Blocks<GameBlock>) -> Self {
        Self {
            blocks,
            block: Vec::new().into_iter(),
            left_out: LeftOutGames::default(),
        }
    }

    /// How many games were left out so far, by reason; at the end, all of them.
    #[must_use]
    pub const fn left_out(&self) -> &LeftOutGames {
        &self.left_out
    }

    /// How many of [`GameFiles::bytes`](super::GameFiles::bytes) were read, about.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.blocks.bytes_read()
    }
}

impl Iterator for Games {
    type Item = Result<Game, SourceError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(game) = self.block.next() {
                return Some(Ok(game));
            }
            match self.blocks.next()? {
                Ok(block) => {
                    self.left_out.merge(&block.left_out);
                    self.block = block.games.into_iter();
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }
}
