//! Packs and windows as numpy made them.
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

use chess_records::{Dataset, GameResult};
use chess_tokens::Scheme;
use chess_tokens::dataset::{TokenElement, WindowBatch, WindowMode, Windows};
use chess_tokens::pack::{PackWriter, TokenPack};
use serde::Deserialize;

use support::{Named, golden};

const PACKS: [&str; 5] = ["bpe", "edge-san", "edge-uci", "san", "uci"];
const WINDOWS: [&str; 2] = ["san", "uci"];

fn pack(name: &str) -> TokenPack {
    TokenPack::read(golden(name)).unwrap()
}

#[test]
fn nothing_is_wrong_with_them() {
    for name in PACKS {
        let pack = pack(name);
        assert_eq!(pack.verify().next(), None, "{name}");
        assert_eq!(pack.check_tokenizer(&Named(pack.meta().clone())), Ok(()));
    }
}

#[test]
#[cfg(feature = "mmap")]
#[allow(unsafe_code)]
fn mapped_and_read() {
    for name in PACKS {
        let read = pack(name);
        // SAFETY: nobody changes the golden files.
        let mapped = unsafe { TokenPack::map(golden(name)) }.unwrap();
        assert_eq!(mapped.tokens(), read.tokens());
        assert_eq!(mapped.starts(), read.starts());
        assert_eq!(mapped.meta(), read.meta());
    }
}

/// The games of each pack written again give the same three files, byte for byte.
#[test]
fn what_is_written_is_what_numpy_writes() {
    for name in PACKS {
        let folder = tempfile::tempdir().unwrap();
        let pack = pack(name);
        let meta = pack.meta().clone();
        let source = [meta.source.clone()];
        let mut writer = PackWriter::create(folder.path(), &Named(meta), source).unwrap();
        for game in 0..pack.len() {
            writer.push(pack.game(game).unwrap().unwrap()).unwrap();
        }
        writer.finish().unwrap();
        for file in ["tokens.npy", "starts.npy", "meta.json"] {
            let expected = fs::read(golden(name).join(file)).unwrap();
            assert!(
                fs::read(folder.path().join(file)).unwrap() == expected,
                "{name}/{file}"
            );
        }
    }
}

/// The packs of the three schemes are of the same games.
#[test]
fn results_and_ratings() {
    let headers = |name: &str| {
        let pack = pack(name);
        let header = |game| pack.game_header(game).unwrap().unwrap();
        (0..pack.len()).map(header).collect::<Vec<_>>()
    };
    for (uci, others) in [("uci", &["san", "bpe"][..]), ("edge-uci", &["edge-san"])] {
        let expected = headers(uci);
        for (game, header) in expected.iter().enumerate() {
            assert!(header.result.is_some(), "{uci} {game}");
            for elo in [header.white_elo, header.black_elo] {
                assert!(elo.is_some_and(|elo| elo % 100 == 0 && (600..=3200).contains(&elo)));
            }
        }
        for other in others {
            for (game, header) in headers(other).iter().enumerate() {
                assert_eq!(header.result, expected[game].result, "{other} {game}");
                assert_eq!((header.white_elo, header.black_elo), (None, None));
            }
        }
    }
    let all: BTreeSet<_> = headers("uci")
        .iter()
        .filter_map(|header| header.result)
        .collect();
    assert_eq!(all.len(), GameResult::COUNT, "each result is there");
    assert_eq!(pack("bpe").meta().scheme, Scheme::Bpe);
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Window {
    mode: String,
    block: usize,
    len: u64,
    index: u64,
    x: Vec<u16>,
    y: Vec<u16>,
}

fn check_window<T: TokenElement + PartialEq + std::fmt::Debug>(
    pack: &Arc<TokenPack>,
    window: &Window,
) {
    let mode = match window.mode.as_str() {
        "game" => WindowMode::Games,
        "block" => WindowMode::Blocks,
        other => panic!("mode {other}"),
    };
    let windows = Windows::<T>::new(Arc::clone(pack), window.block, mode).unwrap();
    assert_eq!(windows.len(), window.len);
    let mut batch = WindowBatch::default();
    windows.gather(&[window.index], &mut batch).unwrap();
    let elements = |tokens: &[u16]| {
        tokens
            .iter()
            .map(|&token| T::from_token(token))
            .collect::<Vec<_>>()
    };
    assert_eq!(batch.x(), elements(&window.x), "x of {}", window.index);
    assert_eq!(batch.y(), elements(&window.y), "y of {}", window.index);
}

#[test]
fn windows_are_those_of_numpy() {
    for name in WINDOWS {
        let pack = Arc::new(pack(name));
        let text = fs::read_to_string(golden(&format!("{name}.windows.jsonl"))).unwrap();
        let windows: Vec<Window> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert!(windows.len() > 40);
        for window in &windows {
            check_window::<u16>(&pack, window);
            check_window::<i32>(&pack, window);
            check_window::<i64>(&pack, window);
        }
    }
}
