//! The golden sets, field by field and as a whole.
#![cfg(feature = "meta")]
// Helpers of tests fail by panicking.
#![allow(missing_docs, clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use chess_records::{Board, Color, Labelled};
use chess_shards::{
    FlatDataset, FlatRecord, Meta, NpyHeader, PlyDistribution, PlyHistogram, SampleWeighting,
    ShardOptions, ShardSet, legal_actions,
};
use serde_json::Value;

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn options() -> ShardOptions {
    let options = ShardOptions::new();
    #[cfg(feature = "zstd")]
    let options = options.compressed(chess_shards::Compressed::Memory);
    options
}

/// Every golden set that this build can read.
fn sets() -> Vec<(&'static str, ShardSet, FlatDataset)> {
    let names = ["flat", "flat-iid", "flat-edge", "flat-edge-elo"];
    let readable = names
        .into_iter()
        .filter(|&name| name != "flat-edge-elo" || cfg!(feature = "zstd"));
    let open = |name| {
        let set = ShardSet::open(golden().join(name)).unwrap();
        let all = set.all(&options()).unwrap();
        (name, set, all)
    };
    readable.map(open).collect()
}

/// What numpy reads, written as JSON by `fields.py`.
#[test]
fn fields_are_those_that_numpy_reads() {
    for (name, _, all) in sets() {
        let text = std::fs::read_to_string(golden().join(format!("{name}.fields.jsonl"))).unwrap();
        let mut rows = 0;
        for line in text.lines() {
            let expected: Value = serde_json::from_str(line).unwrap();
            let index = expected["row"].as_u64().unwrap();
            let row = all.get(index).unwrap();
            let list = |value: &[u16]| Value::from(value.to_vec());
            let men: Vec<u16> = row.position().iter().map(|&man| man.into()).collect();
            let case = format!("{name}, row {index}");
            assert_eq!(list(&men), expected["position"], "{case}");
            assert_eq!(list(&row.legal_idx()), expected["legal_idx"], "{case}");
            assert_eq!(row.legal_cnt(), expected["legal_cnt"], "{case}");
            assert_eq!(row.from_square(), expected["from_square"], "{case}");
            assert_eq!(row.action_plane(), expected["action_plane"], "{case}");
            assert_eq!(row.castling_rights(), expected["castling_rights"], "{case}");
            assert_eq!(row.en_passant_file(), expected["en_passant_file"], "{case}");
            assert_eq!(u8::from(row.is_white()), expected["is_white"], "{case}");
            assert_eq!(row.result(), expected["result"], "{case}");
            assert_eq!(row.move_number(), expected["move_number"], "{case}");
            rows += 1;
        }
        assert!(rows > 5, "{name}");
    }
}

#[test]
fn every_row_is_sound() {
    for (name, set, all) in sets() {
        let mut faults = Vec::new();
        let count = all.verify(|fault| faults.push(fault)).unwrap();
        assert_eq!((count, faults), (0, vec![]), "{name}");
        assert_eq!(set.meta().game_overlaps(), [], "{name}");
    }
}

#[test]
fn rows_are_rebuilt_from_their_positions() {
    let mut legal = Vec::new();
    for (name, _, all) in sets() {
        all.for_each(|index, row| {
            let decoded = row.decode().unwrap();
            legal_actions(&decoded.position, &mut legal);
            let (target, ply) = (row.target().unwrap(), row.move_number());
            let result = decoded.label().result.unwrap();
            let actions = legal.iter().copied();
            let built = FlatRecord::encode(&decoded.position, target, actions, result, ply);
            assert_eq!(built.unwrap().0, *row, "{name}, row {index}");
            let white = decoded.side_to_move() == Color::White;
            assert_eq!(white, row.is_white());
        })
        .unwrap();
    }
}

#[test]
fn headers_are_numpys() {
    for (name, _, all) in sets() {
        for (path, rows) in all.files() {
            if path.extension().is_some_and(|extension| extension == "npy") {
                let bytes = std::fs::read(path).unwrap();
                let header = NpyHeader::to_bytes(rows);
                assert_eq!(header, bytes[..header.len()], "{name}");
            }
        }
    }
}

#[test]
fn faults_say_where_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shard_0000.npy");
    let mut bytes = std::fs::read(golden().join("flat-edge/shard_0000.npy")).unwrap();
    bytes[384 + 202 * 3 + 198] = 5;
    std::fs::write(&path, bytes).unwrap();
    let dataset = FlatDataset::open([&path], &ShardOptions::new()).unwrap();
    let mut faults = Vec::new();
    assert_eq!(dataset.verify(|fault| faults.push(fault)).unwrap(), 1);
    assert_eq!(
        faults[0].to_string(),
        format!("{}: row 3 at byte 990", path.display())
    );
    assert_eq!(
        faults[0].fault.to_string(),
        "the result (offset 198) is 5, expected 0 draw, 1 White won or 2 Black won"
    );
}

/// How many plies the games have from which the set's rows were drawn, as `fields.py` writes them.
fn game_lengths() -> Vec<usize> {
    let text = std::fs::read_to_string(golden().join("games.lengths.txt")).unwrap();
    text.split_whitespace()
        .map(|plies| plies.parse().unwrap())
        .collect()
}

#[test]
fn plies_are_drawn_as_by_a_sampler_that_draws_as_it_trains() {
    let set = ShardSet::open(golden().join("flat")).unwrap();
    let mut histogram = PlyHistogram::new();
    let all = set.all(&options()).unwrap();
    all.for_each(|_, row| histogram.add(row)).unwrap();
    assert_eq!(histogram.samples(), set.meta().num_samples);
    let distance = |weighting| {
        let mut expected = PlyDistribution::new();
        for plies in game_lengths() {
            expected.add_game(plies, 0, weighting);
        }
        histogram.total_variation(&expected).unwrap()
    };
    let (same, other) = (
        distance(SampleWeighting::Middlegame),
        distance(SampleWeighting::Uniform),
    );
    assert!(same < 0.15, "{same}");
    assert!(other > 0.25, "{other}");
}

/// A golden file that no test reads is of no use.
#[test]
fn every_golden_file_is_used() {
    let meta_of = |name: &str| Meta::read(golden().join(name).join(Meta::FILE_NAME)).unwrap();
    let mut known = vec![
        "NOTE.md".to_owned(),
        "fields.py".into(),
        "games.lengths.txt".into(),
    ];
    for entry in std::fs::read_dir(golden()).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if !entry.path().is_dir() {
            continue;
        }
        known.push(format!("{name}.fields.jsonl"));
        known.push(name.clone());
        let mut files = vec![Meta::FILE_NAME.to_owned()];
        for shard in meta_of(&name).shards {
            files.push(format!("{}.zst", shard.path));
            files.push(shard.path);
        }
        for file in std::fs::read_dir(entry.path()).unwrap() {
            let file = file.unwrap().file_name().into_string().unwrap();
            assert!(files.contains(&file), "{name}/{file}");
        }
    }
    for entry in std::fs::read_dir(golden()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(known.contains(&name), "{name}");
    }
}
