//! `inspect` and `verify`.

use crate::support::Folder;

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
