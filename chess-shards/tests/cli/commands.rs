//! The other commands.

use std::fs;

use chess_records::MarlinView;

use crate::support::Folder;

#[test]
fn the_licence_is_told() {
    let folder = Folder::new();
    for arguments in ["--version", "--help"] {
        let ran = folder.run(arguments).succeeded();
        assert!(
            ran.stdout.contains("GPL-3.0-or-later"),
            "{arguments}: {ran:?}"
        );
    }
    folder.run("").failed(2, "unrecognized subcommand");
}

#[test]
fn sets_are_described() {
    let folder = Folder::with("flat");
    let ran = folder.run("inspect flat").succeeded();
    assert_eq!(ran.fact("source"), "games.pgn, 186 games that count");
    assert_eq!(ran.fact("drawn"), "4 a game, unique, middlegame, seed 0");
    assert_eq!(ran.fact("train"), "364 samples, in 2 shards");
    assert_eq!(ran.fact("val"), "188 samples, in shard 1");
    assert_eq!(ran.fact("files"), "4 plain, 0 only compressed, 0 missing");
    let last = ran.stdout.lines().last().unwrap();
    let cells: Vec<_> = last.split_whitespace().collect();
    assert_eq!(
        cells,
        [
            "3",
            "train",
            "140..186",
            "184",
            "0",
            "0",
            "0",
            "0",
            "shard_0003.npy"
        ]
    );
    fs::remove_file(folder.path("flat/shard_0000.npy")).unwrap();
    fs::remove_file(folder.path("flat/shard_0003.npy")).unwrap();
    let ran = folder.run("inspect flat --split train").succeeded();
    assert_eq!(ran.fact("files"), "0 plain, 1 only compressed, 1 missing");
    let json = folder
        .run("inspect flat --split train --json")
        .succeeded()
        .json();
    assert_eq!(json["num_samples"], 728);
    let shards = json["shards"].as_array().unwrap();
    let ids: Vec<_> = shards
        .iter()
        .map(|shard| shard["shard_id"].as_u64().unwrap())
        .collect();
    assert_eq!(ids, [0, 3]);
}

#[test]
fn rows_are_shown() {
    let folder = Folder::with("flat");
    let ran = folder.run("inspect flat --record 500").succeeded();
    let first = ran.stdout.lines().next().unwrap();
    assert_eq!(first, "row 500, which is row 132 of flat/shard_0002.npy");
    assert!(
        ran.stdout
            .contains("  8 r n b q k . n r\n  7 p p p . p p b p\n"),
        "{ran:?}"
    );
    assert!(
        ran.stdout
            .contains("\nrnbqk1nr/ppp1ppbp/3p2p1/8/3PP3/2N5/PPP2PPP/R1BQKBNR w KQkq - 0 4\n")
    );
    assert_eq!(ran.fact("played"), "c1e3");
    assert!(ran.fact("legal moves").starts_with("39: c1e3 c3d5 "));
    assert_eq!(ran.fact("castling"), "KQkq");
    assert_eq!(ran.fact("result"), "0-1");
    let json = folder
        .run("inspect flat --split test --record 132 --json")
        .succeeded()
        .json();
    assert_eq!(json["played"], "c1e3");
    assert_eq!(json["legal"].as_array().unwrap().len(), 39);
    assert_eq!(json["is_white"], true);
    // From the compressed shard, and from it alone though the plain one is there.
    folder.set_byte("flat/shard_0000.npy", 384, 99);
    let text = "flat/shard_0000.npy: row 0: the man on a1 (offset 0) is 99, expected 0-12";
    folder.run("inspect flat --record 0").failed(1, text);
    folder
        .run("inspect flat/shard_0000.npy.zst --record 0")
        .succeeded();
    fs::remove_file(folder.path("flat/shard_0000.npy")).unwrap();
    folder.run("inspect flat --record 0").succeeded();
    folder
        .run("inspect flat --record 728")
        .failed(2, "flat: there is no row 728, there are 728");
    let text = "flat/shard_0001.npy: is one shard, splits are of sets";
    folder
        .run("inspect flat/shard_0001.npy --split val")
        .failed(2, text);
}

#[test]
fn shards_are_counted() {
    let folder = Folder::with("flat");
    for name in ["shard_0001.npy", "shard_0001.npy.zst"] {
        let ran = folder.run(&format!("inspect flat/{name}")).succeeded();
        assert_eq!(ran.fact("rows"), "188");
        assert_eq!(ran.fact("White, Black to move"), "98, 90");
        assert_eq!(ran.fact("White won, draw, Black won"), "72, 20, 96");
        assert_eq!(ran.fact("plies"), "1 to 211");
    }
    let json = folder
        .run("inspect flat/shard_0001.npy --json")
        .succeeded()
        .json();
    assert_eq!(
        (&json["rows"], &json["last_ply"]),
        (&188.into(), &211.into())
    );
    folder
        .run("inspect flat/none.npy")
        .failed(2, "flat/none.npy: no such file, nor one with .zst added");
    folder
        .run("inspect flat/meta.json")
        .failed(1, "flat/meta.json: is no shard: ");
}

