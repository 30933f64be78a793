//! Running the tool, and sets for it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A file or folder of the tests.
pub(crate) fn of_tests(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(name)
}

pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// With a golden set in the folder of its name.
    pub(crate) fn with(set: &str) -> Self {
        let folder = Self::new();
        folder.copy(set, set);
        folder
    }

    /// Copies a golden set.
    pub(crate) fn copy(&self, set: &str, to: &str) {
        fs::create_dir(self.path(to)).unwrap();
        for entry in fs::read_dir(of_tests("golden").join(set)).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), self.path(to).join(entry.file_name())).unwrap();
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// Puts a byte of a file to another value.
    pub(crate) fn set_byte(&self, name: &str, place: usize, byte: u8) {
        let mut bytes = self.read(name);
        bytes[place] = byte;
        self.write(name, bytes);
    }

    /// The golden games as `games.pgn`, so many times.
    pub(crate) fn write_games(&self, times: usize) {
        let games = fs::read(of_tests("games/games.pgn")).unwrap();
        self.write("games.pgn", games.repeat(times));
    }

    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).unwrap();
        let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<_> = entries
            .map(|entry| name(entry).into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// What makes a set: the bytes of shards, and `meta.json` but for what differs from run to run.
    pub(crate) fn set(&self, folder: &str) -> BTreeMap<String, Vec<u8>> {
        let names = self.names(folder).into_iter();
        let shards = names.filter(|name| name.starts_with("shard_"));
        let read = |name: String| {
            let bytes = self.read(&format!("{folder}/{name}"));
            (name, bytes)
        };
        let mut set: BTreeMap<_, _> = shards.map(read).collect();
        let meta = meta(&self.path(folder)).into_bytes();
        set.insert("meta.json".into(), meta);
        set
    }

    /// The tool, in this folder.
    pub(crate) fn tool<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chess-shards"));
        command.current_dir(self.0.path()).args(arguments);
        command
    }

    /// Runs the tool with arguments separated by spaces.
    pub(crate) fn run(&self, arguments: &str) -> Ran {
        Ran::of(self.tool(arguments.split(' ')).output().unwrap())
    }
}

/// The lines of `meta.json` but those that tell the program, the time and the names of files.
pub(crate) fn meta(folder: &Path) -> String {
    let text = fs::read_to_string(folder.join("meta.json")).unwrap();
    let differs = ["\"git_sha\"", "\"source_h5\"", "\"build_seconds\""];
    let lines = text.lines();
    let lines = lines.filter(|line| !differs.iter().any(|key| line.contains(key)));
    lines.collect::<Vec<_>>().join("\n")
}

/// What the tool did.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    #[track_caller]
    pub(crate) fn succeeded(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    #[track_caller]
    pub(crate) fn failed(self, code: i32, text: &str) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        assert!(
            self.stderr.contains(text),
            "{text:?} not in {:?}",
            self.stderr
        );
        self
    }

    /// The value of a line of a table of facts.
    #[track_caller]
    pub(crate) fn fact(&self, name: &str) -> &str {
        let lines = self.stdout.lines();
        let mut values = lines.filter_map(|line| line.strip_prefix(name));
        match values.next() {
            Some(value) => value.trim(),
            None => panic!("no {name:?} in {:?}", self.stdout),
        }
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap()
    }
}
