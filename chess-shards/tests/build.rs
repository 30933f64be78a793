//! Sets built from the golden games, byte for byte those of the reference.
#![cfg(feature = "build")]
#![allow(clippy::unwrap_used, missing_docs)]

mod build_common;

use std::error::Error;
use std::fs;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::Path;

use build_common::{file, games, golden, names, run, set};
use chess_records::{Game, GameResult};
use chess_shards::build::{
    BuildError, BuildOptions, BuildPhase, BuildReport, Source, build, merge,
};
use chess_shards::{Meta, SampleMode, SampleWeighting};

fn options() -> BuildOptions {
    BuildOptions::new()
        .k(4)
        .num_shards(4)
        .val_shards(1)
        .test_shards(1)
}

fn iid() -> BuildOptions {
    BuildOptions::new()
        .num_shards(2)
        .val_shards(0)
        .test_shards(0)
        .seed(1)
        .sample_mode(SampleMode::Iid)
        .sample_weighting(SampleWeighting::Uniform)
        .skip_opening_plies(6)
        .min_elo(Some(1200))
        .max_elo(Some(2600))
        .limit_games(Some(60))
}

fn edge() -> BuildOptions {
    let options = BuildOptions::new().positions_per_game(1000).num_shards(2);
    options.val_shards(0).test_shards(0).seed(5)
}

fn edge_elo() -> BuildOptions {
    let options = BuildOptions::new()
        .k(3)
        .num_shards(3)
        .val_shards(1)
        .test_shards(1);
    let options = options.seed((1 << 32) + 5).skip_opening_plies(6);
    options.min_elo(Some(1200)).max_elo(Some(2600))
}

/// The shards of a golden set and its meta, whose source is named as here and which took no time.
fn check_golden(built: &Path, name: &str) {
    let golden = golden(name);
    let meta = Meta::read(built.join("meta.json")).unwrap();
    let mut expected = Meta::read(golden.join("meta.json")).unwrap();
    expected.source_h5.clone_from(&meta.source_h5);
    expected.build_seconds = meta.build_seconds.clone();
    assert_eq!(
        fs::read_to_string(built.join("meta.json")).unwrap(),
        expected.to_json()
    );
    for shard in &meta.shards {
        let built = fs::read(built.join(&shard.path)).unwrap();
        let plain = golden.join(&shard.path);
        let expected = if plain.exists() {
            fs::read(plain).unwrap()
        } else {
            zstd::decode_all(fs::File::open(plain.with_extension("npy.zst")).unwrap()).unwrap()
        };
        assert!(built == expected, "{name}: {}", shard.path);
    }
}

#[test]
fn every_file_of_games_is_used() {
    let used = [
        "NOTE.md",
        "edge.pgn",
        "games.pgn",
        "numpy_draws.json",
        "numpy_draws.py",
        "uci.parquet",
    ];
    assert_eq!(names(file("NOTE.md").parent().unwrap()), used);
}

#[test]
fn golden_sets() {
    let edge_games = || Source::pgn([file("edge.pgn")]);
    for (name, source, options) in [
        ("flat", games(), options()),
        ("flat-iid", games(), iid()),
        ("flat-edge", edge_games(), edge()),
        ("flat-edge-elo", edge_games(), edge_elo()),
    ] {
        for workers in [1, 2, 5] {
            let out = tempfile::tempdir().unwrap();
            run(&source, &options.clone().workers(workers), out.path()).unwrap();
            check_golden(out.path(), name);
        }
    }
}

#[test]
fn many_blocks_are_built_alike_by_any_number_of_workers() {
    let folder = tempfile::tempdir().unwrap();
    let source = Source::pgn([build_common::repeated_games(folder.path(), 30)]);
    let options = options().num_shards(7).k(3).seed(9);
    let build = |name: &str, workers| {
        let out = folder.path().join(name);
        run(&source, &options.clone().workers(workers), &out).unwrap();
        set(&out)
    };
    let one = build("one", 1);
    assert_eq!(one.len(), 8);
    assert_eq!(build("two", 2), one);
    assert_eq!(build("five", 5), one);
}

