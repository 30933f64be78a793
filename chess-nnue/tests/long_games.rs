//! Long random games: kept up to date equals computed from nothing, with every instruction set and the
//! portable one.
//!
//! `CHESS_NNUE_PLIES` sets how many plies are played instead of 100,000.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // how far it got is worth a line

mod reference;

use std::time::Instant;

use chess_nnue::{
    AccumulatorStack, Activation, Architecture, Backend, Delta, KingBuckets, Network, Weights,
};
use chess_records::{Board, Color, Placement, Position};
use cozy_chess as cozy;
use reference::Random;

/// Weights up to a limit, of a shape.
fn network(architecture: Architecture, limit: i64, seed: u64) -> Network {
    let mut random = Random(seed);
    let mut weights = Weights::zero(&architecture);
    weights
        .feature_weights
        .fill_with(|| random.within(limit) as i16);
    weights
        .feature_biases
        .fill_with(|| random.within(200) as i16);
    weights
        .output_weights
        .fill_with(|| random.within(127) as i16);
    weights
        .output_biases
        .fill_with(|| random.within(5000) as i32);
    Network::new(architecture, &weights).unwrap()
}

fn buckets(mirrored: bool, bucket: fn(usize) -> usize) -> KingBuckets {
    KingBuckets::new(std::array::from_fn(|square| bucket(square) as u8), mirrored).unwrap()
}

/// Plain ones, narrow and wide, CReLU among them; king buckets by ranks and by small blocks of squares,
/// mirrored and not; a mirror without buckets. The first two have one size and width.
fn networks() -> Vec<Network> {
    let plain = |hidden| Architecture::new(hidden).unwrap();
    let by_rank = buckets(true, |square| (square / 8).min(2));
    let by_block = buckets(false, |square| square / 16 * 4 + square % 8 / 2);
    let mirror = buckets(true, |_| 0);
    let outputs = |architecture: Architecture| architecture.with_output_buckets(8).unwrap();
    vec![
        network(plain(48), 300, 1),
        network(plain(48), 300, 2),
        network(plain(32), 20_000, 3),
        network(outputs(plain(32).with_king_buckets(by_rank)), 300, 4),
        network(
            outputs(plain(16).with_king_buckets(by_block.clone())),
            900,
            5,
        ),
        network(
            plain(16)
                .with_king_buckets(mirror)
                .with_activation(Activation::Crelu),
            300,
            6,
        ),
        network(plain(16).with_king_buckets(by_block), 20_000, 7),
    ]
}

fn position(board: &cozy::Board) -> Position {
    let colors = [cozy::Color::White, cozy::Color::Black].map(|color| board.colors(color).0);
    let pieces = cozy::Piece::ALL.map(|piece| board.pieces(piece).0);
    let side = match board.side_to_move() {
        cozy::Color::White => Color::White,
        cozy::Color::Black => Color::Black,
    };
    Position::new(Placement::new(colors, pieces).unwrap(), side)
}

fn start(random: &mut Random) -> cozy::Board {
    let [white, black] = [(); 2].map(|()| random.below(960) as u32);
    match random.below(4) {
        0 => cozy::Board::default(),
        1 => cozy::Board::chess960_startpos(white),
        2 => cozy::Board::double_chess960_startpos(white, black),
        // Kings with room, which cross buckets and the mirror at every other move.
        _ => "4k3/1p4p1/8/8/8/8/1P4P1/4K2R w K - 0 1".parse().unwrap(),
    }
}

/// A random move; castling and the king's moves more often than their share, so that buckets change.
fn random_move(board: &cozy::Board, random: &mut Random) -> Option<cozy::Move> {
    let [mut all, mut of_king, mut castling] = [(); 3].map(|()| Vec::new());
    let own = board.colors(board.side_to_move());
    board.generate_moves(|of_piece| {
        for mv in of_piece {
            if own.has(mv.to) {
                castling.push(mv);
            } else if of_piece.piece == cozy::Piece::King {
                of_king.push(mv);
            }
            all.push(mv);
        }
        false
    });
    let from = match random.below(8) {
        0..3 if !castling.is_empty() => castling,
        3..5 if !of_king.is_empty() => of_king,
        _ => all,
    };
    (!from.is_empty()).then(|| random.pick(&from))
}

#[derive(Default, Debug)]
struct Counts {
    plies: usize,
    nulls: usize,
    castlings: usize,
    king_moves: usize,
    evaluations: usize,
    of_formulas: usize,
}

/// The networks, each with the fastest set, and again in turn with all others.
struct Player {
    networks: Vec<Vec<Network>>,
    counts: Counts,
}

