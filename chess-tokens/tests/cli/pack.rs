//! `pack` and `train-bpe`.

use std::fs;
use std::io::Write;

use crate::support::{FILES, Folder, files, golden};

#[test]
fn golden_packs() {
    let folder = Folder::new();
    for (games, pack, options) in [
        ("@games.pgn", "uci", "--scheme uci"),
        ("@games.pgn", "san", "--scheme san"),
        ("@games.pgn", "bpe", "--scheme bpe --bpe @bpe.json"),
        ("@uci.parquet", "uci", "--scheme uci --threads 1"),
        ("@uci.parquet", "san", "--scheme san --threads 3"),
        ("@uci.parquet", "bpe", "--scheme bpe --bpe @bpe.json"),
    ] {
        let label = "--source-label games.pgn --force";
        let ran = folder.run(&format!("pack {games} {pack} {options} {label}"));
        assert_eq!(ran.succeeded().fact("games"), "186");
        let packed = files(&folder.path(pack));
        assert!(packed.keys().eq(FILES), "{:?}", packed.keys());
        assert!(packed == files(&golden(pack)), "{games} as {pack}");
    }
    for scheme in ["uci", "san"] {
        let options = format!("--scheme {scheme} --source-label edge.pgn");
        folder
            .run(&format!("pack @edge.pgn edge {options} --force"))
            .succeeded();
        let expected = files(&golden(&format!("edge-{scheme}")));
        assert!(files(&folder.path("edge")) == expected, "{scheme}");
    }
}

#[test]
fn games_of_several_files() {
    let folder = Folder::new();
    fs::create_dir(folder.path("may")).unwrap();
    let games = fs::read(golden("games.pgn")).unwrap();
    folder.write(
        "may/games.pgn.zst",
        zstd::encode_all(&games[..], 1).unwrap(),
    );
    let ran = folder
        .run("pack may/games.pgn.zst @edge.pgn @uci.parquet out --scheme uci --json")
        .succeeded();
    let json = ran.json();
    assert_eq!(json["n_games"], 186 + 12 + 186);
    assert_eq!(
        json["source"],
        "may/games.pgn.zst+golden/edge.pgn+golden/uci.parquet"
    );
    assert_eq!(json["left_out"]["illegal_move"], 0);
}

#[test]
fn options_stand_anywhere() {
    let folder = Folder::new();
    for arguments in [
        "pack @edge.pgn --scheme uci out",
        "pack --scheme uci @edge.pgn --force out",
        "pack @edge.pgn --force @edge.pgn --scheme uci out",
    ] {
        folder.run(arguments).succeeded();
    }
    let ran = folder.run("inspect out").succeeded();
    assert_eq!(ran.fact("games"), "24");
    let text = "there is one path only, expected <GAMES>... <OUT>";
    folder.run("pack --scheme uci out").failed(2, text);
    folder.run("train-bpe bpe.json").failed(2, text);
}

/// pzstd begins with a frame that holds no text.
#[test]
fn games_after_a_frame_without_text() {
    let folder = Folder::new();
    let games = fs::read(golden("games.pgn")).unwrap();
    let frame = zstd::encode_all(&games[..], 1).unwrap();
    let skipped = b"\x50\x2a\x4d\x18\x04\0\0\0size";
    folder.write("games.pgn.zst", [skipped, &frame[..]].concat());
    let ran = folder
        .run("pack games.pgn.zst out --scheme uci")
        .succeeded();
    assert_eq!(ran.fact("games"), "186");
}

#[test]
fn games_that_are_left_out_are_told() {
    let folder = Folder::new();
    let rated = "[WhiteElo \"1500\"]\n[BlackElo \"1500\"]\n";
    let won = "[Result \"1-0\"]\n\n1. e4 1-0\n\n";
    let text = [
        won,
        &format!("{rated}{won}"),
        "[FEN \"x\"]\n\n1. e4 1-0\n\n",
        "1. e4 Ke3 1-0\n\n1. e4 *\n\n",
    ];
    folder.write("games.pgn", text.concat());
    let ran = folder.run("pack games.pgn uci --scheme uci").succeeded();
    assert_eq!((ran.fact("games"), ran.fact("left out")), ("1", "4"));
    for reason in ["no Elo", "another start", "an illegal move", "no result"] {
        assert_eq!(ran.fact(&format!("  {reason}")), "1");
    }
    let ran = folder.run("pack games.pgn san --scheme san").succeeded();
    assert_eq!((ran.fact("games"), ran.fact("left out")), ("2", "3"));
    let ran = folder
        .run("pack games.pgn all --scheme uci --missing-elo 1200")
        .succeeded();
    assert_eq!(ran.fact("games"), "2");
    folder.write("none.pgn", "");
    let ran = folder.run("pack none.pgn none --scheme uci").succeeded();
    assert_eq!(ran.fact("games"), "0");
    folder.run("verify none").succeeded();
}