#[test]
fn compressed_games_in_several_frames() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn.zst");
    let text = fs::read(file("games.pgn")).unwrap();
    let mut file = fs::File::create(&path).unwrap();
    for part in text.chunks(100_000) {
        let frame = zstd::encode_all(part, 3).unwrap();
        file.write_all(&frame).unwrap();
        // A frame that is to be skipped, as parallel compressors write them.
        file.write_all(&[0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4])
            .unwrap();
    }
    let out = folder.path().join("out");
    run(&Source::pgn([&path]), &options(), &out).unwrap();
    check_golden(&out, "flat");
    let cut = text.len() / 2;
    let mut broken = zstd::encode_all(&text[..cut], 3).unwrap();
    broken.truncate(broken.len() - 10);
    fs::write(&path, broken).unwrap();
    let error = run(
        &Source::pgn([&path]),
        &options(),
        &folder.path().join("broken"),
    )
    .unwrap_err();
    assert_eq!(error.to_string(), "the games cannot be read");
    let source = error.source().unwrap();
    assert_eq!(
        source.to_string(),
        format!("{}: no more games can be read", path.display())
    );
    assert!(
        source
            .source()
            .unwrap()
            .to_string()
            .starts_with("cannot be read after ")
    );
}

#[test]
fn several_files_and_other_ends_of_lines() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(file("games.pgn")).unwrap();
    let cut = text.find("\n\n[Event").unwrap() + 2;
    let parts = [
        format!("\u{feff}{}", &text[..cut]).replace('\n', "\r\n"),
        text[cut..].replace('\n', "\r"),
    ];
    let paths = [folder.path().join("a.pgn"), folder.path().join("b.pgn")];
    for (path, part) in paths.iter().zip(parts) {
        fs::write(path, part).unwrap();
    }
    let source = Source::pgn(paths);
    assert_eq!(source.name(), "a.pgn, b.pgn");
    let out = folder.path().join("out");
    run(&source.named("c"), &options(), &out).unwrap();
    check_golden(&out, "flat");
    assert_eq!(Meta::read(out.join("meta.json")).unwrap().source_h5, "c");
}

#[cfg(feature = "parquet")]
#[test]
fn games_from_parquet() {
    let out = tempfile::tempdir().unwrap();
    run(
        &Source::parquet([file("uci.parquet")]),
        &options(),
        out.path(),
    )
    .unwrap();
    check_golden(out.path(), "flat");
}

#[test]
fn slices_make_the_same_set() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let slice = |out: &str, only| run(&games(), &options().only(Some(only)), &at(out)).unwrap();
    // Two slices in one folder, one elsewhere.
    let summary = slice("first", 0..1);
    assert_eq!((summary.shards, summary.kept_shards), (0..1, 0));
    assert_eq!(
        summary.report.samples,
        Meta::read(golden("flat/meta.json")).unwrap().shards[0].num_samples
    );
    slice("first", 2..4);
    slice("second", 1..2);
    assert!(!at("first").join("meta.json").exists());
    let error = merge(&[at("first")], at("out")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "shard 1 is not there, or not as it was written; it must be built first"
    );
    merge(&[at("first"), at("second")], at("out")).unwrap();
    check_golden(&at("out"), "flat");
    // A single build in the same folder finds everything there.
    let summary = run(&games(), &options(), &at("out")).unwrap();
    assert_eq!(summary.kept_shards, 4);
    let error = run(&games(), &options().only(Some(2..5)), &at("first")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "shards 2..5 are asked for, expected a part of 0..4"
    );
    let error = merge(&[] as &[&Path], at("nowhere")).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("nowhere: no part of a set is there")
    );
}

#[test]
fn slices_of_different_sets_do_not_go_together() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    run(&games(), &options().only(Some(0..2)), &at("one")).unwrap();
    run(&games(), &options().seed(1).only(Some(2..4)), &at("two")).unwrap();
    let error = merge(&[at("one"), at("two")], at("out")).unwrap_err();
    let path = at("two").join("build_manifest_0002_0004.json");
    assert_eq!(
        error.to_string(),
        format!("{}: is of another set, with other options", path.display())
    );
    let edge = Source::pgn([file("edge.pgn")]);
    let error = run(&edge, &options(), &at("one")).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("is of another set, with other games")
    );
}

