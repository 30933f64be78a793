//! What is to be built.

use std::ops::Range;
use std::thread;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::choice::Draw;
use crate::{SampleMode, SampleWeighting};

/// What is to be built, and how. The names are those of the reference's options and of `meta.json`.
///
/// The same options and the same games give the same bytes, whatever the number of workers, the
/// interruptions and the slices.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct BuildOptions {
    pub(super) drawn: DrawnOptions,
    pub(super) games: Option<u64>,
    pub(super) only: Option<Range<u32>>,
    pub(super) workers: usize,
    pub(super) overwrite: bool,
    pub(super) git_sha: String,
}

/// The options on which the bytes depend.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct DrawnOptions {
    pub(super) k: u32,
    pub(super) num_shards: u32,
    pub(super) val_shards: u32,
    pub(super) test_shards: u32,
    pub(super) seed: u64,
    pub(super) sample_mode: SampleMode,
    pub(super) sample_weighting: SampleWeighting,
    pub(super) skip_opening_plies: u32,
    pub(super) min_elo: Option<i64>,
    pub(super) max_elo: Option<i64>,
    pub(super) limit_games: Option<u64>,
}

/// Why options make no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BuildOptionsError {
    /// No positions are to be drawn.
    #[error("k is 0, expected at least 1 position a game")]
    K,
    /// No shards are to be made.
    #[error("num_shards is 0, expected at least 1")]
    Shards,
    /// No games are to be read.
    #[error("limit_games is 0, expected at least 1 game")]
    LimitGames,
    /// No rating is within the bounds.
    #[error("min_elo {min} is over max_elo {max}")]
    Elo {
        /// The lower bound.
        min: i64,
        /// The upper bound.
        max: i64,
    },
}

impl BuildOptions {
    /// 4 positions a game, none of them twice, of the middlegame more often; 256 shards, two of them to
    /// validate and two to test; seed 0; all games; as many workers as there are processors.
    pub fn new() -> Self {
        Self {
            drawn: DrawnOptions {
                k: 4,
                num_shards: 256,
                val_shards: 2,
                test_shards: 2,
                seed: 0,
                sample_mode: SampleMode::Unique,
                sample_weighting: SampleWeighting::Middlegame,
                skip_opening_plies: 0,
                min_elo: None,
                max_elo: None,
                limit_games: None,
            },
            games: None,
            only: None,
            workers: thread::available_parallelism().map_or(1, usize::from),
            overwrite: false,
            git_sha: "unknown".into(),
        }
    }

    /// So many positions of a game, fewer of games that have not as many.
    pub const fn k(mut self, k: u32) -> Self {
        self.drawn.k = k;
        self
    }

    /// The same as [`k`](Self::k), by the reference's other name.
    pub const fn positions_per_game(self, k: u32) -> Self {
        self.k(k)
    }

    /// So many shards, or as many as there are games if those are fewer.
    pub const fn num_shards(mut self, shards: u32) -> Self {
        self.drawn.num_shards = shards;
        self
    }

    /// So many shards to validate with.
    pub const fn val_shards(mut self, shards: u32) -> Self {
        self.drawn.val_shards = shards;
        self
    }

    /// So many shards to test with.
    pub const fn test_shards(mut self, shards: u32) -> Self {
        self.drawn.test_shards = shards;
        self
    }

    /// The seed of all draws.
    pub const fn seed(mut self, seed: u64) -> Self {
        self.drawn.seed = seed;
        self
    }

    /// Whether a position may be drawn twice.
    pub const fn sample_mode(mut self, mode: SampleMode) -> Self {
        self.drawn.sample_mode = mode;
        self
    }

    /// How likely each ply is.
    pub const fn sample_weighting(mut self, weighting: SampleWeighting) -> Self {
        self.drawn.sample_weighting = weighting;
        self
    }

    /// So many plies at the start of a game are not drawn, if it is long enough.
    pub const fn skip_opening_plies(mut self, plies: u32) -> Self {
        self.drawn.skip_opening_plies = plies;
        self
    }

    /// The lowest mean of both Elos. Where a bound is given, games without both Elos are left out.
    pub const fn min_elo(mut self, elo: Option<i64>) -> Self {
        self.drawn.min_elo = elo;
        self
    }

    /// The highest mean of both Elos. Where a bound is given, games without both Elos are left out.
    pub const fn max_elo(mut self, elo: Option<i64>) -> Self {
        self.drawn.max_elo = elo;
        self
    }

