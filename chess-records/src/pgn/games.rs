//! The games of a stream, one after another.

use core::fmt;
use std::collections::VecDeque;
use std::io::Read;
use std::vec::Vec;

use super::{PgnBlocks, PgnReadError, PgnTags, PgnText};
use crate::{Game, LeftOut};

/// The games of a stream of PGN, one after another.
///
/// The reader stops after an error.
pub struct PgnGames<R> {
    blocks: PgnBlocks<R>,
    block: VecDeque<PgnGame>,
    failed: bool,
}

/// A game of a stream, whether it counts or not.
#[derive(Clone, Debug)]
pub struct PgnGame {
    tags: Vec<u8>,
    game: Result<Game, LeftOut>,
}

impl PgnGame {
    /// What its tags say.
    #[must_use]
    pub fn tags(&self) -> PgnTags<'_> {
        PgnTags::new(&self.tags)
    }

    /// The game, or why it is left out.
    ///
    /// # Errors
    ///
    /// The reason, if it is left out.
    pub fn game(&self) -> Result<&Game, LeftOut> {
        self.game.as_ref().map_err(|&reason| reason)
    }

    /// The game, or why it is left out.
    ///
    /// # Errors
    ///
    /// The reason, if it is left out.
    pub fn into_game(self) -> Result<Game, LeftOut> {
        self.game
    }
}

impl From<PgnText<'_>> for PgnGame {
    fn from(text: PgnText<'_>) -> Self {
        Self {
            tags: text.tags().text().to_vec(),
            game: text.game(),
        }
    }
}

impl<R: Read> PgnGames<R> {
    /// Reads PGN that is not compressed; [`open`](super::open) and [`text_of`](super::text_of) give
    /// such a stream.
    pub fn new(reader: R) -> Self {
        Self {
            blocks: PgnBlocks::new(reader),
            block: VecDeque::new(),
            failed: false,
        }
    }
}

impl<R: Read> Iterator for PgnGames<R> {
    type Item = Result<PgnGame, PgnReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(game) = self.block.pop_front() {
                return Some(Ok(game));
            }
            if self.failed {
                return None;
            }
            match self.blocks.next_block() {
                Ok(None) => return None,
                Ok(Some(block)) => self.block.extend(block.games().map(PgnGame::from)),
                Err(error) => {
                    self.failed = true;
                    return Some(Err(error));
                }
            }
        }
    }
}

impl<R> fmt::Debug for PgnGames<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PgnGames").finish_non_exhaustive()
    }
}
