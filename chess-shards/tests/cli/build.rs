//! `build` and `merge`.

use std::fs;

use chess_shards::build::BuildReport;

use crate::support::{Folder, meta, of_tests};

const FLAT: &str = "-k 4 --num-shards 4 --val-shards 1 --test-shards 1 --seed 0";

fn check_golden(games: &str, options: &str, name: &str) {
    let (folder, golden) = (Folder::new(), of_tests("golden").join(name));
    let games = of_tests("games").join(games);
    let arguments = format!("build {} out {options}", games.display());
    let ran = folder.run(&arguments).succeeded();
    assert_eq!(ran.stderr, "");
    assert_eq!(meta(&folder.path("out")), meta(&golden), "{name}");
    let built = folder.set("out");
    assert!(built.len() > 2, "{name}");
    for (shard, bytes) in built.iter().filter(|(name, _)| name.starts_with("shard_")) {
        let plain = golden.join(shard);
        let expected = fs::read(&plain).unwrap_or_else(|_| {
            let compressed = fs::File::open(plain.with_extension("npy.zst")).unwrap();
            zstd::decode_all(compressed).unwrap()
        });
        assert!(*bytes == expected, "{name}: {shard}");
    }
}

#[test]
fn golden_sets() {
    check_golden("games.pgn", FLAT, "flat");
    check_golden(
        "games.pgn",
        "--limit-games 60 -k 4 --num-shards 2 --val-shards 0 --test-shards 0 --seed 1 \
         --sample-mode iid --sample-weighting uniform --skip-opening-plies 6 \
         --min-elo 1200 --max-elo 2600",
        "flat-iid",
    );
    check_golden(
        "edge.pgn",
        "--positions-per-game 1000 --num-shards 2 --val-shards 0 --test-shards 0 --seed 5 --workers 1",
        "flat-edge",
    );
    check_golden(
        "edge.pgn",
        "-k 3 --num-shards 3 --val-shards 1 --test-shards 1 --seed 4294967301 \
         --skip-opening-plies 6 --min-elo 1200 --max-elo 2600 --workers 3",
        "flat-edge-elo",
    );
}

#[test]
fn games_of_any_kind() {
    let folder = Folder::new();
    folder.write_games(1);
    let games = folder.read("games.pgn");
    folder.write("games.pgn.zst", zstd::encode_all(&games[..], 1).unwrap());
    folder.run(&format!("build games.pgn a {FLAT}")).succeeded();
    folder
        .run(&format!("build games.pgn.zst b {FLAT} --games 186"))
        .succeeded();
    assert!(folder.set("a") == folder.set("b"));
    let parquet = of_tests("games/uci.parquet");
    let arguments = format!("build {} c {FLAT} --source corpus", parquet.display());
    folder.run(&arguments).succeeded();
    let meta = String::from_utf8(folder.read("c/meta.json")).unwrap();
    assert!(meta.contains("\"source_h5\": \"corpus\""), "{meta}");
    let mixed = format!("build games.pgn {} d", parquet.display());
    let text = "the games are in PGN and in Parquet files, expected one kind";
    folder.run(&mixed).failed(2, text);
    assert!(!folder.path("d").exists());
}

#[test]
fn what_became_of_the_games_is_told() {
    let folder = Folder::new();
    let games = fs::read_to_string(of_tests("games/games.pgn")).unwrap();
    let chess960 = "[Variant \"Chess960\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n";
    let unfinished = "[Result \"*\"]\n\n1. e4 *\n\n";
    folder.write("games.pgn", [chess960, unfinished, &games].concat());
    let ran = folder
        .run(&format!("build games.pgn out {FLAT}"))
        .succeeded();
    assert_eq!(ran.fact("shards"), "4 (0..4), 0 of them were there");
    assert_eq!(ran.fact("games that count"), "186");
    assert_eq!(ran.fact("left out"), "2");
    assert_eq!(ran.fact("  a variant"), "1");
    assert_eq!(ran.fact("  no result"), "1");
    let report: BuildReport =
        serde_json::from_slice(&folder.read("out/build_report.json")).unwrap();
    assert_eq!(ran.fact("samples"), report.samples.to_string());
    assert_eq!(ran.fact("shorter than 2 plies"), "4");
    let again = folder
        .run(&format!("build games.pgn out {FLAT}"))
        .succeeded();
    assert_eq!(again.fact("shards"), "4 (0..4), 4 of them were there");
}

