//! Building shards: `cargo bench -p chess-shards --features build --bench build`, samples a second of
//! one worker. `build_python.py` compares a build with one in Python.
// Helpers of benches fail by panicking.
#![allow(clippy::unwrap_used, missing_docs)]

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use chess_shards::build::{BuildOptions, Source, build};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// The golden games, over and over: 1,860 of them.
fn games(folder: &Path) -> (PathBuf, PathBuf) {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/games/games.pgn");
    let text = fs::read(golden).unwrap().repeat(10);
    let (plain, compressed) = (folder.join("games.pgn"), folder.join("games.pgn.zst"));
    fs::write(&plain, &text).unwrap();
    fs::write(&compressed, zstd::encode_all(&text[..], 3).unwrap()).unwrap();
    (plain, compressed)
}

fn from_pgn(c: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let (plain, compressed) = games(folder.path());
    let counted = BuildOptions::new().num_shards(4).workers(1).overwrite(true);
    let told = counted.clone().games(Some(1860));
    let run = |path: &Path, options: &BuildOptions| {
        let source = Source::pgn([path]);
        let built = build(&source, options, &out, &mut |_| ControlFlow::Continue(()));
        built.unwrap().report.samples
    };
    let samples = run(&plain, &counted);
    assert!(samples > 7000, "4 of each game but the shortest");
    assert_eq!(run(&compressed, &told), samples);
    let mut c = c.benchmark_group("build/flat");
    c.throughput(Throughput::Elements(samples));
    c.sample_size(10);
    c.bench_function("pgn", |b| b.iter(|| run(&plain, &counted)));
    c.bench_function("pgn.zst", |b| b.iter(|| run(&compressed, &counted)));
    c.bench_function("games told", |b| b.iter(|| run(&plain, &told)));
}

criterion_group!(benches, from_pgn);
criterion_main!(benches);
