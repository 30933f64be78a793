//! Where windows begin.

use std::ops::Range;
use std::sync::Arc;

use chess_records::{Dataset, DatasetError, Permutation};

use super::prefetch::prefetch_one;
use super::record_error;
use crate::pack::TokenPack;

/// Where the windows of a pack begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WindowMode {
    /// Each at the start of a game: as many windows as games.
    Games,
    /// One after the other, from the first token on: max(1, tokens div block) windows, the tokens that
    /// fill none left out; none of a pack without games.
    Blocks,
}

/// Where a window begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WindowOrigin {
    /// The number of the pack, among those of the dataset.
    pub(super) pack: u32,
    /// The number of the token.
    pub(super) token: usize,
}

/// Where the windows of a pack begin, as a dataset: what [`Windows`](super::Windows) and its mixtures
/// choose from.
#[derive(Clone, Debug)]
pub struct WindowOrigins {
    pack: Arc<TokenPack>,
    number: u32,
    block: u64,
    mode: WindowMode,
    len: u64,
    order: Option<Permutation>,
}

impl WindowOrigins {
    /// How many windows make a [block](Dataset::block); the last may have fewer.
    pub const WINDOWS_PER_BLOCK: u64 = 4096;

    pub(super) fn new(pack: Arc<TokenPack>, number: u32, block: usize, mode: WindowMode) -> Self {
        let (block, n_tokens) = (block as u64, pack.tokens().len() as u64);
        let len = match mode {
            WindowMode::Games => pack.len(),
            WindowMode::Blocks if n_tokens == 0 => 0,
            WindowMode::Blocks => (n_tokens / block).max(1),
        };
        Self {
            pack,
            number,
            block,
            mode,
            len,
            order: None,
        }
    }

    /// The same windows in the order of a seed.
    pub(super) fn shuffled(self, seed: u64) -> Self {
        let order = Some(Permutation::new(self.len, seed));
        Self { order, ..self }
    }

    /// The window in the order of the pack.
    fn place(&self, index: u64) -> u64 {
        let place = self.order.and_then(|order| order.get(index));
        place.unwrap_or(index)
    }

    fn origin(&self, index: u64) -> Result<WindowOrigin, DatasetError> {
        let len = self.len;
        if index >= len {
            return Err(DatasetError::OutOfRange { index, len });
        }
        let place = self.place(index);
        let token = match self.mode {
            WindowMode::Games => {
                let start = self.pack.starts()[place as usize];
                self.pack.token_index(place, start).map_err(record_error)?
            }
            WindowMode::Blocks => (place * self.block) as usize,
        };
        let pack = self.number;
        Ok(WindowOrigin { pack, token })
    }
}

impl Dataset for WindowOrigins {
    type Batch = Vec<WindowOrigin>;

    fn len(&self) -> u64 {
        self.len
    }

    fn gather(&self, indices: &[u64], batch: &mut Vec<WindowOrigin>) -> Result<(), DatasetError> {
        /// How many windows before it is needed a start is asked for.
        const AHEAD: usize = 16;
        batch.clear();
        batch.reserve(indices.len());
        for (slot, &index) in indices.iter().enumerate() {
            if let Some(&ahead) = indices.get(slot + AHEAD)
                && self.mode == WindowMode::Games
            {
                prefetch_one(self.pack.starts(), self.place(ahead));
            }
            batch.push(self.origin(index)?);
        }
        Ok(())
    }

    fn block_count(&self) -> u64 {
        self.len.div_ceil(Self::WINDOWS_PER_BLOCK)
    }

    fn block(&self, block: u64) -> Range<u64> {
        let count = self.block_count();
        assert!(block < count, "block {block} of {count}");
        let start = block * Self::WINDOWS_PER_BLOCK;
        start..self.len.min(start + Self::WINDOWS_PER_BLOCK)
    }

    /// Windows that begin at games are one for each; others hold pieces of them.
    fn game_start(&self, index: u64) -> Option<bool> {
        assert!(index < self.len, "window {index} of {}", self.len);
        match self.mode {
            WindowMode::Games => Some(true),
            WindowMode::Blocks => None,
        }
    }
}
