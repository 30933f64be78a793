//! Running the tool, and files for it.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use chess_records::{BulletRecord, MarlinView};
use serde_json::Value;

pub(crate) const GOLDEN: &[u8] = include_bytes!("../golden/marlin/valid/positions.marlin");

/// `count` sound records: the golden positions again and again, each with its number in score and
/// extra byte.
pub(crate) fn records(count: usize) -> Vec<u8> {
    let (golden, _) = GOLDEN.as_chunks::<32>();
    let numbered = golden.iter().cycle().take(count).enumerate();
    let record = numbered.map(|(number, record)| {
        let mut record = *record;
        record[28..30].copy_from_slice(&(number as i16).to_le_bytes());
        record[31] = (number >> 16) as u8;
        record
    });
    record.flatten().collect()
}

pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        names(self.0.path())
    }

    /// The tool, in this folder.
    pub(crate) fn tool<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chess-records"));
        command.current_dir(self.0.path()).args(arguments);
        command
    }

    /// Runs the tool with arguments separated by spaces.
    pub(crate) fn run(&self, arguments: &str) -> Ran {
        Ran::of(self.tool(arguments.split(' ')).output().unwrap())
    }

    /// The same with standard input.
    pub(crate) fn pipe(&self, arguments: &str, input: &[u8]) -> Ran {
        let mut command = self.tool(arguments.split(' '));
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        // It may end before it has read everything.
        let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
        let ran = Ran::of(child.wait_with_output().unwrap());
        writer.join().unwrap();
        ran
    }
}

pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
    let mut names: Vec<_> = entries
        .map(|entry| name(entry).into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// What the tool did.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: output.stdout,
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.stdout.clone()).unwrap()
    }

    #[track_caller]
    pub(crate) fn succeeded(self) -> Self {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self
    }

    #[track_caller]
    pub(crate) fn failed(self, code: i32, text: &str) -> Self {
        assert_eq!(self.code, Some(code), "{}", self.stderr);
        assert!(
            self.stderr.contains(text),
            "{text:?} not in {:?}",
            self.stderr
        );
        self
    }
}

/// A golden file's path.
pub(crate) fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name)
}

/// The golden games.
pub(crate) fn golden_games() -> Vec<u8> {
    fs::read(golden("viri/valid/games.viri")).unwrap()
}

/// The golden positions as bulletformat, each numbered in its extra bytes.
pub(crate) fn bullets(count: usize) -> Vec<u8> {
    let marlin = records(count);
    let view = MarlinView::new(&marlin).unwrap();
    let numbered = (0u32..).zip(view.iter());
    let bullet = numbered.map(|(number, labelled)| {
        let [a, b, c, _] = number.to_le_bytes();
        let record = BulletRecord::from_labelled_lossy(&labelled.unwrap(), [a, b, c]);
        record.unwrap().to_bytes()
    });
    bullet.flatten().collect()
}

/// A folder with files of games, of bulletformat and of zdat.
pub(crate) fn with_formats() -> Folder {
    let folder = Folder::new();
    folder.write("a.viri", golden_games());
    folder.write("a.bullet", bullets(300));
    for name in ["stoof", "edge", "rank8", "nodict"] {
        for extension in ["zdat", "zdat.idx"] {
            let bytes = fs::read(golden(&format!("zdat/valid/{name}.{extension}"))).unwrap();
            folder.write(&format!("{name}.{extension}"), bytes);
        }
    }
    folder
}

pub(crate) fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}
