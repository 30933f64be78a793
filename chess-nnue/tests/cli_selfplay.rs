//! `chess-nnue datagen` and `chess-nnue match`.
#![cfg(all(feature = "cli", feature = "selfplay"))]
#![allow(clippy::unwrap_used, missing_docs)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};

use chess_nnue::{Architecture, Network, Weights};

fn tool(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chess-nnue"));
    command.current_dir(folder).args(arguments.split(' '));
    command
}

fn run(folder: &Path, arguments: &str) -> Output {
    tool(folder, arguments).output().unwrap()
}

fn succeed(folder: &Path, arguments: &str) -> String {
    let output = run(folder, arguments);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{arguments}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

fn fail(folder: &Path, arguments: &str, code: i32) -> String {
    let output = run(folder, arguments);
    assert_eq!(output.status.code(), Some(code), "{arguments}");
    String::from_utf8(output.stderr).unwrap()
}

const SMALL: &str = "--games 5 --nodes 300 --seed 4";

#[test]
fn chunks_are_the_same_however_they_are_made() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeed(
        folder,
        &format!("datagen hand-written one --chunks 0..3 --threads 1 {SMALL}"),
    );
    succeed(
        folder,
        &format!("datagen hand-written two --chunks 2..3 --threads 2 {SMALL}"),
    );
    let told = succeed(
        folder,
        &format!("datagen hand-written two --chunks 0..3 --threads 2 {SMALL}"),
    );
    assert!(
        told.contains("games-00002.viri: is there already\n"),
        "{told}"
    );
    assert!(
        told.contains("games-00000.viri: 5 games, White won "),
        "{told}"
    );
    assert!(told.contains("\nall chunks: 15 games, "), "{told}");
    for chunk in ["games-00000.viri", "games-00001.viri", "games-00002.viri"] {
        let bytes = |set: &str| fs::read(folder.join(set).join(chunk)).unwrap();
        assert!(!bytes("one").is_empty());
        assert!(bytes("one") == bytes("two"), "{chunk}");
    }
}

#[test]
fn killed_and_run_again_it_is_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let command =
        |out: &str| format!("datagen hand-written {out} --chunks 0..4 --threads 2 {SMALL}");
    succeed(folder, &command("whole"));
    for round in 1..=3 {
        let mut child = tool(folder, &command("killed")).spawn().unwrap();
        let first = folder.join("killed/games-00000.viri");
        let begun = Instant::now();
        while !first.exists() && begun.elapsed() < Duration::from_secs(60) {
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_millis(20 * round));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    succeed(folder, &command("killed"));
    for chunk in 0..4 {
        let bytes =
            |set: &str| fs::read(folder.join(format!("{set}/games-{chunk:05}.viri"))).unwrap();
        assert!(bytes("whole") == bytes("killed"), "{chunk}");
    }
}

#[test]
fn a_folder_of_other_games_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeed(folder, &format!("datagen hand-written out {SMALL}"));
    let error = fail(
        folder,
        "datagen hand-written out --games 5 --nodes 301 --seed 4",
        1,
    );
    assert!(
        error.contains(
            "datagen.txt: chunks there have nodes a move 300, asked for nodes a move 301"
        ),
        "{error}"
    );
    let error = fail(folder, "datagen none.nnue out", 1);
    assert!(
        error.contains(
            "the evaluation by rules is called hand-written, the network of the program builtin"
        ),
        "{error}"
    );
    let error = fail(folder, "datagen hand-written out --chunks 3..3", 2);
    assert!(
        error.contains("expected two numbers, like 0..20"),
        "{error}"
    );
    let error = fail(folder, "datagen hand-written out --quiet", 1);
    assert!(error.contains("--quiet is for --format marlin"), "{error}");
}

#[test]
fn a_chunk_that_lost_its_end_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let command = format!("datagen hand-written out {SMALL}");
    succeed(folder, &command);
    let path = folder.join("out/games-00000.viri");
    let bytes = fs::read(&path).unwrap();
    let games = chess_nnue::chess_records::ViriGames::new(&bytes).unwrap();
    let last = games.get(4).unwrap().byte_offset() as usize;
    fs::write(&path, &bytes[..last]).unwrap();
    let error = fail(folder, &command, 1);
    assert!(
        error.contains("games-00000.viri: has 4 games, expected 5; without the file its games"),
        "{error}"
    );
    fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    let error = fail(folder, &command, 1);
    assert!(
        error.contains("games-00000.viri: game 4 at byte "),
        "{error}"
    );
    let marlin = format!("{command} --format marlin");
    succeed(folder, &marlin);
    let path = folder.join("out/games-00000.marlin");
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[1..]).unwrap();
    let error = fail(folder, &marlin, 1);
    assert!(
        error.contains("games-00000.marlin: ends within a position, at byte "),
        "{error}"
    );
}

