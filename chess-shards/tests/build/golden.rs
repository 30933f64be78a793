//! The sets of the reference, from games in every form.

use std::error::Error;
use std::fs;
use std::io::Write as _;

use chess_shards::Meta;
use chess_shards::build::{BuildOptions, Source};

use crate::build_common::{file, games, names, repeated_games, run, set};
use crate::support::{check_golden, edge, iid, options};

fn edge_elo() -> BuildOptions {
    let options = BuildOptions::new()
        .k(3)
        .num_shards(3)
        .val_shards(1)
        .test_shards(1);
    let options = options.seed((1 << 32) + 5).skip_opening_plies(6);
    options.min_elo(Some(1200)).max_elo(Some(2600))
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
    let source = Source::pgn([repeated_games(folder.path(), 30)]);
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
