//! Every check holds for its seeds with a few bytes changed, without a panic, much memory or time.
//!
//! `MUTATIONS` is how many changed inputs a cheap check is given; expensive ones are given fewer, as
//! [`share`] says. Input number *n* of a check is the same on every machine and in every run.
#![allow(unsafe_code)]

mod memory;
mod mutate;

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use chess_data_fuzz::{CHECKS, Check};

use memory::Counting;
use mutate::{Random, mutate};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Without `MUTATIONS`, as for a build that is not optimised.
const FEW: u64 = 2_000;
/// How many inputs a thread takes at a time.
const RUN: u64 = 1_000;
/// Far over what the slowest input takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// One in how many inputs a check is given: all of them, but where a permutation is walked, which is
/// slow and decodes nothing, and for checkpoints, of which the smallest has 148 KB.
fn share(check: &str) -> u64 {
    match check {
        "checkpoint" => 20,
        "permutation" => 10,
        _ => 1,
    }
}

/// How many bytes a check may allocate at a time; the zstd library's own are not seen.
fn most_bytes(check: &str) -> usize {
    const MIB: usize = 1 << 20;
    match check {
        // A group of 65536 records has 284 MiB, and there are two buffers.
        "zdat" => 640 * MIB,
        _ => 4 * MIB,
    }
}

struct Job {
    name: &'static str,
    check: Check,
    seeds: Vec<Vec<u8>>,
    count: u64,
    next: AtomicU64,
}

#[test]
fn mutated_seeds_pass() {
    let count = std::env::var("MUTATIONS").map_or(FEW, |count| count.parse().expect("a number"));
    let jobs: Vec<_> = CHECKS.iter().map(|check| Job::new(check, count)).collect();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    for job in &jobs {
        let started = Instant::now();
        let worker = || job.work();
        let most = thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
            let most = workers.into_iter().map(|worker| worker.join());
            most.map(|most| most.expect("the check holds")).max()
        });
        let (seconds, kib) = (started.elapsed().as_secs_f64(), most.unwrap_or(0) >> 10);
        println!(
            "{}: {} inputs, {seconds:.1} s, at most {kib} KiB",
            job.name, job.count
        );
    }
}

impl Job {
    fn new(&(name, check): &(&'static str, Check), count: u64) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("seeds")
            .join(name);
        let listed = fs::read_dir(folder).expect("a folder of seeds");
        let mut paths: Vec<_> = listed.map(|entry| entry.expect("a seed").path()).collect();
        paths.sort();
        let read = |path| fs::read(path).expect("a seed");
        Self {
            name,
            check,
            seeds: paths.iter().map(read).collect(),
            count: count.div_ceil(share(name)),
            next: AtomicU64::new(0),
        }
    }

    /// Takes inputs until there are none left; the most bytes that one needed.
    fn work(&self) -> usize {
        let mut most = 0;
        loop {
            let first = self.next.fetch_add(RUN, Ordering::Relaxed);
            if first >= self.count {
                return most;
            }
            for number in first..self.count.min(first + RUN) {
                most = most.max(self.run(number));
            }
        }
    }

    fn run(&self, number: u64) -> usize {
        let random = &mut Random::new(self.name, number);
        let input = mutate(&self.seeds, random);
        let culprit = Culprit {
            name: self.name,
            number,
            input: &input,
        };
        let (started, before) = (Instant::now(), memory::start());
        (self.check)(&input);
        let needed = memory::most().saturating_sub(before);
        assert!(needed <= most_bytes(self.name), "{needed} bytes at a time");
        let elapsed = started.elapsed();
        assert!(elapsed < PATIENCE, "{elapsed:?}");
        std::mem::forget(culprit);
        needed
    }
}

/// Tells, when a check panics, with what.
struct Culprit<'a> {
    name: &'static str,
    number: u64,
    input: &'a [u8],
}

impl Drop for Culprit<'_> {
    fn drop(&mut self) {
        let Self {
            name,
            number,
            input,
        } = self;
        let path = std::env::temp_dir().join(format!("{name}-{number}"));
        let written = fs::write(&path, input);
        println!(
            "{name} fails on input {number}: {} {written:?}",
            path.display()
        );
    }
}
