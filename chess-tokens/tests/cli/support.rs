//! Running the tool, and packs for it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// The files of a pack.
pub(crate) const FILES: [&str; 3] = ["meta.json", "starts.npy", "tokens.npy"];

/// A golden file or folder.
pub(crate) fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name)
}

/// The bytes of each file in a folder.
pub(crate) fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let read = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().unwrap();
        (name, fs::read(entry.path()).unwrap())
    };
    entries.map(read).collect()
}

pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// With a golden pack in the folder of its name.
    pub(crate) fn with(pack: &str) -> Self {
        let folder = Self::new();
        fs::create_dir(folder.path(pack)).unwrap();
        for (name, bytes) in files(&golden(pack)) {
            folder.write(&format!("{pack}/{name}"), bytes);
        }
        folder
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

    /// The tool, in this folder.
    pub(crate) fn tool<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chess-tokens"));
        command.current_dir(self.0.path()).args(arguments);
        command
    }

    /// Runs the tool with arguments separated by spaces; `@name` is a golden file.
    pub(crate) fn run(&self, arguments: &str) -> Ran {
        Ran::of(self.tool(words(arguments)).output().unwrap())
    }

    /// Runs the tool with this on standard input.
    pub(crate) fn pipe(&self, arguments: &str, input: &str) -> Ran {
        let mut command = self.tool(words(arguments));
        command.stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_owned();
        let writer = std::thread::spawn(move || {
            // It may have seen enough.
            let _ = stdin.write_all(input.as_bytes());
        });
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        Ran::of(output)
    }
}

fn words(arguments: &str) -> Vec<PathBuf> {
    let word = |word: &str| match word.strip_prefix('@') {
        Some(name) => golden(name),
        None => word.into(),
    };
    arguments.split(' ').map(word).collect()
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
        assert_eq!((self.code, &*self.stderr), (Some(0), ""), "{self:?}");
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
