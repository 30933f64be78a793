//! A UCI engine around chess-nnue: any chess program can play against it.
//!
//! ```text
//! cargo run --release --example engine                                  # speaks UCI
//! cargo run --release --example engine -- bench [network.nnue]          # a fixed search, its nodes and speed
//! ```
//!
//! Options: `Hash` (MiB), `Threads` (1), `UCI_Chess960`, `EvalFile` (a network of this crate's; without one
//! it plays by rules written by hand). A network that does not load is told in an `info string`, and
//! no move is made until another one is set.

#![allow(clippy::print_stdout)]

use std::io::{self, BufRead};
use std::str::SplitWhitespace;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use chess_nnue::Network;
use chess_nnue::selfplay::{
    Clock, Evaluation, Found, HandWritten, Limits, NetworkEvaluation, Search, mate_in_moves,
};
use cozy_chess::util::{display_uci_move, parse_uci_move};
use cozy_chess::{Board, Move};

type Searcher = Search<Box<dyn Evaluation + Send>>;

const DEFAULT_HASH_MIB: usize = 16;
/// Lost between this program and the clock.
const MOVE_OVERHEAD: Duration = Duration::from_millis(20);

fn main() {
    let mut arguments = std::env::args().skip(1);
    match (arguments.next().as_deref(), arguments.next()) {
        (None, _) => speak_uci(),
        (Some("bench"), network) => bench(network.as_deref()),
        (Some(other), _) => println!("expected nothing or `bench [network.nnue]`, found {other:?}"),
    }
}

fn speak_uci() {
    let mut engine = Engine::new();
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        if line.trim() == "quit" {
            break;
        }
        engine.obey(&line);
    }
    engine.stop();
}

/// What the other program has told so far.
struct Engine {
    board: Board,
    before: Vec<Board>,
    is_chess960: bool,
    hash_mib: usize,
    /// Why there is no evaluation, if there is none.
    evaluator: Result<Evaluator, String>,
    /// `None` while a search has it.
    searcher: Option<Searcher>,
    running: Option<Running>,
}

#[derive(Clone)]
enum Evaluator {
    HandWritten,
    Network(Arc<Network>),
}

struct Running {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Searcher>,
}

impl Evaluator {
    fn open(path: &str) -> Result<Self, String> {
        match path {
            "" | "<empty>" => Ok(Self::HandWritten),
            path => match Network::load(path) {
                Ok(network) => Ok(Self::Network(Arc::new(network))),
                Err(error) => Err(format!("EvalFile {path} cannot be used: {error}")),
            },
        }
    }

    fn boxed(&self) -> Box<dyn Evaluation + Send> {
        match self {
            Self::HandWritten => Box::new(HandWritten::new()),
            Self::Network(network) => Box::new(NetworkEvaluation::new(network.clone())),
        }
    }
}

impl Engine {
    fn new() -> Self {
        Self {
            board: Board::default(),
            before: Vec::new(),
            is_chess960: false,
            hash_mib: DEFAULT_HASH_MIB,
            evaluator: Ok(Evaluator::HandWritten),
            searcher: None,
            running: None,
        }
    }

    fn obey(&mut self, line: &str) {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("uci") => introduce(),
            Some("isready") => println!("readyok"),
            Some("ucinewgame") => self.forget(),
            Some("setoption") => self.set_option(line),
            Some("position") => self.set_position(words),
            Some("go") => self.go(words),
            Some("stop") => self.stop(),
            Some("bench") => bench(words.next()),
            _ => {}
        }
    }

    fn forget(&mut self) {
        self.stop();
        if let Some(searcher) = &mut self.searcher {
            searcher.clear();
        }
    }

    fn set_option(&mut self, line: &str) {
        self.stop();
        let told = line.split_once("name ").map_or("", |(_, told)| told);
        let (name, value) = told.split_once(" value ").unwrap_or((told, ""));
        let value = value.trim();
        match name.trim().to_ascii_lowercase().as_str() {
            "hash" => match value.parse() {
                Ok(mib @ 1..=65_536) => self.hash_mib = mib,
                _ => println!("info string Hash is 1 to 65536 MiB, not {value:?}"),
            },
            "uci_chess960" => self.is_chess960 = value.eq_ignore_ascii_case("true"),
            "evalfile" => {
                self.evaluator = Evaluator::open(value);
                self.tell_evaluator();
            }
            "threads" => {}
            other => println!("info string no option is called {other:?}"),
        }
        // Made anew when it is next needed.
        self.searcher = None;
    }

    fn tell_evaluator(&self) {
        match &self.evaluator {
            Ok(Evaluator::HandWritten) => println!("info string evaluation by hand"),
            Ok(Evaluator::Network(network)) => println!(
                "info string network of {} hidden values, {}",
                network.architecture().hidden(),
                network.backend()
            ),
            Err(error) => println!("info string error: {error}"),
        }
    }

    fn set_position(&mut self, mut words: SplitWhitespace<'_>) {
        self.stop();
        let told: Vec<_> = words.by_ref().take_while(|&word| word != "moves").collect();
        let start = match told.split_first() {
            Some((&"startpos", [])) => Some(Board::default()),
            Some((&"fen", fields)) => read_fen(&fields.join(" ")),
            _ => None,
        };
        let Some(start) = start else {
            println!("info string no position: {}", told.join(" "));
            return;
        };
        (self.board, self.before) = (start, Vec::new());
        for word in words {
            let Some(played) = read_move(&self.board, word) else {
                println!("info string not a legal move: {word}");
                return;
            };
            self.before.push(self.board.clone());
            self.board.play_unchecked(played);
        }
    }

    fn go(&mut self, words: SplitWhitespace<'_>) {
        self.stop();
        let evaluator = match &self.evaluator {
            Ok(evaluator) => evaluator.clone(),
            Err(error) => {
                println!("info string error: {error}");
                println!("bestmove 0000");
                return;
            }
        };
        let stop = Arc::new(AtomicBool::new(false));
        let asked = Asked::read(words, &self.board);
        let limits = asked.limits.stop(stop.clone());
        let hash_bytes = self.hash_mib << 20;
        let mut searcher = match self.searcher.take() {
            Some(searcher) => searcher,
            None => Search::new(evaluator.boxed(), hash_bytes),
        };
        let (board, before) = (self.board.clone(), self.before.clone());
        let (is_chess960, told_to_stop) = (self.is_chess960, stop.clone());
        let thread = thread::spawn(move || {
            let found = searcher.search_and_tell(&board, &before, limits, |found| {
                println!("{}", info(found, &board, is_chess960));
            });
            while asked.is_infinite && !told_to_stop.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(1));
            }
            let best = found.best.map(|best| text(&board, best, is_chess960));
            println!("bestmove {}", best.as_deref().unwrap_or("0000"));
            searcher
        });
        self.running = Some(Running { stop, thread });
    }

    /// Ends a search, if there is one; it says its best move.
    fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            running.stop.store(true, Ordering::Relaxed);
            self.searcher = running.thread.join().ok();
        }
    }
}