#[test]
fn what_is_there_is_kept_unless_asked_otherwise() {
    let folder = Folder::with("edge-uci");
    let before = files(&folder.path("edge-uci"));
    folder.run("pack @games.pgn edge-uci --scheme uci").failed(
        2,
        "edge-uci/tokens.npy: is there already; --force replaces it",
    );
    assert!(files(&folder.path("edge-uci")) == before);
    folder
        .run("pack @games.pgn edge-uci --scheme uci --force")
        .succeeded();
    assert!(files(&folder.path("edge-uci")) != before);
}

#[test]
fn what_cannot_be_packed_leaves_nothing() {
    let folder = Folder::new();
    let games = fs::read(golden("games.pgn")).unwrap();
    let frame = zstd::encode_all(&games[..], 1).unwrap();
    folder.write("cut.pgn.zst", &frame[..frame.len() / 2]);
    folder.write("games.pgn.bz2", "BZh91AY");
    folder.write("wide.pgn", b"\xff\xfe[\0E\0");
    for (arguments, code, text) in [
        (
            "pack nothing.pgn out --scheme uci",
            2,
            "nothing.pgn: cannot be read: No such file",
        ),
        (
            "pack @games.pgn cut.pgn.zst out --scheme uci",
            1,
            "cut.pgn.zst: no more games can be read: cannot be read after ",
        ),
        (
            "pack games.pgn.bz2 out --scheme uci",
            1,
            "games.pgn.bz2: is compressed by bzip2, expected PGN",
        ),
        (
            "pack wide.pgn out --scheme uci",
            1,
            "wide.pgn: is text in UTF-16, expected PGN",
        ),
        (
            "pack @games.pgn out --scheme bpe",
            2,
            "the scheme bpe needs the file of a trained tokenizer: --bpe FILE",
        ),
        (
            "pack @games.pgn out --scheme uci --bpe @bpe.json",
            2,
            "is for the scheme bpe, and this is uci",
        ),
        (
            "pack @games.pgn out --scheme bpe --bpe @vocab.json",
            1,
            "vocab.json: ",
        ),
        (
            "pack @games.pgn out --scheme san --missing-elo 1500",
            2,
            "--missing-elo is for the scheme uci; san writes no ratings",
        ),
        (
            "pack @games.pgn out --scheme fen",
            2,
            "expected uci, san or bpe",
        ),
        (
            "pack @games.pgn cut.pgn.zst/out --scheme uci",
            2,
            "cut.pgn.zst",
        ),
    ] {
        folder.run(arguments).failed(code, text);
        assert!(!folder.path("out").exists(), "{arguments}");
    }
}

#[test]
fn tokenizers_are_trained() {
    let folder = Folder::new();
    let ran = folder
        .run("train-bpe @games.pgn bpe.json --vocab-size 512")
        .succeeded();
    assert_eq!((ran.fact("tokens"), ran.fact("games")), ("512", "186"));
    assert!(folder.read("bpe.json") == fs::read(golden("bpe.json")).unwrap());
    folder
        .run("train-bpe @games.pgn bpe.json")
        .failed(2, "bpe.json: is there already; --force replaces it");
    folder
        .run("train-bpe @games.pgn small.json --vocab-size 7")
        .failed(2, "7");
    let ran = folder
        .run("train-bpe @games.pgn bpe.json --vocab-size 300 --limit-games 20 --force")
        .succeeded();
    assert_eq!(ran.fact("games"), "20");
}

/// Where the compressed bytes are damaged from the first one on, the data is at fault too.
#[test]
fn a_zip_that_is_damaged() {
    let folder = Folder::new();
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    zip.start_file("a.pgn", options).unwrap();
    zip.write_all(&fs::read(golden("games.pgn")).unwrap())
        .unwrap();
    let mut bytes = zip.finish().unwrap().into_inner();
    // After 30 bytes and the name; no block of deflate is of this kind.
    bytes[30 + "a.pgn".len()] = 7;
    folder.write("games.zip", bytes);
    folder
        .run("pack games.zip out --scheme uci")
        .failed(1, "games.zip: no zip, or a damaged one: ");
}

#[test]
fn training_that_makes_no_sense() {
    let folder = Folder::new();
    folder.write("none.pgn", "");
    for arguments in ["none.pgn bpe.json", "@games.pgn --limit-games 0 bpe.json"] {
        let ran = folder.run(&format!("train-bpe {arguments}"));
        ran.failed(1, "there are no games to train on");
        assert!(!folder.path("bpe.json").exists());
    }
    fs::copy(golden("games.pgn"), folder.path("games.pgn")).unwrap();
    folder
        .run("train-bpe games.pgn ./games.pgn --force")
        .failed(2, "./games.pgn: is also an input, as games.pgn");
    assert!(folder.read("games.pgn") == fs::read(golden("games.pgn")).unwrap());
}

#[test]
fn licences_are_told() {
    let ran = Folder::new().run("--version").succeeded();
    assert!(ran.stdout.contains("GPL-3.0-or-later as built"), "{ran:?}");
}
