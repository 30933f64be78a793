//! One half of `beside_numpy.py`: gathers random rows of the shards in a folder and prints rows per
//! second, one line for each way.
//!
//! ```sh
//! cargo bench -p chess-shards --features mmap --bench beside_numpy -- FOLDER BATCH [cold|pread|raw]
//! ```
//!
//! With a third word, rows are read from a disk; `cold.py` makes sure of that.
// Helpers of benches fail by panicking; the plain loop prefetches.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, unsafe_code)]

use std::fs::File;
use std::hint::black_box;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use chess_records::Permutation;
use chess_shards::{FlatColumns, FlatDataset, FlatRecord, Regime, ShardOptions};

fn shards(folder: &str) -> Vec<PathBuf> {
    let listed = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<_> = listed.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "npy"));
    paths.sort();
    paths
}

/// Over so many bytes, a set is not copied into memory for the plain loop.
const LARGE: u64 = 1 << 30;

/// The loop that is to be reached: records in one piece of memory, prefetched 12 rows ahead.
#[inline(never)]
fn plain_loop(rows: &[FlatRecord], indices: &[u64], out: &mut [FlatRecord]) {
    for (slot, &index) in indices.iter().enumerate() {
        if let Some(&ahead) = indices.get(slot + 12) {
            prefetch(&rows[ahead as usize]);
        }
        out[slot] = rows[index as usize];
    }
}

#[cfg(target_arch = "x86_64")]
fn prefetch(record: &FlatRecord) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    for offset in [0, 64, 128, 192] {
        let at = std::ptr::from_ref(record).cast::<i8>().wrapping_add(offset);
        // SAFETY: a prefetch of any address does nothing that could be seen.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at) };
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn prefetch(_: &FlatRecord) {}

/// The median of seven runs of 200 batches, after one that warms up.
fn rate(batches: &[Vec<u64>], mut gather: impl FnMut(&[u64])) -> f64 {
    let mut times: Vec<Duration> = (0..8)
        .map(|run| {
            let start = Instant::now();
            for batch in &batches[run * 200..][..200] {
                gather(batch);
            }
            start.elapsed()
        })
        .skip(1)
        .collect();
    times.sort();
    (200 * batches[0].len()) as f64 / times[3].as_secs_f64()
}

fn main() {
    let arguments = std::env::args().filter(|argument| argument != "--bench");
    let arguments: Vec<_> = arguments.collect();
    match &arguments[..] {
        [_, folder, batch] => in_memory(&shards(folder), batch.parse().unwrap()),
        [_, folder, batch, way] => from_disk(&shards(folder), batch.parse().unwrap(), way),
        _ => {}
    }
}

/// Rows of files that the system has in memory.
fn in_memory(paths: &[PathBuf], batch: usize) {
    // SAFETY: nobody changes the files of a bench.
    let mapped = unsafe { FlatDataset::map(paths, &ShardOptions::new(), Regime::Cached) }.unwrap();
    let len = mapped.len();
    let picks = Permutation::new(len.max(1600 * batch as u64), 1);
    let batches: Vec<Vec<u64>> = (0..1600)
        .map(|number| {
            let picked = picks.iter_from(number * batch as u64).take(batch);
            picked.map(|index| index % len).collect()
        })
        .collect();
    let mut out = vec![FlatRecord::zeroed(); batch];
    let mut columns = FlatColumns::default();

    // The results first; of a large set there is no second copy.
    let whole = if len * FlatRecord::BYTES as u64 <= LARGE {
        let mut whole = vec![FlatRecord::zeroed(); len as usize];
        mapped
            .gather_records(&(0..len).collect::<Vec<_>>(), &mut whole)
            .unwrap();
        whole
    } else {
        Vec::new()
    };
    mapped.gather_records(&batches[0], &mut out).unwrap();
    mapped.gather_columns(&batches[0], &mut columns).unwrap();
    for (slot, &index) in batches[0].iter().enumerate() {
        assert_eq!(out[slot], *whole.get(index as usize).unwrap_or(&out[slot]));
        assert_eq!(columns.fields(slot), out[slot].fields());
    }
    if !whole.is_empty() {
        let plain = rate(&batches, |picks| {
            plain_loop(&whole, picks, &mut out);
            black_box(&out);
        });
        println!("plain loop in memory\t{plain:.0}");
    }
    drop(whole);
    let records = rate(&batches, |picks| {
        mapped.gather_records(picks, &mut out).unwrap();
        black_box(&out);
    });
    println!("records\t{records:.0}");
    let fields = rate(&batches, |picks| {
        mapped.gather_columns(picks, &mut columns).unwrap();
        black_box(&columns);
    });
    println!("columns\t{fields:.0}");
    if len * FlatRecord::BYTES as u64 <= LARGE {
        let options = ShardOptions::new().in_memory(true);
        let memory = FlatDataset::open(paths, &options).unwrap();
        let records = rate(&batches, |picks| {
            memory.gather_records(picks, &mut out).unwrap();
            black_box(&out);
        });
        println!("records in memory\t{records:.0}");
        let fields = rate(&batches, |picks| {
            memory.gather_columns(picks, &mut columns).unwrap();
            black_box(&columns);
        });
        println!("columns in memory\t{fields:.0}");
    }
    let read = FlatDataset::open(paths, &ShardOptions::new()).unwrap();
    let read = rate(&batches, |picks| {
        read.gather_records(picks, &mut out).unwrap();
        black_box(&out);
    });
    println!("records by pread\t{read:.0}");
}

/// Rows of files that the system has not in memory: whoever calls this must see to that.
fn from_disk(paths: &[PathBuf], batch: usize, way: &str) {
    let threads = if way == "cold" { 1 } else { 32 };
    let options = ShardOptions::new().threads(threads);
    let regime = if way == "cold" {
        Regime::Cold
    } else {
        Regime::Pread
    };
    // SAFETY: nobody changes the files of a bench.
    let dataset = unsafe { FlatDataset::map(paths, &options, regime) }.unwrap();
    let order = Permutation::new(dataset.len(), 5);
    let picks: Vec<u64> = order.iter().take(200 * batch).collect();
    let mut out = vec![FlatRecord::zeroed(); batch];
    let start = Instant::now();
    if way == "raw" {
        raw(&dataset, &picks);
    } else {
        for picks in picks.chunks(batch) {
            dataset.gather_records(picks, &mut out).unwrap();
            black_box(&out);
        }
    }
    println!(
        "{way}\t{:.0}",
        picks.len() as f64 / start.elapsed().as_secs_f64()
    );
}

/// What the disk can do: 4 KiB of each row's file, read by 32 threads without waiting for each other.
fn raw(dataset: &FlatDataset, picks: &[u64]) {
    std::thread::scope(|scope| {
        for part in picks.chunks(picks.len().div_ceil(32)) {
            scope.spawn(move || {
                let paths: Vec<_> = dataset
                    .files()
                    .map(|(path, _)| path.to_path_buf())
                    .collect();
                let files: Vec<_> = paths.iter().map(|path| File::open(path).unwrap()).collect();
                let mut page = [0; 4096];
                for &index in part {
                    let (path, row) = dataset.locate(index).unwrap();
                    let file = paths.iter().position(|found| found == path).unwrap();
                    let offset = (384 + row * 202) / 4096 * 4096;
                    let read = files[file].read_at(&mut page, offset);
                    assert!(read.unwrap() > 0);
                }
            });
        }
    });
}
