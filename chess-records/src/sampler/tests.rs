mod properties;

use super::*;
use crate::DatasetError;
use std::ops::Range;
use std::string::{String, ToString};
use std::vec;

/// Samples without contents, in blocks whose lengths repeat.
#[derive(Clone, Debug)]
struct Lengths(Vec<u64>);

impl Dataset for Lengths {
    type Batch = ();

    fn len(&self) -> u64 {
        self.0.iter().sum()
    }

    fn gather(&self, _: &[u64], _: &mut ()) -> Result<(), DatasetError> {
        Ok(())
    }

    fn block_count(&self) -> u64 {
        self.0.len() as u64
    }

    fn block(&self, block: u64) -> Range<u64> {
        let start: u64 = self.0[..block as usize].iter().sum();
        start..start + self.0[block as usize]
    }

    fn game_start(&self, _: u64) -> Option<bool> {
        None
    }
}

/// More samples than there is memory for, in blocks of a power of two.
#[derive(Clone, Copy, Debug)]
struct Huge {
    len: u64,
    block_bits: u32,
}

impl Dataset for Huge {
    type Batch = ();

    fn len(&self) -> u64 {
        self.len
    }

    fn gather(&self, _: &[u64], _: &mut ()) -> Result<(), DatasetError> {
        Ok(())
    }

    fn block_count(&self) -> u64 {
        self.len.div_ceil(1 << self.block_bits)
    }

    fn block(&self, block: u64) -> Range<u64> {
        let start = block << self.block_bits;
        start..self.len.min(start.saturating_add(1 << self.block_bits))
    }

    fn game_start(&self, _: u64) -> Option<bool> {
        None
    }
}

const ORDERS: [Order; 5] = [
    Order::Sequential,
    Order::Shuffled,
    Order::Blocks { window: 1 },
    Order::Blocks { window: 3 },
    Order::Blocks { window: u32::MAX },
];

fn sampler<D: Dataset>(dataset: D, config: SamplerConfig) -> Sampler<D> {
    Sampler::new(dataset, config).unwrap()
}

/// The samples of all ranks in the order of the epoch: each rank's rows in turn.
fn dealt(lens: &Lengths, config: SamplerConfig, world_size: u32) -> Vec<u64> {
    let ranks = (0..world_size).map(|rank| {
        let rank = sampler(lens, config.rank(rank, world_size));
        let rows: Vec<_> = rank.flat_map(|batch| batch.samples().to_vec()).collect();
        rows
    });
    let ranks: Vec<_> = ranks.collect();
    let rows = ranks.iter().map(Vec::len).max().unwrap_or(0);
    let row = |row| ranks.iter().filter_map(move |rank| rank.get(row).copied());
    (0..rows).flat_map(row).collect()
}

fn order_of(lens: &Lengths, config: SamplerConfig) -> Vec<u64> {
    dealt(lens, config, 1)
}

