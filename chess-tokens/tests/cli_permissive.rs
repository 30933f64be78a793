//! The tool without what reads PGN and SAN.
#![cfg(all(feature = "cli-permissive", not(feature = "shakmaty")))]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name)
}

fn pack(games: &str, out: &Path, scheme: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chess-tokens"));
    command.arg("pack").arg(golden(games)).arg(out);
    command.args(["--scheme", scheme, "--source-label", "games.pgn"]);
    if scheme == "bpe" {
        command.arg("--bpe").arg(golden("bpe.json"));
    }
    command.output().unwrap()
}

/// The library behind the scheme `bpe` is under Apache-2.0 alone.
#[test]
fn the_licence_is_that_of_all_that_is_built_in() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chess-tokens"));
    let output = command.arg("--version").output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let expected = "\nLicence: Apache-2.0 as built, because of tokenizers; the crate's own code is \
        MIT OR Apache-2.0; built without what reads PGN and SAN\n";
    assert!(said.ends_with(expected), "{said}");
}

#[test]
fn parquet_is_packed() {
    let folder = tempfile::tempdir().unwrap();
    for scheme in ["uci", "bpe"] {
        let out = folder.path().join(scheme);
        assert!(pack("uci.parquet", &out, scheme).status.success());
        for name in ["meta.json", "starts.npy", "tokens.npy"] {
            let packed = fs::read(out.join(name)).unwrap();
            let expected = fs::read(golden(scheme).join(name)).unwrap();
            assert!(packed == expected, "{scheme}: {name}");
        }
    }
}

#[test]
fn what_is_not_read_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let text = "is PGN, which is read with the feature pgn of chess-tokens";
    for (games, scheme, text) in [
        ("games.pgn", "uci", text),
        ("uci.parquet", "san", "the scheme san needs shakmaty"),
    ] {
        let output = pack(games, &out, scheme);
        assert_eq!(output.status.code(), Some(2));
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains(text), "{stderr}");
        assert!(!out.exists());
    }
}
