//! Games read from files of every kind.
#![cfg(all(feature = "parquet", feature = "pgn"))]
#![allow(clippy::unwrap_used)]

use std::error::Error;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use chess_records::{Game, LeftOutGames};
use chess_tokens::source::{GameFiles, Games, SourceError};
use tempfile::TempDir;

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name)
}

fn all(mut games: Games) -> (Vec<Game>, LeftOutGames) {
    let read = games.by_ref().collect::<Result<_, _>>().unwrap();
    (read, *games.left_out())
}

fn read(paths: &[PathBuf], threads: usize) -> (Vec<Game>, LeftOutGames) {
    let files = GameFiles::open(paths).unwrap().threads(threads);
    all(files.games().unwrap())
}

/// A file with these bytes.
fn file(folder: &TempDir, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    path
}

fn zip(folder: &TempDir, entries: &[(&str, &[u8])]) -> PathBuf {
    let path = folder.path().join("games.zip");
    let mut zip = zip::ZipWriter::new(File::create(&path).unwrap());
    for (name, bytes) in entries {
        let options = zip::write::SimpleFileOptions::default();
        match name.strip_suffix('/') {
            Some(name) => zip.add_directory(name, options).unwrap(),
            None => zip.start_file(*name, options).unwrap(),
        }
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
    path
}

fn chain(error: &dyn Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", chain(source)),
        None => error.to_string(),
    }
}

#[test]
fn the_same_games_from_files_of_every_kind() {
    let folder = TempDir::new().unwrap();
    let text = fs::read(golden("games.pgn")).unwrap();
    let (games, left_out) = read(&[golden("games.pgn")], 2);
    assert_eq!((games.len(), left_out.total()), (186, 0));
    let zstd = file(
        &folder,
        "plain.pgn",
        zstd::encode_all(&text[..], 3).unwrap(),
    );
    let zip = zip(
        &folder,
        &[
            ("games/", b""),
            ("__MACOSX/games/._games.pgn", b"x"),
            ("games/README", b"read me"),
            ("games/games.PGN", &text),
        ],
    );
    let no_name = file(&folder, "games", &text);
    for path in [zstd, zip, no_name, golden("uci.parquet")] {
        assert!(read(std::slice::from_ref(&path), 3).0 == games, "{path:?}");
    }
}

#[test]
fn order_does_not_depend_on_threads() {
    let folder = TempDir::new().unwrap();
    let text = fs::read(golden("games.pgn")).unwrap();
    let mut broken = b"[Result \"1-0\"]\n\n1. e4 Ke3\n\n1. e4 *\n\n".to_vec();
    broken.extend(text.repeat(8));
    let paths = [
        file(&folder, "many.pgn", &broken),
        golden("uci.parquet"),
        file(&folder, "none.pgn", ""),
        golden("edge.pgn"),
    ];
    let (games, left_out) = read(&paths, 1);
    assert_eq!(games.len(), 186 * 9 + 12);
    let expected = LeftOutGames {
        illegal_move: 1,
        result: 1,
        ..LeftOutGames::default()
    };
    assert_eq!(left_out, expected);
    for threads in [0, 2, 7] {
        assert!(
            read(&paths, threads) == (games.clone(), left_out),
            "{threads} threads"
        );
    }
}

#[test]
fn bytes_that_were_read_are_told() {
    let paths = [golden("games.pgn"), golden("uci.parquet")];
    let files = GameFiles::open(&paths).unwrap();
    let expected: u64 = paths
        .iter()
        .map(|path| fs::metadata(path).unwrap().len())
        .sum();
    assert_eq!(files.bytes(), expected);
    assert_eq!(files.paths(), paths);
    let mut games = files.games().unwrap();
    games.next().unwrap().unwrap();
    assert!(games.bytes_read() > 0);
    games.by_ref().for_each(drop);
    assert!(games.bytes_read() > expected - 186);
}

#[test]
fn blocks_are_mapped_on_other_threads_and_in_order() {
    let files = GameFiles::open([golden("uci.parquet"), golden("edge.pgn")]).unwrap();
    let blocks = files.map_blocks(|block| block.games.len()).unwrap();
    let blocks: Result<Vec<_>, _> = blocks.collect();
    assert_eq!(blocks.unwrap(), [64, 64, 58, 12]);
}

