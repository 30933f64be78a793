//! Running the tool, and a folder with samples for it.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use chess_records::{LabelledPosition, MarlinRecord};
use serde_json::Value;
use tempfile::TempDir;

pub(crate) const SAMPLE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../examples/data/real-sample.marlin"
);

pub(crate) const RECORDS: usize = 4000;

pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chess-nnue"));
    command.args(arguments);
    command
}

pub(crate) fn start(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

/// Standard output and standard error of a run that succeeds.
pub(crate) fn succeed(arguments: &[&str]) -> [String; 2] {
    let output = start(arguments);
    let [out, error] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {error}");
    [out, error]
}

/// The error text of a run that fails and has written nothing.
pub(crate) fn fail(arguments: &[&str]) -> String {
    let arguments = [arguments, &["--quiet"]].concat();
    let output = start(&arguments);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    assert_eq!(output.stdout, b"");
    String::from_utf8(output.stderr).unwrap()
}

/// A folder with files of samples.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        let sample = fs::read(SAMPLE).unwrap();
        let (some, more) = sample.split_at(32 * RECORDS);
        fs::write(folder.path("some.marlin"), some).unwrap();
        fs::write(folder.path("more.marlin"), &more[..32 * 1000]).unwrap();
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn read_text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The file's samples, each with its label changed.
    pub(crate) fn write_changed(&self, name: &str, change: impl Fn(&mut LabelledPosition)) {
        let some = self.read("some.marlin");
        let records = some.as_chunks::<32>().0.iter().flat_map(|bytes| {
            let mut labelled = MarlinRecord::from_bytes(bytes).decode().unwrap();
            change(&mut labelled);
            MarlinRecord::encode(&labelled, 0).unwrap().to_bytes()
        });
        fs::write(self.path(name), records.collect::<Vec<_>>()).unwrap();
    }

    /// The lines of a run's metrics without what depends on time.
    pub(crate) fn metrics(&self, run: &str) -> Vec<Value> {
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
    pub(crate) fn short(&self, run: &str) -> Vec<String> {
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

    pub(crate) fn train(&self, run: &str) {
        let arguments = self.short(run);
        succeed(&strs(&arguments));
    }
}

pub(crate) fn strs(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

/// What must be the same in runs of the same kind.
pub(crate) const SAME_FILES: [&str; 6] = [
    "network.nnue",
    "last.nnue",
    "best.nnue",
    "parameters.safetensors",
    "losses.svg",
    "calibration.svg",
];

pub(crate) fn assert_same_runs(folder: &Folder, one: &str, other: &str) {
    for name in SAME_FILES {
        let [one, other] = [one, other].map(|run| folder.read(&format!("{run}/{name}")));
        assert!(one == other, "{name}");
    }
    assert_eq!(folder.metrics(one), folder.metrics(other));
}
