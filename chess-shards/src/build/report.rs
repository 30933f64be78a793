//! What became of the games of a source.

use chess_records::LeftOutGames;
use serde::{Deserialize, Serialize};

use crate::ShardInfo;

/// The contents of `build_report.json`: what became of the games of the source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::exhaustive_structs)]
pub struct BuildReport {
    /// How many games count and were numbered.
    pub games: u64,
    /// How many were left out before that. `None` if the source was not read to its end.
    pub left_out: Option<LeftOutGames>,
    /// How many of the numbered games have fewer than 2 plies.
    pub skipped_games: u64,
    /// How many are outside of the Elo bounds.
    pub filtered_games: u64,
    /// How many of the games drawn from end early at a move that cannot be played.
    pub bad_push_games: u64,
    /// How many rows all shards have together.
    pub samples: u64,
    /// How many of them had more legal moves than are written.
    pub overflow_samples: u64,
}

impl BuildReport {
    /// The name of the file beside `meta.json`.
    pub const FILE_NAME: &str = "build_report.json";

    pub(super) fn new<'a>(
        games: u64,
        left_out: Option<LeftOutGames>,
        shards: impl IntoIterator<Item = &'a ShardInfo>,
    ) -> Self {
        let mut report = Self {
            games,
            left_out,
            skipped_games: 0,
            filtered_games: 0,
            bad_push_games: 0,
            samples: 0,
            overflow_samples: 0,
        };
        for shard in shards {
            report.skipped_games += shard.num_skipped_games;
            report.filtered_games += shard.num_filtered_games;
            report.bad_push_games += shard.num_bad_push;
            report.samples += shard.num_samples;
            report.overflow_samples += shard.num_overflow;
        }
        report
    }
}
