//! Training by the tool `chess-nnue`, as its users start it: on the first records of the sample.

#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used)] // a test fails by panicking

mod faults;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use chess_nnue::Network;
use chess_records::zdat::{Layout, ZdatTargets, ZdatWriter, ZdatWriterOptions};
use chess_records::{
    Board, BulletRecord, Color, LabelledPosition, MarlinRecord, Score, ZdatRecord,
};
use serde_json::Value;
use tempfile::TempDir;

const SAMPLE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../examples/data/real-sample.marlin"
);
const RECORDS: usize = 4000;

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chess-nnue"));
    command.args(arguments);
    command
}

fn start(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

/// Standard output and standard error of a run that succeeds.
fn succeed(arguments: &[&str]) -> [String; 2] {
    let output = start(arguments);
    let [out, error] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {error}");
    [out, error]
}

/// The error text of a run that fails and has written nothing.
fn fail(arguments: &[&str]) -> String {
    let arguments = [arguments, &["--quiet"]].concat();
    let output = start(&arguments);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    assert_eq!(output.stdout, b"");
    String::from_utf8(output.stderr).unwrap()
}

/// A folder with files of samples.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        let sample = fs::read(SAMPLE).unwrap();
        let (some, more) = sample.split_at(32 * RECORDS);
        fs::write(folder.path("some.marlin"), some).unwrap();
        fs::write(folder.path("more.marlin"), &more[..32 * 1000]).unwrap();
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    fn read_text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The file's samples, each with its label changed.
    fn write_changed(&self, name: &str, change: impl Fn(&mut LabelledPosition)) {
        let some = self.read("some.marlin");
        let records = some.as_chunks::<32>().0.iter().flat_map(|bytes| {
            let mut labelled = MarlinRecord::from_bytes(bytes).decode().unwrap();
            change(&mut labelled);
            MarlinRecord::encode(&labelled, 0).unwrap().to_bytes()
        });
        fs::write(self.path(name), records.collect::<Vec<_>>()).unwrap();
    }

    /// The lines of a run's metrics without what depends on time.
    fn metrics(&self, run: &str) -> Vec<Value> {
        let text = self.read_text(&format!("{run}/metrics.jsonl"));
        let lines = text.lines().map(|line| {
            let mut line: Value = serde_json::from_str(line).unwrap();
            let rate = line.as_object_mut().unwrap().remove("records_per_second");
            assert!(rate.is_some());
            line
        });
        lines.collect()
    }

    /// The arguments of a short run: 2 epochs of about 240 steps.
    fn short(&self, run: &str) -> Vec<String> {
        let (data, out) = (self.text("some.marlin"), self.text(run));
        let mut arguments = ["train", "--data", &data, "--out", &out]
            .map(String::from)
            .to_vec();
        let options = "--hidden 16 --epochs 2 --batch-size 16 --metrics-steps 1 --threads 2 \
                       --held-out 0.1 --checkpoint-steps 5";
        arguments.extend(
            options
                .split(' ')
                .filter(|text| !text.is_empty())
                .map(String::from),
        );
        arguments
    }

    fn train(&self, run: &str) {
        let arguments = self.short(run);
        succeed(&strs(&arguments));
    }
}

