//! Writers that die: killed at any moment, and out of room.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use chess_tokens::pack::{Meta, OpenPackError, PackWriter, TokenPack, recover};
use chess_tokens::tokenizer::UciTokenizer;

/// What tells a child what to do: how many games a pack has, and which one is written first.
const GAMES: &str = "PACK_PROCESS_GAMES";
const FIRST: &str = "PACK_PROCESS_FIRST";
const FOLDER: &str = "PACK_PROCESS_FOLDER";

/// A pack of as many games, all of them with this number in their tokens.
fn write(
    folder: &Path,
    games: u64,
    number: u16,
) -> Result<Meta, chess_tokens::pack::WritePackError> {
    let mut writer = PackWriter::create(folder, &UciTokenizer::new(), ["games"])?;
    for _ in 0..games {
        writer.push(&[1, number, number, number, 2])?;
    }
    writer.finish()
}

/// The number of a pack that is whole.
fn number(folder: &Path) -> Result<u16, OpenPackError> {
    let pack = TokenPack::read(folder)?;
    assert_eq!(pack.verify().next(), None);
    let number = pack.tokens()[1];
    assert!(
        pack.tokens()
            .chunks(5)
            .all(|game| game == [1, number, number, number, 2])
    );
    Ok(number)
}

/// Not a test of its own: what the children of the others do.
#[test]
fn child() {
    let Ok(folder) = env::var(FOLDER) else {
        return;
    };
    let games: u64 = env::var(GAMES).unwrap().parse().unwrap();
    let first: u16 = env::var(FIRST).unwrap().parse().unwrap();
    for number in (first..2000).chain((10..2000).cycle()) {
        if let Err(error) = write(Path::new(&folder), games, number) {
            println!("failed: {error}");
            return;
        }
    }
}

/// A process that writes one pack after the other, begun by a shell that does this first.
fn writing(folder: &Path, games: u64, first: u16, before: &str) -> Child {
    let this = env::current_exe().unwrap();
    let script = format!("{before} exec \"$0\" --exact child --nocapture");
    Command::new("sh")
        .args(["-c", &script])
        .arg(this)
        .env(FOLDER, folder)
        .env(GAMES, games.to_string())
        .env(FIRST, first.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn killed_at_any_moment() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write(path, 2000, 10).unwrap();
    let (mut whole, mut half) = (0, 0);
    for round in 0..40u64 {
        let mut child = writing(path, 2000, 11, "");
        thread::sleep(Duration::from_millis(round * round % 97));
        child.kill().unwrap();
        child.wait().unwrap();
        match number(path) {
            Ok(_) => whole += 1,
            Err(OpenPackError::HalfReplaced { .. }) => half += 1,
            Err(error) => panic!("{error}"),
        }
        if round % 2 == 0 {
            recover(path).unwrap();
            number(path).unwrap();
        }
    }
    assert!(whole > 0, "{whole} whole packs and {half} half replaced");
    // Whatever is left is cleared away.
    write(path, 3, 99).unwrap();
    assert_eq!(number(path).unwrap(), 99);
    assert_eq!(fs::read_dir(path).unwrap().count(), 3);
}

#[test]
fn opened_while_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write(path, 2000, 10).unwrap();
    let mut child = writing(path, 2000, 11, "");
    let started = Instant::now();
    let mut last = 0;
    while started.elapsed() < Duration::from_secs(20) && last < 16 {
        match number(path) {
            Ok(number) => last = number,
            Err(OpenPackError::HalfReplaced { .. } | OpenPackError::Replaced { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(last > 10, "a new pack was seen");
}

/// Files may not grow over 16 KiB, as if the disk were full.
#[test]
fn a_full_disk_leaves_the_old_pack() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write(path, 500, 10).unwrap();
    // Blocks are of 512 bytes or of 1024, as the shell likes.
    let child = writing(path, 50_000, 11, "trap '' XFSZ; ulimit -f 16;");
    let output = child.wait_with_output().unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    let text = format!("failed: {}", path.display());
    assert!(output.contains(&text), "{output}");
    assert!(output.contains(".npy"), "{output}");
    assert_eq!(number(path).unwrap(), 10);
    assert_eq!(fs::read_dir(path).unwrap().count(), 3, "nothing is left");
}
