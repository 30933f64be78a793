//! Which games go to which shard, and which shard to which split: numpy's `linspace`, rounded half to
//! even.

use std::ops::Range;

use super::options::DrawnOptions;
use crate::Splits;

/// Where shards begin and end, and what they are for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// The first game of each shard, and after them the number of all games.
    bounds: Vec<u64>,
    pub(super) splits: Splits,
}

impl Plan {
    pub(super) fn new(games: u64, options: &DrawnOptions) -> Self {
        let shards = games.min(u64::from(options.num_shards));
        Self {
            bounds: (0..=shards)
                .map(|index| rounded_linspace(games, shards, index))
                .collect(),
            splits: splits(shards, options.val_shards, options.test_shards),
        }
    }

    pub(super) fn shards(&self) -> u32 {
        self.bounds.len() as u32 - 1
    }

    pub(super) fn games(&self, shard: u32) -> Range<u64> {
        self.bounds[shard as usize]..self.bounds[shard as usize + 1]
    }

    /// The shard of a game.
    pub(super) fn shard_of(&self, game: u64) -> u32 {
        self.bounds.partition_point(|&bound| bound <= game) as u32 - 1
    }
}

/// Entry `index` of `linspace(0, last, steps + 1).round()`.
fn rounded_linspace(last: u64, steps: u64, index: u64) -> u64 {
    if index == steps {
        return last;
    }
    let step = last as f64 / steps as f64;
    (index as f64 * step).round_ties_even() as u64
}

/// Spreads the shards to validate and test with over all of them.
fn splits(shards: u64, val_shards: u32, test_shards: u32) -> Splits {
    let asked = u64::from(val_shards) + u64::from(test_shards);
    let pick_at = |index| rounded_linspace(shards.saturating_sub(1), asked + 1, index);
    let mut picks = Vec::new();
    // Without both ends. They rise, so that equal ones stand together, of which one is taken.
    let mut index = 1;
    while index <= asked {
        let pick = pick_at(index);
        picks.push(pick);
        index = first(index..asked + 1, |index| pick_at(index) > pick);
    }
    let test = picks.split_off(picks.len().min(val_shards as usize));
    let test: Vec<_> = test.into_iter().take(test_shards as usize).collect();
    let val = picks;
    let is_train = |shard: &u64| !val.contains(shard) && !test.contains(shard);
    Splits {
        train: (0..shards).filter(is_train).collect(),
        val,
        test,
    }
}

/// The first of a range that is so, as all after it are; the end if there is none.
fn first(range: Range<u64>, is_so: impl Fn(u64) -> bool) -> u64 {
    let Range { mut start, mut end } = range;
    while start < end {
        let middle = start + (end - start) / 2;
        if is_so(middle) {
            end = middle;
        } else {
            start = middle + 1;
        }
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::BuildOptions;

    fn plan(games: u64, shards: u32, val: u32, test: u32) -> Plan {
        let options = BuildOptions::new().num_shards(shards);
        Plan::new(games, &options.val_shards(val).test_shards(test).drawn)
    }

    #[test]
    fn bounds_are_rounded_half_to_even() {
        assert_eq!(plan(186, 4, 1, 1).bounds, [0, 46, 93, 140, 186]);
        assert_eq!(plan(12, 3, 1, 1).bounds, [0, 4, 8, 12]);
        assert_eq!(plan(3, 256, 1, 1).bounds, [0, 1, 2, 3]);
        assert_eq!(plan(5, 2, 0, 0).bounds, [0, 2, 5]);
        let plan = plan(186, 4, 1, 1);
        assert_eq!(plan.shards(), 4);
        assert_eq!(plan.games(1), 46..93);
        assert_eq!(
            [0, 45, 46, 92, 93, 185].map(|game| plan.shard_of(game)),
            [0, 0, 1, 1, 2, 3]
        );
    }

    #[test]
    fn splits_are_spread_out() {
        let splits = |shards, val, test| plan(1 << 20, shards, val, test).splits;
        let published = splits(256, 2, 2);
        assert_eq!(
            (published.val, published.test),
            (vec![51, 102], vec![153, 204])
        );
        assert_eq!(published.train.len(), 252);
        let few = splits(2, 2, 2);
        assert_eq!((few.train, few.val, few.test), (vec![], vec![0, 1], vec![]));
        let one = splits(1, 1, 1);
        assert_eq!((one.train, one.val, one.test), (vec![], vec![0], vec![]));
        // What numpy picks where more are asked for than there are.
        let many = splits(13, 5, 9);
        assert_eq!(
            (many.train, many.val, many.test),
            (vec![0, 12], vec![1, 2, 3, 4, 5], vec![6, 7, 8, 9, 10, 11])
        );
        let many = splits(7, 5, 6);
        assert_eq!(
            (many.train, many.val, many.test),
            (vec![], vec![0, 1, 2, 3, 4], vec![5, 6])
        );
        // However many are asked for, they take neither memory nor time.
        let all = splits(3, u32::MAX, u32::MAX);
        assert_eq!(
            (all.train, all.val, all.test),
            (vec![], vec![0, 1, 2], vec![])
        );
        let none = splits(3, 0, 0);
        assert_eq!(
            (none.train, none.val, none.test),
            (vec![0, 1, 2], vec![], vec![])
        );
    }
}
