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

/// The same into a buffer for each field, with one check of all lengths.
#[inline(never)]
fn plain_columns(rows: &[FlatRecord], indices: &[u64], out: &mut FlatColumns) {
    let len = indices.len();
    let position = &mut out.position[..len];
    let legal_idx = &mut out.legal_idx[..len];
    let legal_cnt = &mut out.legal_cnt[..len];
    let from_square = &mut out.from_square[..len];
    let action_plane = &mut out.action_plane[..len];
    let castling_rights = &mut out.castling_rights[..len];
    let en_passant_file = &mut out.en_passant_file[..len];
    let is_white = &mut out.is_white[..len];
    let result = &mut out.result[..len];
    let move_number = &mut out.move_number[..len];
    for slot in 0..len {
        if let Some(&ahead) = indices.get(slot + 12) {
            prefetch(&rows[ahead as usize]);
        }
        let row = rows[indices[slot] as usize].as_bytes();
        position[slot].copy_from_slice(&row[..64]);
        let actions = row[64..192].as_chunks().0;
        for (to, action) in legal_idx[slot].iter_mut().zip(actions) {
            *to = u16::from_le_bytes(*action);
        }
        legal_cnt[slot] = row[192];
        from_square[slot] = row[193];
        action_plane[slot] = row[194];
        castling_rights[slot] = row[195];
        en_passant_file[slot] = row[196];
        is_white[slot] = row[197];
        result[slot] = row[198] as i8;
        move_number[slot] = u16::from_le_bytes([row[200], row[201]]);
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

/// How many batches a turn gathers, after some that bring page tables and buffers back into the caches.
const TURN: usize = 160;
/// Those batches.
const WARM_UP: usize = 40;
/// How many turns each way has.
const TURNS: usize = 15;

/// Ways to gather a batch, which take turns: what else the machine does befalls them all alike.
struct Ways<'a>(Vec<(&'static str, Way<'a>, Vec<Duration>)>);

type Way<'a> = Box<dyn FnMut(&[u64]) + 'a>;

impl<'a> Ways<'a> {
    fn records(
        &mut self,
        name: &'static str,
        batch: usize,
        way: impl Fn(&[u64], &mut [FlatRecord]) + 'a,
    ) {
        let mut out = vec![FlatRecord::zeroed(); batch];
        self.add(name, move |picks| {
            way(picks, &mut out);
            black_box(&out);
        });
    }

    fn columns(
        &mut self,
        name: &'static str,
        mut out: FlatColumns,
        way: impl Fn(&[u64], &mut FlatColumns) + 'a,
    ) {
        self.add(name, move |picks| {
            way(picks, &mut out);
            black_box(&out);
        });
    }

    fn add(&mut self, name: &'static str, way: impl FnMut(&[u64]) + 'a) {
        self.0.push((name, Box::new(way), Vec::new()));
    }

    /// Prints rows per second by the median of the turns.
    fn print(mut self, batches: &[Vec<u64>]) {
        // Each has rows of its own, or one would find in the cache what another has brought there.
        let mut turns = batches.chunks(WARM_UP + TURN).cycle();
        for _ in 0..TURNS {
            for (_, way, times) in &mut self.0 {
                let turn = turns.next().unwrap_or_default();
                let (warm_up, timed) = turn.split_at(WARM_UP);
                warm_up.iter().for_each(|picks| way(picks));
                let start = Instant::now();
                timed.iter().for_each(|picks| way(picks));
                times.push(start.elapsed());
            }
        }
        for (name, _, mut times) in self.0 {
            times.sort();
            let rows = (TURN * batches[0].len()) as f64;
            println!("{name}\t{:.0}", rows / times[times.len() / 2].as_secs_f64());
        }
    }
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
    let options = ShardOptions::new().in_memory(true);
    let memory = (!whole.is_empty()).then(|| FlatDataset::open(paths, &options).unwrap());
    let read = FlatDataset::open(paths, &ShardOptions::new()).unwrap();
    let mut ways = Ways(Vec::new());
    if !whole.is_empty() {
        ways.records("plain loop in memory", batch, |picks, out| {
            plain_loop(&whole, picks, out)
        });
        plain_columns(&whole, &batches[0], &mut columns);
        for (slot, record) in out.iter().enumerate() {
            assert_eq!(columns.fields(slot), record.fields());
        }
        ways.columns("plain loop to columns", columns, |picks, out| {
            plain_columns(&whole, picks, out)
        });
    }
    let of = [
        ("records", "columns", Some(&mapped)),
        ("records in memory", "columns in memory", memory.as_ref()),
    ];
    for (records, columns, dataset) in of {
        let Some(dataset) = dataset else { continue };
        ways.records(records, batch, |picks, out| {
            dataset.gather_records(picks, out).unwrap()
        });
        let gather =
            |picks: &[u64], out: &mut FlatColumns| dataset.gather_columns(picks, out).unwrap();
        ways.columns(columns, FlatColumns::default(), gather);
    }
    ways.records("records by pread", batch, |picks, out| {
        read.gather_records(picks, out).unwrap()
    });
    ways.print(&batches);
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
