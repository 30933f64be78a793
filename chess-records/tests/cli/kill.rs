//! The tool killed at any moment, and on a full disk.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::{Folder, golden_games, names, records};

/// Two stretches of a shuffle by 8 MiB, and more than one part of a search for duplicates.
const RECORDS: usize = 200_000;

/// More than a moment's work for any command.
const LONG: usize = 1_500_000;

/// Kills `arguments` (which write "out") so many times, at moments spread over their whole run, and
/// lets them finish after each.
fn kill_again_and_again(arguments: &str, record_count: usize, kills: u32) {
    let folder = Folder::new();
    folder.write("in.marlin", records(record_count));
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let started = Instant::now();
    let whole = folder.tool(&arguments).output().unwrap();
    assert!(whole.status.success(), "{whole:?}");
    let time = started.elapsed();
    let expected = folder.read("out");
    let mut cut_short = 0;
    for kill in 0..kills {
        let old = (kill % 2 == 0).then_some(b"old".as_slice());
        fs::remove_file(folder.path("out")).unwrap();
        if let Some(old) = old {
            folder.write("out", old);
        }
        let mut command = folder.tool(&arguments);
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        // Beginnings and ends alike, with an odd step between.
        sleep(time * (kill * 7 % kills) / kills);
        child.kill().unwrap();
        cut_short += u32::from(!child.wait().unwrap().success());
        let found = fs::read(folder.path("out")).ok();
        let as_it_was = found.as_deref() == old;
        assert!(
            as_it_was || found.as_ref() == Some(&expected),
            "kill {kill}"
        );
        let again = folder.tool(&arguments).output().unwrap();
        assert!(again.status.success(), "{again:?}");
        assert!(folder.read("out") == expected, "kill {kill}");
        assert!(!folder.path(".out.chess-records").exists(), "kill {kill}");
    }
    // Most of them, but a machine that was busy with something else at first is faster later.
    assert!(
        cut_short > kills / 4,
        "{cut_short} of {kills} were cut short"
    );
}

/// Lets time pass for a command, but not its work. Notes are made by the clock, so that even a command
/// that is over in no time makes some.
fn hold(child: &Child) {
    let signal = |name: &str| {
        let id = child.id().to_string();
        let _ = Command::new("kill").args([name, id.as_str()]).status();
    };
    if cfg!(unix) {
        signal("-STOP");
        sleep(Duration::from_millis(120));
        signal("-CONT");
    }
}

/// Kills `arguments` as soon as there is a note of where it is.
fn kill_when_noted(folder: &Folder, arguments: &str) {
    let mut command = folder.tool(arguments.split(' '));
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    while !folder.path(".out.chess-records/state").exists() {
        let ended = child.try_wait().unwrap().is_some();
        assert!(!ended, "ended before there was a note: {arguments}");
        hold(&child);
        sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!folder.path("out").exists());
}

/// Kills `arguments`, puts a mark into what it has written so far, and lets it go on: it must say so,
/// and end with the same bytes but for the mark.
fn kill_and_go_on(folder: &Folder, arguments: &str) {
    let whole = folder.run(arguments).succeeded();
    let expected = folder.read("out");
    fs::remove_file(folder.path("out")).unwrap();
    kill_when_noted(folder, arguments);
    let result = folder.path(".out.chess-records/result");
    let mut written = fs::read(&result).unwrap();
    written[0] ^= 1;
    fs::write(result, written).unwrap();
    let again = folder.run(arguments).succeeded();
    let (first, notes) = again.stderr.split_once('\n').unwrap();
    assert!(first.starts_with("continuing at "), "{arguments}: {first}");
    assert_eq!(notes, whole.stderr, "{arguments}");
    let mut found = folder.read("out");
    found[0] ^= 1;
    assert!(found == expected, "{arguments}");
    fs::remove_file(folder.path("out")).unwrap();
    assert!(!folder.path(".out.chess-records").exists());
}