#[test]
fn pinned_orders() {
    let order = |order, epoch| {
        let config = SamplerConfig::new(4).seed(7).order(order);
        let mut sampler = sampler(Lengths(vec![3, 1, 4, 2]), config);
        sampler.set_epoch(epoch);
        let samples: Vec<_> = sampler.flat_map(|batch| batch.samples().to_vec()).collect();
        samples
    };
    // Computed by a second implementation, in another language.
    assert_eq!(order(Order::Sequential, 3), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert_eq!(order(Order::Shuffled, 0), [7, 4, 0, 8, 3, 5, 2, 9, 6, 1]);
    assert_eq!(order(Order::Shuffled, 1), [6, 3, 1, 4, 5, 7, 9, 2, 8, 0]);
    assert_eq!(
        order(Order::Blocks { window: 1 }, 0),
        [3, 8, 9, 0, 1, 2, 4, 5, 6, 7]
    );
    assert_eq!(
        order(Order::Blocks { window: 2 }, 0),
        [3, 8, 9, 4, 0, 5, 6, 1, 2, 7]
    );
    assert_eq!(
        order(Order::Blocks { window: 9 }, 1),
        [0, 1, 3, 4, 8, 5, 9, 6, 7, 2]
    );
}

#[test]
fn batches_and_masks() {
    let config = SamplerConfig::new(2).order(Order::Sequential);
    let batches = |mode, rank| {
        let sampler = sampler(Lengths(vec![8]), config.mode(mode).rank(rank, 3));
        assert_eq!(sampler.batches_left(), sampler.clone().count() as u64);
        let batches = sampler.map(|batch| {
            let mask: Vec<_> = batch.mask().collect();
            (batch.indices().to_vec(), mask)
        });
        batches.collect::<Vec<_>>()
    };
    let all = |indices: Vec<u64>| {
        let mask = vec![true; indices.len()];
        (indices, mask)
    };
    assert_eq!(batches(Mode::Exact, 1), [all(vec![1, 4]), all(vec![7])]);
    assert_eq!(
        batches(Mode::Exact, 2),
        [all(vec![2, 5]), (vec![0], vec![false])]
    );
    assert_eq!(batches(Mode::Wrap, 2), [all(vec![2, 5]), all(vec![0])]);
    assert_eq!(batches(Mode::DropLast, 2), [all(vec![2, 5])]);
}

#[test]
fn more_ranks_than_samples() {
    let config = SamplerConfig::new(9).order(Order::Sequential);
    let only = |mode, rank| {
        let mut sampler = sampler(Lengths(vec![1, 1]), config.mode(mode).rank(rank, 7));
        let batch = sampler.next();
        assert_eq!(sampler.next(), None);
        batch.map(|batch| (batch.indices()[0], batch.samples().len()))
    };
    let ranks = [0, 1, 2, 3, 4, 5, 6];
    assert_eq!(
        ranks.map(|rank| only(Mode::Wrap, rank)),
        [0, 1, 0, 1, 0, 1, 0].map(|index| Some((index, 1)))
    );
    let masked = ranks.map(|rank| only(Mode::Exact, rank).unwrap().1);
    assert_eq!(masked, [1, 1, 0, 0, 0, 0, 0]);
    assert_eq!(ranks.map(|rank| only(Mode::DropLast, rank)), [None; 7]);
}

#[test]
fn nothing_of_nothing() {
    for order in ORDERS {
        for mode in [Mode::Exact, Mode::DropLast, Mode::Wrap] {
            let config = SamplerConfig::new(3).order(order).mode(mode).rank(1, 2);
            let mut sampler = sampler(Lengths(vec![]), config);
            assert_eq!((sampler.rows_per_epoch(), sampler.batches_left()), (0, 0));
            assert_eq!(sampler.next(), None);
            let state = sampler.state();
            assert_eq!(sampler.restore(&state), Ok(()));
        }
    }
}

#[test]
fn an_epoch_starts_again_only_when_told() {
    let config = SamplerConfig::new(64).seed(1);
    let mut sampler = sampler(Lengths(vec![50]), config);
    let mut selection = Selection::default();
    assert!(sampler.next_into(&mut selection));
    let first = selection.clone();
    assert!(!sampler.next_into(&mut selection));
    assert_eq!(selection, first);
    assert_eq!(sampler.next(), None);
    sampler.set_epoch(1);
    assert_ne!(sampler.next(), Some(first.clone()));
    sampler.set_epoch(0);
    assert_eq!(sampler.epoch(), 0);
    assert_eq!(sampler.next(), Some(first));
}

#[test]
fn seeds_and_epochs_are_unrelated() {
    let lens = Lengths(vec![10; 100]);
    for order in [Order::Shuffled, Order::Blocks { window: 8 }] {
        let order = |seed, epoch| {
            let mut sampler = sampler(&lens, SamplerConfig::new(1000).seed(seed).order(order));
            sampler.set_epoch(epoch);
            sampler.next().unwrap().indices().to_vec()
        };
        let orders = [
            order(0, 0),
            order(0, 1),
            order(1, 0),
            order(1, 1),
            order(0, u64::MAX),
        ];
        for (i, one) in orders.iter().enumerate() {
            for other in &orders[..i] {
                let same = one.iter().zip(other).filter(|(a, b)| a == b).count();
                assert!(same < 12, "{same} samples at the same place");
            }
        }
    }
}

#[test]
fn misuse_is_refused() {
    let text = |config| {
        Sampler::new(Lengths(vec![3]), config)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        text(SamplerConfig::new(0)),
        "batch size is 0, expected at least 1"
    );
    assert_eq!(
        text(SamplerConfig::new(1).rank(4, 2)),
        "rank is 4, expected under the world size 2"
    );
}

#[test]
fn sets_of_any_length() {
    let len = u64::MAX;
    for mode in [Mode::Exact, Mode::DropLast, Mode::Wrap] {
        for order in [
            Order::Sequential,
            Order::Shuffled,
            Order::Blocks { window: 5 },
        ] {
            let config = SamplerConfig::new(100).order(order).mode(mode).rank(16, 17);
            let mut sampler = sampler(
                Huge {
                    len,
                    block_bits: 40,
                },
                config,
            );
            assert_eq!(sampler.next().unwrap().samples().len(), 100);
            let mut near_end = sampler.state();
            near_end.position = len - len % 17 - 17 * 100;
            if matches!(order, Order::Blocks { .. }) {
                // A look at 2²⁴ blocks.
                continue;
            }
            sampler.restore(&near_end).unwrap();
            assert_eq!(sampler.next().unwrap().samples().len(), 100);
            let rest: Vec<_> = sampler.map(|batch| batch.samples().len()).collect();
            // 2⁶⁴ - 1 is a multiple of 17.
            assert_eq!(rest, [0; 0]);
        }
    }
}

#[test]
fn the_end_of_the_longest_set() {
    let config = |mode| {
        let config = SamplerConfig::new(usize::MAX).order(Order::Sequential);
        config.mode(mode).rank(6, 7)
    };
    let last = |mode| {
        let mut sampler = sampler(
            Huge {
                len: u64::MAX,
                block_bits: 60,
            },
            config(mode),
        );
        let mut state = sampler.state();
        // 2⁶⁴ - 1 is 1 more than a multiple of 7.
        state.position = u64::MAX - 8;
        sampler.restore(&state).unwrap();
        let batch = sampler.next().unwrap();
        assert_eq!(sampler.next(), None);
        (batch.indices().to_vec(), batch.samples().len())
    };
    assert_eq!(last(Mode::Exact), (vec![u64::MAX - 2, 5], 1));
    assert_eq!(last(Mode::Wrap), (vec![u64::MAX - 2, 5], 2));
    assert_eq!(last(Mode::DropLast), (vec![u64::MAX - 2], 1));
}

/// Rows that fill up lie past the largest number.
#[test]
#[cfg(target_pointer_width = "64")]
fn one_batch_of_the_longest_set() {
    let config = SamplerConfig::new(usize::MAX).rank(6, 7);
    let huge = Huge {
        len: u64::MAX,
        block_bits: 60,
    };
    let mut plan = Plan::new(&huge, config).unwrap();
    assert_eq!(plan.take().unwrap().rows as u64, u64::MAX / 7 + 1);
    assert_eq!(plan.state().position, u64::MAX);
    assert!(plan.take().is_none());
}

#[test]
fn windows_hold_evenly_many_blocks() {
    // 17 blocks in windows of at most 16 are 8 and 9, not 16 and 1.
    let lens = Lengths(vec![10; 17]);
    let order = order_of(
        &lens,
        SamplerConfig::new(7).order(Order::Blocks { window: 16 }),
    );
    let blocks = |samples: &[u64]| {
        let mut blocks: Vec<_> = samples.iter().map(|sample| sample / 10).collect();
        blocks.sort_unstable();
        blocks.dedup();
        blocks.len()
    };
    assert_eq!((blocks(&order[..80]), blocks(&order[80..])), (8, 9));
}

/// What the documentation says of the correlation that remains.
#[test]
#[cfg_attr(miri, ignore = "slow")]
fn neighbours_lie_a_window_apart() {
    let lens = Lengths(vec![1000; 64]);
    let order = order_of(
        &lens,
        SamplerConfig::new(999).order(Order::Blocks { window: 16 }),
    );
    let pairs = order.windows(2).filter(|pair| pair[0] + 1 == pair[1]);
    // A sixteenth of 64,000, give or take 61.
    let adjacent = pairs.count();
    assert!((3_750..4_250).contains(&adjacent), "{adjacent}");
    let mut places = vec![0; 64_000];
    for (place, &sample) in order.iter().enumerate() {
        places[sample as usize] = place;
    }
    let blocks = places.chunks(1000).map(|block| block[999] - block[0]);
    let mean = blocks.sum::<usize>() as f64 / (64.0 * 999.0);
    assert!((15.5..16.1).contains(&mean), "{mean}");
}

#[test]
#[should_panic = "the blocks of a dataset hold all its samples"]
fn blocks_that_hold_too_little_are_a_misuse() {
    struct Short;
    impl Dataset for Short {
        type Batch = ();
        fn len(&self) -> u64 {
            5
        }
        fn gather(&self, _: &[u64], _: &mut ()) -> Result<(), DatasetError> {
            Ok(())
        }
        fn block_count(&self) -> u64 {
            2
        }
        fn block(&self, block: u64) -> Range<u64> {
            2 * block..2 * block + 2
        }
        fn game_start(&self, _: u64) -> Option<bool> {
            None
        }
    }
    let config = SamplerConfig::new(5).order(Order::Blocks { window: 2 });
    sampler(Short, config).next();
}

#[test]
fn states_that_do_not_fit_are_refused() {
    let lens = Lengths(vec![5, 5, 2]);
    let blocks = Order::Blocks { window: 2 };
    let config = SamplerConfig::new(2)
        .order(blocks)
        .mode(Mode::Wrap)
        .rank(0, 5);
    let mut from = sampler(&lens, config);
    from.next();
    let good = from.state();
    let mut into = sampler(&lens, config.rank(3, 5));
    let before = into.state();
    let mut text = |change: &dyn Fn(&mut SamplerState)| -> String {
        let mut state = good;
        change(&mut state);
        let text = into.restore(&state).unwrap_err().to_string();
        assert_eq!(into.state(), before);
        text
    };
    assert_eq!(
        text(&|state| state.len = 13),
        "len of the state is 13, expected 12, that of the dataset"
    );
    assert_eq!(
        text(&|state| state.block_count = Some(4)),
        "block_count of the state is Some(4), expected Some(3), that of the dataset"
    );
    assert_eq!(
        text(&|state| state.seed = 1),
        "seed of the state is 1, expected 0"
    );
    assert_eq!(
        text(&|state| state.order = Order::Shuffled),
        "order of the state is shuffled, expected blocks in windows of 2"
    );
    assert_eq!(
        text(&|state| state.order = Order::Sequential),
        "order of the state is sequential, expected blocks in windows of 2"
    );
    assert_eq!(
        text(&|state| state.mode = Mode::Exact),
        "mode of the state is exact, expected wrap"
    );
    assert_eq!(
        text(&|state| state.mode = Mode::DropLast),
        "mode of the state is drop last, expected wrap"
    );
    assert_eq!(
        text(&|state| state.world_size = 4),
        "world_size of the state is 4, expected 5 in mode wrap"
    );
    assert_eq!(
        text(&|state| state.position = 13),
        "position of the state is 13, expected at most 12, the end of the epoch"
    );
    assert_eq!(
        text(&|state| state.position = 7),
        "position of the state is 7, expected a multiple of the world size 5 in mode wrap"
    );
    into.restore(&good).unwrap();
    assert_eq!(into.state(), good);
}

#[test]
fn what_does_not_change_the_order_may_change() {
    let config = SamplerConfig::new(2).seed(3);
    let state = |position| SamplerState {
        position,
        ..sampler(Lengths(vec![5, 5]), config.rank(1, 3)).state()
    };
    // Other blocks, another world size, another batch size.
    let mut other = sampler(Lengths(vec![1, 2, 7]), SamplerConfig::new(3).seed(3));
    assert_eq!(other.restore(&state(7)), Ok(()));
    assert_eq!(other.next().unwrap().samples().len(), 3);
    assert_eq!(other.next(), None);
}

#[cfg(feature = "serde")]
#[test]
fn a_state_written_down() {
    let config = SamplerConfig::new(2).order(Order::Blocks { window: 2 });
    let mut sampler = sampler(Lengths(vec![5, 5]), config.rank(0, 2));
    sampler.set_epoch(3);
    sampler.next();
    let text = serde_json::to_string(&sampler.state()).unwrap();
    assert_eq!(
        text,
        r#"{"len":10,"block_count":2,"seed":0,"order":{"blocks":{"window":2}},"mode":"exact","world_size":2,"epoch":3,"position":4}"#
    );
    let state: SamplerState = serde_json::from_str(&text).unwrap();
    assert_eq!(state, sampler.state());
    let more = text.replace("}}", r#"}},"more":1"#);
    assert!(serde_json::from_str::<SamplerState>(&more).is_err());
    assert!(serde_json::from_str::<SamplerState>(&text.replace("exact", "other")).is_err());
}