#[test]
fn compressed_shards_are_unpacked() {
    let folder = Folder::with("flat");
    let expected = folder.set("flat");
    fs::remove_file(folder.path("flat/shard_0000.npy")).unwrap();
    let ran = folder.run("unpack flat plain").succeeded();
    assert_eq!(ran.stdout, "1 shards unpacked, 3 copied, 0 were there\n");
    let plain = |set: &mut std::collections::BTreeMap<String, Vec<u8>>| {
        set.retain(|name, _| !name.ends_with(".zst"));
    };
    let mut found = folder.set("plain");
    let mut expected = expected;
    plain(&mut found);
    plain(&mut expected);
    assert!(found == expected);
    folder.run("verify plain").succeeded();
    let ran = folder.run("unpack flat").succeeded();
    assert_eq!(ran.stdout, "1 shards unpacked, 0 copied, 3 were there\n");
    assert!(folder.read("flat/shard_0000.npy") == expected["shard_0000.npy"]);
}

#[test]
fn what_cannot_be_unpacked() {
    let folder = Folder::with("flat");
    folder.write("flat/shard_0001.npy", "mine");
    let text = "flat/shard_0001.npy: is not the shard that meta.json tells of; --force replaces it";
    folder.run("unpack flat").failed(2, text);
    assert_eq!(folder.read("flat/shard_0001.npy"), b"mine");
    folder.run("unpack flat --force").succeeded();
    folder.run("verify flat").succeeded();
    let zst = folder.read("flat/shard_0001.npy.zst");
    fs::remove_file(folder.path("flat/shard_0001.npy")).unwrap();
    folder.write("flat/shard_0001.npy.zst", &zst[..zst.len() - 3]);
    let text = "flat/shard_0001.npy.zst: cannot be decompressed: ";
    folder.run("unpack flat").failed(1, text);
    assert!(!folder.path("flat/shard_0001.npy").exists());
    let names = folder.names("flat");
    assert!(
        names.iter().all(|name| !name.ends_with(".tmp")),
        "{names:?}"
    );
}

#[test]
fn conversion_says_what_is_lost() {
    let folder = Folder::with("flat");
    let loss = "flat shards to marlinformat loses: best move, legal moves; makes up: halfmove clock, score";
    let refused = format!("{loss}; --lossy converts all the same\n");
    let ran = folder.run("convert flat out.marlin").failed(2, &refused);
    assert_eq!(ran.stdout, "");
    assert!(!folder.path("out.marlin").exists());
    let ran = folder.run("convert flat out.marlin --lossy").succeeded();
    assert_eq!(
        (&*ran.stdout, ran.stderr),
        ("728 records\n", format!("{loss}\n"))
    );
    let records = folder.read("out.marlin");
    let view = MarlinView::new(&records).unwrap();
    let fens: Vec<_> = view
        .iter()
        .map(|record| record.unwrap().position.fen().to_string())
        .collect();
    assert_eq!(fens.len(), 728);
    assert_eq!(
        fens[500],
        "rnbqk1nr/ppp1ppbp/3p2p1/8/3PP3/2N5/PPP2PPP/R1BQKBNR w KQkq - 0 4"
    );
    folder
        .run("convert flat out.marlin --lossy")
        .failed(2, "out.marlin");
    folder
        .run("convert flat out.marlin --lossy -f --split val --score -30")
        .succeeded();
    let records = folder.read("out.marlin");
    assert_eq!(records.len(), 188 * 32);
    let label = MarlinView::new(&records)
        .unwrap()
        .iter()
        .next()
        .unwrap()
        .unwrap()
        .label;
    assert_eq!(label.score, Some(chess_records::Score::Centipawns(-30)));
    folder.set_byte("flat/shard_0001.npy", 384 + 202, 13);
    let text = "flat/shard_0001.npy: row 1: the man on a1 (offset 0) is 13, expected 0-12";
    folder
        .run("convert flat out.marlin --lossy -f")
        .failed(1, text);
    assert_eq!(folder.read("out.marlin"), records);
}

#[test]
fn rates_are_measured() {
    let folder = Folder::with("flat");
    let few = "bench flat --time 3 --batch 7,64 --threads 2";
    let ran = folder.run(&format!("{few} --svg rates.svg")).succeeded();
    assert!(ran.stderr.contains("728 rows; "), "{ran:?}");
    let lines: Vec<_> = ran.stdout.lines().collect();
    assert_eq!(lines.len(), 1 + 3 * 2 * 2, "{ran:?}");
    for way in ["cached  ", "cold  ", "pread  "] {
        assert!(
            lines.iter().any(|line| line.starts_with(way)),
            "{way}: {ran:?}"
        );
    }
    let svg = String::from_utf8(folder.read("rates.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("cold columns, 2 threads"));
    let json = folder.run(&format!("{few} --json")).succeeded().json();
    let rates = json.as_array().unwrap();
    assert_eq!(rates.len(), 24);
    assert!(
        rates
            .iter()
            .all(|rate| rate["rows_per_second"].as_f64().unwrap() > 0.0)
    );
    folder
        .run(&format!("{few} --svg rates.svg"))
        .failed(2, "rates.svg");
    folder
        .run("bench flat --batch 0")
        .failed(2, "--batch is 0, expected at least 1 row");
    fs::remove_file(folder.path("flat/shard_0000.npy")).unwrap();
    folder
        .run(few)
        .failed(2, "is compressed; `chess-shards unpack` makes plain shards");
}
