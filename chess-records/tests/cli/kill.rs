//! The tool killed at any moment, and on a full disk.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Instant;

use crate::support::{Folder, names, records};

/// Two stretches of a shuffle by 8 MiB, and more than one part of a search for duplicates.
const RECORDS: usize = 200_000;

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
    assert!(
        cut_short > kills / 2,
        "{cut_short} of {kills} were cut short"
    );
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
