//! The engine's search with different evaluations, on the same positions and with as many nodes each.

use std::time::Duration;

use chess_nnue::selfplay::{
    EVALUATION_LIMIT, Evaluation, Found, HandWritten, Limits, NetworkEvaluation, Search,
};
use chess_nnue::{Network, needs_fallback};
use cozy_chess::{Board, Move};

/// Openings, middlegames and endings in which a network is asked nearly everywhere.
const POSITIONS: [&str; 8] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "2r3k1/1q1nbppp/r3p3/3pP3/pPpP4/P1Q2N2/2RN1PPP/2R4K b - b3 0 23",
    "8/5k2/3p4/1p1Pp2p/pP2Pp1P/P4P1K/8/8 b - - 0 50",
    "4rrk1/pp1n3p/3q2pQ/2p1pb2/2PP4/2P3N1/P2B2PP/4RRK1 b - - 7 19",
    "rnbqkb1r/pp1p1ppp/4pn2/2p5/2PP4/2N5/PP2PPPP/R1BQKBNR w KQkq - 0 4",
];

const TABLE_BYTES: usize = 16 << 20;

/// A search with one of the evaluations.
pub trait Contestant {
    /// Searches every position with so many nodes, each as if nothing had been searched before.
    fn search(&mut self, nodes: u64) -> Vec<Found>;
}

impl<E: Evaluation> Contestant for Search<E> {
    fn search(&mut self, nodes: u64) -> Vec<Found> {
        let positions = POSITIONS.iter().map(|fen| {
            self.clear();
            let board = Board::from_fen(fen, false).expect("a position");
            Search::search(self, &board, &[], Limits::new().nodes(nodes))
        });
        positions.collect()
    }
}

/// The names of the contestants.
pub const NAMES: [&str; 3] = ["hand-written", "network", "network-refreshed"];

/// The contestant of a name.
pub fn contestant<'n>(name: &str, network: &'n Network) -> Option<Box<dyn Contestant + 'n>> {
    Some(match name {
        "hand-written" => Box::new(Search::new(HandWritten::new(), TABLE_BYTES)),
        "network" => Box::new(Search::new(NetworkEvaluation::new(network), TABLE_BYTES)),
        "network-refreshed" => Box::new(Search::new(Refreshed(network), TABLE_BYTES)),
        _ => return None,
    })
}

/// The same scores as those of [`NetworkEvaluation`], each from nothing.
struct Refreshed<'n>(&'n Network);

impl Evaluation for Refreshed<'_> {
    fn reset(&mut self, _: &Board) {}

    fn push(&mut self, _: &Board, _: Move) {}

    fn push_null(&mut self) {}

    fn pop(&mut self) {}

    fn evaluate(&mut self, board: &Board) -> i32 {
        if needs_fallback(&chess_records::Board::placement(board)) {
            return HandWritten::new().evaluate(board);
        }
        let score = self.0.evaluate(board);
        score.clamp(-EVALUATION_LIMIT, EVALUATION_LIMIT)
    }
}

/// What must be the same when the same is searched again, however fast.
pub fn signature(found: &[Found]) -> Vec<(Option<Move>, i32, u32, u64)> {
    let of_each = found.iter();
    let of_each = of_each.map(|found| (found.best, found.score, found.depth, found.nodes));
    of_each.collect()
}

/// Nodes a second over all positions.
pub fn nodes_per_second(found: &[Found]) -> f64 {
    let nodes: u64 = found.iter().map(|found| found.nodes).sum();
    let elapsed: Duration = found.iter().map(|found| found.elapsed).sum();
    nodes as f64 / elapsed.as_secs_f64()
}
