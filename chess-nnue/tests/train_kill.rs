//! A process that is killed again and again while it trains ends with the same files as one that is
//! left alone.

#![cfg(all(feature = "train", unix))]
#![allow(clippy::unwrap_used)]

mod train_common;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::num::{NonZeroU64, NonZeroUsize};
use std::ops::ControlFlow;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use chess_nnue::Architecture;
use chess_nnue::train::{Event, RateSchedule, RunFolder, TrainConfig, Trainer};
use train_common::{Numbers, random_positions};

/// What tells a copy of this program that it is to train, and where.
const FOLDER: &str = "CHESS_NNUE_TEST_FOLDER";
const THREADS: &str = "CHESS_NNUE_TEST_THREADS";
const KILLS: u64 = 10;

fn config(threads: usize) -> TrainConfig {
    let mut config = TrainConfig::new(Architecture::new(16).unwrap());
    (config.batch_size, config.epochs) = (64, 40);
    config.rate_schedule = RateSchedule::Cosine { last: 0.05 };
    config.last_result_weight = Some(0.5);
    config.check_scores = false;
    config.checkpoint_steps = NonZeroU64::new(3);
    config.threads = NonZeroUsize::new(threads);
    config
}

/// Trains to the end, and says so on standard output after every step.
#[allow(clippy::print_stdout)]
fn train(path: &Path, threads: usize) {
    let folder = RunFolder::open(path).unwrap();
    let mut trainer = Trainer::new(config(threads)).unwrap();
    let (training, validation) = (random_positions(500, 1), random_positions(100, 2));
    let outcome = folder.train(&mut trainer, training, &validation, |event| {
        match event {
            Event::Damaged { .. } => panic!("a killed process leaves whole files"),
            Event::Step { step, .. } => println!("\nstep {step}"),
            _ => {}
        }
        ControlFlow::Continue(())
    });
    assert!(!outcome.unwrap().stopped);
}

/// No test of its own: what the copies run.
#[test]
fn copy() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        let threads = std::env::var(THREADS).unwrap().parse().unwrap();
        train(Path::new(&folder), threads);
    }
}

fn start_copy(folder: &Path, threads: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "copy", "--nocapture"])
        .env(FOLDER, folder)
        .env(THREADS, threads.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits for some steps and then a moment, and kills. The last step that was told of.
fn kill_in_work(mut copy: Child, numbers: &mut Numbers) -> u64 {
    // Read no further, but not closed: it must not hear of it before it is killed.
    let mut lines = BufReader::new(copy.stdout.take().unwrap()).lines();
    let mut last = 0;
    for _ in 0..1 + numbers.below(30) {
        let steps = lines.by_ref().map_while(Result::ok);
        last = { steps }
            .find_map(|line| line.strip_prefix("step ")?.parse().ok())
            .unwrap();
    }
    thread::sleep(Duration::from_micros(numbers.below(6000)));
    copy.kill().unwrap();
    let status = copy.wait().unwrap();
    assert_eq!(status.signal(), Some(9), "it was over before");
    last
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        (name, fs::read(entry.path()).unwrap())
    });
    entries.collect()
}

#[test]
fn a_run_survives_being_killed_ten_times() {
    let (whole, killed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    train(whole.path(), 2);
    let mut numbers = Numbers(u64::from(std::process::id()));
    let mut reached = 0;
    for kill in 0..KILLS {
        let copy = start_copy(killed.path(), 1 + kill % 3);
        reached = kill_in_work(copy, &mut numbers);
    }
    assert!(reached < 320, "step {reached}: it must be killed in work");
    let last = start_copy(killed.path(), 2).wait_with_output().unwrap();
    assert!(last.status.success(), "{last:?}");
    let (expected, found) = (files(whole.path()), files(killed.path()));
    assert!(found.keys().eq(expected.keys()), "{:?}", found.keys());
    assert!(expected.contains_key("checkpoint-0000000320.ckpt"));
    for (name, bytes) in &expected {
        assert!(found[name] == *bytes, "{name}");
    }
}
