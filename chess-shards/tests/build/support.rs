//! Options of builds, and sets that are the reference's.

use std::fs;
use std::path::Path;

use chess_shards::build::BuildOptions;
use chess_shards::{Meta, SampleMode, SampleWeighting};

use crate::build_common::golden;

pub(crate) fn options() -> BuildOptions {
    BuildOptions::new()
        .k(4)
        .num_shards(4)
        .val_shards(1)
        .test_shards(1)
}

pub(crate) fn iid() -> BuildOptions {
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

pub(crate) fn edge() -> BuildOptions {
    let options = BuildOptions::new().positions_per_game(1000).num_shards(2);
    options.val_shards(0).test_shards(0).seed(5)
}

/// The shards of a golden set and its meta, whose source is named as here and which took no time.
pub(crate) fn check_golden(built: &Path, name: &str) {
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
