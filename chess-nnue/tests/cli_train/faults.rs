//! What users do wrong, and what happens to the files of a run.

use std::fs;
use std::process::Command;

use crate::support::{Folder, assert_same_runs, fail, strs, succeed};

/// The error text of training with these arguments beside the files and the run's folder.
fn fail_to_train(folder: &Folder, data: &str, arguments: &[&str]) -> String {
    let (data, out) = (folder.text(data), folder.text("run"));
    let start = ["train", "--out", &out, "--data", &data];
    let error = fail(&[&start[..], arguments].concat());
    assert!(!folder.path("run").exists(), "nothing was begun: {error}");
    error
}

#[test]
fn a_configuration_that_cannot_be_trained_with_begins_no_run() {
    let folder = Folder::new();
    let error = |arguments: &[&str]| fail_to_train(&folder, "some.marlin", arguments);
    let start = "chess-nnue: [training] and [architecture]: ";
    assert_eq!(
        error(&["--threads", "257"]),
        format!("{start}257 threads, expected at most 256\n")
    );
    assert_eq!(
        error(&["--set", "order={blocks={window=0}}"]),
        format!("{start}the order of the samples: window is 0 blocks, expected at least 1\n")
    );
    let of_key = error(&["--set", "epochs=-1"]);
    assert!(
        of_key.starts_with(&format!("{start}`epochs`: ")),
        "{of_key}"
    );
    #[cfg(not(feature = "gpu"))]
    assert_eq!(
        error(&["--set", "device={gpu={}}"]),
        "chess-nnue: [training]: device is a GPU, and this program was built without the feature gpu\n"
    );
}

/// Whatever GPUs there are, none is called so; without any, nothing is begun either.
#[cfg(feature = "gpu")]
#[test]
fn without_its_gpu_no_run_is_begun() {
    let folder = Folder::new();
    let error = fail_to_train(&folder, "some.marlin", &["--device", "gpu:no such"]);
    assert!(error.contains("chess-nnue: GPU: no "), "{error}");
}

#[test]
fn files_that_are_no_records_are_not_asked_for_their_games() {
    let folder = Folder::new();
    for name in ["noise.marlin", "noise.bullet"] {
        let noise = b"not chess, and this can be told.".repeat(9);
        fs::write(folder.path(name), noise).unwrap();
        let error = fail_to_train(&folder, name, &[]);
        let named = format!("{}: record 0 at byte 0: ", folder.text(name));
        assert!(error.contains(&named), "{error}");
    }
}

#[test]
fn a_copy_cannot_be_held_out() {
    let folder = Folder::new();
    let [some, copy] = ["some.marlin", "copy.marlin"].map(|name| folder.text(name));
    fs::copy(&some, &copy).unwrap();
    assert_eq!(
        fail_to_train(&folder, "some.marlin", &["--held-out", &copy]),
        format!("chess-nnue: {copy}: holds the same as {some}, which is trained on\n")
    );
}

#[test]
fn weights_that_leave_nothing_are_named() {
    let folder = Folder::new();
    let error = |weight: &str| fail_to_train(&folder, &format!("some.marlin:{weight}"), &[]);
    assert_eq!(
        error("0"),
        "chess-nnue: no samples to train on by these weights\n"
    );
    let some = folder.text("some.marlin");
    assert_eq!(
        error("72057594037927937"),
        format!(
            "chess-nnue: {some}: weight 72057594037927937, expected at most 72057594037927936\n"
        )
    );
}

#[test]
fn a_run_that_is_over_needs_neither_its_last_network_nor_its_metrics() {
    let folder = Folder::new();
    folder.train("run");
    let run = folder.text("run");
    let report = folder.read_text("run/report.md");
    for name in ["last.nnue", "report.md", "network.nnue"] {
        fs::remove_file(folder.path(&format!("run/{name}"))).unwrap();
    }
    succeed(&["resume", &run]);
    assert_eq!(folder.read_text("run/report.md"), report);
    fs::write(folder.path("run/metrics.jsonl"), "none\n").unwrap();
    let [_, said] = succeed(&["resume", &run]);
    let metrics = folder.path("run").join("metrics.jsonl");
    let warning = format!(
        "WARNING: {} line 1 is damaged: it and the lines behind it are lost\n",
        metrics.display()
    );
    assert!(said.contains(&warning), "{said}");
    assert!(!folder.read_text("run/report.md").contains("losses.svg"));
}

#[test]
fn the_configuration_is_kept_as_it_was_read() {
    let folder = Folder::new();
    let config = folder.text("run.toml");
    let text = "out = \"run\" # here\n[data]\ntraining = [\"some.marlin\"]\n\
                [architecture]\nhidden = 16\n[training]\nepochs = 1\nloss_power = 2.6\n";
    fs::write(&config, text).unwrap();
    let [end, _] = succeed(&["train", &config]);
    assert!(folder.read_text("run/given.toml").ends_with(text));
    let note =
        "These are means of squared misses; the losses by step and epoch are of the power 2.6 ";
    assert!(end.contains(note), "{end}");
    assert!(folder.read_text("run/report.md").contains(note));
}

/// The name of the configuration, and with it the command line, is no text.
#[cfg(target_os = "linux")]
#[test]
fn names_need_not_be_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let folder = Folder::new();
    let config = folder.path("").join(OsStr::from_bytes(b"run\xff.toml"));
    let text = "out = \"run\"\n[data]\ntraining = [\"some.marlin\"]\n\
                [architecture]\nhidden = 16\n[training]\nepochs = 1\n";
    fs::write(&config, text).unwrap();
    let mut train = Command::new(env!("CARGO_BIN_EXE_chess-nnue"));
    let output = train.arg("train").arg(&config).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{error}");
    // The run's folder is written down as text.
    let out = folder.path("").join(OsStr::from_bytes(b"run\xff"));
    let mut train = Command::new(env!("CARGO_BIN_EXE_chess-nnue"));
    let data = folder.path("some.marlin");
    let train = train.arg("train").arg("--data").arg(data);
    let output = train.arg("--out").arg(&out).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    let start = "chess-nnue: the configuration cannot be written down: ";
    assert!(error.starts_with(start), "{error}");
    assert!(!out.exists());
}

#[test]
fn a_folder_may_have_a_space() {
    let folder = Folder::new();
    folder.train("whole");
    folder.train("my run");
    assert_same_runs(&folder, "whole", "my run");
    let given = folder.read_text("my run/given.toml");
    let arguments = folder.short("my run");
    let out = strs(&arguments)[4];
    assert!(given.contains(&format!("--out '{out}'")), "{given}");
}

#[test]
fn checkpoints_are_only_read() {
    let folder = Folder::new();
    folder.train("run");
    let (from, to) = (folder.text("run/best.ckpt"), folder.text("net.ckpt"));
    let output = Command::new(env!("CARGO_BIN_EXE_chess-nnue"))
        .args(["convert", &from, &to])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        format!("chess-nnue: {to}: only training runs write checkpoints, name another file\n")
    );
    assert!(!folder.path("net.ckpt").exists());
}
