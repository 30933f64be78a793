//! The tool between pipes.

use std::io::Read;
use std::process::Stdio;

use crate::support::{Folder, GOLDEN, Ran, records};
use serde_json::Value;

#[test]
fn records_stream_through() {
    let folder = Folder::new();
    let bytes = records(5000);
    let text = folder
        .pipe("convert - - --from marlin --to text", &bytes)
        .succeeded();
    let lines = text.stdout.iter().filter(|&&byte| byte == b'\n').count();
    assert_eq!(lines, 5000);
    let back = folder
        .pipe("convert - - --from text --to marlin", &text.stdout)
        .succeeded();
    assert_eq!(back.stdout, bytes);
    let head = folder
        .pipe("head - -n 3 --skip 2 --format marlin -o -", &bytes)
        .succeeded();
    assert_eq!(head.stdout, &bytes[64..160]);
    folder.write("a.marlin", GOLDEN);
    let both = folder
        .pipe("concat a.marlin - a.marlin -o - --format marlin", &bytes)
        .succeeded();
    assert_eq!(both.stdout, [GOLDEN, &bytes, GOLDEN].concat());
    let kept = folder
        .pipe("filter - --format marlin --score 0..9 -o -", &bytes)
        .succeeded();
    assert_eq!(kept.stdout, &bytes[..320]);
    let stats = folder
        .pipe("stats - --format marlin --json", &bytes)
        .succeeded()
        .text();
    let stats: Value = serde_json::from_str(&stats).unwrap();
    assert_eq!(stats["positions"], 5000);
    assert_eq!(stats["files"][0], "standard input");
    folder.pipe("inspect - --format marlin", &bytes).succeeded();
    let verified = folder.pipe("verify - --format marlin", &bytes[..100]);
    let text = verified.failed(1, "").text();
    assert!(
        text.starts_with("standard input: record 3 at byte 96: the end after 4 bytes"),
        "{text}"
    );
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let folder = Folder::new();
    folder.write("a.marlin", records(200_000));
    for arguments in [
        "convert a.marlin - --to text --lossy",
        "concat a.marlin -o -",
        "filter a.marlin -o -",
    ] {
        let mut command = folder.tool(arguments.split(' '));
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0; 100]).unwrap();
        drop(stdout);
        let ran = Ran::of(child.wait_with_output().unwrap());
        assert_eq!(
            (ran.code, ran.stderr.as_str()),
            (Some(0), ""),
            "{arguments}"
        );
    }
}

#[test]
fn ctrl_c_leaves_the_output_as_it_was() {
    let folder = Folder::new();
    folder.write("out", "old");
    let mut command = folder.tool("concat - --format marlin -f -o out".split(' '));
    command.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, &records(100_000)).unwrap();
    // It reads, so that it listens to signals by now.
    let killed = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(killed.unwrap().success());
    while std::io::Write::write_all(&mut stdin, &records(10_000)).is_ok() {}
    drop(stdin);
    let ran = Ran::of(child.wait_with_output().unwrap());
    ran.failed(130, "interrupted, the output is as it was");
    assert_eq!(folder.read("out"), b"old");
    assert_eq!(folder.names(), ["out"]);
}
