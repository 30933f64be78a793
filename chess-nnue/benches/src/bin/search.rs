//! Nodes a second of the engine's search with a network, the same refreshed at each evaluation, and the
//! evaluation by rules, taking turns so that what else the machine does befalls them all alike.
//!
//! ```text
//! search NETWORK rounds [COUNT]      medians, and their ratios to the evaluation by rules
//! search NETWORK once NAME NODES     one contestant, for callgrind: NODES on each of eight positions
//! ```
//!
//! The trees are not the same, so all are given as many nodes.

use std::error::Error;

use chess_nnue::Network;
use chess_nnue_benches::searching::{NAMES, contestant, nodes_per_second, signature};

/// On each position.
const NODES: u64 = 20_000;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let [network, rest @ ..] = arguments.as_slice() else {
        return Err("usage: search NETWORK rounds [COUNT] | search NETWORK once NAME NODES".into());
    };
    let network = Network::load(network)?;
    match rest {
        ["rounds"] => rounds(&network, 15),
        ["rounds", count] => rounds(&network, count.parse()?),
        ["once", name, nodes] => once(&network, name, nodes.parse()?)?,
        _ => return Err("after the network: rounds [COUNT], or once NAME NODES".into()),
    }
    Ok(())
}

fn rounds(network: &Network, count: usize) {
    check(network);
    let contestants = NAMES.iter().flat_map(|name| contestant(name, network));
    let mut contestants: Vec<_> = contestants.collect();
    let mut speeds = vec![Vec::new(); contestants.len()];
    for _ in 0..count {
        for (contestant, speeds) in contestants.iter_mut().zip(&mut speeds) {
            speeds.push(nodes_per_second(&contestant.search(NODES)));
        }
    }
    println!("{:20}{:>12}{:>24}", "", "nodes/s", "of the hand-written");
    for (name, of_name) in NAMES.iter().zip(&speeds) {
        // A round's turns are next to each other: their ratio is steadier than each of them.
        let ratios = of_name
            .iter()
            .zip(&speeds[0])
            .map(|(one, rules)| one / rules);
        let (speed, ratio) = (median(of_name.iter().copied()), median(ratios));
        println!("{name:20}{speed:>12.0}{ratio:>24.3}");
    }
}

/// Fails unless the network's scores kept up to date give the search that those from nothing give, and
/// each search the same when it is repeated.
fn check(network: &Network) {
    let of = NAMES.map(|name| {
        let mut contestant = contestant(name, network).expect("a name of the list");
        let [first, second] = [(), ()].map(|()| signature(&contestant.search(NODES)));
        assert_eq!(first, second, "{name}: the same search twice");
        first
    });
    assert_eq!(of[1], of[2], "kept up to date and from nothing");
    assert_ne!(of[0], of[1], "by rules and by the network");
}

fn once(network: &Network, name: &str, nodes: u64) -> Result<(), Box<dyn Error>> {
    let contestant = contestant(name, network);
    let mut contestant = contestant.ok_or_else(|| format!("{name}: expected one of {NAMES:?}"))?;
    let found = contestant.search(nodes);
    let nodes: u64 = found.iter().map(|found| found.nodes).sum();
    println!("{nodes} nodes of {name}");
    Ok(())
}

fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}
