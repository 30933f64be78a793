//! Whether shards, and with them splits, share games.

use std::ops::Range;

use crate::{Meta, SplitName};

/// Games that two shards have both, as `meta.json` says. Where they are of different splits, what a
/// network is judged by is what it was trained on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GameOverlap {
    /// The ids of the shards, the one whose games begin first before the other.
    pub shards: [u64; 2],
    /// Their splits.
    pub splits: [Option<SplitName>; 2],
    /// The games.
    pub games: Range<u64>,
}

impl Meta {
    /// The split of a shard.
    #[must_use]
    pub fn split_of(&self, shard_id: u64) -> Option<SplitName> {
        let has = |split: &SplitName| self.splits.ids(*split).contains(&shard_id);
        SplitName::ALL.into_iter().find(has)
    }

    /// All pairs of shards that have games in common. Sound sets have none.
    #[must_use]
    pub fn game_overlaps(&self) -> Vec<GameOverlap> {
        let mut shards: Vec<_> = self.shards.iter().collect();
        shards.sort_by_key(|shard| (shard.game_start, shard.game_end));
        let mut overlaps = Vec::new();
        for (place, first) in shards.iter().enumerate() {
            let later = shards[place + 1..].iter();
            for second in later.take_while(|second| second.game_start < first.game_end) {
                let games = second.game_start..first.game_end.min(second.game_end);
                if !games.is_empty() {
                    let shards = [first.shard_id, second.shard_id];
                    overlaps.push(GameOverlap {
                        shards,
                        splits: shards.map(|shard_id| self.split_of(shard_id)),
                        games,
                    });
                }
            }
        }
        overlaps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_that_share_games() {
        let text = include_str!("../../tests/golden/flat/meta.json");
        let mut meta = Meta::from_json(text).unwrap();
        assert_eq!(meta.game_overlaps(), []);
        assert_eq!(meta.split_of(2), Some(SplitName::Test));
        meta.splits.val.clear();
        // Shard 0 ends at game 46, where shard 1 begins.
        meta.shards[0].game_end = 50;
        meta.shards[3].game_start = 160;
        meta.shards[3].game_end = 160;
        assert_eq!(
            meta.game_overlaps(),
            [GameOverlap {
                shards: [0, 1],
                splits: [Some(SplitName::Train), None],
                games: 46..50,
            }]
        );
    }
}
