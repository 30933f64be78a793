//! Parameters from and to another implementation of safetensors; see `tests/safetensors/README.md`.

#![cfg(feature = "safetensors")]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::PathBuf;

use chess_nnue::Architecture;
use chess_nnue::train::{FloatWeights, Parameters};

fn golden(name: &str) -> PathBuf {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/safetensors");
    PathBuf::from(folder).join(name)
}

/// The numbers of a tensor, as `golden.py` makes them.
fn values(number: i64, len: i64) -> Vec<f32> {
    let value = |index: i64| ((index * 7919 + number * 104_729) % 4001 - 2000) as f32 / 1024.0;
    (0..len).map(value).collect()
}

fn parameters() -> Parameters {
    let architecture = Architecture::new(16).unwrap().with_eval_scale(115).unwrap();
    let mut weights = FloatWeights::zero(&architecture);
    weights.feature_biases = values(0, 16);
    weights.feature_weights = values(1, 768 * 16);
    weights.output_biases = values(2, 1);
    weights.output_weights = values(3, 32);
    Parameters::new(architecture, weights).unwrap()
}

#[test]
fn what_python_wrote_is_read() {
    let bytes = fs::read(golden("from_python.safetensors")).unwrap();
    assert_eq!(Parameters::from_safetensors(&bytes).unwrap(), parameters());
}

#[test]
fn what_python_read_is_written_again() {
    let path = golden("from_rust.safetensors");
    let bytes = parameters().to_safetensors();
    if std::env::var_os("WRITE_GOLDEN").is_some() {
        fs::write(&path, &bytes).unwrap();
    }
    assert!(fs::read(path).unwrap() == bytes);
}
