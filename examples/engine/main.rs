//! A UCI engine around chess-nnue: any chess program can play against it.
//!
//! ```text
//! cargo run --release --example engine                                  # speaks UCI
//! cargo run --release --example engine -- bench [network.nnue]          # a fixed search, its nodes and speed
//! ```
//!
//! Options: `Hash` (MiB), `Threads` (1), `Move Overhead` (milliseconds), `UCI_Chess960`, and `EvalFile`: a
//! network of this crate's, `<builtin>` for the one that is part of it, which is what the engine begins
//! with, or `<hand-written>` for rules. A network that does not load is told in an `info string`, and no
//! move is made until another one is set; the same goes for a position that is none.

#![allow(clippy::print_stdout)]

mod engine;
mod evaluator;
mod go;
mod position;
#[cfg(test)]
mod tests;

use std::io::{self, BufRead, Write};
use std::process;
use std::sync::Arc;
use std::time::Instant;

use chess_nnue::selfplay::{Limits, Search};

use crate::engine::{DEFAULT_HASH_MIB, Engine};
use crate::evaluator::BUILTIN;

/// Where the engine's lines go.
type Say = Arc<dyn Fn(&str) + Send + Sync>;

fn main() {
    leave_if_a_search_fails();
    let mut arguments = std::env::args().skip(1);
    match (arguments.next().as_deref(), arguments.next()) {
        (None, _) => speak_uci(io::stdin().lock(), Arc::new(say_on_stdout)),
        (Some("bench"), network) => bench(network.as_deref(), &say_on_stdout),
        (Some(other), _) => {
            println!("expected nothing or `bench [network.nnue]`, found {other:?}");
            process::exit(2);
        }
    }
}

/// Nobody may be left who hears: the end of the input tells that.
fn say_on_stdout(line: &str) {
    let _ = writeln!(io::stdout(), "{line}");
}

/// A thread that fails must not leave the other program waiting for a move.
fn leave_if_a_search_fails() {
    let tell = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |about| {
        tell(about);
        process::exit(101);
    }));
}

/// Obeys until `quit` or the end of the input. What is no text is no command.
fn speak_uci(mut input: impl BufRead, say: Say) {
    let mut engine = Engine::new(say);
    let mut line = Vec::new();
    while input
        .read_until(b'\n', &mut line)
        .is_ok_and(|read| read > 0)
    {
        let told = String::from_utf8_lossy(&line);
        if told.trim() == "quit" {
            break;
        }
        engine.obey(&told);
        line.clear();
    }
    engine.stop();
}

const BENCH_POSITIONS: [&str; 8] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "2r3k1/1q1nbppp/r3p3/3pP3/pPpP4/P1Q2N2/2RN1PPP/2R4K b - b3 0 23",
    "8/5k2/3p4/1p1Pp2p/pP2Pp1P/P4P1K/8/8 b - - 99 50",
    "4rrk1/pp1n3p/3q2pQ/2p1pb2/2PP4/2P3N1/P2B2PP/4RRK1 b - - 7 19",
    "8/8/8/3k4/8/8/8/R3K3 w - - 0 1",
];

/// Searches some positions to the same depth; the number of nodes tells one build from another.
fn bench(network: Option<&str>, say: &dyn Fn(&str)) {
    let evaluator = match evaluator::open(network.unwrap_or(BUILTIN)) {
        Ok(evaluator) => evaluator,
        Err(error) => return say(&format!("info string error: {error}")),
    };
    let begun = Instant::now();
    let mut nodes = 0;
    for fen in BENCH_POSITIONS {
        let mut searcher = Search::new(evaluator.evaluation(), DEFAULT_HASH_MIB << 20);
        let Some(board) = position::read_fen(fen) else {
            return say(&format!("info string error: no position: {fen}"));
        };
        nodes += searcher.search(&board, &[], Limits::new().depth(12)).nodes;
    }
    let seconds = begun.elapsed().as_secs_f64();
    say(&format!("{nodes} nodes {:.0} nps", nodes as f64 / seconds));
}
