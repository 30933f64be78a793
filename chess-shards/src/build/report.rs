//! What became of the games of a source.

use serde::{Deserialize, Serialize};

use super::pgn::LeftOut;
use crate::ShardInfo;

/// How many games were left out before games were numbered, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::exhaustive_structs)]
#[serde(deny_unknown_fields)]
pub struct LeftOutGames {
    /// A `Variant` tag other than `Standard`.
    pub variant: u64,
    /// A start of its own: a `FEN` tag.
    pub start: u64,
    /// A result other than 1-0, 0-1 and 1/2-1/2.
    pub result: u64,
    /// An Elo is missing, and there are bounds.
    pub missing_elo: u64,
    /// A move that is not legal, in the game or a variation.
    pub illegal_move: u64,
    /// A move that is written so that more than one legal move is meant.
    pub ambiguous_move: u64,
    /// Something in the place of a move: a null move, a piece put on the board, a result within a
    /// variation; or a row without moves.
    pub no_move: u64,
    /// More than 65,536 plies, or variations more than 64 deep.
    pub too_long: u64,
}

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

impl LeftOutGames {
    /// How many in all.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.variant
            + self.start
            + self.result
            + self.missing_elo
            + self.illegal_move
            + self.ambiguous_move
            + self.no_move
            + self.too_long
    }

    pub(super) fn add(&mut self, reason: LeftOut) {
        *match reason {
            LeftOut::Variant => &mut self.variant,
            LeftOut::Start => &mut self.start,
            LeftOut::Result => &mut self.result,
            LeftOut::MissingElo => &mut self.missing_elo,
            LeftOut::IllegalMove => &mut self.illegal_move,
            LeftOut::AmbiguousMove => &mut self.ambiguous_move,
            LeftOut::NoMove => &mut self.no_move,
            LeftOut::TooLong => &mut self.too_long,
        } += 1;
    }

    pub(super) const fn merge(&mut self, other: &Self) {
        self.variant += other.variant;
        self.start += other.start;
        self.result += other.result;
        self.missing_elo += other.missing_elo;
        self.illegal_move += other.illegal_move;
        self.ambiguous_move += other.ambiguous_move;
        self.no_move += other.no_move;
        self.too_long += other.too_long;
    }
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
