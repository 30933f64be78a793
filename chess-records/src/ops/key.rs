//! What makes two positions the same.

use crate::permutation::mix;
use crate::{GameResult, Label, LabelledPosition, MarlinRecord, Position, Score};

/// Placement, side to move, castling rights and en passant square of a position, the latter
/// [normalised](Position::normalize_en_passant): two positions are the same if their keys are equal.
/// Clocks do not count. Nothing is hashed away: different positions have different keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PositionKey([u8; Self::BYTES]);

impl PositionKey {
    /// The size of a key in bytes.
    pub const BYTES: usize = 25;

    /// The key of a position.
    ///
    /// It is the beginning of the position's [`MarlinRecord`]: occupied squares, piece codes (a rook
    /// that may castle has one of its own), side and en passant square.
    #[must_use]
    pub fn new(position: &Position) -> Self {
        let label = Label::new(Some(Score::Centipawns(0)), Some(GameResult::Draw));
        let position = position.normalize_en_passant();
        let record = MarlinRecord::encode(&LabelledPosition { position, label }, 0);
        let record = record.expect("the label has a score and a result");
        let mut key = [0; Self::BYTES];
        key.copy_from_slice(&record.as_bytes()[..Self::BYTES]);
        Self(key)
    }

    pub(super) const fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// The bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }

    /// A hash of the key, the same in every version and on every machine; other seeds give other,
    /// unrelated hashes. Not meant to withstand somebody who looks for collisions.
    #[must_use]
    pub fn hash(&self, seed: u64) -> u64 {
        let (words, last) = self.0.as_chunks::<8>();
        let last = last.iter().copied().map(u64::from);
        let words = words.iter().copied().map(u64::from_le_bytes);
        words.chain(last).fold(mix(seed), |hash, word| {
            mix(hash.wrapping_add(word) ^ hash.rotate_left(32))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn key(fen: &str) -> PositionKey {
        PositionKey::new(&Position::from_fen(fen).unwrap())
    }

    #[test]
    fn clocks_and_idle_en_passant_squares_do_not_count() {
        let base = key("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
        let idle = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 5 9";
        assert_eq!(base, key(idle));
    }

    #[test]
    fn everything_else_counts() {
        let keys = [
            "r3k2r/8/8/8/3pP3/8/8/R3K2R b KQkq e3 0 1",
            "r3k2r/8/8/8/3pP3/8/8/R3K2R b KQkq - 0 1",
            "r3k2r/8/8/8/3pP3/8/8/R3K2R w KQkq - 0 1",
            "r3k2r/8/8/8/3pP3/8/8/R3K2R b KQq - 0 1",
            "r3k2r/8/8/8/3pP3/8/8/R3K2R b KQk - 0 1",
            "r3k2r/8/8/8/3pP3/8/8/R3K2B b Qkq - 0 1",
        ]
        .map(key);
        let hashes: HashSet<u64> = keys.iter().map(|key| key.hash(0)).collect();
        assert_eq!(hashes.len(), keys.len());
        assert!(keys.iter().all(|key| key.hash(0) != key.hash(1)));
        assert_eq!(HashSet::from(keys).len(), keys.len());
        assert_eq!(PositionKey::from_bytes(*keys[0].as_bytes()), keys[0]);
    }

    #[test]
    fn hashes_are_pinned() {
        let start = PositionKey::new(&Position::from_fen(START).unwrap());
        assert_eq!(start.hash(0), PINNED);
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    /// Computed by a second implementation, in another language.
    const PINNED: u64 = 8_491_327_051_972_849_616;
}