    /// Only the first so many games of those that count.
    pub const fn limit_games(mut self, games: Option<u64>) -> Self {
        self.drawn.limit_games = games;
        self
    }

    /// How many games count, if that is known: it saves the pass that counts them. It must be right,
    /// as the bounds of shards depend on it; a build fails where it turns out not to be.
    pub const fn games(mut self, games: Option<u64>) -> Self {
        self.games = games;
        self
    }

    /// Only these shards of the whole. [`merge`](super::merge) makes one set of slices.
    pub fn only(mut self, shards: Option<Range<u32>>) -> Self {
        self.only = shards;
        self
    }

    /// So many threads encode; another one reads. 0 is as 1, and more than 1,024 are as 1,024.
    pub const fn workers(mut self, workers: usize) -> Self {
        self.workers = workers;
        self
    }

    /// Whether to begin anew where there is a set already, or a part of one. Otherwise a finished part
    /// of the same build is kept, and anything else is refused.
    pub const fn overwrite(mut self, overwrite: bool) -> Self {
        self.overwrite = overwrite;
        self
    }

    /// The revision of the program, for `meta.json`; "unknown" if it is not told.
    pub fn git_sha(mut self, git_sha: impl Into<String>) -> Self {
        self.git_sha = git_sha.into();
        self
    }

    pub(super) fn check(&self) -> Result<(), BuildOptionsError> {
        if self.drawn.k == 0 {
            return Err(BuildOptionsError::K);
        }
        if self.drawn.num_shards == 0 {
            return Err(BuildOptionsError::Shards);
        }
        if self.drawn.limit_games == Some(0) {
            return Err(BuildOptionsError::LimitGames);
        }
        match (self.drawn.min_elo, self.drawn.max_elo) {
            (Some(min), Some(max)) if min > max => Err(BuildOptionsError::Elo { min, max }),
            _ => Ok(()),
        }
    }
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl DrawnOptions {
    pub(super) fn draw(&self) -> Draw {
        Draw {
            k: self.k as usize,
            skip: self.skip_opening_plies as usize,
            weighting: self.sample_weighting,
            repeated: self.sample_mode == SampleMode::Iid,
        }
    }

    /// Games without both Elos are left out.
    pub(super) const fn needs_elos(&self) -> bool {
        self.min_elo.is_some() || self.max_elo.is_some()
    }

    /// Whether the mean of the Elos is within the bounds.
    pub(super) fn admits(&self, elos: Option<(i32, i32)>) -> bool {
        admits(self.min_elo, self.max_elo, elos)
    }
}

/// Whether the mean of the Elos is within the bounds. Games without both Elos are, if there are none.
pub(super) fn admits(min: Option<i64>, max: Option<i64>, elos: Option<(i32, i32)>) -> bool {
    let Some((white, black)) = elos else {
        return min.is_none() && max.is_none();
    };
    // Twice the mean, so that halves are exact.
    let twice = i64::from(white) + i64::from(black);
    min.is_none_or(|min| twice >= min.saturating_mul(2))
        && max.is_none_or(|max| twice <= max.saturating_mul(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elo_bounds_are_of_the_exact_mean() {
        let options = BuildOptions::new().min_elo(Some(1200)).max_elo(Some(2600));
        let admits = |white, black| options.drawn.admits(Some((white, black)));
        assert!(admits(1200, 1200) && admits(2600, 2600) && admits(1100, 1300));
        assert!(!admits(1199, 1200) && !admits(2600, 2601));
        assert!(!options.drawn.admits(None));
        assert!(BuildOptions::new().drawn.admits(None));
        let extreme = BuildOptions::new()
            .min_elo(Some(i64::MIN))
            .max_elo(Some(i64::MAX));
        assert!(extreme.drawn.admits(Some((i32::MIN, i32::MAX))));
    }

    #[test]
    fn options_that_make_no_sense() {
        let error = |options: BuildOptions| options.check().unwrap_err().to_string();
        let new = BuildOptions::new;
        assert_eq!(new().check(), Ok(()));
        assert_eq!(
            error(new().k(0)),
            "k is 0, expected at least 1 position a game"
        );
        assert_eq!(
            error(new().num_shards(0)),
            "num_shards is 0, expected at least 1"
        );
        assert_eq!(
            error(new().limit_games(Some(0))),
            "limit_games is 0, expected at least 1 game"
        );
        assert_eq!(
            error(new().min_elo(Some(2000)).max_elo(Some(1999))),
            "min_elo 2000 is over max_elo 1999"
        );
    }
}
