//! Windows over the tokens of packs.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use chess_records::ops::{InterleaveError, Interleaved};
use chess_records::{Concat, Dataset, DatasetError};
use thiserror::Error;

use super::prefetch::prefetch;
use super::{TokenElement, WindowMode, WindowOrigin, WindowOrigins};
use crate::pack::TokenPack;
use crate::tokenizer::PAD;

/// Stretches of `block` tokens, each with what comes next: a dataset of rows `x` and `y`.
///
/// A window that begins at token `o` has `x[j]` = token `o + j` and `y[j]` = token `o + j + 1`, but the
/// last `y` is padding, and so is everything past the pack's last token. Windows do not stop at the
/// end of a game: what follows it is the next game's start.
///
/// ```
/// use std::sync::Arc;
/// use chess_records::{Loader, LoaderConfig, Sampler, SamplerConfig};
/// use chess_tokens::dataset::{WindowMode, Windows};
/// use chess_tokens::pack::TokenPack;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/uci");
/// let pack = Arc::new(TokenPack::read(folder)?);
/// let windows = Windows::<i64>::new(pack, 200, WindowMode::Games)?;
/// let sampler = Sampler::new(windows, SamplerConfig::new(32).seed(7))?;
/// for batch in Loader::new(sampler, LoaderConfig::new(1))? {
///     let batch = batch?;
///     let (x, y) = (batch.data.x(), batch.data.y()); // 32 rows of 200 each
///     assert_eq!((x[0], x[1]), (1, y[0])); // <bos>, and what comes next
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Windows<T = u16, S = WindowOrigins> {
    packs: Vec<Arc<TokenPack>>,
    block: usize,
    origins: S,
    elements: PhantomData<fn() -> T>,
}

/// Windows over several packs, those of the first before those of the second and so on.
pub type WindowsEndToEnd<T = u16> = Windows<T, Concat<WindowOrigins>>;

/// Windows over several packs, mixed by weight.
pub type MixedWindows<T = u16> = Windows<T, Interleaved<WindowOrigins>>;

/// Why there are no such windows.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WindowError {
    /// Windows of one token have nothing to predict.
    #[error("block is {found} tokens, expected at least 2")]
    Block {
        /// How many tokens a window would have.
        found: usize,
    },
    /// A weight is too large.
    #[error("the packs cannot be mixed")]
    Mix(#[from] InterleaveError),
}

impl<T: TokenElement> Windows<T> {
    /// Windows of `block` tokens over a pack.
    ///
    /// # Errors
    ///
    /// When a window would have fewer than two tokens.
    pub fn new(pack: Arc<TokenPack>, block: usize, mode: WindowMode) -> Result<Self, WindowError> {
        check_block(block)?;
        let origins = WindowOrigins::new(Arc::clone(&pack), 0, block, mode);
        Ok(Self::over(vec![pack], block, origins))
    }
}

impl<T: TokenElement> WindowsEndToEnd<T> {
    /// Windows of `block` tokens over several packs. Errors call each by its folder.
    ///
    /// # Errors
    ///
    /// When a window would have fewer than two tokens.
    pub fn end_to_end(
        packs: impl IntoIterator<Item = Arc<TokenPack>>,
        block: usize,
        mode: WindowMode,
    ) -> Result<Self, WindowError> {
        check_block(block)?;
        let packs: Vec<_> = packs.into_iter().collect();
        let origins = packs.iter().zip(0..).map(|(pack, number)| {
            let origins = WindowOrigins::new(Arc::clone(pack), number, block, mode);
            (name(pack), origins)
        });
        let origins = Concat::named(origins);
        Ok(Self::over(packs, block, origins))
    }
}

impl<T: TokenElement> MixedWindows<T> {
    /// Windows of `block` tokens over several packs with their weights, in the order of an
    /// [`InterleaveOrder`](chess_records::ops::InterleaveOrder): each stretch of samples has its share
    /// of each pack, and the samples end where a pack runs out. Of the others, which windows
    /// take part is then drawn by `seed`, so that another seed, for another epoch, takes others.
    /// Errors call each pack by its folder.
    ///
    /// # Errors
    ///
    /// When a window would have fewer than two tokens, or a weight is too large.
    pub fn mixed(
        packs: impl IntoIterator<Item = (Arc<TokenPack>, u64)>,
        block: usize,
        mode: WindowMode,
        seed: u64,
    ) -> Result<Self, WindowError> {
        check_block(block)?;
        let (packs, weights): (Vec<_>, Vec<_>) = packs.into_iter().unzip();
        let origins = packs.iter().zip(weights).zip(0..);
        let origins = origins.map(|((pack, weight), number)| {
            let origins = WindowOrigins::new(Arc::clone(pack), number, block, mode);
            let seed = seed.wrapping_add(number.into());
            (name(pack), origins.shuffled(seed), weight)
        });
        let origins = Interleaved::new(origins)?;
        Ok(Self::over(packs, block, origins))
    }
}

