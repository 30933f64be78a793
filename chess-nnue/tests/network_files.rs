//! Network files on disk: what cannot be loaded or saved says why, and names the file.

#![cfg(feature = "std")]

use std::error::Error;
use std::fs;
use std::path::Path;

use chess_nnue::{Architecture, LoadError, Network, SaveError, Weights};

fn network() -> Network {
    let architecture = Architecture::new(16).unwrap();
    let weights = Weights::zero(&architecture);
    Network::new(architecture, &weights).unwrap()
}

/// An error and all that lies behind it, on one line.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}

fn load(path: &Path) -> String {
    chain(&Network::load(path).unwrap_err()).replace(path.to_str().unwrap(), "FILE")
}

#[test]
fn what_was_saved_is_loaded_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.nnue");
    let network = network();
    network.save(&path).unwrap();
    assert_eq!(Network::load(&path).unwrap().to_bytes(), network.to_bytes());
    let bullet = folder.path().join("a.bin");
    network.save_bullet(&bullet).unwrap();
    let architecture = network.architecture().clone();
    let again = Network::load_bullet(&bullet, architecture).unwrap();
    assert_eq!(again.fingerprint(), network.fingerprint());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn damaged_and_foreign_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.nnue");
    let whole = network().to_bytes();
    let cut = &whole[..whole.len() - 1];
    let cases: [(&[u8], &str); 3] = [
        (b"", "the network file is cut short: 0 bytes, expected 48"),
        (
            cut,
            "the network file is cut short: 24723 bytes, expected 24724",
        ),
        (
            &[b"PK\x03\x04", &whole[4..]].concat(),
            "not a CHSNNUE1 network file: it begins with the bytes [50, 4b, 03, 04, 4e, 55, 45, 31]",
        ),
    ];
    for (bytes, says) in cases {
        fs::write(&path, bytes).unwrap();
        assert_eq!(load(&path), format!("FILE is no usable network: {says}"));
    }
    let architecture = Architecture::new(32).unwrap();
    let error = Network::load_bullet(&path, architecture).unwrap_err();
    assert!(matches!(error, LoadError::Bullet { .. }));
    let text = chain(&error);
    assert!(
        text.ends_with(
            "is not in bullet's layout: 24724 bytes, expected 49408 for this architecture"
        )
    );
}

#[test]
fn what_is_no_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.nnue");
    assert!(load(&missing).starts_with("cannot read the network file FILE: "));
    assert!(load(folder.path()).starts_with("cannot read the network file FILE: "));
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_without_end_is_given_up() {
    let error = Network::load("/dev/zero").unwrap_err();
    assert_eq!(
        error.to_string(),
        "/dev/zero is larger than any network file (over 268435456 bytes)"
    );
}

#[test]
fn a_network_that_cannot_be_saved_says_where() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("missing").join("a.nnue");
    let error = network().save(&nowhere).unwrap_err();
    assert!(matches!(error, SaveError::File(_)));
    let text = chain(&error);
    assert!(
        text.starts_with("cannot write the network file: ") && text.contains("a.nnue"),
        "{text}"
    );
    let error = network().save(folder.path()).unwrap_err();
    assert!(chain(&error).contains("is a folder"), "{}", chain(&error));
}

#[test]
fn a_bias_that_bullet_cannot_hold_leaves_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.bin");
    fs::write(&path, b"old").unwrap();
    let architecture = Architecture::new(16).unwrap();
    let mut weights = Weights::zero(&architecture);
    weights.output_biases[0] = 1 << 20;
    let network = Network::new(architecture, &weights).unwrap();
    assert_eq!(
        chain(&network.save_bullet(&path).unwrap_err()),
        "the network cannot be written in bullet's layout: \
         the bias of output bucket 0 is 1048576, which does not fit 16 bits"
    );
    assert_eq!(fs::read(&path).unwrap(), b"old");
}
