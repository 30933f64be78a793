//! Windows gathered from a pack in memory.
//!
//! ```sh
//! cargo bench -p chess-tokens --bench windows
//! ```
// Helpers of benches fail by panicking.
#![allow(clippy::unwrap_used, missing_docs)]

use std::hint::black_box;
use std::sync::Arc;

use chess_records::{Dataset, Permutation};
use chess_tokens::dataset::{
    DocumentBatch, DocumentOptions, PackedDocuments, TokenElement, WindowBatch, WindowMode, Windows,
};
use chess_tokens::pack::{PackWriter, TokenPack};
use chess_tokens::tokenizer::{PAD, UciTokenizer};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

const BLOCK: usize = 200;
const BATCH: usize = 512;

/// Games of 20 to 139 tokens that follow from their numbers.
fn pack(games: u64) -> Arc<TokenPack> {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = PackWriter::create(folder.path(), &UciTokenizer::new(), ["bench"]).unwrap();
    let mut tokens = Vec::new();
    for game in 0..games {
        tokens.clear();
        tokens.push(1);
        tokens
            .extend((0..18 + game * 7919 % 120).map(|ply| (62 + (game + ply * 31) % 1900) as u16));
        tokens.push(2);
        writer.push(&tokens).unwrap();
    }
    writer.finish().unwrap();
    Arc::new(TokenPack::read(folder.path()).unwrap())
}

/// Batches that scatter over the whole pack.
fn batches(len: u64) -> Vec<Vec<u64>> {
    let order = Permutation::new(len, 1);
    let order: Vec<u64> = order.iter().take(64 * BATCH).collect();
    order.chunks_exact(BATCH).map(<[_]>::to_vec).collect()
}

/// The format's own words.
fn assert_windows<T: TokenElement + PartialEq + std::fmt::Debug>(
    pack: &TokenPack,
    origins: &[usize],
    batch: &WindowBatch<T>,
) {
    let token = |at: usize| T::from_token(pack.tokens().get(at).copied().unwrap_or(PAD));
    for (row, &origin) in origins.iter().enumerate() {
        for place in 0..BLOCK {
            assert_eq!(batch.x()[row * BLOCK + place], token(origin + place));
            let next = batch.y()[row * BLOCK + place];
            let is_last = place + 1 == BLOCK;
            assert_eq!(
                next,
                if is_last {
                    T::from_token(PAD)
                } else {
                    token(origin + place + 1)
                }
            );
        }
    }
}

fn windows<T: TokenElement + PartialEq + std::fmt::Debug>(criterion: &mut Criterion, name: &str) {
    // 0.3 and 160 MB.
    for games in [2_000, 1_000_000] {
        let pack = pack(games);
        let mut group = criterion.benchmark_group(format!("windows/{games} games"));
        group.throughput(Throughput::Elements((BATCH * BLOCK) as u64));
        for mode in [WindowMode::Games, WindowMode::Blocks] {
            let windows = Windows::<T>::new(Arc::clone(&pack), BLOCK, mode).unwrap();
            let batches = batches(windows.len());
            let mut batch = WindowBatch::default();
            windows.gather(&batches[0], &mut batch).unwrap();
            let origin = |&index: &u64| match mode {
                WindowMode::Games => pack.starts()[index as usize] as usize,
                WindowMode::Blocks => index as usize * BLOCK,
            };
            let origins: Vec<_> = batches[0].iter().map(origin).collect();
            assert_windows(&pack, &origins, &batch);
            let mut picks = batches.iter().cycle();
            group.bench_function(BenchmarkId::new(name, format!("{mode:?}")), |bencher| {
                bencher.iter(|| {
                    let picks = picks.next().unwrap();
                    windows.gather(picks, &mut batch).unwrap();
                    black_box(&mut batch);
                });
            });
        }
        group.finish();
    }
}

fn documents(criterion: &mut Criterion) {
    let pack = pack(1_000_000);
    let mut group = criterion.benchmark_group("documents/1000000 games");
    group.throughput(Throughput::Elements((BATCH * BLOCK) as u64));
    let documents = PackedDocuments::<u16>::new(Arc::clone(&pack), DocumentOptions::new(BLOCK));
    let documents = documents.unwrap();
    let batches = batches(documents.len());
    let mut batch = DocumentBatch::default();
    documents.gather(&batches[0], &mut batch).unwrap();
    let games = batch.x().iter().filter(|&&token| token == 1).count();
    let firsts = batch.positions().iter().zip(batch.documents());
    assert_eq!(
        firsts
            .filter(|&(&position, &document)| position == 0 && document > 0)
            .count(),
        games
    );
    let mut picks = batches.iter().cycle();
    group.bench_function("u16", |bencher| {
        bencher.iter(|| {
            documents.gather(picks.next().unwrap(), &mut batch).unwrap();
            black_box(&mut batch);
        });
    });
    group.throughput(Throughput::Elements(pack.len()));
    group.sample_size(10);
    group.bench_function("plan", |bencher| {
        bencher.iter(|| PackedDocuments::<u16>::new(Arc::clone(&pack), DocumentOptions::new(BLOCK)))
    });
}

fn all(criterion: &mut Criterion) {
    windows::<u16>(criterion, "u16");
    windows::<i32>(criterion, "i32");
    windows::<i64>(criterion, "i64");
    documents(criterion);
}

criterion_group!(benches, all);
criterion_main!(benches);
