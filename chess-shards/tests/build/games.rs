//! Games that are counted, left out or missing.

use std::error::Error;
use std::fs;

use chess_records::{Game, GameResult};
use chess_shards::Meta;
use chess_shards::build::{BuildOptions, BuildReport, Source};

use crate::build_common::{games, run};
use crate::support::{check_golden, iid, options};

#[test]
fn the_number_of_games_may_be_told() {
    let out = tempfile::tempdir().unwrap();
    let told = |games| options().games(Some(games));
    let at = |name: &str| out.path().join(name);
    let report = run(&games(), &told(186), &at("right")).unwrap().report;
    check_golden(&at("right"), "flat");
    assert_eq!(report.left_out.map(|left_out| left_out.total()), Some(0));
    let error = run(&games(), &told(187), &at("few")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the source has 186 games that count, 187 were told"
    );
    let error = run(&games(), &told(185), &at("many")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the source has more games that count than the 185 that were told"
    );
    run(&games(), &iid().games(Some(60)), &at("limited")).unwrap();
    check_golden(&at("limited"), "flat-iid");
    run(&games(), &iid().games(Some(186)), &at("more")).unwrap();
    check_golden(&at("more"), "flat-iid");
    // Another slice takes the number over.
    run(&games(), &told(186).only(Some(3..4)), &at("slices")).unwrap();
    run(&games(), &options(), &at("slices")).unwrap();
    check_golden(&at("slices"), "flat");
    let error = run(&games(), &told(100), &at("slices")).unwrap_err();
    assert!(error.to_string().ends_with("with other numbers of games"));
}

/// One game for each reason to leave it out, and some that count all the same.
const NASTY: &str = r#"[Event "counts: an escaped \"quote\" and no Elo"]
[Result "1-0"]

1. e4 {a { comment} e5 (1... c5 2. Nf3 (2. Nc3)) 2. Nf3 $1 Nc6 1-0

[Variant "Chess960"]
[Result "1-0"]

1. e4 1-0

[FEN "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"]
[Result "1-0"]

1. e4 1-0

[Result "*"]

1. e4 *

[Result "1-0"]

1. e4 e5 2. Ke3 1-0

[Result "1-0"]

1. Nf3 Nf6 2. d3 d6 3. Nd2 1-0

[Result "1-0"]

1. e4 -- 2. d4 1-0

[WhiteElo "1500"]
[BlackElo "1700"]
[Result "0-1"]

1. f3 e5 2. g4 Qh4# 0-1

[WhiteElo "1500"]
[BlackElo "1700"]
[Result "1/2-1/2"]

1/2-1/2
"#;

#[test]
fn what_is_left_out_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nasty.pgn");
    fs::write(&path, NASTY).unwrap();
    let source = Source::pgn([&path]);
    let out = folder.path().join("out");
    let report = run(&source, &options(), &out).unwrap().report;
    let left_out = report.left_out.unwrap();
    assert_eq!((report.games, left_out.total()), (3, 6));
    assert_eq!(
        (left_out.variant, left_out.start, left_out.result),
        (1, 1, 1)
    );
    assert_eq!(
        (
            left_out.illegal_move,
            left_out.ambiguous_move,
            left_out.no_move
        ),
        (1, 1, 1)
    );
    assert_eq!((report.skipped_games, report.samples), (1, 6));
    let written = fs::read(out.join(BuildReport::FILE_NAME)).unwrap();
    assert_eq!(
        serde_json::from_slice::<BuildReport>(&written).unwrap(),
        report
    );
    // With bounds, games without both Elos do not count.
    let options = options().min_elo(Some(1601));
    let report = run(&source, &options, &folder.path().join("bounds"))
        .unwrap()
        .report;
    assert_eq!((report.games, report.left_out.unwrap().missing_elo), (2, 5));
    assert_eq!((report.filtered_games, report.samples), (1, 0));
    fs::write(&path, "1. e4 *\n").unwrap();
    let error = run(&Source::pgn([&path]), &options, &folder.path().join("none")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the source has no game that counts, 1 are left out"
    );
}

fn game(moves: &str) -> Game {
    let moves = moves.split(' ').map(|text| text.parse().unwrap());
    Game {
        moves: moves.collect(),
        result: GameResult::WhiteWon,
        white_elo: None,
        black_elo: None,
    }
}

#[test]
fn an_unplayable_move_ends_the_rows_of_a_game() {
    // Every ply but the last is drawn, and those from the third on cannot be replayed.
    let games = [
        game("e2e4 e7e5 e1e3 g8f6 g1f3"),
        game("d2d4 d7d5 c2c4"),
        game("e2e5 e7e5"),
    ];
    let source = Source::games("three", || games.iter().cloned());
    let out = tempfile::tempdir().unwrap();
    let options = BuildOptions::new()
        .k(100)
        .num_shards(1)
        .val_shards(0)
        .test_shards(0);
    let report = run(&source, &options, out.path()).unwrap().report;
    assert_eq!(
        (report.games, report.bad_push_games, report.samples),
        (3, 2, 2 + 2)
    );
    let meta = Meta::read(out.path().join("meta.json")).unwrap();
    assert_eq!(
        (meta.source_h5.as_str(), meta.shards[0].num_bad_push),
        ("three", 2)
    );
}

#[test]
fn a_file_that_is_not_there() {
    let out = tempfile::tempdir().unwrap();
    let path = out.path().join("missing.pgn");
    let error = run(&Source::pgn([&path]), &options(), out.path()).unwrap_err();
    let source = error.source().unwrap().to_string();
    assert_eq!(source, format!("{}: cannot be read", path.display()));
    let error = run(&games(), &options().k(0), out.path()).unwrap_err();
    assert_eq!(error.to_string(), "the options make no sense");
    // What cannot be read twice is refused at once, and not waited for.
    let folder = out.path().join("folder.pgn");
    fs::create_dir(&folder).unwrap();
    let error = run(&Source::pgn([&folder]), &options(), out.path()).unwrap_err();
    let text = "is no regular file, and games are read more than once";
    assert_eq!(
        error.source().unwrap().to_string(),
        format!("{}: {text}", folder.display())
    );
}
