//! At which plies a sampler would stand that draws from games as it trains.

use std::ops::ControlFlow;

use super::options::admits;
use super::source::{Reading, Source, SourceError};
use crate::{Meta, PlyDistribution};

/// What a sampler that draws from games as it trains would draw, and from how many games that was told.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct OnlinePlies {
    /// How likely each ply is.
    pub distribution: PlyDistribution,
    /// How many games were numbered, those that are too short or outside of the Elo bounds among them.
    /// Fewer than [`Meta::source_games`] where the source is not that of the set.
    pub games: u64,
}

impl Meta {
    /// The distribution of plies of a sampler that draws one position of every game of the set each time
    /// it comes by, with the set's weights and bounds: what [`PlyHistogram`](crate::PlyHistogram) is
    /// compared with. `source` has the games that the set was built from; those after the last that the
    /// set has are not looked at.
    ///
    /// `progress` is told how many games were read, and may stop it there.
    ///
    /// # Errors
    ///
    /// When games cannot be read.
    pub fn online_plies(
        &self,
        source: &Source<'_>,
        progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<OnlinePlies, SourceError> {
        let mut online = OnlinePlies {
            distribution: PlyDistribution::new(),
            games: 0,
        };
        let skip = usize::try_from(self.skip_opening_plies).unwrap_or(usize::MAX);
        for block in source.blocks() {
            let games = block?.read(Reading {
                needs_elos: self.min_elo.is_some() || self.max_elo.is_some(),
                keep: true,
                most: self.source_games - online.games,
            });
            online.games += games.count;
            for game in games.games {
                if admits(self.min_elo, self.max_elo, game.elos()) {
                    let distribution = &mut online.distribution;
                    distribution.add_game(game.plies, skip, self.sample_weighting);
                }
            }
            if online.games == self.source_games || progress(online.games).is_break() {
                break;
            }
        }
        Ok(online)
    }
}
