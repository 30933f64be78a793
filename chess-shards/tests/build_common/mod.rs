//! What tests of the builder share.
#![allow(clippy::unwrap_used, dead_code, missing_docs, unreachable_pub)]

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use chess_shards::build::{BuildError, BuildOptions, BuildSummary, Source, build};

pub fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name)
}

/// A file of games.
pub fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/games")
        .join(name)
}

pub fn games() -> Source<'static> {
    Source::pgn([file("games.pgn")])
}

pub fn run(
    source: &Source<'_>,
    options: &BuildOptions,
    out: &Path,
) -> Result<BuildSummary, BuildError> {
    build(source, options, out, &mut |_| ControlFlow::Continue(()))
}

/// What makes a set: the bytes of shards, and `meta.json` but for the time it took.
pub fn set(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut set = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.starts_with("shard_") {
            set.insert(name, fs::read(&path).unwrap());
        } else if name == "meta.json" {
            set.insert(name, without_time(&path).into_bytes());
        }
    }
    set
}

fn without_time(meta: &Path) -> String {
    let text = fs::read_to_string(meta).unwrap();
    let lines = text
        .lines()
        .filter(|line| !line.contains("\"build_seconds\""));
    lines.collect::<Vec<_>>().join("\n")
}

pub fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string();
    let mut names: Vec<_> = entries.map(|entry| name(entry).unwrap()).collect();
    names.sort();
    names
}

/// A PGN file of the golden games, over and over.
pub fn repeated_games(folder: &Path, times: usize) -> PathBuf {
    let path = folder.join("repeated.pgn");
    fs::write(&path, fs::read(file("games.pgn")).unwrap().repeat(times)).unwrap();
    path
}