#[test]
fn files_that_are_something_else() {
    let folder = TempDir::new().unwrap();
    let open = |path: &Path| GameFiles::open([path]).unwrap_err().to_string();
    let path = folder.path().join("games.pgn");
    assert_eq!(open(&path), format!("{}: cannot be read", path.display()));
    let expected = "expected PGN, PGN compressed by zstd, a zip with one PGN or Parquet";
    assert_eq!(
        open(folder.path()),
        format!("{}: is a folder, {expected}", folder.path().display())
    );
    let path = file(&folder, "games.pgn.bz2", "BZh91AY");
    assert_eq!(
        open(&path),
        format!("{}: is compressed by bzip2, {expected}", path.display())
    );
}

/// What reading ends with.
fn failure(path: &Path) -> String {
    let mut games = GameFiles::open([path]).unwrap().games().unwrap();
    let error = games.by_ref().find_map(Result::err).unwrap();
    assert!(games.next().is_none(), "it stops after an error");
    let text = chain(&error);
    let (named, text) = text.split_once(": ").unwrap();
    assert_eq!(named, path.display().to_string());
    text.to_owned()
}

#[test]
fn files_that_are_damaged() {
    let folder = TempDir::new().unwrap();
    let text = fs::read(golden("edge.pgn")).unwrap();
    let frame = zstd::encode_all(&text[..], 3).unwrap();
    let path = file(&folder, "cut.pgn.zst", &frame[..frame.len() - 5]);
    let error = failure(&path);
    assert!(
        error.starts_with("no more games can be read: cannot be read after "),
        "{error}"
    );
    let path = file(&folder, "games.parquet", "PAR1 and nothing else");
    let error = failure(&path);
    assert!(
        error.starts_with("no more games can be read: not a parquet file"),
        "{error}"
    );
    let path = file(&folder, "cut.zip", b"PK\x03\x04 and nothing else");
    let error = failure(&path);
    assert!(error.starts_with("no zip, or a damaged one: "), "{error}");
    let two: &[(&str, &[u8])] = &[("a.pgn", b"1. e4"), ("b.pgn", b"1. d4"), ("c.txt", b"")];
    let path = zip(&folder, two);
    assert_eq!(failure(&path), "holds 2 files of PGN, expected one");
    assert_eq!(
        failure(&zip(&folder, &[])),
        "holds 0 files of PGN, expected one"
    );
    // Whose check sum is wrong.
    let path = zip(&folder, &[("games.pgn", &text)]);
    let mut bytes = fs::read(&path).unwrap();
    let entry = bytes
        .windows(4)
        .position(|four| four == b"PK\x01\x02")
        .unwrap();
    bytes[14] ^= 1;
    bytes[entry + 16] ^= 1;
    fs::write(&path, bytes).unwrap();
    let error = failure(&path);
    assert!(
        error.starts_with("no more games can be read: cannot be read after "),
        "{error}"
    );
}

#[cfg(unix)]
#[test]
fn pipes_are_read() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    let feed = |bytes: Vec<u8>| {
        let path = path.clone();
        std::thread::spawn(move || {
            // Whoever reads may have seen enough.
            let _ = File::create(path).unwrap().write_all(&bytes);
        })
    };
    let text = fs::read(golden("edge.pgn")).unwrap();
    let writer = feed(text);
    assert_eq!(read(std::slice::from_ref(&path), 1).0.len(), 12);
    writer.join().unwrap();
    let writer = feed(fs::read(golden("uci.parquet")).unwrap());
    assert_eq!(
        failure(&path),
        "is no regular file, and Parquet is not read in one go"
    );
    writer.join().unwrap();
}

#[test]
fn games_of_odd_shapes() {
    let folder = TempDir::new().unwrap();
    let won = "[Result \"1-0\"]\n\n";
    let plies = "Nf3 Nf6 Ng1 Ng8 ".repeat(2500);
    let comment = "x".repeat(1 << 20);
    let text = format!("{won}{plies}\n\n{won}e4 {{{comment}}} e5\n\n[Result \"1-0\"]\n\n\n");
    let mut bytes = text.into_bytes();
    bytes.extend(b"[White \"\xe9\xff\"]\n[Result \"1-0\"]\n\n1. e4 {\xfe} e5 \xff\n");
    let (games, left_out) = read(&[file(&folder, "odd.pgn", bytes)], 2);
    let lengths: Vec<_> = games.iter().map(|game| game.moves.len()).collect();
    assert_eq!(lengths, [10_000, 2, 0, 2]);
    assert_eq!(left_out.total(), 0);
}

#[test]
fn errors_are_errors() {
    fn is_error<E: Error + Send + Sync + 'static>() {}
    is_error::<SourceError>();
}
