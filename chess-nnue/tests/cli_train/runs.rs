//! Runs from their first step to their last, killed and interrupted ones too.

use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{fs, thread};

use serde_json::Value;

use crate::support::{Folder, RECORDS, assert_same_runs, command, fail, strs, succeed};

#[test]
fn options_and_files_give_the_same_network() {
    let folder = Folder::new();
    folder.train("options");
    let config = "out = \"file\"\nmetrics_steps = 1\n\
                  [data]\ntraining = [\"some.marlin\"]\nheld_out = 0.1\n\
                  [architecture]\nhidden = 16\neval_scale = \"fit\"\n\
                  [training]\nepochs = 2\nbatch_size = 16\ncheckpoint_steps = 7\n";
    fs::write(folder.path("run.toml"), config).unwrap();
    let [out, error] = succeed(&["train", &folder.text("run.toml")]);
    let network = format!("network {}\n", folder.text("file/network.nnue"));
    assert!(out.contains(&network), "{out}");
    let epochs = error.lines().filter(|line| line.starts_with("epoch "));
    assert_eq!(epochs.count(), 2, "{error}");
    assert_same_runs(&folder, "options", "file");
    assert!(folder.read_text("file/given.toml").ends_with(config));

    // Options come first, and what a run was resolved to is a configuration.
    let resolved = folder.text("file/resolved.toml");
    let again = folder.text("again");
    let [out, error] = succeed(&["train", &resolved, "--out", &again, "--quiet", "--json"]);
    assert_eq!(error, "");
    assert_same_runs(&folder, "options", "again");
    let end: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(end["epochs"], 2);
    assert_eq!(end["data"]["files"][0]["samples"], RECORDS);
    let seeded = folder.text("seeded");
    succeed(&[
        "train",
        &resolved,
        "--out",
        &seeded,
        "--seed=1",
        "--set",
        "loader_threads=0",
    ]);
    assert_ne!(
        folder.read("seeded/network.nnue"),
        folder.read("file/network.nnue")
    );
}

/// A run in the background that has made some steps.
fn begun(folder: &Folder, run: &str) -> Child {
    let arguments = folder.short(run);
    let child = command(&strs(&arguments))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let metrics = folder.path(&format!("{run}/metrics.jsonl"));
    while fs::read_to_string(&metrics).map_or(0, |text| text.lines().count()) < 23 {
        thread::sleep(Duration::from_millis(1));
    }
    child
}

#[cfg(unix)]
#[test]
fn a_killed_run_goes_on_as_if_nothing_had_happened() {
    use std::os::unix::process::ExitStatusExt;

    let folder = Folder::new();
    folder.train("whole");
    let mut child = begun(&folder, "killed");
    child.kill().unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.signal(), Some(9), "it was over before");
    assert!(!folder.path("killed/network.nnue").exists());
    // Half a line, and half a file.
    let mut metrics = folder.read("killed/metrics.jsonl");
    metrics.extend_from_slice(b"{\"kind\":\"st");
    fs::write(folder.path("killed/metrics.jsonl"), metrics).unwrap();
    fs::write(folder.path("killed/.report.md.1.0.tmp"), "half").unwrap();
    let run = folder.text("killed");
    let [_, error] = succeed(&["resume", &run, "--threads=1"]);
    assert!(error.contains("going on after step "), "{error}");
    assert_same_runs(&folder, "whole", "killed");
    assert!(!folder.path("killed/.report.md.1.0.tmp").exists());

    // Of a run that is over the report is written again.
    fs::remove_file(folder.path("killed/report.md")).unwrap();
    succeed(&["resume", &run]);
    assert_same_runs(&folder, "whole", "killed");
    assert!(
        folder
            .read_text("killed/report.md")
            .contains("The run is over: 2 epochs.")
    );
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_says_how_to_go_on() {
    let folder = Folder::new();
    folder.train("whole");
    let child = begun(&folder, "stopped");
    let mut signal = Command::new("kill");
    signal.args(["-INT", &child.id().to_string()]);
    assert!(signal.status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{error}");
    let run = folder.text("stopped");
    assert!(
        error.ends_with(&format!("; to go on: chess-nnue resume {run}\n")),
        "{error}"
    );
    let (_, steps) = error.split_once("stopped after step ").unwrap();
    let (steps, _) = steps.split_once(';').unwrap();
    let lines = folder.metrics("stopped");
    assert_eq!(lines.last().unwrap()["step"].to_string(), steps);
    let checkpoint = format!(
        "stopped/checkpoint-{:010}.ckpt",
        steps.parse::<u64>().unwrap()
    );
    assert!(folder.path(&checkpoint).exists());
    succeed(&["resume", &run]);
    assert_same_runs(&folder, "whole", "stopped");
}

#[test]
fn a_run_does_not_go_on_with_other_files() {
    let folder = Folder::new();
    folder.train("run");
    let (some, run) = (folder.text("some.marlin"), folder.text("run"));
    let error = fail(&["train", "--data", &some, "--out", &run]);
    assert!(
        error.contains("holds a run already: go on with it by"),
        "{error}"
    );
    let mut bytes = folder.read("some.marlin");
    bytes[32 * 2000 + 28] ^= 1;
    fs::write(&some, &bytes).unwrap();
    let error = fail(&["resume", &run]);
    let start = format!("chess-nnue: {some} is not the file that the run began with: ");
    assert_eq!(error, format!("{start}its content has changed\n"));
    bytes.truncate(32 * 3999);
    fs::write(&some, &bytes).unwrap();
    let error = fail(&["resume", &run]);
    let (found, expected) = (32 * 3999, 32 * RECORDS);
    assert_eq!(
        error,
        format!("{start}it has {found} bytes, expected {expected}\n")
    );
    fs::remove_file(&some).unwrap();
    let error = fail(&["resume", &run]);
    assert!(
        error.starts_with(&format!("chess-nnue: cannot read {some}: ")),
        "{error}"
    );
}

#[test]
fn the_example_trains_on_the_sample() {
    let [example, _] = succeed(&["train", "--example-config"]);
    let folder = Folder::new();
    fs::create_dir_all(folder.path("examples/data")).unwrap();
    fs::rename(
        folder.path("some.marlin"),
        folder.path("examples/data/real-sample.marlin"),
    )
    .unwrap();
    fs::write(folder.path("example.toml"), &example).unwrap();
    let config = folder.text("example.toml");
    succeed(&["train", &config, "--epochs=1", "--quiet"]);
    assert!(folder.path("runs/example/network.nnue").exists());
    assert!(
        folder
            .read_text("runs/example/given.toml")
            .ends_with(&example)
    );

    // What is commented out there is right as well.
    let whole = example.lines().map(|line| {
        let line = line
            .strip_prefix("# ")
            .filter(|rest| {
                let key = rest.split_once(" = ").map_or("", |(key, _)| key);
                let is_key =
                    !key.is_empty() && key.chars().all(|c| c.is_ascii_lowercase() || c == '_');
                is_key && !["training", "king_buckets", "result"].contains(&key)
            })
            .unwrap_or(line);
        format!("{line}\n")
    });
    fs::write(folder.path("example.toml"), whole.collect::<String>()).unwrap();
    let whole = folder.text("whole");
    succeed(&[
        "train",
        &config,
        "--epochs=1",
        "--quiet",
        "--out",
        &whole,
        "--threads=1",
        "--set",
        "steps_per_epoch=3",
    ]);
    let resolved = folder.read_text("whole/resolved.toml");
    for text in ["min_men = 3", "checkpoint_steps = 1000", "loss_power = 2.0"] {
        assert!(resolved.contains(text), "{text}: {resolved}");
    }
}