#[test]
fn finished_shards_are_kept_if_they_are_as_they_were() {
    let out = tempfile::tempdir().unwrap();
    let out = out.path();
    run(&games(), &options(), out).unwrap();
    let meta = fs::read(out.join("meta.json")).unwrap();
    let summary = run(&games(), &options(), out).unwrap();
    assert_eq!(summary.kept_shards, 4);
    assert_eq!(
        fs::read(out.join("meta.json")).unwrap(),
        meta,
        "nothing was done"
    );
    let path = out.join("shard_0002.npy");
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, &bytes).unwrap();
    fs::remove_file(out.join("shard_0000.npy")).unwrap();
    let summary = run(&games(), &options(), out).unwrap();
    assert_eq!(summary.kept_shards, 2);
    check_golden(out, "flat");
}

#[test]
fn another_set_is_replaced_only_on_request() {
    let out = tempfile::tempdir().unwrap();
    let out = out.path();
    run(&games(), &options().num_shards(6), out).unwrap();
    let error = run(&games(), &options(), out).unwrap_err();
    assert!(matches!(
        error,
        BuildError::OtherBuild {
            what: "options",
            ..
        }
    ));
    run(&games(), &options().overwrite(true), out).unwrap();
    check_golden(out, "flat");
    assert!(!out.join("shard_0005.npy").exists());
    fs::remove_file(out.join("build_manifest.json")).unwrap();
    let error = run(&games(), &options(), out).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with(": there is a set already, whose origin is not known")
    );
    fs::write(out.join("build_manifest.json"), "{}").unwrap();
    let error = run(&games(), &options(), out).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("build_manifest.json: is no manifest")
    );
}

#[test]
fn what_is_left_by_a_killed_build_is_removed() {
    let out = tempfile::tempdir().unwrap();
    let others = [
        ".build_manifest_0001_0002.json.77-0.tmp",
        ".notes.tmp",
        ".shard_0099.npy.77-0.tmp",
    ];
    let ours = [
        ".build_manifest.json.77-0.tmp",
        ".build_report.json.77-1.tmp",
        ".meta.json.77-2.tmp",
        ".shard_0001.npy.77-0.tmp",
    ];
    for name in others.into_iter().chain(ours) {
        fs::write(out.path().join(name), "a part").unwrap();
    }
    run(&games(), &options(), out.path()).unwrap();
    let mut left = names(out.path());
    left.retain(|name| name.starts_with('.'));
    assert_eq!(left, others);
}

#[test]
fn nothing_is_removed_for_a_build_that_cannot_be() {
    let folder = tempfile::tempdir().unwrap();
    let out = &folder.path().join("out");
    run(&games(), &options(), out).unwrap();
    let before = set(out);
    let anew = || options().overwrite(true);
    // A slice with other options, one past the end, and games of which none counts.
    let error = run(&games(), &anew().k(8).only(Some(1..2)), out).unwrap_err();
    assert!(error.to_string().ends_with("with other options"));
    let error = run(&games(), &anew().only(Some(2..9)), out).unwrap_err();
    assert!(error.to_string().ends_with("expected a part of 0..4"));
    let empty = folder.path().join("empty.pgn");
    fs::write(&empty, "").unwrap();
    let error = run(&Source::pgn([&empty]), &anew(), out).unwrap_err();
    assert!(matches!(error, BuildError::NoGames { .. }));
    assert_eq!(set(out), before);
    // Of a set from elsewhere, a slice is not replaced.
    fs::remove_file(out.join("build_manifest.json")).unwrap();
    let error = run(&games(), &anew().only(Some(1..2)), out).unwrap_err();
    assert!(error.to_string().contains("whose origin is not known"));
    assert_eq!(set(out), before);
    // A damaged manifest is no hindrance to beginning anew.
    fs::write(out.join("build_manifest.json"), "{").unwrap();
    run(&games(), &anew(), out).unwrap();
    check_golden(out, "flat");
}

