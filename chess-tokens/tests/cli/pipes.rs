//! `encode`, `decode` and `vocab`.

use std::fs;

use crate::support::{Folder, golden};

const GAMES: &str = r#"{"uci":"e2e4 e7e5","result":"1-0","white_elo":1500,"black_elo":1600}
{"uci":"","result":"1/2-1/2","white_elo":600,"black_elo":3200}
"#;

#[test]
fn games_come_back() {
    let folder = Folder::new();
    let tokens = folder.pipe("encode --scheme uci", GAMES).succeeded().stdout;
    assert_eq!(tokens.lines().count(), 2);
    let games = folder
        .pipe("decode --scheme uci", &tokens)
        .succeeded()
        .stdout;
    assert_eq!(games, GAMES);
    let named = folder
        .pipe("encode --scheme uci --names", GAMES)
        .succeeded();
    assert_eq!(
        named.stdout,
        "<bos> <w1500> <b1600> e2e4 e7e5 <1-0> <eos>\n<bos> <w0600> <b3200> <1/2> <eos>\n"
    );
    let games = folder.pipe("decode --scheme uci --plain", &named.stdout);
    assert_eq!(games.succeeded().stdout, "e2e4 e7e5 1-0\n1/2-1/2\n");
}

#[test]
fn schemes_without_ratings() {
    let folder = Folder::new();
    let plain = "e2e4 e7e5 g1f3 1-0\n0-1\n";
    for scheme in ["san", "bpe --bpe @bpe.json"] {
        let tokens = folder
            .pipe(&format!("encode --scheme {scheme}"), plain)
            .succeeded();
        let games = folder.pipe(&format!("decode --scheme {scheme} --plain"), &tokens.stdout);
        assert_eq!(games.succeeded().stdout, plain, "{scheme}");
    }
    let named = folder
        .pipe("encode --scheme san --names", "e2e4 1-0")
        .succeeded();
    assert_eq!(named.stdout, "<bos> 1 . e 4 \u{2423} 1 - 0 <eos>\n");
    // Digits are names here, and not numbers.
    let read = folder.pipe("decode --scheme san --plain", &named.stdout);
    assert_eq!(read.succeeded().stdout, "e2e4 1-0\n");
    let cut = folder.pipe("encode --scheme bpe --bpe @bpe.json --max-len 2", plain);
    assert!(cut.succeeded().stdout.starts_with("1 "));
}

#[test]
fn lines_that_are_no_games() {
    let folder = Folder::new();
    let encode = |line: &str, text: &str| {
        let input = format!("e2e4 1-0\n{line}\n");
        folder
            .pipe("encode --scheme uci --missing-elo 1500", &input)
            .failed(1, &format!("chess-tokens: line 2: {text}"))
    };
    let ran = encode("e2e4", "result \"e2e4\", expected 1-0, 0-1 or 1/2-1/2");
    assert_eq!(ran.stdout.lines().count(), 1, "the first is printed");
    encode("", "the line is empty, expected moves and a result");
    encode("{\"uci\":1}", "not the JSON of a game: invalid type");
    folder.pipe("encode --scheme uci", "e2e4 1-0").failed(
        1,
        "line 1: White has no rating, and the scheme writes ratings",
    );
    folder
        .pipe("decode --scheme uci", "1 x")
        .failed(1, "line 1: \"x\" is no token");
    folder
        .pipe("decode --scheme uci", "1 2")
        .failed(1, "line 1: token 1 is <eos> (2), expected ");
}

#[test]
fn vocabularies() {
    let folder = Folder::new();
    let json = folder.run("vocab uci --json").succeeded().stdout;
    assert!(json.as_bytes() == fs::read(golden("vocab.json")).unwrap());
    folder.run("vocab uci --check @vocab.json").succeeded();
    folder
        .run("vocab uci --check @bpe.json")
        .failed(1, "bpe.json: not a vocabulary: ");
    folder
        .run("vocab san --check @vocab.json")
        .failed(2, "--check is for the scheme uci");
    let lines = folder.run("vocab san").succeeded().stdout;
    assert_eq!(lines.lines().count(), 35);
    assert!(
        lines.starts_with("0\t<pad>\n1\t<bos>\n2\t<eos>\n3\t \n"),
        "{lines}"
    );
    for (scheme, pack) in [
        ("uci", "uci"),
        ("san", "san"),
        ("bpe --bpe @bpe.json", "bpe"),
    ] {
        let hash = folder
            .run(&format!("vocab {scheme} --hash"))
            .succeeded()
            .stdout;
        let meta = fs::read_to_string(golden(pack).join("meta.json")).unwrap();
        assert!(meta.contains(hash.trim()), "{scheme}");
    }
    let json = folder
        .run("vocab bpe --bpe @bpe.json --json")
        .succeeded()
        .json();
    assert_eq!(json["tokens"].as_array().unwrap().len(), 512);
}
