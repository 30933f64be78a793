//! Rows as they are gathered.

use crate::dataset::TokenElement;
use crate::tokenizer::PAD;

/// Rows of games, with which token is of which; as many elements each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentBatch<T> {
    rows: usize,
    block: usize,
    x: Vec<T>,
    y: Vec<T>,
    documents: Vec<i32>,
    positions: Vec<i32>,
}

impl<T> DocumentBatch<T> {
    /// How many rows there are.
    #[must_use]
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// How many elements a row has.
    #[must_use]
    pub const fn block(&self) -> usize {
        self.block
    }

    /// The tokens, row after row.
    #[must_use]
    pub fn x(&self) -> &[T] {
        &self.x
    }

    /// For each token the one that comes next in its game, or padding.
    #[must_use]
    pub fn y(&self) -> &[T] {
        &self.y
    }

    /// For each token the number of its game in the row, from 1 on; 0 for padding.
    #[must_use]
    pub fn documents(&self) -> &[i32] {
        &self.documents
    }

    /// For each token its place in its game, or in the piece of its game, from 0 on; 0 for padding.
    #[must_use]
    pub fn positions(&self) -> &[i32] {
        &self.positions
    }
}

impl<T: TokenElement> DocumentBatch<T> {
    pub(super) fn resize(&mut self, rows: usize, block: usize) {
        (self.rows, self.block) = (rows, block);
        let len = rows * block;
        self.x.resize(len, T::default());
        self.y.resize(len, T::default());
        self.documents.resize(len, 0);
        self.positions.resize(len, 0);
    }

    /// Rows to be filled.
    pub(super) fn rows_mut(&mut self) -> impl Iterator<Item = Row<'_, T>> {
        let block = self.block;
        let tokens = self.x.chunks_exact_mut(block);
        let tokens = tokens.zip(self.y.chunks_exact_mut(block));
        let places = self.documents.chunks_exact_mut(block);
        let places = places.zip(self.positions.chunks_exact_mut(block));
        tokens
            .zip(places)
            .map(|((x, y), (documents, positions))| Row {
                x,
                y,
                documents,
                positions,
            })
    }
}

/// What is left of a row.
pub(super) struct Row<'a, T> {
    x: &'a mut [T],
    y: &'a mut [T],
    documents: &'a mut [i32],
    positions: &'a mut [i32],
}

impl<'a, T: TokenElement> Row<'a, T> {
    /// Fills the next places with the tokens of a game, which are at least one; `next` is what follows
    /// them in the game.
    pub(super) fn push(&mut self, tokens: &[u16], next: Option<u16>, document: i32) {
        let len = tokens.len();
        let row = self.take(len);
        T::from_tokens(tokens, row.x);
        T::from_tokens(&tokens[1..], &mut row.y[..len - 1]);
        row.y[len - 1] = T::from_token(next.unwrap_or(PAD));
        row.documents.fill(document);
        for (position, place) in row.positions.iter_mut().zip(0..) {
            *position = place;
        }
    }

    /// Fills what is left with padding.
    pub(super) fn pad(self) {
        let pad = T::from_token(PAD);
        self.x.fill(pad);
        self.y.fill(pad);
        self.documents.fill(0);
        self.positions.fill(0);
    }

    /// The next places.
    fn take(&mut self, len: usize) -> Row<'a, T> {
        Row {
            x: take(&mut self.x, len),
            y: take(&mut self.y, len),
            documents: take(&mut self.documents, len),
            positions: take(&mut self.positions, len),
        }
    }
}

fn take<'a, T>(left: &mut &'a mut [T], len: usize) -> &'a mut [T] {
    let (first, rest) = std::mem::take(left).split_at_mut(len);
    *left = rest;
    first
}
