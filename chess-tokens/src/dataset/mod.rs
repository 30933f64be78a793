//! Sequences for training, gathered from packs.
//!
//! | | a sample is | made for |
//! |---|---|---|
//! | [`Windows`] | a stretch of tokens from a game's start or a fixed place, which may run into the next game | the usual training of a language model |
//! | [`MixedWindows`] | the same, of several packs by weight | several sources |
//! | [`PackedDocuments`] | a row filled with whole games, and which token is of which game | attention that stays inside a game |
//! | [`TokenBudget`] | as many whole games as fit a number of tokens, padded to the longest | batches of equal cost |
//!
//! Each is a [`Dataset`](chess_records::Dataset), so that a [`Sampler`](chess_records::Sampler) deals
//! its samples to ranks and a [`Loader`](chess_records::Loader) gathers them on threads and goes on
//! where it stopped. Tokens are gathered as u16, i32 or i64.

mod budget;
mod documents;
mod element;
mod origins;
mod prefetch;
mod windows;

pub use budget::{BudgetError, BudgetOrder, PaddedBatch, TokenBudget};
pub use documents::{
    DocumentBatch, DocumentError, DocumentOptions, Fit, LongGames, PackedDocuments,
};
pub use element::TokenElement;
pub use origins::{WindowMode, WindowOrigin, WindowOrigins};
pub use windows::{MixedWindows, WindowBatch, WindowError, Windows, WindowsEndToEnd};

use chess_records::DatasetError;

use crate::pack::PackFault;

/// A fault of a pack, met while sample `index` was gathered.
fn record_error(fault: PackFault) -> DatasetError {
    DatasetError::Record {
        index: fault.index,
        byte_offset: fault.byte_offset,
        source: Box::new(fault),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::pack::TokenPack;
    use chess_records::npy::{Literal, to_bytes};
    use chess_records::{Dataset, Sampler, SamplerConfig};
    use std::sync::Arc;

    fn column(descr: &str, rows: usize, data: Vec<u8>) -> Vec<u8> {
        let header = to_bytes(&Literal::Text(descr.into()), &[rows as u64]);
        [header, data].concat()
    }

    /// A pack of these games with these starts.
    pub(crate) fn pack_with(starts: &[i64], tokens: &[u16]) -> Arc<TokenPack> {
        let hash = "0".repeat(64);
        let (n_games, n_tokens) = (starts.len(), tokens.len());
        let meta = format!(
            r#"{{"n_games": {n_games}, "n_tokens": {n_tokens}, "scheme": "uci", "vocab_size": 65536,
                "vocab_hash": "{hash}", "source": "test"}}"#
        );
        let data = tokens.iter().flat_map(|token| token.to_le_bytes());
        let tokens = column("<u2", n_tokens, data.collect());
        let data = starts.iter().flat_map(|start| start.to_le_bytes());
        let starts = column("<i8", n_games, data.collect());
        Arc::new(TokenPack::from_bytes(meta, tokens, starts).unwrap())
    }

    /// A pack of games of these lengths, which are 2 at least. The tokens of game `g` are `<bos>`, then
    /// 1000 `g` + 1, 1000 `g` + 2 and so on, and `<eos>`.
    pub(crate) fn pack(lens: &[usize]) -> Arc<TokenPack> {
        let (mut starts, mut tokens) = (Vec::new(), Vec::new());
        for (game, &len) in lens.iter().enumerate() {
            starts.push(tokens.len() as i64);
            tokens.push(1);
            tokens.extend((1..len - 1).map(|token| (1000 * game + token) as u16));
            tokens.push(2);
        }
        pack_with(&starts, &tokens)
    }

    /// What the trait says of blocks.
    pub(crate) fn assert_blocks_hold_everything(dataset: &impl Dataset) {
        let mut next = 0;
        for block in 0..dataset.block_count() {
            let samples = dataset.block(block);
            assert_eq!(samples.start, next, "block {block}");
            assert!(!samples.is_empty(), "block {block} is empty");
            next = samples.end;
        }
        assert_eq!(next, dataset.len());
    }

    /// All samples of an epoch, dealt to three ranks; sorted.
    pub(crate) fn dealt(dataset: &impl Dataset) -> Vec<u64> {
        let mut seen = Vec::new();
        for rank in 0..3 {
            let config = SamplerConfig::new(4).seed(9).rank(rank, 3);
            for selection in Sampler::new(dataset, config).unwrap() {
                seen.extend_from_slice(selection.samples());
            }
        }
        seen.sort_unstable();
        seen
    }
}
