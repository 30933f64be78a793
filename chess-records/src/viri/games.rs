//! All games of a file, with an index.

use core::fmt;
use std::vec::Vec;

use super::index::GameIndex;
use super::{ViriFault, ViriGame, ViriPosition};

/// Bytes (`Vec<u8>`, `&[u8]`, `include_bytes!`, a `FileBytes`) seen as games, numbered from 0.
///
/// Opening passes over the bytes once, checks the start record of each game, and keeps four bytes a
/// game (eight in files over 16 GiB). Moves are checked when games are replayed, or all at once by
/// [`ViriGames::verify`].
///
/// It is a [`Dataset`](crate::Dataset) of the positions before each move.
#[derive(Clone)]
pub struct ViriGames<D> {
    data: D,
    pub(super) index: GameIndex,
    /// The first position of each block.
    pub(super) blocks: Vec<u64>,
}

impl<D> ViriGames<D> {
    /// From how many positions on a [block](crate::Dataset::block) is full; it ends with the game.
    pub const POSITIONS_PER_BLOCK: u64 = 4096;
}

impl<D: AsRef<[u8]>> ViriGames<D> {
    /// Sees `data` as games.
    ///
    /// # Errors
    ///
    /// The first [`ViriFault`] in a start record, or where the bytes end before a game does.
    pub fn new(data: D) -> Result<Self, ViriFault> {
        let (games, fault) = Self::sound_prefix(data);
        match fault {
            None => Ok(games),
            Some(fault) => Err(fault),
        }
    }

    /// Sees `data` as games up to the first fault, which is returned too: the game at fault and all
    /// that follows are left out. The moves of the games kept may still be at fault, the last game's
    /// above all: an end that got lost or a false one shows only in the game after it.
    pub fn sound_prefix(data: D) -> (Self, Option<ViriFault>) {
        let mut games = Self {
            data,
            index: GameIndex::new(),
            blocks: Vec::new(),
        };
        let fault = games.read_all().err();
        games.index.shrink();
        (games, fault)
    }

    fn read_all(&mut self) -> Result<(), ViriFault> {
        let mut rest = self.data.as_ref();
        while !rest.is_empty() {
            let number = self.index.len();
            let (game, after) = ViriGame::first(rest, number, self.index.byte_offset(number))?;
            game.check_start()?;
            start_block_if_full(&mut self.blocks, &self.index, game.len());
            self.index.push(game.byte_len());
            rest = after;
        }
        Ok(())
    }

    /// How many games there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.index.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many positions with a score there are: one a move.
    #[must_use]
    pub fn position_count(&self) -> u64 {
        self.index.positions_before(self.len())
    }

    /// A game, unless `number` is past the end.
    #[must_use]
    pub fn get(&self, number: u64) -> Option<ViriGame<'_>> {
        if number >= self.len() {
            return None;
        }
        let byte_offset = self.index.byte_offset(number);
        let bytes = self.data.as_ref().get(byte_offset as usize..)?;
        ViriGame::first(bytes, number, byte_offset)
            .ok()
            .map(|(game, _)| game)
    }

    /// The games, in order.
    pub fn iter(&self) -> impl Iterator<Item = ViriGame<'_>> {
        (0..self.len()).filter_map(|number| self.get(number))
    }

    /// The positions of all games, in order; after a fault, those of the next game follow.
    pub fn positions(&self) -> impl Iterator<Item = Result<ViriPosition, ViriFault>> {
        self.iter().flat_map(|game| game.positions())
    }

    /// Replays every game and yields the first fault of each that has one, in order.
    pub fn verify(&self) -> impl Iterator<Item = ViriFault> {
        self.iter().filter_map(|game| game.verify().err())
    }

    /// The game that holds a position and the ply in it, unless `position` is past the end.
    #[must_use]
    pub fn find(&self, position: u64) -> Option<(u64, u64)> {
        (position < self.position_count()).then(|| self.index.find(position))
    }

    /// How many positions stand before a game.
    ///
    /// # Panics
    ///
    /// When there is no game of that number.
    #[must_use]
    pub fn first_position(&self, game: u64) -> u64 {
        assert!(game < self.len(), "game {game} of {}", self.len());
        self.index.positions_before(game)
    }

    /// The bytes, those after a fault included.
    pub fn into_inner(self) -> D {
        self.data
    }
}

/// A block is a run of whole games; a game without moves joins the block before it.
fn start_block_if_full(blocks: &mut Vec<u64>, index: &GameIndex, plies: usize) {
    let here = index.positions_before(index.len());
    let full = match blocks.last() {
        Some(start) => here - start >= ViriGames::<()>::POSITIONS_PER_BLOCK,
        None => true,
    };
    if full && plies > 0 {
        blocks.push(here);
    }
}

impl<D: AsRef<[u8]>> fmt::Debug for ViriGames<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let positions = self.position_count();
        write!(f, "ViriGames({} games, {positions} positions)", self.len())
    }
}
