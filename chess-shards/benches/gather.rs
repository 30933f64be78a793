//! Gathering rows and making masks: `cargo bench -p chess-shards --features mmap --bench gather`.
//!
//! Sets that fit into the second-level cache, the third-level one and only into memory; batches of
//! several sizes; records and columns; threads. `beside_numpy.py` has the comparison with numpy, and
//! the README its figures.
// Helpers of benches fail by panicking.
#![allow(clippy::unwrap_used, missing_docs, unsafe_code)]

use std::hint::black_box;
use std::path::{Path, PathBuf};

use chess_records::Permutation;
use chess_shards::{Action, FlatColumns, FlatDataset, FlatRecord, NpyHeader, Regime, ShardOptions};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

/// Rows whose contents follow from their numbers, in four shards.
fn shards(folder: &Path, rows: u64) -> Vec<PathBuf> {
    let shard = |number: u64| {
        let mut bytes = NpyHeader::to_bytes(rows / 4);
        for index in number * (rows / 4)..(number + 1) * (rows / 4) {
            bytes.extend(row(index).as_bytes());
        }
        let path = folder.join(format!("{rows}-{number}.npy"));
        std::fs::write(&path, bytes).unwrap();
        path
    };
    (0..4).map(shard).collect()
}

fn row(index: u64) -> FlatRecord {
    let mut fields = FlatRecord::zeroed().fields();
    let mixed = index.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    fields.position[..8].copy_from_slice(&mixed.to_le_bytes());
    fields.legal_idx = [Action::PAD; 64];
    fields.legal_cnt = 1 + (mixed >> 60) as u8 + 20;
    for (place, action) in (0..fields.legal_cnt.into()).zip(0u64..) {
        fields.legal_idx[place] = ((mixed >> 7).wrapping_add(action * 131) % 4672) as u16;
    }
    FlatRecord::from_fields(&fields)
}

fn mapped(paths: &[PathBuf], threads: usize) -> FlatDataset {
    let options = ShardOptions::new().threads(threads);
    // SAFETY: nobody changes the files of a bench.
    unsafe { FlatDataset::map(paths, &options, Regime::Cached) }.unwrap()
}

/// Batches that together touch rows all over the set.
fn batches(rows: u64, batch: usize) -> Vec<Vec<u64>> {
    let order = Permutation::new(rows, 3);
    let count = (200_000 / batch).max(1);
    let picks = |number: usize| {
        let start = number as u64 * batch as u64;
        (start..start + batch as u64)
            .map(|place| order.get(place % rows).unwrap())
            .collect()
    };
    (0..count).map(picks).collect()
}

fn check(dataset: &FlatDataset, batch: &[u64]) {
    let mut records = vec![FlatRecord::zeroed(); batch.len()];
    let mut columns = FlatColumns::default();
    dataset.gather_records(batch, &mut records).unwrap();
    dataset.gather_columns(batch, &mut columns).unwrap();
    for (slot, &index) in batch.iter().enumerate() {
        assert_eq!(records[slot], row(index));
        assert_eq!(columns.fields(slot), row(index).fields());
    }
}

fn gather(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    // 0.8, 16 and 162 MB.
    for rows in [4_000, 80_000, 800_000] {
        let paths = shards(folder.path(), rows);
        for (batch, threads) in [(64, 1), (512, 1), (16_384, 1), (16_384, 2)] {
            let dataset = mapped(&paths, threads);
            let batches = batches(rows, batch);
            check(&dataset, &batches[0]);
            let mut group = criterion.benchmark_group(format!("gather/flat/{rows} rows"));
            group.throughput(Throughput::Elements(batch as u64));
            let name = format!("batch {batch}, threads {threads}");
            let mut records = vec![FlatRecord::zeroed(); batch];
            group.bench_function(BenchmarkId::new("records", &name), |bencher| {
                let mut next = batches.iter().cycle();
                bencher.iter(|| {
                    let picks = next.next().unwrap();
                    dataset.gather_records(picks, &mut records).unwrap();
                    black_box(&mut records);
                });
            });
            let mut columns = FlatColumns::default();
            group.bench_function(BenchmarkId::new("columns", &name), |bencher| {
                let mut next = batches.iter().cycle();
                bencher.iter(|| {
                    let picks = next.next().unwrap();
                    dataset.gather_columns(picks, &mut columns).unwrap();
                    black_box(&mut columns);
                });
            });
        }
    }
}

fn masks(criterion: &mut Criterion) {
    let columns: FlatColumns = (0..512).map(row).collect::<Vec<_>>().iter().collect();
    let (mut bits, mut bools, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
    columns.mask_bits(&mut bits);
    columns.mask_bools(&mut bools);
    columns.mask_bytes(&mut bytes);
    let legal: usize = bools.iter().filter(|&&legal| legal).count();
    assert_eq!(bytes.iter().filter(|&&legal| legal == 1).count(), legal);
    let ones = bits
        .as_flattened()
        .iter()
        .map(|word| word.count_ones() as usize);
    assert_eq!(ones.sum::<usize>(), legal);
    let mut group = criterion.benchmark_group("mask/512 rows");
    group.throughput(Throughput::Elements(512));
    group.bench_function("bits", |bencher| {
        bencher.iter(|| columns.mask_bits(black_box(&mut bits)))
    });
    group.bench_function("bools", |bencher| {
        bencher.iter(|| columns.mask_bools(black_box(&mut bools)))
    });
    group.bench_function("bytes", |bencher| {
        bencher.iter(|| columns.mask_bytes(black_box(&mut bytes)))
    });
    group.finish();
}

criterion_group!(benches, gather, masks);
criterion_main!(benches);