fn introduce() {
    println!("id name chess-nnue {}", env!("CARGO_PKG_VERSION"));
    println!("id author {}", env!("CARGO_PKG_AUTHORS"));
    println!("option name Hash type spin default {DEFAULT_HASH_MIB} min 1 max 65536");
    println!("option name Threads type spin default 1 min 1 max 1");
    println!("option name UCI_Chess960 type check default false");
    println!("option name EvalFile type string default <empty>");
    println!("uciok");
}

/// What `go` asks.
struct Asked {
    limits: Limits,
    is_infinite: bool,
}

impl Asked {
    fn read(mut words: SplitWhitespace<'_>, board: &Board) -> Self {
        let mut asked = Self {
            limits: Limits::new(),
            is_infinite: false,
        };
        let (mut left, mut increment, mut moves_to_go) = (None, Duration::ZERO, None);
        let is_white = board.side_to_move() == cozy_chess::Color::White;
        while let Some(word) = words.next() {
            if matches!(word, "infinite" | "ponder") {
                asked.is_infinite = true;
                continue;
            }
            // A clock may have run out: what is below zero is zero.
            let Some(number) = words
                .clone()
                .next()
                .and_then(|word| word.parse::<i64>().ok())
            else {
                continue;
            };
            words.next();
            let number = number.max(0) as u64;
            let milliseconds = Duration::from_millis(number);
            match word {
                "nodes" => asked.limits = asked.limits.nodes(number.max(1)),
                "depth" => asked.limits = asked.limits.depth(number.max(1) as u32),
                "movetime" => {
                    asked.limits = asked
                        .limits
                        .time(milliseconds.saturating_sub(MOVE_OVERHEAD))
                }
                "wtime" if is_white => left = Some(milliseconds),
                "btime" if !is_white => left = Some(milliseconds),
                "winc" if is_white => increment = milliseconds,
                "binc" if !is_white => increment = milliseconds,
                "movestogo" => moves_to_go = Some(number.min(1000) as u32),
                _ => {}
            }
        }
        if let Some(left) = left {
            let clock = Clock {
                left,
                increment,
                moves_to_go,
            };
            asked.limits = asked.limits.clock(clock, MOVE_OVERHEAD);
        }
        asked
    }
}

/// A FEN with castling rights by side or, for Chess960, by file.
fn read_fen(fen: &str) -> Option<Board> {
    Board::from_fen(fen, false)
        .or_else(|_| Board::from_fen(fen, true))
        .ok()
}

/// A legal move; castling by the king's target or by the rook's square.
fn read_move(board: &Board, word: &str) -> Option<Move> {
    let plain = word.parse().ok();
    let castling = parse_uci_move(board, word).ok();
    [castling, plain]
        .into_iter()
        .flatten()
        .find(|&played| board.is_legal(played))
}

fn text(board: &Board, played: Move, is_chess960: bool) -> String {
    if is_chess960 {
        played.to_string()
    } else {
        display_uci_move(board, played).to_string()
    }
}

fn info(found: &Found, board: &Board, is_chess960: bool) -> String {
    let score = match mate_in_moves(found.score) {
        Some(moves) => format!("mate {moves}"),
        None => format!("cp {}", found.score),
    };
    let milliseconds = found.elapsed.as_millis();
    let per_second = u128::from(found.nodes) * 1000 / milliseconds.max(1);
    let mut board = board.clone();
    let mut line = String::new();
    for &played in &found.line {
        line += " ";
        line += &text(&board, played, is_chess960);
        board.play(played);
    }
    format!(
        "info depth {} score {score} nodes {} nps {per_second} time {milliseconds} hashfull {} pv{line}",
        found.depth, found.nodes, found.table_permille
    )
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
fn bench(network: Option<&str>) {
    let evaluator = match Evaluator::open(network.unwrap_or_default()) {
        Ok(evaluator) => evaluator,
        Err(error) => {
            println!("info string error: {error}");
            return;
        }
    };
    let begun = Instant::now();
    let mut nodes = 0;
    for fen in BENCH_POSITIONS {
        let mut searcher = Search::new(evaluator.boxed(), DEFAULT_HASH_MIB << 20);
        let Some(board) = read_fen(fen) else { continue };
        nodes += searcher.search(&board, &[], Limits::new().depth(12)).nodes;
    }
    let seconds = begun.elapsed().as_secs_f64();
    println!("{nodes} nodes {:.0} nps", nodes as f64 / seconds);
}
