//! Network files.

use chess_nnue::{Architecture, Network};
use chess_records::Position;

/// Takes the bytes for a network of the own format. What is accepted must be written as the same
/// bytes, and can be evaluated.
pub fn network(data: &[u8]) {
    if let Ok(network) = Network::from_bytes(data) {
        assert_eq!(network.to_bytes(), data);
        evaluates(&network);
    }
}

/// Takes the bytes for a network in bullet's layout. What is accepted must come out the same but for
/// its padding, and can be evaluated.
pub fn bullet_network(data: &[u8]) {
    let Ok(architecture) = Architecture::from_bullet_len(data.len()) else {
        return;
    };
    if let Ok(network) = Network::from_bullet_bytes(data, architecture) {
        let written = network.to_bullet_bytes().expect("its biases fit 16 bits");
        let bare = 2 * (771 * network.architecture().hidden() + 1);
        assert_eq!(written.len(), data.len());
        assert_eq!(written[..bare], data[..bare]);
        evaluates(&network);
    }
}

fn evaluates(network: &Network) {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let start: Position = start.parse().expect("a position");
    let mut stack = chess_nnue::AccumulatorStack::with_capacity(network, 0);
    stack.reset(&start);
    assert_eq!(stack.evaluate(network), network.evaluate(&start));
}
