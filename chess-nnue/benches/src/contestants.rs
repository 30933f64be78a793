//! Who is compared in update and output, output alone, refresh and output.

use std::hint::black_box;
use std::time::Instant;

use chess_nnue::{AccumulatorStack, Backend, Network};
use chess_records::Board;
use noru::network::{Accumulator, FeatureDelta, NnueWeights, forward};

#[cfg(target_arch = "x86_64")]
use crate::by_hand::{self, ByHand};
use crate::{Case, halfkp, network, noru_peer, weights};

pub const CASES: usize = 64;

/// Each call is about one of the cases and gives the score of the position after its move.
pub trait Contestant {
    fn name(&self) -> String;

    /// Makes the move of a position whose values are known, and evaluates.
    fn update_output(&mut self, index: usize) -> i32;

    /// Evaluates where the values are known.
    fn output(&mut self, index: usize) -> i32;

    /// Evaluates from nothing.
    fn refresh_output(&mut self, index: usize) -> i32;

    /// The nanoseconds that an update and output takes, over some passes through the cases. A method, so
    /// that the calls in it are those of one contestant.
    fn nanoseconds(&mut self, passes: usize) -> f64 {
        let start = Instant::now();
        for index in (0..passes).flat_map(|_| 0..CASES) {
            black_box(self.update_output(black_box(index)));
        }
        start.elapsed().as_secs_f64() * 1e9 / (passes * CASES) as f64
    }
}

/// Checks a contestant against itself, and against `expected` if it computes the same network.
pub fn check(contestant: &mut dyn Contestant, expected: Option<&[i32]>) {
    for index in 0..CASES {
        let fresh = contestant.refresh_output(index);
        assert_eq!(contestant.update_output(index), fresh);
        assert_eq!(contestant.output(index), fresh);
        if let Some(expected) = expected {
            assert_eq!(fresh, expected[index], "{} {index}", contestant.name());
        }
    }
}

pub struct Ours<'a> {
    network: Network,
    cases: &'a [Case],
    /// At the position before the move, its values known.
    moving: Vec<AccumulatorStack>,
    /// At the position after it.
    after: Vec<AccumulatorStack>,
}

impl<'a> Ours<'a> {
    pub fn new(backend: Backend, cases: &'a [Case]) -> Self {
        let network = network().with_backend(backend);
        let ready = |board: &dyn Board| {
            let mut stack = AccumulatorStack::with_capacity(&network, 1);
            stack.reset(board);
            let _ = stack.evaluate(&network);
            stack
        };
        Self {
            moving: cases.iter().map(|case| ready(&case.before)).collect(),
            after: cases.iter().map(|case| ready(&case.after)).collect(),
            network,
            cases,
        }
    }
}

impl Contestant for Ours<'_> {
    fn name(&self) -> String {
        format!("chess-nnue {}", self.network.backend())
    }

    #[inline]
    fn update_output(&mut self, index: usize) -> i32 {
        let stack = &mut self.moving[index];
        stack.push(&self.cases[index].delta);
        let score = stack.evaluate(&self.network);
        stack.pop();
        score
    }

    #[inline]
    fn output(&mut self, index: usize) -> i32 {
        self.after[index].evaluate(&self.network)
    }

    #[inline]
    fn refresh_output(&mut self, index: usize) -> i32 {
        let stack = &mut self.after[index];
        stack.reset(&self.cases[index].after);
        stack.evaluate(&self.network)
    }
}

#[cfg(target_arch = "x86_64")]
pub struct Hand<'a> {
    network: ByHand,
    cases: &'a [Case],
    captures: Vec<by_hand::Capture>,
    inputs: Vec<[Vec<usize>; 2]>,
    /// Before and after the move, side by side as on a stack.
    plies: Vec<[by_hand::Values; 2]>,
}

#[cfg(target_arch = "x86_64")]
impl<'a> Hand<'a> {
    pub fn new(cases: &'a [Case]) -> Option<Self> {
        let network = ByHand::new(&weights())?;
        let plies = |case: &Case| {
            let mut plies = [[by_hand::Row::ZERO; 2]; 2];
            network.refresh(&by_hand::inputs(&case.before), &mut plies[0]);
            plies
        };
        Some(Self {
            captures: cases.iter().map(|c| by_hand::capture(&c.delta)).collect(),
            inputs: cases.iter().map(|c| by_hand::inputs(&c.after)).collect(),
            plies: cases.iter().map(plies).collect(),
            network,
            cases,
        })
    }
}