fn name(pack: &TokenPack) -> String {
    pack.folder().display().to_string()
}

const fn check_block(found: usize) -> Result<(), WindowError> {
    match found {
        0 | 1 => Err(WindowError::Block { found }),
        _ => Ok(()),
    }
}

impl<T: TokenElement, S: Dataset<Batch = Vec<WindowOrigin>>> Windows<T, S> {
    const fn over(packs: Vec<Arc<TokenPack>>, block: usize, origins: S) -> Self {
        Self {
            packs,
            block,
            origins,
            elements: PhantomData,
        }
    }

    /// How many tokens a window has.
    #[must_use]
    pub const fn window_len(&self) -> usize {
        self.block
    }

    /// The packs.
    #[must_use]
    pub fn packs(&self) -> &[Arc<TokenPack>] {
        &self.packs
    }

    /// Gathers windows into the caller's buffers: row after row, each of `block` elements.
    ///
    /// # Errors
    ///
    /// As [`Dataset::gather`].
    ///
    /// # Panics
    ///
    /// When the buffers have not the length of as many windows as there are indices.
    pub fn gather_into(
        &self,
        indices: &[u64],
        x: &mut [T],
        y: &mut [T],
    ) -> Result<(), DatasetError> {
        let expected = indices.len() * self.block;
        assert_eq!(x.len(), expected, "the length of x");
        assert_eq!(y.len(), expected, "the length of y");
        let mut origins = Vec::new();
        self.origins.gather(indices, &mut origins)?;
        self.fill(&origins, x, y);
        Ok(())
    }

    fn fill(&self, origins: &[WindowOrigin], x: &mut [T], y: &mut [T]) {
        /// How many windows before it is needed one is asked for.
        const AHEAD: usize = 6;
        let packs: Vec<_> = self.packs.iter().map(|pack| pack.tokens()).collect();
        let rows = x.chunks_exact_mut(self.block);
        let rows = rows.zip(y.chunks_exact_mut(self.block));
        for (row, (x, y)) in rows.enumerate() {
            if let Some(ahead) = origins.get(row + AHEAD) {
                prefetch(packs[ahead.pack as usize], ahead.token, self.block);
            }
            let origin = origins[row];
            fill_window(&packs[origin.pack as usize][origin.token..], x, y);
        }
    }
}

/// A window over the first tokens, as far as there are any. Both rows come from the tokens: what was
/// just written is not quickly read again a step aside.
fn fill_window<T: TokenElement>(tokens: &[u16], x: &mut [T], y: &mut [T]) {
    let there = tokens.len().min(x.len());
    let tokens = &tokens[..there];
    // What comes after the window is not looked at.
    let next = tokens.get(1..).unwrap_or_default();
    let pad = T::from_token(PAD);
    T::from_tokens(tokens, &mut x[..there]);
    x[there..].fill(pad);
    T::from_tokens(next, &mut y[..next.len()]);
    y[next.len()..].fill(pad);
}

impl<T: TokenElement, S: Dataset<Batch = Vec<WindowOrigin>>> Dataset for Windows<T, S> {
    type Batch = WindowBatch<T>;

    fn len(&self) -> u64 {
        self.origins.len()
    }

    /// # Errors
    ///
    /// [`DatasetError::OutOfRange`] for an index past the end, and [`DatasetError::Record`] for a game
    /// that starts where it cannot.
    fn gather(&self, indices: &[u64], batch: &mut WindowBatch<T>) -> Result<(), DatasetError> {
        self.origins.gather(indices, &mut batch.origins)?;
        let len = indices.len() * self.block;
        batch.block = self.block;
        batch.x.resize(len, T::default());
        batch.y.resize(len, T::default());
        self.fill(&batch.origins, &mut batch.x, &mut batch.y);
        Ok(())
    }

    fn block_count(&self) -> u64 {
        self.origins.block_count()
    }

    fn block(&self, block: u64) -> Range<u64> {
        self.origins.block(block)
    }

    fn game_start(&self, index: u64) -> Option<bool> {
        self.origins.game_start(index)
    }
}

/// Rows of tokens and of what comes next, as many elements each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WindowBatch<T> {
    block: usize,
    x: Vec<T>,
    y: Vec<T>,
    origins: Vec<WindowOrigin>,
}

impl<T> WindowBatch<T> {
    /// How many rows there are.
    #[must_use]
    pub const fn rows(&self) -> usize {
        self.origins.len()
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

    /// For each token the one that comes next, or padding.
    #[must_use]
    pub fn y(&self) -> &[T] {
        &self.y
    }
}

#[cfg(test)]
mod tests;
