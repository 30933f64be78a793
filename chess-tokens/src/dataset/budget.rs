//! Batches of equal cost.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use chess_records::{Dataset, DatasetError, Permutation};
use thiserror::Error;

use super::{TokenElement, record_error};
use crate::pack::{PackFault, TokenPack};
use crate::tokenizer::PAD;

/// In which order games are put into batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BudgetOrder {
    /// That of the pack.
    Pack,
    /// By length, so that there is little padding; games of one length in the order of a seed, so that
    /// another seed, for another epoch, brings other games together.
    Length {
        /// The seed.
        seed: u64,
    },
}

/// Why games cannot be put into batches.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BudgetError {
    /// A game fits into no batch.
    #[error("game {game} has {tokens} tokens, more than the {budget} of a batch")]
    GameTooLong {
        /// The game's number.
        game: u64,
        /// How many tokens it has.
        tokens: usize,
        /// How many a batch may have.
        budget: usize,
    },
    /// A game starts where it cannot.
    #[error(transparent)]
    Fault(#[from] PackFault),
}

/// Batches of whole games, as many as fit a budget of tokens: a dataset whose samples are such batches.
///
/// A batch is a tensor of games × the length of its longest game, padded, and has at most `budget`
/// elements, padding among them; games are taken in their order until the next one would make it larger.
/// A [`Sampler`](chess_records::Sampler) over it should have a batch size of 1; of several samples
/// gathered together, the games come into one tensor.
///
/// Which games make up a batch is worked out when the dataset is made, from the starts of all games.
/// That takes 8 bytes a batch and, unless the order is that of the pack, 8 a game.
#[derive(Clone, Debug)]
pub struct TokenBudget<T = u16> {
    pack: Arc<TokenPack>,
    /// The games in their order; `None` where that is the pack's.
    games: Option<Vec<u64>>,
    /// For each batch one past its last game, in that order.
    ends: Vec<u64>,
    elements: PhantomData<fn() -> T>,
}

impl<T: TokenElement> TokenBudget<T> {
    /// How many batches make a [block](Dataset::block); the last may have fewer.
    pub const BATCHES_PER_BLOCK: u64 = 64;

    /// Puts the games of a pack into batches.
    ///
    /// # Errors
    ///
    /// When a game has more tokens than a batch may have, or starts where it cannot.
    pub fn new(
        pack: Arc<TokenPack>,
        budget: usize,
        order: BudgetOrder,
    ) -> Result<Self, BudgetError> {
        let games = match order {
            BudgetOrder::Pack => None,
            BudgetOrder::Length { seed } => Some(by_length(&pack, seed)?),
        };
        let mut batches = Self {
            pack,
            games,
            ends: Vec::new(),
            elements: PhantomData,
        };
        batches.ends = batches.ends(budget)?;
        Ok(batches)
    }

    fn ends(&self, budget: usize) -> Result<Vec<u64>, BudgetError> {
        let (mut ends, mut rows, mut width) = (Vec::new(), 0usize, 0);
        for place in 0..self.pack.len() {
            let game = self.game(place);
            let tokens = len(&self.pack, game)?;
            if tokens > budget {
                return Err(BudgetError::GameTooLong {
                    game,
                    tokens,
                    budget,
                });
            }
            let widened = width.max(tokens);
            let elements = (rows + 1).checked_mul(widened);
            if elements.is_some_and(|elements| elements <= budget) {
                (rows, width) = (rows + 1, widened);
            } else {
                ends.push(place);
                (rows, width) = (1, tokens);
            }
        }
        if rows > 0 {
            ends.push(self.pack.len());
        }
        Ok(ends)
    }

    /// The game at a place of the order.
    fn game(&self, place: u64) -> u64 {
        match &self.games {
            None => place,
            Some(games) => games[place as usize],
        }
    }

    /// The games of a batch, as places of the order.
    fn batch(&self, index: u64) -> Result<Range<u64>, DatasetError> {
        let len = self.len();
        let out_of_range = DatasetError::OutOfRange { index, len };
        let at = usize::try_from(index)
            .ok()
            .filter(|&at| at < self.ends.len());
        let at = at.ok_or(out_of_range)?;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        Ok(start..self.ends[at])
    }
}

fn len(pack: &TokenPack, game: u64) -> Result<usize, PackFault> {
    let range = pack.game_range(game)?;
    Ok(range.unwrap_or_default().len())
}

