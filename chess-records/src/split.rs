//! Whole games held out of training.

use std::ops::Range;

use thiserror::Error;

use crate::Dataset;

/// A dataset cut in two at the start of a game, so that no game is on both sides: positions of one
/// game are alike and share a result, and a network tested on games that it was trained on looks
/// better than it is.
///
/// Where games start is the dataset's word. Files of records without games are taken to be in game order
/// after a look at 4096 records: one of which less than a 64th was shuffled may pass, and then some of
/// its games lie on both sides. [`ops::SplitFiles`](crate::ops::SplitFiles) looks at every pair.
///
/// [`Slice`](crate::Slice) makes datasets of the two ranges.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Split {
    /// The samples to train on: all before the held-out ones.
    pub train: Range<u64>,
    /// The samples held out: those of the last games.
    pub held_out: Range<u64>,
    /// How many games there are on both sides together.
    pub games: u64,
    /// How many games are held out.
    pub held_out_games: u64,
}

/// Why games could not be held out.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SplitError {
    /// The share is not between 0 and 1.
    #[error("share of games to hold out is {found}, expected over 0 and under 1")]
    Share {
        /// The share given.
        found: f64,
    },
    /// The dataset is empty.
    #[error("no samples to hold games out of")]
    Empty,
    /// A sample does not tell whether it starts a game.
    #[error(
        "sample {index} does not tell whether a game starts there, so that whole games cannot be held out"
    )]
    NotByGame {
        /// The first such sample.
        index: u64,
    },
    /// Nothing would be left to train on.
    #[error("every game would be held out, of {games}")]
    EveryGame {
        /// How many games there are.
        games: u64,
    },
}

impl Split {
    /// Holds out the last games: the share `share` of all games, rounded to the nearest whole
    /// number (halves up) and at least one.
    ///
    /// A dataset that begins inside a game, as a [`Slice`](crate::Slice) may, has the rest of that
    /// game counted as its first.
    ///
    /// Asks every sample once whether it starts a game, and those held out a second time; nothing is
    /// stored.
    ///
    /// # Errors
    ///
    /// A [`SplitError`] when the share is not over 0 and under 1, there are no samples, a sample
    /// does not tell whether it starts a game, or no game would be left to train on.
    pub fn last_games<D: Dataset + ?Sized>(dataset: &D, share: f64) -> Result<Self, SplitError> {
        if !(share > 0.0 && share < 1.0) {
            return Err(SplitError::Share { found: share });
        }
        if dataset.is_empty() {
            return Err(SplitError::Empty);
        }
        let games = count_games(dataset)?;
        let held_out_games = ((share * games as f64).round() as u64).max(1);
        if held_out_games >= games {
            return Err(SplitError::EveryGame { games });
        }
        let boundary = start_of_last_games(dataset, held_out_games)?;
        Ok(Self {
            train: 0..boundary,
            held_out: boundary..dataset.len(),
            games,
            held_out_games,
        })
    }
}

fn count_games<D: Dataset + ?Sized>(dataset: &D) -> Result<u64, SplitError> {
    let mut games = 0;
    for index in 0..dataset.len() {
        games += u64::from(starts_game(dataset, index)?);
    }
    Ok(games)
}

/// The sample that starts the last `games` games, of which there must be as many.
fn start_of_last_games<D: Dataset + ?Sized>(dataset: &D, games: u64) -> Result<u64, SplitError> {
    let mut left = games;
    for index in (0..dataset.len()).rev() {
        left -= u64::from(starts_game(dataset, index)?);
        if left == 0 {
            return Ok(index);
        }
    }
    // Only a dataset that answers otherwise than when its games were counted ends up here.
    Ok(0)
}

fn starts_game<D: Dataset + ?Sized>(dataset: &D, index: u64) -> Result<bool, SplitError> {
    let starts = dataset.game_start(index);
    let starts = starts.ok_or(SplitError::NotByGame { index })?;
    Ok(starts || index == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::tests::{Memory, gathered};
    use crate::{Concat, Slice};
    use std::string::ToString;
    use std::vec::Vec;

    /// Games of these lengths, their samples numbered from 0.
    fn games(lens: impl IntoIterator<Item = u32>) -> Memory {
        Memory::new(lens.into_iter().flat_map(|len| 0..len))
    }

    #[test]
    fn the_last_games_are_held_out_whole() {
        let split = Split::last_games(&games([4, 1, 3, 2, 5]), 0.4).unwrap();
        assert_eq!(
            split,
            Split {
                train: 0..8,
                held_out: 8..15,
                games: 5,
                held_out_games: 2,
            }
        );
    }

    #[test]
    fn shares_are_rounded_and_never_nothing() {
        let ten = games([2; 10]);
        let held = |share| Split::last_games(&ten, share).unwrap().held_out_games;
        assert_eq!([0.000_1, 0.14, 0.15, 0.5, 0.94].map(held), [1, 1, 2, 5, 9]);
        let games_of_100 = games([3; 100]);
        for held_out in 1..100u32 {
            let split = Split::last_games(&games_of_100, f64::from(held_out) / 100.0).unwrap();
            assert_eq!(split.held_out_games, u64::from(held_out));
            assert_eq!(split.held_out, 300 - 3 * u64::from(held_out)..300);
            assert_eq!(split.train, 0..split.held_out.start);
        }
    }

    #[test]
    fn both_sides_are_datasets() {
        let both = Concat::new([games([2, 3]), games([1, 4])]);
        let split = Split::last_games(&both, 0.5).unwrap();
        let held_out = Slice::new(&both, split.held_out).unwrap();
        let indices: Vec<_> = (0..held_out.len()).collect();
        assert_eq!(gathered(&held_out, &indices).unwrap(), [0, 0, 1, 2, 3]);
    }

    #[test]
    fn the_rest_of_a_game_at_the_front_is_a_game() {
        let all = games([4, 1, 3]);
        let cut = Slice::new(&all, 2..8).unwrap();
        let split = Split::last_games(&cut, 0.6).unwrap();
        assert_eq!((split.games, split.held_out_games), (3, 2));
        assert_eq!((split.train, split.held_out), (0..2, 2..6));
    }

    #[test]
    fn what_cannot_be_split() {
        let text =
            |dataset: &Memory, share| Split::last_games(dataset, share).unwrap_err().to_string();
        let some = games([2, 3]);
        for (share, shown) in [(0.0, "0"), (1.0, "1"), (-0.5, "-0.5"), (f64::NAN, "NaN")] {
            let expected =
                std::format!("share of games to hold out is {shown}, expected over 0 and under 1");
            assert_eq!(text(&some, share), expected);
        }
        assert_eq!(text(&games([]), 0.5), "no samples to hold games out of");
        assert_eq!(text(&games([9]), 0.1), "every game would be held out, of 1");
        assert_eq!(text(&some, 0.9), "every game would be held out, of 2");
        let foreign = Memory {
            knows_games: false,
            ..some
        };
        assert_eq!(
            text(&foreign, 0.5),
            "sample 0 does not tell whether a game starts there, so that whole games cannot be held \
             out"
        );
    }
}