fn strs(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

/// What must be the same in runs of the same kind.
const SAME_FILES: [&str; 6] = [
    "network.nnue",
    "last.nnue",
    "best.nnue",
    "parameters.safetensors",
    "losses.svg",
    "calibration.svg",
];

fn assert_same_runs(folder: &Folder, one: &str, other: &str) {
    for name in SAME_FILES {
        let [one, other] = [one, other].map(|run| folder.read(&format!("{run}/{name}")));
        assert!(one == other, "{name}");
    }
    assert_eq!(folder.metrics(one), folder.metrics(other));
}

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
fn scores_that_cannot_be_right_are_refused() {
    let folder = Folder::new();
    folder.write_changed("mover.marlin", |labelled| {
        if labelled.side_to_move() == Color::Black {
            labelled.label.score = labelled.label.score.map(|score| score.flipped());
        }
    });
    let (wrong, some, out) = (
        folder.text("mover.marlin"),
        folder.text("some.marlin"),
        folder.text("run"),
    );
    let error = fail(&["train", "--data", &wrong, "--out", &out]);
    let start = "chess-nnue: no eval scale fits the training set";
    assert!(error.starts_with(start), "{error}");
    assert!(
        error.ends_with("samples; are they from White's side?\n"),
        "{error}"
    );
    let scale = |data, scale| {
        fail(&[
            "train",
            "--data",
            data,
            "--out",
            &out,
            "--eval-scale",
            scale,
        ])
    };
    let error = scale(&wrong, "115");
    assert!(
        error.starts_with("chess-nnue: the scores of the training set cannot be right"),
        "{error}"
    );
    assert!(error.ends_with("are they from White's side?\n"), "{error}");
    let error = scale(&some, "400");
    assert!(
        error.contains(": eval scale 400 is asked for, 1"),
        "{error}"
    );
    assert!(
        error.contains(" fits the scores and results of "),
        "{error}"
    );
    assert!(!folder.path("run").exists(), "nothing was begun");
}

#[test]
fn mistakes_are_named() {
    let folder = Folder::new();
    let (some, out) = (folder.text("some.marlin"), folder.text("run"));
    let config = folder.text("run.toml");
    let of_config = |text: &str| {
        fs::write(folder.path("run.toml"), text).unwrap();
        fail(&["train", &config])
    };
    let error = of_config("out = \"run\"\n\n[data]\nfiles = [\"some.marlin\"]\n");
    let start = format!("chess-nnue: {config} line 4: unknown field `files`, expected one of ");
    assert!(error.starts_with(&start), "{error}");
    let error = of_config("out = \"run\"\n[training]\nepoch = 3\n");
    let start = "chess-nnue: [training] and [architecture]: unknown field `epoch`, expected one of";
    assert!(error.starts_with(start), "{error}");
    let error = of_config("[data]\ntraining = [\"some.marlin\"]\n");
    assert_eq!(
        error,
        "chess-nnue: no folder for the run: name it by --out or out\n"
    );
    let error = of_config("out = \"run\"\n[data]\ntraining = [\"none.marlin\"]\n");
    let missing = folder.text("none.marlin");
    assert!(
        error.starts_with(&format!("chess-nnue: cannot read {missing}: ")),
        "{error}"
    );
    let train = |arguments: &[&str]| {
        fail(&[&["train", "--out", &out, "--data", &some][..], arguments].concat())
    };
    let error = train(&["--held-out", &some]);
    assert_eq!(error, format!("chess-nnue: {some}: named twice\n"));
    let error = train(&["--min-men", "33"]);
    let end = format!("{some}: the filter leaves nothing of {RECORDS} samples\n");
    assert!(error.ends_with(&end), "{error}");
    let error = train(&["--set", "epochs"]);
    assert!(error.contains("expected KEY=VALUE"), "{error}");
    let error = train(&["--hidden", "17"]);
    assert!(
        error.contains("hidden size 17, expected a multiple of 16"),
        "{error}"
    );
    fs::copy(&some, folder.path("some.bin")).unwrap();
    let bin = folder.text("some.bin");
    let error = fail(&["train", "--out", &out, "--data", &bin]);
    assert!(
        error.ends_with("the extension does not tell the format, name it\n"),
        "{error}"
    );
    let error = fail(&[
        "train",
        "--out",
        &out,
        "--data",
        &bin,
        "--format=marlin-move",
    ]);
    assert!(
        error.contains("hold out a file, or records by --held-out-by records"),
        "{error}"
    );
    let error = fail(&["train", "--out", &out, "--data", &bin, "--format=zdat"]);
    assert!(
        error.contains("scores of zdat files have no unit"),
        "{error}"
    );
    let error = fail(&["resume", &out]);
    assert!(
        error.ends_with("holds no run, resolved.toml is not there\n"),
        "{error}"
    );
    assert!(!folder.path("run").exists(), "nothing was begun");
    fs::create_dir(folder.path("run")).unwrap();
    fs::write(folder.path("run/report.md"), "mine").unwrap();
    let error = train(&[]);
    assert!(
        error.ends_with("is not empty, a run needs a folder of its own\n"),
        "{error}"
    );
    assert_eq!(folder.read_text("run/report.md"), "mine");
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

fn assert_is_svg(path: &Path) {
    let text = fs::read_to_string(path).unwrap();
    let document = roxmltree::Document::parse(&text).unwrap();
    assert_eq!(document.root_element().tag_name().name(), "svg");
}

#[test]
fn validation_says_what_the_report_says() {
    let folder = Folder::new();
    let [some, more, out] = ["some.marlin", "more.marlin", "run"].map(|name| folder.text(name));
    let arguments = [
        "train",
        "--data",
        &some,
        "--held-out",
        &more,
        "--out",
        &out,
        "--hidden=16",
        "--epochs=2",
        "--batch-size=64",
        "--max-score-cp=1000",
        "--json",
        "--quiet",
    ];
    let [end, _] = succeed(&arguments);
    let end: Value = serde_json::from_str(&end).unwrap();
    let report = folder.read_text("run/report.md");
    for (start, count) in [("| 1 | ", 1), ("| 2 | ", 1), ("Mean loss over ", 1)] {
        let lines = report.lines().filter(|line| line.starts_with(start));
        assert_eq!(lines.count(), count, "{start}: {report}");
    }
    for text in [
        "some.marlin",
        "max_score_cp = 1000",
        "](losses.svg)",
        "](calibration.svg)",
    ] {
        assert!(report.contains(text), "{text}: {report}");
    }
    assert_is_svg(&folder.path("run/losses.svg"));
    assert_is_svg(&folder.path("run/calibration.svg"));

    let (net, parameters) = (
        folder.text("run/network.nnue"),
        folder.text("run/parameters.safetensors"),
    );
    let of_files = [
        "validate",
        &net,
        "--data",
        &more,
        "--training",
        &some,
        "--max-score-cp=1000",
        "--parameters",
        &parameters,
    ];
    let checkpoint = fs::read_dir(folder.path("run"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let checkpoint = checkpoint.filter(|path| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.starts_with("checkpoint-")
    });
    let last = checkpoint.max().unwrap();
    let of_run = [
        "validate",
        &net,
        "--run",
        &out,
        "--parameters",
        last.to_str().unwrap(),
    ];
    for arguments in [&of_files[..], &of_run] {
        let [text, _] = succeed(arguments);
        let tables = report.split("```text\n").skip(1);
        let mut tables = tables.map(|rest| rest.split("```").next().unwrap());
        let [audit, calibration] = [(); 2].map(|()| tables.next().unwrap());
        assert!(text.contains(audit), "{text}\n{audit}");
        assert!(text.contains(calibration), "{text}\n{calibration}");
        let [text, _] = succeed(&[arguments, &["--json"]].concat());
        let found: Value = serde_json::from_str(&text).unwrap();
        for key in [
            "audit",
            "calibration",
            "calibration_error",
            "beats_baselines",
        ] {
            assert_eq!(found[key], end["examination"][key], "{key}");
        }
        assert_eq!(found["eval_scale"], end["eval_scale"]);
    }
    // Another network, without its parameters, and another way to make targets.
    let [text, _] = succeed(&["validate", &folder.text("run/best.nnue"), "--data", &more]);
    assert!(!text.contains("floating point"), "{text}");
    let [text, _] = succeed(&["validate", &net, "--data", &more, "--scale=400"]);
    assert!(
        text.contains("WARNING: eval scale 400 is asked for"),
        "{text}"
    );
}

#[test]
fn files_of_several_formats_are_mixed_by_weight() {
    let folder = Folder::new();
    let more = folder.read("more.marlin");
    let lines = more.as_chunks::<32>().0.iter().map(|bytes| {
        let labelled = MarlinRecord::from_bytes(bytes).decode().unwrap();
        format!("{}\n", labelled.text().unwrap())
    });
    fs::write(folder.path("more.txt"), lines.collect::<String>()).unwrap();
    let config = "out = \"run\"\n[data]\nheld_out = 0.2\n\
                  training = [\"some.marlin\", { path = \"more.txt\", weight = 3 }]\n\
                  [architecture]\nhidden = 16\n[training]\nepochs = 1\nbatch_size = 256\n";
    fs::write(folder.path("run.toml"), config).unwrap();
    let [end, _] = succeed(&["train", &folder.text("run.toml"), "--json", "--quiet"]);
    let end: Value = serde_json::from_str(&end).unwrap();
    let data = &end["data"];
    assert_eq!(data["files"][1]["samples"], 1000);
    let of_file = |index: usize| data["files"][index]["training_samples"].as_u64().unwrap();
    // Three samples of the second file to one of the first.
    let mixed = data["training_samples"].as_u64().unwrap();
    assert!(mixed.abs_diff(of_file(1) * 4 / 3) <= 2, "{data}");
    assert_eq!(
        data["left_over"].as_u64().unwrap(),
        of_file(0) + of_file(1) - mixed
    );
    let held_out = data["held_out_samples"].as_u64().unwrap();
    assert_eq!(held_out + of_file(0) + of_file(1), 5000);
}

/// The first samples of the sample in bulletformat and zdat, which know the side to move alone.
fn write_by_mover(folder: &Folder) {
    let more = folder.read("more.marlin");
    let options = ZdatWriterOptions::new().batch(100);
    let mut zdat = ZdatWriter::create(folder.path("more.zdat"), &options).unwrap();
    let mut bullet = Vec::new();
    for bytes in more.as_chunks::<32>().0 {
        let labelled = MarlinRecord::from_bytes(bytes).decode().unwrap();
        let record = BulletRecord::from_labelled_lossy(&labelled, [0; 3]).unwrap();
        bullet.extend_from_slice(record.as_bytes());
        let score = labelled.label.score.unwrap();
        let Score::Centipawns(of_mover) = score.seen_by(labelled.side_to_move()) else {
            panic!("{score:?}");
        };
        let targets = ZdatTargets {
            score: f32::from(of_mover) / 100.0,
            ..ZdatTargets::default()
        };
        let (position, result) = (&labelled.position, labelled.label.result.unwrap());
        let record = ZdatRecord::encode(position, &[], result, &targets, Layout::default());
        zdat.push(&record.unwrap()).unwrap();
    }
    zdat.finish().unwrap();
    fs::write(folder.path("more.bin"), bullet).unwrap();
}

#[test]
fn every_format_is_opened() {
    let folder = Folder::new();
    write_by_mover(&folder);
    let games = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/train_data/games.viri");
    fs::copy(games, folder.path("games.viri")).unwrap();
    let held_out = folder.text("some.marlin");
    let train = |data: &str, options: &[&str]| {
        let (run, data) = (format!("{data}-run"), folder.text(data));
        let out = folder.text(&run);
        let common = [
            "train",
            "--data",
            &data,
            "--out",
            &out,
            "--held-out",
            &held_out,
            "--hidden=16",
            "--epochs=1",
            "--batch-size=100",
            "--eval-scale=115",
            "--quiet",
            "--set",
            "check_scores=false",
        ];
        succeed(&[&common[..], options].concat());
        folder.read(&format!("{run}/network.nnue"))
    };
    let bullet = train("more.bin", &["--format=bullet"]);
    let pawns = ["--zdat-score=pawns", "--zdat-layout=rank1"];
    assert!(train("more.zdat", &pawns) == bullet);
    fs::remove_dir_all(folder.path("more.zdat-run")).unwrap();
    // Scores that are not learnt from need not be there.
    let none = [
        "--zdat-score=none",
        "--zdat-layout=rank1",
        "--result-weight=1",
    ];
    assert!(train("more.zdat", &none) != bullet);
    train("games.viri", &[]);
}

#[test]
fn parameters_are_converted() {
    let folder = Folder::new();
    folder.train("run");
    let net = folder.text("run/network.nnue");
    let convert = |from: &str, to: &str, options: &[&str]| {
        succeed(
            &[
                &["convert", &folder.text(from), &folder.text(to)][..],
                options,
            ]
            .concat(),
        );
        folder.read(to)
    };
    let trained = folder.read("run/parameters.safetensors");
    let network = Network::load(&net).unwrap();
    assert_eq!(
        convert("run/parameters.safetensors", "a.nnue", &[]),
        network.to_bytes()
    );
    assert_eq!(
        convert("run/best.ckpt", "best.nnue", &[]),
        folder.read("run/best.nnue")
    );
    assert_eq!(
        convert("run/parameters.safetensors", "b.safetensors", &[]),
        trained
    );
    // Integers to floating point and back.
    assert_ne!(convert("a.nnue", "c.safetensors", &[]), trained);
    assert_eq!(convert("c.safetensors", "d.nnue", &[]), network.to_bytes());
    let bullet = convert("b.safetensors", "e.bin", &["--to=bullet"]);
    assert_eq!(bullet, network.to_bullet_bytes().unwrap());
    let output = start(&["inspect", &folder.text("b.safetensors")]);
    assert!(output.status.success());
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .contains("safetensors")
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
