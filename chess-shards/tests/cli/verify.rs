//! `verify`.

use std::fs;

use crate::support::{Folder, of_tests};

/// Where the rows of the golden shards begin.
const HEADER: usize = 384;
const ROW: usize = 202;

#[test]
fn sound_sets() {
    for name in ["flat", "flat-iid", "flat-edge", "flat-edge-elo"] {
        let folder = Folder::with(name);
        let ran = folder.run(&format!("verify {name}")).succeeded();
        assert_eq!(ran.stderr, "");
        let meta = folder.read(&format!("{name}/meta.json"));
        let meta: serde_json::Value = serde_json::from_slice(&meta).unwrap();
        let expected = format!("{} rows, 0 faults\n", meta["num_samples"]);
        assert_eq!(ran.stdout, expected, "{name}");
    }
}

#[test]
fn every_fault_is_told_with_its_place() {
    let folder = Folder::with("flat");
    let men = HEADER + 5 * ROW;
    folder.set_byte("flat/shard_0001.npy", men, 13);
    folder.set_byte("flat/shard_0003.npy", HEADER + 7 * ROW + 199, 1);
    let faults = [
        format!(
            "flat/shard_0001.npy: row 5 at byte {men}: the man on a1 (offset 0) is 13, expected 0-12"
        ),
        format!(
            "flat/shard_0003.npy: row 7 at byte {}: the pad byte (offset 199) is 1, expected 0",
            HEADER + 7 * ROW
        ),
    ];
    for threads in [1, 2, 7] {
        let ran = folder.run(&format!("verify flat --threads {threads}"));
        assert_eq!(ran.code, Some(1));
        let expected = format!("{}\n728 rows, 2 faults\n", faults.join("\n"));
        assert_eq!(ran.stdout, expected);
    }
    let ran = folder.run("verify flat --json");
    assert_eq!(ran.code, Some(1));
    let told = |shard: &str, row: usize, fault: &str| {
        serde_json::json!({
            "path": format!("flat/{shard}"),
            "row": row,
            "byte_offset": HEADER + row * ROW,
            "fault": fault,
        })
    };
    let expected = [
        told("shard_0001.npy", 5, &faults[0]),
        told("shard_0003.npy", 7, &faults[1]),
    ];
    assert_eq!(ran.json()["faults"], serde_json::json!(expected));
    let ran = folder.run("verify flat --limit 1");
    assert!(
        ran.stdout.ends_with("1 faults (stopped there)\n"),
        "{ran:?}"
    );
    // The first fault is row 185 of all.
    let ran = folder.run("verify flat --first 185").succeeded();
    assert_eq!(ran.stdout, "185 rows, 0 faults (stopped there)\n");
    assert_eq!(folder.run("verify flat --first 186").code, Some(1));
    assert_eq!(folder.run("verify flat --split test").code, Some(0));
    assert_eq!(folder.run("verify flat/shard_0001.npy").code, Some(1));
}

#[test]
fn faults_of_files_and_of_the_set() {
    let folder = Folder::with("flat");
    fs::remove_file(folder.path("flat/shard_0003.npy")).unwrap();
    let shard = folder.read("flat/shard_0002.npy");
    folder.write("flat/shard_0002.npy", &shard[..shard.len() - 1]);
    let meta = String::from_utf8(folder.read("flat/meta.json")).unwrap();
    let meta = meta.replacen("\"game_end\": 46", "\"game_end\": 50", 1);
    let meta = meta.replacen("\"num_overflow\": 0", "\"num_overflow\": 2", 1);
    folder.write("flat/meta.json", meta);
    let ran = folder.run("verify flat");
    assert_eq!(ran.code, Some(1));
    let lines: Vec<_> = ran.stdout.lines().collect();
    let expected = [
        "flat/meta.json: shard 0 of split train and shard 1 of split val share games 46..50",
        "flat/shard_0000.npy: 0 rows have over 64 legal moves, expected 2 as in meta.json",
        "flat/shard_0002.npy: has 35935 bytes, expected 35936 for its 176 rows",
        "flat/shard_0003.npy: no such file, nor one with .zst added",
        "368 rows, 4 faults",
    ];
    assert_eq!(lines, expected);
    folder.write("flat/meta.json", "{}");
    folder.run("verify flat").failed(1, "flat/meta.json: ");
    folder.run("verify none").failed(2, "none: no such file");
}

#[test]
fn plies_are_compared_with_a_sampler() {
    let folder = Folder::with("flat");
    let games = of_tests("games/games.pgn");
    let ran = folder.run(&format!("verify flat --games {} --json", games.display()));
    let plies = &ran.succeeded().json()["plies"];
    assert_eq!(plies["games"], 182);
    let distance = plies["total_variation"].as_f64().unwrap();
    let by_chance = plies["by_chance"].as_f64().unwrap();
    assert!(distance < 0.15 && by_chance < 0.15, "{plies}");
    let text = folder.run(&format!("verify flat --games {}", games.display()));
    let expected = format!("plies: total variation distance {distance:.4} from a sampler");
    assert!(text.stdout.starts_with(&expected), "{text:?}");
    // Weighed as the set was not, it is further.
    let meta = String::from_utf8(folder.read("flat/meta.json")).unwrap();
    folder.write(
        "flat/meta.json",
        meta.replace("\"middlegame\"", "\"uniform\""),
    );
    let ran = folder.run(&format!("verify flat --games {} --json", games.display()));
    let other = ran.json()["plies"]["total_variation"].as_f64().unwrap();
    assert!(other > 0.25, "{other}");
    let edge = of_tests("games/edge.pgn");
    let text = "games that count, the set was built from 186";
    folder
        .run(&format!("verify flat --games {}", edge.display()))
        .failed(1, text);
    let text = "--games is for sets, which have a meta.json";
    folder
        .run(&format!(
            "verify flat/shard_0000.npy --games {}",
            edge.display()
        ))
        .failed(2, text);
}

/// The Elo bounds of the set hold for the games that it is compared with.
#[test]
fn plies_of_a_set_with_bounds() {
    let folder = Folder::with("flat-iid");
    let games = of_tests("games/games.pgn");
    let ran = folder.run(&format!(
        "verify flat-iid --games {} --json",
        games.display()
    ));
    let report = ran.succeeded().json();
    let meta: serde_json::Value =
        serde_json::from_slice(&folder.read("flat-iid/meta.json")).unwrap();
    let sum = |key: &str| -> u64 {
        let shards = meta["shards"].as_array().unwrap();
        shards
            .iter()
            .map(|shard| shard[key].as_u64().unwrap())
            .sum()
    };
    let drawn =
        sum("game_end") - sum("game_start") - sum("num_skipped_games") - sum("num_filtered_games");
    assert_eq!(report["plies"]["games"], drawn);
}