#[cfg(target_arch = "x86_64")]
impl Contestant for Hand<'_> {
    fn name(&self) -> String {
        "by hand avx2".into()
    }

    #[inline]
    fn update_output(&mut self, index: usize) -> i32 {
        let [parent, child] = &mut self.plies[index];
        self.network.update(parent, child, &self.captures[index]);
        self.output(index)
    }

    #[inline]
    fn output(&mut self, index: usize) -> i32 {
        let mover = self.cases[index].after.side_to_move();
        self.network.output(mover, &self.plies[index][1])
    }

    #[inline]
    fn refresh_output(&mut self, index: usize) -> i32 {
        let [_, child] = &mut self.plies[index];
        self.network.refresh(&self.inputs[index], child);
        self.output(index)
    }
}

/// noru changes an accumulator in place. Each call makes the move or, the next time, its reverse with
/// as many rows: nothing is copied, and nothing taken back unevaluated, as a search would have to.
pub struct Noru {
    network: NnueWeights,
    deltas: Vec<[FeatureDelta; 2]>,
    inputs: Vec<[Vec<usize>; 2]>,
    moving: Vec<(Accumulator, bool)>,
    after: Vec<Accumulator>,
}

impl Noru {
    pub fn new(cases: &[Case]) -> Self {
        let network = noru_peer::network(&weights());
        let stm = |case: &Case| case.after.side_to_move();
        let before = |case: &Case| {
            let [stm, nstm] = noru_peer::inputs(stm(case), &case.before);
            let mut values = Accumulator::new(&network.feature_bias);
            values.refresh(&network, &stm, &nstm);
            (values, false)
        };
        let deltas = |case: &Case| noru_peer::deltas(stm(case), &case.delta);
        let inputs = |case: &Case| noru_peer::inputs(stm(case), &case.after);
        Self {
            deltas: cases.iter().map(deltas).collect(),
            inputs: cases.iter().map(inputs).collect(),
            moving: cases.iter().map(before).collect(),
            after: vec![Accumulator::new(&network.feature_bias); cases.len()],
            network,
        }
    }
}

impl Contestant for Noru {
    fn name(&self) -> String {
        "noru".into()
    }

    #[inline]
    fn update_output(&mut self, index: usize) -> i32 {
        let (values, is_made) = &mut self.moving[index];
        let [stm, nstm] = &self.deltas[index];
        if *is_made {
            values.update_incremental_undo(&self.network, stm, nstm);
        } else {
            values.update_incremental(&self.network, stm, nstm);
        }
        *is_made = !*is_made;
        forward(values, &self.network)
    }

    #[inline]
    fn output(&mut self, index: usize) -> i32 {
        forward(&self.after[index], &self.network)
    }

    #[inline]
    fn refresh_output(&mut self, index: usize) -> i32 {
        let [stm, nstm] = &self.inputs[index];
        self.after[index].refresh(&self.network, stm, nstm);
        self.output(index)
    }
}

pub struct NnueRs {
    network: nnue_rs::Network,
    boards: Vec<[halfkp::Peer; 2]>,
    changes: Vec<[Vec<(u8, nnue_rs::Piece)>; 2]>,
    before: Vec<nnue_rs::Accumulator>,
    after: Vec<nnue_rs::Accumulator>,
}

impl NnueRs {
    pub fn new(cases: &[Case]) -> Self {
        let network = halfkp::network();
        let boards = |case: &Case| [&case.before, &case.after].map(halfkp::Peer::from);
        let boards: Vec<_> = cases.iter().map(boards).collect();
        let accumulators = |which: usize| {
            let boards = boards.iter();
            boards
                .map(|pair| network.accumulator(&pair[which]))
                .collect()
        };
        Self {
            before: accumulators(0),
            after: accumulators(1),
            changes: cases.iter().map(|c| halfkp::changes(&c.delta)).collect(),
            boards,
            network,
        }
    }
}

impl Contestant for NnueRs {
    fn name(&self) -> String {
        "nnue-rs HalfKP".into()
    }

    #[inline]
    fn update_output(&mut self, index: usize) -> i32 {
        let [before, after] = &self.boards[index];
        let [removed, added] = &self.changes[index];
        let (parent, child) = (&self.before[index], &mut self.after[index]);
        let network = &self.network;
        network.update_changes(before, after, removed, added, parent, child);
        self.output(index)
    }

    #[inline]
    fn output(&mut self, index: usize) -> i32 {
        let stm = nnue_rs::Board::side_to_move(&self.boards[index][1]);
        self.network.evaluate_accumulator(&self.after[index], stm)
    }

    #[inline]
    fn refresh_output(&mut self, index: usize) -> i32 {
        let (board, values) = (&self.boards[index][1], &mut self.after[index]);
        self.network.refresh(board, values);
        self.output(index)
    }
}

/// What every score should be: chess-nnue's, portable and from nothing.
pub fn expected(cases: &[Case]) -> Vec<i32> {
    let portable = Backend::from_name("portable").expect("every machine has it");
    let oracle = network().with_backend(portable);
    let scores = cases.iter().map(|case| oracle.evaluate(&case.after));
    scores.collect()
}
