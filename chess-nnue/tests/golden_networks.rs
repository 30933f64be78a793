//! The networks and scores of `tests/golden`, which come from outside.

#![cfg(feature = "std")]
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use chess_nnue::{
    AccumulatorStack, Activation, Architecture, Backend, Delta, KingBuckets, Network, Width,
};
use chess_records::{Board, PieceType, Position, Square};
use serde::Deserialize;

#[derive(Deserialize)]
struct Shape {
    net: String,
    hidden: usize,
    king_map: Option<Vec<u8>>,
    mirrored: bool,
    output_buckets: usize,
}

#[derive(Deserialize)]
struct Expected {
    net: String,
    fen: String,
    scale: i32,
    screlu: i32,
    crelu: i32,
}

fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name)
}

fn shapes() -> Vec<Shape> {
    serde_json::from_slice(&fs::read(golden("nets.json")).unwrap()).unwrap()
}

fn expectations() -> Vec<Expected> {
    let text = fs::read_to_string(golden("net.expected.jsonl")).unwrap();
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn architecture(shape: &Shape, activation: Activation) -> Architecture {
    let architecture = Architecture::new(shape.hidden)
        .unwrap()
        .with_activation(activation)
        .with_output_buckets(shape.output_buckets)
        .unwrap();
    match &shape.king_map {
        None => architecture,
        Some(map) => {
            let map = map.as_slice().try_into().unwrap();
            architecture.with_king_buckets(KingBuckets::new(map, shape.mirrored).unwrap())
        }
    }
}

/// Every network with both activations.
fn networks() -> BTreeMap<String, [Network; 2]> {
    let load = |shape: &Shape| {
        [Activation::Screlu, Activation::Crelu].map(|activation| {
            let architecture = architecture(shape, activation);
            Network::load_bullet(golden(&shape.net), architecture).unwrap()
        })
    };
    let shapes = shapes();
    let pairs = shapes.iter().map(|shape| (shape.net.clone(), load(shape)));
    pairs.collect()
}

#[test]
fn every_score_is_the_expected_one_with_every_instruction_set() {
    for backend in Backend::available() {
        check_scores(backend);
    }
}

fn check_scores(backend: Backend) {
    let mut networks = networks();
    for network in networks.values_mut().flatten() {
        *network = network.clone().with_backend(backend);
    }
    let mut checked: BTreeMap<&str, usize> = BTreeMap::new();
    let expectations = expectations();
    for expected in &expectations {
        let position = Position::from_fen(&expected.fen).unwrap();
        let of_net = &networks[&expected.net];
        for (network, score) in of_net.iter().zip([expected.screlu, expected.crelu]) {
            assert_eq!(network.architecture().eval_scale(), expected.scale);
            let message = format!("{} {} {backend}", expected.net, expected.fen);
            assert_eq!(network.evaluate(&position), score, "{message}");
            let on_stack = scores_on_stack(network, &position);
            assert_eq!(on_stack, [score; 2], "{message} (stack)");
        }
        *checked.entry(&expected.net).or_default() += 1;
    }
    assert_eq!(checked.len(), 10);
    assert!(checked.values().all(|&positions| positions == 150));
}

/// What a stack says of a position at its root, and after the steps from there to a position with one man
/// or two less and back. The steps are evaluated, so that all but the first score is an updated one.
fn scores_on_stack(network: &Network, position: &Position) -> [i32; 2] {
    let mut stack = AccumulatorStack::with_capacity(network, 2);
    stack.reset(position);
    let fresh = stack.evaluate(network);
    let here = position.placement();
    let men = Square::ALL
        .into_iter()
        .filter_map(|square| Some((here.piece_at(square)?, square)));
    // Those of the side that puts them back.
    let theirs = position.side_to_move().opponent();
    let gone = men
        .filter(|(piece, _)| piece.piece_type != PieceType::King && piece.color == theirs)
        .take(2);
    let there = here.after(&gone.collect::<Vec<_>>(), &[]).unwrap();
    for (from, to) in [(here, there), (there, here)] {
        stack.push(&Delta::between(&from, &to).unwrap());
        let _ = stack.evaluate(network);
    }
    [fresh, stack.evaluate(network)]
}

#[test]
fn arithmetic_is_as_wide_as_the_weights_demand() {
    use Width::{Narrow, Wide};
    let expected = [
        ("net-random-64.bin", Narrow, Narrow, Narrow),
        ("net-limit-64.bin", Narrow, Narrow, Narrow),
        ("net-onesided-96.bin", Narrow, Narrow, Narrow),
        ("net-onesided-160.bin", Narrow, Narrow, Wide),
        ("net-negative-160.bin", Narrow, Narrow, Wide),
        ("net-loud-32.bin", Wide, Narrow, Narrow),
        ("net-loudout-48.bin", Narrow, Wide, Narrow),
    ];
    let networks = networks();
    for (name, accumulators, products, sums) in expected {
        let found = networks[name][0].arithmetic();
        assert_eq!(found.accumulators, accumulators, "{name}");
        assert_eq!(found.products, products, "{name}");
        assert_eq!(found.sums, sums, "{name}");
    }
}

#[test]
fn both_formats_keep_every_byte() {
    for (name, of_net) in networks() {
        let bullet = fs::read(golden(&name)).unwrap();
        for network in of_net {
            assert_eq!(network.to_bullet_bytes().unwrap(), bullet, "{name}");
            let own = network.to_bytes();
            let again = Network::from_bytes(&own).unwrap();
            assert_eq!(again.architecture(), network.architecture(), "{name}");
            assert_eq!(again.weights(), network.weights(), "{name}");
            assert_eq!(again.fingerprint(), network.fingerprint(), "{name}");
            assert_eq!(again.to_bytes(), own, "{name}");
        }
    }
}

#[test]
fn plain_networks_are_known_by_their_size() {
    for shape in shapes() {
        let bytes = fs::metadata(golden(&shape.net)).unwrap().len() as usize;
        let plain = shape.king_map.is_none() && shape.output_buckets == 1;
        let found = Architecture::from_bullet_len(bytes);
        let found = found.ok().map(|architecture| architecture.hidden());
        if plain {
            assert_eq!(found, Some(shape.hidden), "{}", shape.net);
        }
    }
}

#[test]
fn every_golden_file_is_used() {
    let used: BTreeSet<String> = shapes().into_iter().map(|shape| shape.net).collect();
    for entry in fs::read_dir(golden("")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let listed = ["README.md", "nets.json", "net.expected.jsonl"].contains(&name.as_str());
        assert!(used.contains(&name) || listed, "{name} is not used");
    }
}
