//! `inspect` and `verify`.

use crate::support::{Folder, files};

#[test]
fn a_pack_is_described() {
    let folder = Folder::new();
    let ran = folder.run("inspect @uci").succeeded();
    assert_eq!(ran.fact("source"), "games.pgn");
    assert_eq!(ran.fact("games"), "186");
    assert_eq!(ran.fact("tokens"), "14454, 77.7 a game");
    let json = folder.run("inspect @bpe --json").succeeded().json();
    assert_eq!(json["vocab_size"], 512);
    folder
        .run("inspect nothing")
        .failed(2, "nothing/meta.json: cannot be read: No such file");
    std::fs::create_dir(folder.path("empty")).unwrap();
    folder
        .run("inspect empty")
        .failed(2, "empty: is no pack, or an unfinished one");
}

#[test]
fn games_are_shown() {
    let folder = Folder::new();
    let ran = folder.run("inspect @edge-uci --game 0").succeeded();
    let json = folder
        .run("inspect @edge-uci --game 0 --json")
        .succeeded()
        .json();
    assert_eq!(ran.fact("FEN"), json["fen"].as_str().unwrap());
    assert_eq!(ran.fact("result"), json["result"].as_str().unwrap());
    assert!(ran.stdout.contains("    a b c d e f g h\n"), "{ran:?}");
    let uci = json["uci"].as_str().unwrap();
    assert_eq!(json["plies"], uci.split(' ').count());
    // The same game in another scheme.
    let san = folder
        .run("inspect @edge-san --game 0 --json")
        .succeeded()
        .json();
    assert_eq!((&san["uci"], &san["fen"]), (&json["uci"], &json["fen"]));
    assert!(san["white_elo"].is_null() && json["white_elo"].is_number());
    let start = folder
        .run("inspect @edge-uci --game 0 --ply 0 --json")
        .succeeded();
    assert_eq!(
        start.json()["fen"],
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    );
    let numbers = folder.run("inspect @bpe --game 185").succeeded();
    assert!(numbers.fact("numbers").starts_with("1 "), "{numbers:?}");
    let moves = folder
        .run("inspect @bpe --game 185 --bpe @bpe.json")
        .succeeded();
    let expected = folder.run("inspect @uci --game 185").succeeded();
    assert_eq!(moves.fact("moves"), expected.fact("moves"));
    folder
        .run("inspect @edge-uci --game 12")
        .failed(2, "edge-uci: there is no game 12, there are 12");
    folder
        .run("inspect @edge-uci --game 0 --ply 999")
        .failed(2, "plies, and not 999");
}

#[test]
fn sound_packs() {
    let folder = Folder::new();
    for pack in ["uci", "san", "edge-uci", "edge-san"] {
        let ran = folder.run(&format!("verify @{pack}")).succeeded();
        assert_eq!(ran.fact("faults"), "none");
        assert!(ran.fact("games").ends_with(", all read back"), "{ran:?}");
    }
    let ran = folder.run("verify @bpe").succeeded();
    assert!(
        ran.fact("games").starts_with("186, not read back"),
        "{ran:?}"
    );
    let ran = folder.run("verify @bpe --bpe @bpe.json").succeeded();
    assert_eq!(ran.fact("games"), "186, all read back");
}

#[test]
fn faults_are_told_with_their_place() {
    let folder = Folder::with("edge-uci");
    // The first game's first token, and a token of no vocabulary.
    folder.set_byte("edge-uci/tokens.npy", 128, 2);
    folder.set_byte("edge-uci/tokens.npy", 135, 0xff);
    let ran = folder.run("verify edge-uci");
    let ran = ran.failed(
        1,
        "edge-uci/tokens.npy: row 0 at byte 128: game 0 begins with token 2",
    );
    assert!(
        ran.stderr
            .contains("tokens.npy: row 3 at byte 134: the token is "),
        "{ran:?}"
    );
    assert!(ran.stderr.ends_with("chess-tokens: 2 faults\n"), "{ran:?}");
    let ran = folder.run("verify edge-uci --max-faults 1");
    ran.failed(1, "2 faults, 1 of them not told (--max-faults)");
}

#[test]
fn games_that_cannot_be_read_back_are_told() {
    let folder = Folder::with("edge-uci");
    // White's rating where a move should be: a token, but not there.
    let bytes = folder.read("edge-uci/tokens.npy");
    folder.set_byte("edge-uci/tokens.npy", 134, bytes[130]);
    folder.set_byte("edge-uci/tokens.npy", 135, bytes[131]);
    folder
        .run("verify edge-uci")
        .failed(1, "edge-uci: game 0: token 3 is <w");
}