/// The games by length; those of one length in the order of a seed.
fn by_length(pack: &TokenPack, seed: u64) -> Result<Vec<u64>, PackFault> {
    let games = Permutation::new(pack.len(), seed).into_iter();
    let games = games.map(|game| Ok((len(pack, game)?, game)));
    let mut games = games.collect::<Result<Vec<_>, PackFault>>()?;
    games.sort_by_key(|&(len, _)| len);
    Ok(games.into_iter().map(|(_, game)| game).collect())
}

impl<T: TokenElement> Dataset for TokenBudget<T> {
    type Batch = PaddedBatch<T>;

    fn len(&self) -> u64 {
        self.ends.len() as u64
    }

    fn gather(&self, indices: &[u64], batch: &mut PaddedBatch<T>) -> Result<(), DatasetError> {
        batch.games.clear();
        batch.lengths.clear();
        for &index in indices {
            batch
                .games
                .extend(self.batch(index)?.map(|place| self.game(place)));
        }
        for &game in &batch.games {
            let len = len(&self.pack, game).map_err(record_error)?;
            batch.lengths.push(len as u64);
        }
        batch.resize();
        for (&game, (x, y)) in batch
            .games
            .iter()
            .zip(rows(batch.width, &mut batch.x, &mut batch.y))
        {
            let tokens = self
                .pack
                .game(game)
                .map_err(record_error)?
                .unwrap_or_default();
            fill(tokens, x, y);
        }
        Ok(())
    }

    fn block_count(&self) -> u64 {
        self.len().div_ceil(Self::BATCHES_PER_BLOCK)
    }

    fn block(&self, block: u64) -> Range<u64> {
        let count = self.block_count();
        assert!(block < count, "block {block} of {count}");
        let start = block * Self::BATCHES_PER_BLOCK;
        start..self.len().min(start + Self::BATCHES_PER_BLOCK)
    }

    /// A batch is whole games.
    fn game_start(&self, index: u64) -> Option<bool> {
        assert!(index < self.len(), "batch {index} of {}", self.len());
        Some(true)
    }
}

fn rows<'a, T>(
    width: usize,
    x: &'a mut [T],
    y: &'a mut [T],
) -> impl Iterator<Item = (&'a mut [T], &'a mut [T])> {
    // Without games there are no rows, however wide.
    let width = width.max(1);
    x.chunks_exact_mut(width).zip(y.chunks_exact_mut(width))
}

/// A game and what comes next in it.
fn fill<T: TokenElement>(tokens: &[u16], x: &mut [T], y: &mut [T]) {
    let next = tokens.get(1..).unwrap_or_default();
    let pad = T::from_token(PAD);
    T::from_tokens(tokens, &mut x[..tokens.len()]);
    x[tokens.len()..].fill(pad);
    T::from_tokens(next, &mut y[..next.len()]);
    y[next.len()..].fill(pad);
}

/// Games of different lengths, padded to the longest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PaddedBatch<T> {
    width: usize,
    x: Vec<T>,
    y: Vec<T>,
    lengths: Vec<u64>,
    games: Vec<u64>,
}

impl<T> PaddedBatch<T> {
    /// How many games there are.
    #[must_use]
    pub const fn rows(&self) -> usize {
        self.games.len()
    }

    /// How many tokens the longest game has; rows are as wide.
    #[must_use]
    pub const fn width(&self) -> usize {
        self.width
    }

    /// The tokens and padding, row after row.
    #[must_use]
    pub fn x(&self) -> &[T] {
        &self.x
    }

    /// For each token the one that comes next in the game; padding for its last one and past it.
    #[must_use]
    pub fn y(&self) -> &[T] {
        &self.y
    }

    /// How many tokens each game has.
    #[must_use]
    pub fn lengths(&self) -> &[u64] {
        &self.lengths
    }

    /// The number of each game in the pack.
    #[must_use]
    pub fn games(&self) -> &[u64] {
        &self.games
    }
}

impl<T: TokenElement> PaddedBatch<T> {
    /// Makes room for the games, by their lengths.
    fn resize(&mut self) {
        self.width = self
            .lengths
            .iter()
            .max()
            .map_or(0, |&longest| longest as usize);
        let len = self.width * self.rows();
        self.x.resize(len, T::default());
        self.y.resize(len, T::default());
    }
}

#[cfg(test)]
mod tests;
