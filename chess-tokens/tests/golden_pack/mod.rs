//! Packs in `tests/golden/`, read in the plainest way.
#![allow(dead_code)] // Not every test uses everything.

use std::path::PathBuf;

use chess_records::Game;
use chess_tokens::Tokenizer;
use chess_tokens::tokenizer::UciTokenizer;
use serde_json::Value;

/// The bytes of a golden file.
pub(crate) fn read(name: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let path = folder.join(name);
    std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The games of a golden `uci` pack. Their ratings are the lower bounds of the bands.
pub(crate) fn uci_games(name: &str) -> Vec<Game> {
    let pack = GoldenPack::open(name);
    let games = pack
        .games()
        .map(|tokens| UciTokenizer::new().decode(tokens));
    games.collect::<Result<_, _>>().unwrap()
}

/// A golden pack.
pub(crate) struct GoldenPack {
    tokens: Vec<u16>,
    starts: Vec<usize>,
    meta: Value,
}

impl GoldenPack {
    pub(crate) fn open(name: &str) -> Self {
        let tokens = numbers::<2>(&read(&format!("{name}/tokens.npy")));
        let starts = numbers::<8>(&read(&format!("{name}/starts.npy")));
        Self {
            tokens: tokens.into_iter().map(|token| token as u16).collect(),
            starts: starts.into_iter().map(|start| start as usize).collect(),
            meta: serde_json::from_slice(&read(&format!("{name}/meta.json"))).unwrap(),
        }
    }

    /// The tokens of each game.
    pub(crate) fn games(&self) -> impl Iterator<Item = &[u16]> {
        let ends = self.starts[1..].iter().copied().chain([self.tokens.len()]);
        let starts = self.starts.iter().copied();
        starts
            .zip(ends)
            .map(|(start, end)| &self.tokens[start..end])
    }

    pub(crate) fn vocab_hash(&self) -> &str {
        self.meta["vocab_hash"].as_str().unwrap()
    }

    pub(crate) fn vocab_size(&self) -> u64 {
        self.meta["vocab_size"].as_u64().unwrap()
    }
}

/// The little-endian numbers of an npy file of version 1.
fn numbers<const BYTES: usize>(npy: &[u8]) -> Vec<u64> {
    let header = usize::from(u16::from_le_bytes([npy[8], npy[9]]));
    let (items, rest) = npy[10 + header..].as_chunks::<BYTES>();
    assert!(rest.is_empty());
    let widened = items.iter().map(|item| {
        let mut bytes = [0; 8];
        bytes[..BYTES].copy_from_slice(item);
        u64::from_le_bytes(bytes)
    });
    widened.collect()
}