#[test]
fn moves_that_are_not_legal_are_told() {
    let folder = Folder::with("edge-uci");
    let vocab = folder.run("vocab uci").succeeded().stdout;
    let line = vocab.lines().find(|line| line.ends_with("\te2e5")).unwrap();
    let token: u16 = line.split('\t').next().unwrap().parse().unwrap();
    let [low, high] = token.to_le_bytes();
    folder.set_byte("edge-uci/tokens.npy", 134, low);
    folder.set_byte("edge-uci/tokens.npy", 135, high);
    folder
        .run("verify edge-uci")
        .failed(1, "edge-uci: game 0: ply 1, e2e5, is not legal");
}

#[test]
fn files_that_do_not_go_together() {
    let folder = Folder::with("edge-uci");
    let tokens = folder.read("edge-uci/tokens.npy");
    folder.write("edge-uci/tokens.npy", &tokens[..tokens.len() - 1]);
    let text = "edge-uci/tokens.npy: has 471 bytes, expected 472";
    folder.run("verify edge-uci").failed(1, text);
    folder.run("inspect edge-uci").failed(1, text);
    folder.write("edge-uci/tokens.npy", tokens);
    let meta = String::from_utf8(folder.read("edge-uci/meta.json")).unwrap();
    folder.write("edge-uci/meta.json", meta.replace("2030", "2031"));
    folder.run("verify edge-uci").failed(
        1,
        "has a vocabulary of 2031 tokens, the tokenizer one of 2030",
    );
}

#[test]
fn packs_are_counted() {
    let folder = Folder::new();
    let ran = folder.run("stats @uci").succeeded();
    for (name, value) in [
        ("games", "186"),
        ("tokens  ", "14454"),
        ("tokens of a game", "5 to 245, median 75, mean 77.7"),
        ("moves of a game", "0 to 240, median 70, mean 72.7"),
        ("White's Elo band", "600 to 3200, median 1700"),
        ("White won", "78 (41.9 %)"),
        ("unknown result", "0 (0.0 %)"),
        ("unknown tokens", "0 in 0 games"),
    ] {
        assert_eq!(ran.fact(name), value);
    }
    let json = folder.run("stats @uci --json").succeeded().json();
    assert_eq!(json["tokens"], 14454);
    assert_eq!(
        (&json["scheme"], &json["moves"]["0"]),
        (&"uci".into(), &3.into())
    );
    let results = json["results"].as_object().unwrap().values();
    assert_eq!(results.map(|n| n.as_u64().unwrap()).sum::<u64>(), 186);
    let bpe = folder.run("stats @bpe").succeeded();
    assert_eq!(bpe.fact("moves of a game"), "not counted");
    assert_eq!(bpe.fact("White's Elo band"), "not told");
    folder
        .run("stats nothing")
        .failed(2, "nothing/meta.json: cannot be read: No such file");
}

#[test]
fn packs_are_drawn() {
    let folder = Folder::new();
    folder.run("stats @uci --plot all.SVG").succeeded();
    let svg = String::from_utf8(folder.read("all.SVG")).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    for title in ["Tokens of a game", "Moves", "Ratings", "Results: White won"] {
        assert!(svg.contains(title), "{title}");
    }
    folder.run("stats @uci --plot a/plots").succeeded();
    let drawn = files(&folder.path("a/plots"));
    let names = ["elos.svg", "lengths.svg", "moves.svg", "results.svg"];
    assert!(drawn.keys().eq(names), "{:?}", drawn.keys());
    folder
        .run("stats @bpe --plot all.SVG")
        .failed(2, "all.SVG: is there already; --force replaces it");
    assert!(folder.read("all.SVG") == svg.as_bytes());
    folder.run("stats @bpe --plot all.SVG --force").succeeded();
    assert!(folder.read("all.SVG") != svg.as_bytes());
    folder.run("stats @bpe --plot bpe").succeeded();
    assert!(
        files(&folder.path("bpe"))
            .keys()
            .eq(["lengths.svg", "results.svg"])
    );
    folder.write("none.pgn", "");
    folder.run("pack none.pgn none --scheme uci").succeeded();
    let ran = folder.run("stats none --plot none.svg").succeeded();
    assert_eq!(ran.fact("tokens of a game"), "none");
    assert!(!folder.path("none.svg").exists(), "nothing to draw");
}
