//! Builds that are killed or run out of space, and how much memory they take. Each of these runs in a
//! process of its own: this test's, with only the test [`helper`].
#![cfg(feature = "build")]
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::print_stdout,
    missing_docs
)]

mod build_common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use build_common::{names, repeated_games, run, set};
use chess_shards::build::{BuildOptions, Source};

const PGN: &str = "CHESS_SHARDS_TEST_PGN";
const OUT: &str = "CHESS_SHARDS_TEST_OUT";

fn options() -> BuildOptions {
    BuildOptions::new()
        .num_shards(12)
        .val_shards(1)
        .test_shards(1)
        .workers(2)
}

/// Builds, and says how much memory that took, in kB.
#[test]
#[ignore = "run by the other tests"]
fn helper() {
    let path = |name| PathBuf::from(std::env::var_os(name).unwrap());
    run(&Source::pgn([path(PGN)]), &options(), &path(OUT)).unwrap();
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    println!(
        "peak={}",
        peak.map_or("", |line| line.trim_end_matches("kB").trim())
    );
}

fn start(pgn: &Path, out: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "helper", "--ignored", "--nocapture"])
        .env(PGN, pgn)
        .env(OUT, out)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn finished_shards(out: &Path) -> usize {
    let is_shard = |name: &String| name.starts_with("shard_");
    if out.exists() {
        names(out).iter().filter(|name| is_shard(name)).count()
    } else {
        0
    }
}

#[test]
fn a_killed_build_goes_on_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let (pgn, out) = (repeated_games(folder.path(), 60), folder.path().join("out"));
    // Killed at its first shard, then at some later one, and sometimes in between.
    for shards in [1, 5, 9] {
        let mut child = start(&pgn, &out);
        let started = Instant::now();
        while finished_shards(&out) < shards && started.elapsed() < Duration::from_secs(120) {
            assert!(child.try_wait().unwrap().is_none(), "it was done too soon");
            thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!out.join("meta.json").exists());
    }
    let summary = run(&Source::pgn([&pgn]), &options(), &out).unwrap();
    // The last one may have been killed between the shard and the manifest.
    assert!(summary.kept_shards >= 8, "{} kept", summary.kept_shards);
    assert!(
        names(&out)
            .iter()
            .all(|name| !name.ends_with(".tmp") || !name.contains("shard"))
    );
    let whole = folder.path().join("whole");
    run(&Source::pgn([&pgn]), &options(), &whole).unwrap();
    assert_eq!(set(&out), set(&whole));
}

/// A small file system in memory, if this process may mount one.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(path: PathBuf, bytes: u64) -> Option<Self> {
        fs::create_dir(&path).unwrap();
        let mut mount = Command::new("mount");
        let mount = mount.args(["-t", "tmpfs", "-o", &format!("size={bytes}"), "tmpfs"]);
        let mounted = mount.arg(&path).stderr(Stdio::null()).status();
        mounted
            .is_ok_and(|status| status.success())
            .then_some(Self(path))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_loses_nothing_that_is_finished() {
    let folder = tempfile::tempdir().unwrap();
    let pgn = repeated_games(folder.path(), 10);
    let whole = folder.path().join("whole");
    run(&Source::pgn([&pgn]), &options(), &whole).unwrap();
    let bytes: usize = set(&whole).values().map(Vec::len).sum();
    let Some(disk) = SmallDisk::mount(folder.path().join("disk"), bytes as u64 / 2) else {
        eprintln!("skipped: a small file system cannot be mounted here");
        return;
    };
    let out = disk.0.join("out");
    let error = run(&Source::pgn([&pgn]), &options(), &out).unwrap_err();
    assert_eq!(error.to_string(), "a file of the set cannot be written");
    let kept = set(&out);
    assert!((3..12).contains(&kept.len()), "{} finished", kept.len());
    for (name, bytes) in &kept {
        assert!(set(&whole)[name] == *bytes, "{name}");
    }
    // With room again it goes on.
    let grown = Command::new("mount")
        .args(["-o", &format!("remount,size={}", bytes * 3)])
        .arg(&disk.0)
        .status();
    assert!(grown.unwrap().success());
    let summary = run(&Source::pgn([&pgn]), &options(), &out).unwrap();
    assert_eq!(summary.kept_shards as usize, kept.len());
    assert_eq!(set(&out), set(&whole));
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_games() {
    let folder = tempfile::tempdir().unwrap();
    let peak = |times: usize| {
        let out = folder.path().join(times.to_string());
        let output = start(&repeated_games(folder.path(), times), &out).wait_with_output();
        let text = String::from_utf8(output.unwrap().stdout).unwrap();
        let peak = text
            .split("peak=")
            .nth(1)
            .unwrap()
            .split_whitespace()
            .next();
        peak.unwrap().parse::<u64>().unwrap()
    };
    let (short, long) = (peak(60), peak(160));
    // 26 MB of text against 69 MB.
    assert!(long < short + 12_000, "{short} kB, then {long} kB");
}
