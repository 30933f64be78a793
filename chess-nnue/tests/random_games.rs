//! Incremental evaluation equals evaluation from nothing, over random games.

#![allow(clippy::unwrap_used)]

use chess_nnue::{AccumulatorStack, Architecture, Delta, KingBuckets, Network, Weights};
use chess_records::{Board, Color, Placement, Position};
use cozy_chess as cozy;
use proptest::prelude::*;

/// Numbers that look random, the same everywhere.
fn numbers(seed: u64, limit: i16) -> impl Iterator<Item = i16> {
    let mut state = seed;
    std::iter::repeat_with(move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let spread = 2 * u64::from(limit.unsigned_abs()) + 1;
        (((state >> 33) % spread) as i32 - i32::from(limit)) as i16
    })
}

fn network(architecture: Architecture, limit: i16) -> Network {
    let mut weights = Weights::zero(&architecture);
    let fill = |list: &mut [i16], seed, limit| {
        for (weight, number) in list.iter_mut().zip(numbers(seed, limit)) {
            *weight = number;
        }
    };
    fill(&mut weights.feature_weights, 1, limit);
    fill(&mut weights.feature_biases, 2, 200);
    fill(&mut weights.output_weights, 3, 127);
    Network::new(architecture, &weights).unwrap()
}

/// Plain, plain with other weights, with wide accumulators, and with mirrored king buckets and output
/// buckets.
fn networks() -> [Network; 4] {
    let plain = Architecture::new(48).unwrap();
    let map = std::array::from_fn(|square| (square / 8).min(2) as u8);
    let buckets = Architecture::new(32)
        .unwrap()
        .with_king_buckets(KingBuckets::new(map, true).unwrap())
        .with_output_buckets(8)
        .unwrap();
    [
        network(plain.clone(), 300),
        network(plain.clone(), 290),
        network(plain, 20_000),
        network(buckets, 300),
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

#[derive(Clone, Copy, Debug)]
enum Step {
    Move(usize),
    Null,
    Back,
    Evaluate(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => any::<u16>().prop_map(|choice| Step::Move(choice.into())),
        1 => Just(Step::Null),
        2 => Just(Step::Back),
        3 => (0..4usize).prop_map(Step::Evaluate),
    ]
}

fn start() -> impl Strategy<Value = cozy::Board> {
    prop_oneof![
        Just(cozy::Board::default()),
        (0..960u32).prop_map(cozy::Board::chess960_startpos),
        (0..960u32, 0..960u32)
            .prop_map(|(white, black)| cozy::Board::double_chess960_startpos(white, black)),
    ]
}

/// Plays the steps on a stack and compares every score asked for. One network is asked for often,
/// the others now and then, so that long updates and changes of network both occur.
fn play(start: &cozy::Board, favourite: usize, steps: &[Step]) -> usize {
    let networks = networks();
    let mut line = vec![start.clone()];
    let mut stack = AccumulatorStack::new(&networks[favourite]);
    let mut moves_made = 0;
    stack.reset(&position(start));
    for (number, &step) in steps.iter().enumerate() {
        let board = line.last().unwrap().clone();
        match step {
            _ if line.len() > stack.capacity() => break,
            Step::Move(choice) => {
                let mut moves = Vec::new();
                board.generate_moves(|of_piece| {
                    moves.extend(of_piece);
                    false
                });
                let Some(&mv) = moves.get(choice % moves.len().max(1)) else {
                    continue;
                };
                let mut next = board.clone();
                next.play(mv);
                let before = position(&board).placement();
                let delta = Delta::between(&before, &position(&next).placement()).unwrap();
                stack.push(&delta);
                line.push(next);
                moves_made += 1;
            }
            Step::Null => {
                if let Some(next) = board.null_move() {
                    stack.push_null();
                    line.push(next);
                }
            }
            Step::Back if line.len() > 1 => {
                stack.pop();
                line.pop();
            }
            Step::Back => {}
            Step::Evaluate(choice) => {
                let rare = number % 7 == 0;
                let network = &networks[if rare { choice } else { favourite }];
                let expected = network.evaluate(&position(&board));
                assert_eq!(stack.evaluate(network), expected, "{board:#}");
            }
        }
        let top = position(line.last().unwrap());
        assert_eq!(*stack.placement(), top.placement());
        assert_eq!(stack.side_to_move(), top.side_to_move());
        assert_eq!(stack.ply(), line.len() - 1);
    }
    moves_made
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(debug_assertions) { 60 } else { 400 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn incremental_equals_fresh(
        start in start(),
        favourite in 0..4usize,
        steps in prop::collection::vec(step(), 0..500),
    ) {
        play(&start, favourite, &steps);
    }
}

#[test]
fn the_games_get_somewhere() {
    let steps: Vec<_> = (0..200)
        .flat_map(|n| [Step::Move(n * 7919), Step::Evaluate(0)])
        .collect();
    assert!(play(&cozy::Board::default(), 3, &steps) > 60);
}
