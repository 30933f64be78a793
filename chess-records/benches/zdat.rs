//! Groups of `.zdat` records: `cargo bench -p chess-records --features zdat --bench zdat`.
//!
//! On a quiet machine with two cores, in one run:
//!
//! - Groups are decompressed at 1.0 times the speed of the zstd crate given the same frames.
//! - With sparse policies, 9 times as many records a second as `zdat_numpy.py`, which does the same
//!   with `np.nonzero`; with planes as well, 7 times as many.
//! - Two threads stream 1.9 times as many records as one (1.5 to 1.7 where others use the cores).
//! - Of records that are decompressed already, sparse policies take a third of the time of dense
//!   ones, and fill a hundredth of the memory: a record has 4096 cells and some 30 moves.
// Helpers of benches fail by panicking.
#![allow(clippy::unwrap_used, missing_docs)]

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::sync::Arc;

use chess_records::zdat::{
    Layout, PLANE_ELEMENTS, POLICY_ELEMENTS, SparsePolicies, ZdatGroup, ZdatStream, ZdatView,
    unpack_planes, unpack_policy,
};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use half::f16;

/// The golden file's groups, all but the short last one, over and over: some 13,000 records.
fn file() -> Vec<u8> {
    let bytes = include_bytes!("../tests/golden/zdat/valid/stoof.zdat");
    let view = ZdatView::new(bytes).unwrap();
    let [first, .., last, _] = *view.offsets() else {
        unreachable!()
    };
    let (header, groups) = (
        &bytes[..first as usize],
        &bytes[first as usize..last as usize],
    );
    [header, &groups.repeat(20)].concat()
}

fn view() -> Arc<ZdatView<Vec<u8>>> {
    Arc::new(ZdatView::new(file()).unwrap())
}

/// Decompression alone, beside the zstd crate given the same frames.
fn decompress(c: &mut Criterion) {
    let view = view();
    let prepared = zstd::dict::DecoderDictionary::copy(view.dictionary());
    let mut peer = zstd::bulk::Decompressor::with_prepared_dictionary(&prepared).unwrap();
    let mut buffer = Vec::with_capacity(view.header().group_bytes());
    let mut decoder = view.decoder();
    let mut group = ZdatGroup::new();
    for index in 0..view.group_count() {
        peer.decompress_to_buffer(view.compressed(index), &mut buffer)
            .unwrap();
        decoder.read_group(index, &mut group).unwrap();
        assert!(group.as_bytes() == buffer);
    }
    let mut c = c.benchmark_group("decompress/zdat");
    c.throughput(Throughput::Elements(view.len()));
    c.bench_function("zstd", |b| {
        b.iter(|| {
            for index in 0..view.group_count() {
                peer.decompress_to_buffer(view.compressed(index), &mut buffer)
                    .unwrap();
                black_box(&buffer);
            }
        });
    });
    c.bench_function("groups", |b| {
        b.iter(|| {
            for index in 0..view.group_count() {
                decoder.read_group(index, &mut group).unwrap();
                black_box(group.records());
            }
        });
    });
}

/// From the file to planes and sparse policies: what `zdat_numpy.py` does.
fn batches(c: &mut Criterion) {
    let view = view();
    let mut decoder = view.decoder();
    let mut group = ZdatGroup::new();
    let batch = view.header().batch() as usize;
    let mut planes = vec![0.0f32; batch * PLANE_ELEMENTS];
    let mut sparse = SparsePolicies::new();
    let layout = Layout::default();
    let mut c = c.benchmark_group("batches/zdat");
    c.throughput(Throughput::Elements(view.len()));
    c.bench_function("sparse policy", |b| {
        b.iter(|| {
            for index in 0..view.group_count() {
                decoder.read_group(index, &mut group).unwrap();
                sparse.fill(group.records(), layout);
                black_box(&sparse);
            }
        });
    });
    c.bench_function("planes and sparse policy", |b| {
        b.iter(|| {
            for index in 0..view.group_count() {
                decoder.read_group(index, &mut group).unwrap();
                unpack_planes(group.records(), layout.rows, &mut planes);
                sparse.fill(group.records(), layout);
                black_box((&planes, &sparse));
            }
        });
    });
}

/// Unpacking alone, from a group that is there: why sparse policies.
fn unpack(c: &mut Criterion) {
    let view = view();
    let mut group = ZdatGroup::new();
    view.read_group(0, &mut group).unwrap();
    let (records, layout) = (group.records(), Layout::default());
    let mut planes = vec![0.0f32; records.len() * PLANE_ELEMENTS];
    let mut half_planes = vec![f16::ZERO; records.len() * PLANE_ELEMENTS];
    let mut policy = vec![0.0f32; records.len() * POLICY_ELEMENTS];
    let mut half_policy = vec![f16::ZERO; records.len() * POLICY_ELEMENTS];
    let mut sparse = SparsePolicies::new();
    let mut c = c.benchmark_group("unpack/zdat");
    c.throughput(Throughput::Elements(records.len() as u64));
    c.bench_function("planes f32", |b| {
        b.iter(|| unpack_planes(black_box(records), layout.rows, &mut planes));
    });
    c.bench_function("planes f16", |b| {
        b.iter(|| unpack_planes(black_box(records), layout.rows, &mut half_planes));
    });
    c.bench_function("dense policy f32", |b| {
        b.iter(|| unpack_policy(black_box(records), layout, 0.0, &mut policy));
    });
    c.bench_function("dense policy f16", |b| {
        b.iter(|| unpack_policy(black_box(records), layout, f16::ZERO, &mut half_policy));
    });
    c.bench_function("sparse policy", |b| {
        b.iter(|| sparse.fill(black_box(records), layout));
    });
}

fn stream(c: &mut Criterion) {
    let view = view();
    let mut c = c.benchmark_group("stream/zdat");
    c.throughput(Throughput::Elements(view.len()));
    for threads in [1, 2] {
        c.bench_with_input(
            BenchmarkId::new("threads", threads),
            &threads,
            |b, &threads| {
                let threads = NonZeroUsize::new(threads).unwrap();
                b.iter(|| {
                    let groups = 0..view.group_count();
                    let mut stream = ZdatStream::new(Arc::clone(&view), groups, threads);
                    let mut group = ZdatGroup::new();
                    let mut records = 0;
                    while stream.fill(&mut group).unwrap() {
                        records += black_box(group.records()).len() as u64;
                    }
                    assert_eq!(records, view.len());
                });
            },
        );
    }
}

criterion_group!(benches, decompress, batches, unpack, stream);
criterion_main!(benches);