impl Player {
    fn new() -> Self {
        let with_sets = |network: Network| {
            let sets = Backend::available().map(|backend| network.clone().with_backend(backend));
            sets.collect()
        };
        Self {
            networks: networks().into_iter().map(with_sets).collect(),
            counts: Counts::default(),
        }
    }

    /// A game of at most 200 plies with moves taken back on the way. One network is asked mostly and
    /// another now and then; how often varies from game to game, so that both short and long updates
    /// occur.
    fn play(&mut self, random: &mut Random) {
        let favourite = random.below(self.networks.len());
        let often = random.pick(&[1, 2, 3, 8, 30]);
        let start = start(random);
        let mut line = vec![start];
        let mut stack = AccumulatorStack::with_capacity(&self.networks[favourite][0], 200);
        stack.reset(&position(&line[0]));
        while line.len() <= stack.capacity() {
            match random.below(20) {
                0 => self.pass(&mut line, &mut stack),
                1 => take_back(&mut line, &mut stack, random),
                _ => {
                    if !self.advance(&mut line, &mut stack, random) {
                        break;
                    }
                }
            }
            if random.below(often) == 0 {
                let other = random.below(40) == 0;
                let asked = if other {
                    random.below(self.networks.len())
                } else {
                    favourite
                };
                self.compare(line.last().unwrap(), &mut stack, asked, random);
            }
        }
        self.compare(line.last().unwrap(), &mut stack, favourite, random);
    }

    fn advance(
        &mut self,
        line: &mut Vec<cozy::Board>,
        stack: &mut AccumulatorStack,
        random: &mut Random,
    ) -> bool {
        let board = line.last().unwrap();
        let Some(mv) = random_move(board, random) else {
            return false;
        };
        let mut next = board.clone();
        next.play_unchecked(mv);
        let delta =
            Delta::between(&position(board).placement(), &position(&next).placement()).unwrap();
        self.counts.castlings += usize::from(board.colors(board.side_to_move()).has(mv.to));
        self.counts.king_moves += usize::from(board.piece_on(mv.from) == Some(cozy::Piece::King));
        self.counts.plies += 1;
        stack.push(&delta);
        line.push(next);
        true
    }

    fn pass(&mut self, line: &mut Vec<cozy::Board>, stack: &mut AccumulatorStack) {
        if let Some(next) = line.last().unwrap().null_move() {
            self.counts.nulls += 1;
            stack.push_null();
            line.push(next);
        }
    }

    /// The stack's score is that of any set from nothing, and now and then that of the formulas.
    fn compare(
        &mut self,
        board: &cozy::Board,
        stack: &mut AccumulatorStack,
        asked: usize,
        random: &mut Random,
    ) {
        let sets = &self.networks[asked];
        let [own, other] = [(); 2].map(|()| &sets[random.below(sets.len())]);
        let position = position(board);
        let found = stack.evaluate(own);
        let message = || format!("network {asked}, {}, {board:#}", own.backend());
        assert_eq!(found, other.evaluate(&position), "{}", message());
        assert_eq!(found, sets[0].evaluate(&position), "{}", message());
        self.counts.evaluations += 1;
        if random.below(64) == 0 {
            let (architecture, weights) = (own.architecture(), own.weights());
            let (placement, mover) = (*stack.placement(), stack.side_to_move());
            let expected = reference::evaluate(architecture, &weights, &placement, mover);
            assert_eq!(found, expected, "{}", message());
            self.counts.of_formulas += 1;
        }
    }
}

fn take_back(line: &mut Vec<cozy::Board>, stack: &mut AccumulatorStack, random: &mut Random) {
    for _ in 0..random.below(12).min(line.len() - 1) {
        line.pop();
        stack.pop();
    }
}

fn play(plies: usize) {
    let started = Instant::now();
    let mut player = Player::new();
    let mut random = Random(42);
    while player.counts.plies < plies {
        player.play(&mut random);
    }
    let counts = player.counts;
    let summary = format!("{counts:?} in {:.1} s", started.elapsed().as_secs_f64());
    // Enough of everything that is to be tested.
    assert!(counts.evaluations * 4 > counts.plies, "{summary}");
    assert!(counts.king_moves * 8 > counts.plies, "{summary}");
    assert!(counts.castlings * 1000 > counts.plies, "{summary}");
    assert!(counts.nulls * 40 > counts.plies, "{summary}");
    assert!(counts.of_formulas * 300 > counts.plies, "{summary}");
    println!("{summary}");
}

#[test]
fn a_hundred_thousand_plies() {
    let plies = std::env::var("CHESS_NNUE_PLIES").map(|plies| plies.parse().unwrap());
    play(plies.unwrap_or(100_000));
}

#[test]
#[ignore = "minutes"]
fn ten_million_plies() {
    play(10_000_000);
}
