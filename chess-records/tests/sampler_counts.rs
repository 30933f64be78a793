//! The modes of a sampler beside PyTorch's DistributedSampler, as `tests/golden/sampler` has it.
#![cfg(feature = "std")]
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use chess_records::{Dataset, DatasetError, Mode, Order, Sampler, SamplerConfig, Selection};

const TABLE: &str = include_str!("golden/sampler/distributed_sampler.txt");

/// Samples without contents, in blocks of three.
#[derive(Clone, Copy)]
struct Samples(u64);

impl Dataset for Samples {
    type Batch = ();

    fn len(&self) -> u64 {
        self.0
    }

    fn gather(&self, _: &[u64], (): &mut ()) -> Result<(), DatasetError> {
        Ok(())
    }

    fn block_count(&self) -> u64 {
        self.0.div_ceil(3)
    }

    fn block(&self, block: u64) -> Range<u64> {
        3 * block..self.0.min(3 * block + 3)
    }

    fn game_start(&self, _: u64) -> Option<bool> {
        None
    }
}

/// A line of the table.
struct Case {
    len: u64,
    world_size: u32,
    drop_last: bool,
    num_samples: u64,
    ranks: Vec<Vec<u64>>,
}

impl Case {
    fn parse(line: &str) -> Self {
        let (sampler, ranks) = line.split_once(':').unwrap();
        let words: Vec<_> = sampler.split(' ').collect();
        let [len, world_size, drop_last, num_samples] = words[..] else {
            panic!("{line}");
        };
        let indices = |rank: &str| {
            rank.split_whitespace()
                .map(|i| i.parse().unwrap())
                .collect()
        };
        Self {
            len: len.parse().unwrap(),
            world_size: world_size.parse().unwrap(),
            drop_last: drop_last.parse().unwrap(),
            num_samples: num_samples.parse().unwrap(),
            ranks: ranks.split(',').map(indices).collect(),
        }
    }

    fn mode(&self) -> Mode {
        if self.drop_last {
            Mode::DropLast
        } else {
            Mode::Wrap
        }
    }

    fn rank(&self, rank: usize, order: Order, mode: Mode) -> Sampler<Samples> {
        let config = SamplerConfig::new(4).order(order).mode(mode);
        let config = config.rank(rank as u32, self.world_size);
        Sampler::new(Samples(self.len), config).unwrap()
    }
}

fn cases() -> Vec<Case> {
    let cases: Vec<_> = TABLE.lines().map(Case::parse).collect();
    assert_eq!(cases.len(), 41 * 17 * 2);
    cases
}

fn rows(sampler: Sampler<Samples>) -> Vec<u64> {
    let expected = sampler.rows_per_epoch();
    let rows: Vec<_> = sampler.flat_map(|batch| batch.indices().to_vec()).collect();
    assert_eq!(rows.len() as u64, expected);
    rows
}

#[test]
fn the_same_indices_for_the_same_ranks() {
    for case in cases() {
        assert_eq!(case.ranks.len(), case.world_size as usize);
        for (rank, indices) in case.ranks.iter().enumerate() {
            let sampler = case.rank(rank, Order::Sequential, case.mode());
            assert_eq!(sampler.rows_per_epoch(), case.num_samples);
            let (len, world_size) = (case.len, case.world_size);
            assert_eq!(
                &rows(sampler),
                indices,
                "rank {rank} of {world_size}, {len} samples"
            );
        }
    }
}

#[test]
fn the_same_counts_in_every_order() {
    for case in cases() {
        for order in [Order::Shuffled, Order::Blocks { window: 4 }] {
            for rank in 0..case.ranks.len() {
                let rows = rows(case.rank(rank, order, case.mode()));
                assert_eq!(rows.len() as u64, case.num_samples);
            }
        }
    }
}

#[test]
fn exact_masks_what_is_repeated() {
    for case in cases().iter().filter(|case| !case.drop_last) {
        let mut left: BTreeSet<u64> = (0..case.len).collect();
        for (rank, indices) in case.ranks.iter().enumerate() {
            let batches: Vec<Selection> = case.rank(rank, Order::Sequential, Mode::Exact).collect();
            let all = batches.iter().flat_map(|batch| batch.indices().to_vec());
            assert!(all.eq(indices.iter().copied()));
            for sample in batches.iter().flat_map(|batch| batch.samples()) {
                assert!(left.remove(sample), "{sample} twice");
            }
        }
        assert!(left.is_empty());
    }
}

#[test]
fn every_file_of_the_folder_is_used() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/sampler");
    let names = std::fs::read_dir(folder).unwrap().map(|entry| {
        let name = entry.unwrap().file_name();
        name.into_string().unwrap()
    });
    let names: BTreeSet<_> = names.collect();
    let used = [
        "README.md",
        "distributed_sampler.py",
        "distributed_sampler.txt",
    ];
    assert!(names.into_iter().eq(used));
}