#[test]
fn commands_go_on_where_they_were() {
    let folder = Folder::new();
    folder.write("a.marlin", records(LONG));
    folder.write("b.marlin", records(LONG / 4));
    folder.write("a.viri", golden_games().repeat(600));
    folder.run("convert a.marlin a.txt --lossy").succeeded();
    for arguments in [
        "convert a.marlin out --to text --lossy",
        "convert a.txt out --to bullet --lossy",
        "convert a.viri out --to marlin --lossy --quiet",
        "concat b.marlin a.marlin -o out",
        "concat a.viri a.viri a.viri -o out",
        "filter b.marlin a.marlin -o out --score -20000..30000",
        "head a.marlin -o out -n 1400000",
        "head a.txt -o out -n 900000 --skip 20",
        "interleave a.marlin b.marlin -o out",
    ] {
        kill_and_go_on(&folder, arguments);
    }
}

#[test]
fn a_split_goes_on() {
    let folder = Folder::new();
    folder.write("a.marlin", records(LONG));
    let arguments = "split a.marlin --train out --validation other --by position";
    let whole = folder.run(arguments).succeeded();
    let expected = [folder.read("out"), folder.read("other")];
    fs::remove_file(folder.path("out")).unwrap();
    fs::remove_file(folder.path("other")).unwrap();
    kill_when_noted(&folder, arguments);
    let again = folder.run(arguments).succeeded().stderr;
    assert!(again.starts_with("continuing at record "), "{again}");
    assert!(again.ends_with(&whole.stderr), "{again}");
    assert!([folder.read("out"), folder.read("other")] == expected);
    assert_eq!(folder.names(), ["a.marlin", "other", "out"]);
}

#[test]
fn other_inputs_or_arguments_begin_anew() {
    let interrupted = "convert a.marlin out --to text --lossy";
    for next in ["filter a.marlin -o out --score 0..", interrupted] {
        let folder = Folder::new();
        folder.write("a.marlin", records(LONG));
        kill_when_noted(&folder, interrupted);
        folder.write("a.marlin", records(1000));
        let ran = folder.run(next).succeeded().stderr;
        assert!(ran.starts_with("beginning anew: "), "{ran}");
        let undisturbed = folder.run(&next.replace(" out", " other")).succeeded();
        assert!(ran.ends_with(&undisturbed.stderr), "{ran}");
        assert!(folder.read("out") == folder.read("other"));
        assert_eq!(folder.names(), ["a.marlin", "other", "out"]);
    }
}

#[test]
fn a_killed_concatenation() {
    kill_again_and_again("concat in.marlin in.marlin -f -o out", RECORDS, 6);
}

#[test]
fn a_killed_filter() {
    kill_again_and_again("filter in.marlin -f -o out --score 0..", RECORDS, 6);
}

#[test]
fn a_killed_interleaving() {
    kill_again_and_again("interleave in.marlin in.marlin -f -o out", RECORDS, 6);
}

#[test]
fn a_killed_shuffle() {
    kill_again_and_again(
        "shuffle in.marlin -f -o out --memory 8M --seed 3",
        RECORDS,
        20,
    );
}

#[test]
fn a_killed_dedup() {
    kill_again_and_again("dedup in.marlin -f -o out --memory 8M", RECORDS, 15);
}

#[test]
fn a_killed_conversion() {
    kill_again_and_again(
        "convert in.marlin out --to text --lossy -f",
        RECORDS / 4,
        15,
    );
}

/// A file system of 6 MiB, if this process may make one.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn new() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=6m", "tmpfs"])
            .arg(folder.path())
            .stderr(Stdio::null())
            .status();
        mounted
            .is_ok_and(|status| status.success())
            .then(|| Self(folder))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
fn a_full_disk() {
    let Some(disk) = SmallDisk::new() else {
        println!("skipped: no tmpfs can be mounted here");
        return;
    };
    let folder = Folder::new();
    // More than the disk by half.
    folder.write("in.marlin", records(300_000));
    let out = disk.path().join("out");
    fs::write(&out, "old").unwrap();
    for command in [
        "shuffle in.marlin -f --memory 8M -o",
        "shuffle in.marlin -f --memory 1G -o",
        "dedup in.marlin -f --memory 8M -o",
        "interleave in.marlin -f -o",
        "concat in.marlin -f -o",
        "filter in.marlin -f -o",
        "convert in.marlin --to text --lossy -f",
        "split in.marlin -f --validation other --train",
    ] {
        let ran = folder.run(&format!("{command} {}", out.display()));
        ran.failed(2, "No space left on device");
        assert_eq!(fs::read(&out).unwrap(), b"old", "{command}");
        assert_eq!(names(disk.path()), ["out"], "{command}");
    }
}