#[test]
fn a_slice_begun_anew() {
    let out = tempfile::tempdir().unwrap();
    let out = out.path();
    run(&games(), &options(), out).unwrap();
    let slice = options().only(Some(1..3)).overwrite(true);
    let summary = run(&games(), &slice, out).unwrap();
    assert_eq!((summary.shards, summary.kept_shards), (1..3, 0));
    assert!(!out.join("meta.json").exists());
    merge(&[] as &[&Path], out).unwrap();
    check_golden(out, "flat");
}

#[test]
fn a_merge_copies_all_or_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for (name, only) in [("one", 0..3), ("two", 3..4)] {
        run(&games(), &options().only(Some(only)), &at(name)).unwrap();
    }
    merge(&[at("one")], at("out")).unwrap_err();
    assert!(!at("out").exists());
    // What it finds it does not replace, if it does not know of it.
    fs::create_dir(at("out")).unwrap();
    fs::write(at("out").join("shard_0002.npy"), "somebody's").unwrap();
    let error = merge(&[at("one"), at("two")], at("out")).unwrap_err();
    let path = at("out").join("shard_0002.npy");
    assert_eq!(
        error.to_string(),
        format!(
            "{}: there is a set already, whose origin is not known",
            path.display()
        )
    );
    assert_eq!(fs::read(&path).unwrap(), b"somebody's");
    fs::remove_file(&path).unwrap();
    merge(&[at("one"), at("two")], at("out")).unwrap();
    check_golden(&at("out"), "flat");
    // One that was killed as it copied goes on.
    fs::remove_file(at("out").join("meta.json")).unwrap();
    fs::remove_file(&path).unwrap();
    merge(&[at("one"), at("two")], at("out")).unwrap();
    check_golden(&at("out"), "flat");
}

#[test]
fn manifests_name_no_other_files() {
    let folder = tempfile::tempdir().unwrap();
    let (one, out) = (folder.path().join("one"), folder.path().join("out"));
    run(&games(), &options(), &one).unwrap();
    let path = one.join("build_manifest.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::rename(one.join("shard_0002.npy"), folder.path().join("a.npy")).unwrap();
    let elsewhere = text.replace("shard_0002.npy", "../a.npy");
    fs::write(&path, elsewhere).unwrap();
    let error = merge(&[&one], &out).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "{}: shard 2 has the path \"../a.npy\", expected the one that a build gives it",
            path.display()
        )
    );
    // More rows than a file can have are not there.
    let rows = Meta::read(one.join("meta.json")).unwrap().shards[2].num_samples;
    let of_shard = format!("\"num_samples\":{rows},");
    let most = text.replace(&of_shard, &format!("\"num_samples\":{},", u64::MAX));
    assert_ne!(most, text);
    fs::write(&path, most).unwrap();
    let error = merge(&[&one], &out).unwrap_err();
    assert!(matches!(error, BuildError::MissingShard { .. }), "{error}");
}

#[test]
fn a_build_that_is_stopped_goes_on() {
    let out = tempfile::tempdir().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let source = Source::pgn([build_common::repeated_games(folder.path(), 30)]);
    let options = options().num_shards(9).workers(1);
    let mut phases = Vec::new();
    let stopped = build(&source, &options, out.path(), &mut |progress| {
        phases.push(progress.phase);
        assert!(progress.samples == 0 || progress.samples_per_second() > 0.0);
        assert!(progress.games == 0 || progress.games_per_second() > 0.0);
        let is_halfway = progress.phase == BuildPhase::Building && progress.games > 2000;
        if is_halfway {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    assert_eq!(stopped.unwrap_err().to_string(), "stopped on request");
    assert_eq!(phases.first(), Some(&BuildPhase::Counting));
    assert!(!out.path().join("meta.json").exists());
    let mut phases = Vec::new();
    let summary = build(&source, &options, out.path(), &mut |progress| {
        phases.push(progress.phase);
        ControlFlow::Continue(())
    });
    assert!((1..9).contains(&summary.unwrap().kept_shards));
    assert!(!phases.contains(&BuildPhase::Counting), "that is known");
    let whole = folder.path().join("whole");
    run(&source, &options, &whole).unwrap();
    assert_eq!(set(out.path()), set(&whole));
}

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