#[test]
fn a_network_plays_and_is_told_from_others() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let architecture = Architecture::new(16).unwrap();
    let network = Network::new(architecture.clone(), &Weights::zero(&architecture)).unwrap();
    network.save(folder.join("zero.nnue")).unwrap();
    let command = "match hand-written zero.nnue out --pairs 3 --nodes 400 --threads 2";
    let told = succeed(folder, command);
    assert!(
        told.starts_with(
            "6 games, 100.0 % of the points; pairs with 0 to 2 points: [0, 0, 0, 0, 3]\n"
        ),
        "{told}"
    );
    assert_eq!(succeed(folder, command), told);
    let json = succeed(folder, &format!("{command} --json --sprt 0,400"));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["games"], 6);
    assert_eq!(json["verdict"], "open");
    let games = fs::read_to_string(folder.join("out/games.pgn")).unwrap();
    assert_eq!(games.matches("[Result ").count(), 6);
    let error = fail(
        folder,
        "match zero.nnue hand-written out --pairs 3 --nodes 400",
        1,
    );
    assert!(error.contains("match.log: holds another match"), "{error}");
    let error = fail(folder, "match zero.nnue hand-written out --sprt 5,0", 2);
    assert!(error.contains("the lower one first"), "{error}");
}

const GENERATIONS: &str = "--hidden 16 --chunks 2 --games 8 --nodes 60 --epochs 1 --batch 128 --pairs 1 \
                           --threads 2";

#[test]
fn generations_are_kept_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let command = format!("generations out {GENERATIONS}");
    let told = succeed(folder, &command);
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines.len(), 3, "{told}");
    assert!(lines[0].starts_with("gen1: loss held out 0."), "{told}");
    assert!(
        lines[0].contains(" % of 2 games against hand-written"),
        "{told}"
    );
    assert!(lines[1].contains(" % of 2 games against gen1"), "{told}");
    assert_eq!(lines[2], "report out/report.md");
    for file in ["gen2.nnue", "ladder.svg", "losses-gen1.svg"] {
        assert!(folder.join("out").join(file).exists(), "{file}");
    }
    assert_eq!(succeed(folder, "generations out --minutes 600"), told);
    let error = fail(folder, "generations out --nodes 70", 1);
    let expected = "out: its plan has nodes 60, asked for nodes 70; leave the option out";
    assert!(error.contains(expected), "{error}");
    let error = fail(folder, "generations new --hidden 17", 1);
    assert!(
        error.contains("hidden is 17, expected a multiple of 16"),
        "{error}"
    );
    let error = fail(folder, "generations new --minutes 0", 2);
    assert!(error.contains("expected minutes, 0.1 or more"), "{error}");
}

#[test]
fn generations_that_are_killed_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let command = |out: &str| format!("generations {out} {GENERATIONS}");
    succeed(folder, &command("whole"));
    for milestone in [
        "gen1/games/games-00000.viri",
        "gen1.nnue",
        "gen2/run/losses.csv",
    ] {
        let mut child = tool(folder, &command("killed")).spawn().unwrap();
        let (milestone, begun) = (folder.join("killed").join(milestone), Instant::now());
        while !milestone.exists() && begun.elapsed() < Duration::from_secs(120) {
            thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    succeed(folder, &command("killed"));
    for file in [
        "gen1.nnue",
        "gen2.nnue",
        "report.md",
        "gen2/match-gen1/games.pgn",
    ] {
        let bytes = |set: &str| fs::read(folder.join(set).join(file)).unwrap();
        assert!(bytes("whole") == bytes("killed"), "{file}");
    }
    let left = fs::read_dir(folder.join("killed/gen1/games")).unwrap();
    assert_eq!(left.count(), 2, "nothing half written is left");
}

#[test]
fn the_network_of_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let command = "datagen builtin out --games 1 --nodes 100";
    if cfg!(feature = "builtin-net") {
        succeed(folder, command);
        let about = fs::read_to_string(folder.join("out/datagen.txt")).unwrap();
        let fingerprint = about.lines().next().unwrap().strip_prefix("player ");
        assert!(fingerprint.is_some_and(|text| text.len() == 16), "{about}");
    } else {
        let error = fail(folder, command, 1);
        assert!(
            error.contains("the feature builtin-net has it; a file of that name is ./builtin"),
            "{error}"
        );
    }
}
