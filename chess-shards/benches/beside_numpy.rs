//! One half of `beside_numpy.py`: gathers random rows of the shards in a folder and prints rows per
//! second, one line for each way.
//!
//! ```sh
//! cargo bench -p chess-shards --features mmap --bench beside_numpy -- FOLDER BATCH
//! ```
// Helpers of benches fail by panicking; the plain loop prefetches.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, unsafe_code)]

use std::hint::black_box;
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
    let arguments: Vec<_> = std::env::args()
        .filter(|argument| argument != "--bench")
        .collect();
    let [_, folder, batch] = &arguments[..] else {
        return;
    };
    let batch: usize = batch.parse().unwrap();
    let paths = shards(folder);
    // SAFETY: nobody changes the files of a bench.
    let mapped = unsafe { FlatDataset::map(&paths, &ShardOptions::new(), Regime::Cached) }.unwrap();
    let len = mapped.len();
    let picks = Permutation::new(len.max(1600 * batch as u64), 1);
    let batches: Vec<Vec<u64>> = (0..1600)
        .map(|number| {
            let picked = picks.iter_from(number * batch as u64).take(batch);
            picked.map(|index| index % len).collect()
        })
        .collect();
    let all: Vec<u64> = (0..len).collect();
    let mut whole = vec![FlatRecord::zeroed(); len as usize];
    mapped.gather_records(&all, &mut whole).unwrap();
    let mut out = vec![FlatRecord::zeroed(); batch];
    let mut columns = FlatColumns::default();

    // The results first.
    mapped.gather_records(&batches[0], &mut out).unwrap();
    mapped.gather_columns(&batches[0], &mut columns).unwrap();
    for (slot, &index) in batches[0].iter().enumerate() {
        assert_eq!(out[slot], whole[index as usize]);
        assert_eq!(columns.fields(slot), out[slot].fields());
    }

    let plain = rate(&batches, |picks| {
        plain_loop(&whole, picks, &mut out);
        black_box(&out);
    });
    println!("plain loop in memory\t{plain:.0}");
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
    let memory = ShardOptions::new().in_memory(true);
    let memory = FlatDataset::open(&paths, &memory).unwrap();
    let memory = rate(&batches, |picks| {
        memory.gather_records(picks, &mut out).unwrap();
        black_box(&out);
    });
    println!("records in memory\t{memory:.0}");
    let read = FlatDataset::open(&paths, &ShardOptions::new()).unwrap();
    let read = rate(&batches, |picks| {
        read.gather_records(picks, &mut out).unwrap();
        black_box(&out);
    });
    println!("records by pread\t{read:.0}");
}
