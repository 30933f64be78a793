//! Rows of whole games.

mod batch;
mod plan;

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use chess_records::{Dataset, DatasetError};
use thiserror::Error;

pub use batch::DocumentBatch;
use batch::Row;
use plan::{Piece, Plan};

use super::TokenElement;
use super::prefetch::prefetch;
use crate::pack::{PackFault, TokenPack};

/// How games are put into rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DocumentOptions {
    block: usize,
    fit: Fit,
    long_games: LongGames,
}

/// Which game comes into a row next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fit {
    /// The next one; where it does not fit a new row begins. Games keep their order.
    Next,
    /// Of the next `window` games the first, and then always the longest that still fits. Rows are
    /// fuller, and a game is at most `window` rows from its place.
    Best {
        /// How many games are looked at, at least 1.
        window: usize,
    },
}

/// What becomes of a game that is longer than a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LongGames {
    /// It is split into pieces that fill a row each, and a last one. Each piece is a document of its
    /// own, whose positions begin at 0.
    Split,
    /// It is cut: its first tokens fill a row, the others are left out.
    Cut,
}

impl DocumentOptions {
    /// The longest row.
    pub const MAX_BLOCK: usize = 1 << 20;

    /// Rows of `block` tokens. Unless something else is asked for, the longest game of the next 1024
    /// that fits comes next, and longer games are split.
    #[must_use]
    pub const fn new(block: usize) -> Self {
        Self {
            block,
            fit: Fit::Best { window: 1024 },
            long_games: LongGames::Split,
        }
    }

    /// Which game comes into a row next.
    #[must_use]
    pub const fn fit(self, fit: Fit) -> Self {
        Self { fit, ..self }
    }

    /// What becomes of a game that is longer than a row.
    #[must_use]
    pub const fn long_games(self, long_games: LongGames) -> Self {
        Self { long_games, ..self }
    }

    const fn check(&self) -> Result<(), DocumentError> {
        if self.block < 2 || self.block > Self::MAX_BLOCK {
            return Err(DocumentError::Block { found: self.block });
        }
        if let Fit::Best { window: 0 } = self.fit {
            return Err(DocumentError::Window);
        }
        Ok(())
    }
}

/// Why games cannot be put into rows.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// Rows are too short to predict anything in, or too long.
    #[error(
        "block is {found} tokens, expected 2 to {}",
        DocumentOptions::MAX_BLOCK
    )]
    Block {
        /// How many tokens a row would have.
        found: usize,
    },
    /// [`Fit::Best`] without a game to look at.
    #[error("window is 0 games, expected at least 1")]
    Window,
    /// So many tokens cannot be planned for.
    #[error("the pack has {found} tokens, expected at most {}", Piece::MOST_TOKENS)]
    TooManyTokens {
        /// How many tokens.
        found: u64,
    },
    /// A game starts where it cannot.
    #[error(transparent)]
    Fault(#[from] PackFault),
}

/// Rows of `block` tokens that hold whole games, as many as fit, and padding: a dataset for training in
/// which no game sees another.
///
/// A row has for each of its places
/// - `x`: a token, or padding,
/// - `y`: the token that comes next in the same game; padding after its last token. Where a game longer
///   than a row is split or cut, the last token of a piece still has its successor here: of every row's
///   tokens, each that begins no game is predicted once,
/// - `documents`: 1 for the tokens of the row's first game, 2 for those of the second and so on, 0 for
///   padding: a token attends to those with its own number,
/// - `positions`: the token's place in its game, from 0 on; 0 for padding.
///
/// Which games make up a row depends on the pack and the options alone. It is worked out when the
/// dataset is made, from the starts of all games, and takes 8 bytes a game and a row.
#[derive(Clone, Debug)]
pub struct PackedDocuments<T = u16> {
    pack: Arc<TokenPack>,
    block: usize,
    plan: Plan,
    elements: PhantomData<fn() -> T>,
}

impl<T: TokenElement> PackedDocuments<T> {
    /// How many rows make a [block](Dataset::block); the last may have fewer.
    pub const ROWS_PER_BLOCK: u64 = 4096;

    /// Puts the games of a pack into rows.
    ///
    /// # Errors
    ///
    /// When rows are under 2 tokens long or over [`DocumentOptions::MAX_BLOCK`], when no games are to
    /// be looked at, when the pack has over 2^40 tokens, or when a game starts where it cannot.
    pub fn new(pack: Arc<TokenPack>, options: DocumentOptions) -> Result<Self, DocumentError> {
        options.check()?;
        let plan = Plan::new(&pack, options)?;
        Ok(Self {
            pack,
            block: options.block,
            plan,
            elements: PhantomData,
        })
    }

    /// How many tokens a row has room for.
    #[must_use]
    pub const fn row_len(&self) -> usize {
        self.block
    }

    /// Which share of all rows is tokens and not padding, 0 to 1; 1 where there are no rows.
    #[must_use]
    pub fn filled(&self) -> f64 {
        match self.plan.rows() {
            0 => 1.0,
            rows => self.plan.tokens() as f64 / (rows as f64 * self.block as f64),
        }
    }
}

impl<T: TokenElement> Dataset for PackedDocuments<T> {
    type Batch = DocumentBatch<T>;

    fn len(&self) -> u64 {
        self.plan.rows()
    }

    fn gather(&self, indices: &[u64], batch: &mut DocumentBatch<T>) -> Result<(), DatasetError> {
        /// How many rows before it is needed one is asked for.
        const AHEAD: usize = 4;
        let len = self.len();
        batch.resize(indices.len(), self.block);
        let tokens = self.pack.tokens();
        for (number, (&index, row)) in indices.iter().zip(batch.rows_mut()).enumerate() {
            let pieces = self.plan.row(index);
            let pieces = pieces.ok_or(DatasetError::OutOfRange { index, len })?;
            let ahead = indices.get(number + AHEAD).copied();
            let ahead = ahead
                .and_then(|index| self.plan.row(index))
                .unwrap_or_default();
            for piece in ahead {
                prefetch(tokens, piece.start(), piece.len());
            }
            fill_row(tokens, pieces, row);
        }
        Ok(())
    }

    fn block_count(&self) -> u64 {
        self.len().div_ceil(Self::ROWS_PER_BLOCK)
    }

    fn block(&self, block: u64) -> Range<u64> {
        let count = self.block_count();
        assert!(block < count, "block {block} of {count}");
        let start = block * Self::ROWS_PER_BLOCK;
        start..self.len().min(start + Self::ROWS_PER_BLOCK)
    }

    /// A row holds games, or pieces of them.
    fn game_start(&self, index: u64) -> Option<bool> {
        assert!(index < self.len(), "row {index} of {}", self.len());
        None
    }
}

fn fill_row<T: TokenElement>(tokens: &[u16], pieces: &[Piece], mut row: Row<'_, T>) {
    for (piece, document) in pieces.iter().zip(1..) {
        let (range, next) = (piece.tokens(), piece.next());
        row.push(&tokens[range], next.map(|next| tokens[next]), document);
    }
    row.pad();
}

#[cfg(test)]
mod tests;