#[test]
fn slices_make_one_set() {
    let folder = Folder::new();
    folder.write_games(1);
    folder
        .run(&format!("build games.pgn whole {FLAT}"))
        .succeeded();
    let slice = |out: &str, only: &str| {
        let arguments = format!("build games.pgn {out} {FLAT} --only {only}");
        folder.run(&arguments).succeeded()
    };
    let ran = slice("one", "0..3");
    assert_eq!(ran.fact("shards"), "3 (0..3), 0 of them were there");
    assert!(
        ran.stderr.contains("`chess-shards merge OUT PIECES...`"),
        "{ran:?}"
    );
    assert!(!folder.path("one/meta.json").exists());
    let text = "shard 3 is not there, or not as it was written; it must be built first";
    folder.run("merge all one").failed(1, text);
    slice("two", "3..4");
    let ran = folder.run("merge all one two").succeeded();
    assert_eq!(ran.fact("shards"), "4 (0..4), 4 of them were there");
    assert!(folder.set("all") == folder.set("whole"));
    folder
        .run("merge empty")
        .failed(2, "empty: no part of a set is there");
}

#[test]
fn what_is_there_is_kept_unless_asked_otherwise() {
    let folder = Folder::with("flat");
    folder.write_games(1);
    let text = "there is a set already, whose origin is not known; --overwrite begins anew";
    folder
        .run(&format!("build games.pgn flat {FLAT}"))
        .failed(2, text);
    folder
        .run(&format!("build games.pgn out {FLAT}"))
        .succeeded();
    let before = folder.set("out");
    let other = format!(
        "build games.pgn out {} --seed 9",
        FLAT.replace(" --seed 0", "")
    );
    let text = "is of another set, with other options; --overwrite begins anew";
    folder.run(&other).failed(2, text);
    assert!(folder.set("out") == before);
    let text = "with other options; --overwrite without --only begins anew";
    let slice = format!("{other} --only 1..2 --overwrite");
    folder.run(&slice).failed(2, text);
    assert!(folder.set("out") == before);
    folder.run(&format!("{other} --overwrite")).succeeded();
    assert!(folder.set("out") != before);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = Folder::new();
    folder.write_games(1);
    folder.write("empty.pgn", "");
    for (arguments, code, text) in [
        ("build games.pgn", 2, "<OUT>"),
        (
            "build games.pgn out -k 0",
            2,
            "k is 0, expected at least 1 position a game",
        ),
        (
            "build games.pgn out --only 3..3",
            2,
            "3..3 is no range of shards",
        ),
        (
            "build games.pgn out --num-shards 4 --only 2..9",
            2,
            "shards 2..9 are asked for",
        ),
        (
            "build games.pgn out --min-elo 9 --max-elo 8",
            2,
            "min_elo 9 is over max_elo 8",
        ),
        (
            "build games.pgn out --sample-mode all",
            2,
            "[possible values: unique, iid]",
        ),
        (
            "build empty.pgn empty",
            1,
            "the source has no game that counts, 0 are left out",
        ),
        (
            "build games.pgn few --games 187",
            1,
            "the source has 186 games that count, 187 were told",
        ),
        ("build none.pgn none", 2, "none.pgn: cannot be read"),
        ("build . none", 2, ".: is no regular file"),
        (
            "build games.pgn out --limit-games 0",
            2,
            "limit_games is 0, expected at least 1 game",
        ),
    ] {
        folder.run(arguments).failed(code, text);
    }
}
