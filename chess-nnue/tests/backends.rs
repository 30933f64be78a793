//! Every instruction set of the machine against plain formulas: every size, every width, and numbers at
//! the ends of what is allowed.

#![allow(clippy::unwrap_used)]

mod reference;

use std::collections::BTreeSet;

use chess_nnue::{
    AccumulatorStack, Activation, Architecture, Backend, Delta, Network, Weights, Width,
};
use chess_records::{Color, Piece, PieceType, Placement, Position, Square};
use reference::Random;

/// How a first layer is made.
#[derive(Clone, Copy, Debug)]
enum Features {
    /// As large as 16 bits allow for 32 men, and values on both sides of every limit.
    Narrow,
    /// Every value is QA or more whoever stands where, so that output sums reach their bounds.
    Saturated,
    /// Weights and biases at both ends of an `i16`.
    Wide,
}

/// How an output row is made: whether it keeps to the bound of narrow products, and of narrow sums.
#[derive(Clone, Copy, Debug)]
struct Outputs {
    narrow_products: bool,
    narrow_sums: bool,
}

#[derive(Clone, Copy, Debug)]
struct Case {
    hidden: usize,
    features: Features,
    outputs: Outputs,
    activation: Activation,
    qa: u16,
}

const FEATURES: [Features; 3] = [Features::Narrow, Features::Saturated, Features::Wide];
const QA: [u16; 9] = [255, 1, 2, 127, 256, 181, 1023, 4096, 32767];

/// Small sizes with every kind of weights; larger ones, which differ in the number of blocks only, with
/// some of them each.
fn cases(hidden: usize) -> impl Iterator<Item = Case> {
    let number = hidden / Architecture::HIDDEN_STEP;
    let all = (0..24usize).map(move |index| Case {
        hidden,
        features: FEATURES[index % 3],
        outputs: Outputs {
            narrow_products: index / 3 % 2 == 0,
            narrow_sums: index / 6 % 2 == 0,
        },
        activation: [Activation::Screlu, Activation::Crelu][index / 12],
        qa: QA[(number + index / 3 + index % 3) % QA.len()],
    });
    all.enumerate()
        .filter(move |(index, _)| hidden <= 96 || (index + number).is_multiple_of(7))
        .map(|(_, case)| case)
}

impl Case {
    fn architecture(&self) -> Architecture {
        let architecture = Architecture::new(self.hidden).unwrap();
        let architecture = architecture.with_activation(self.activation);
        let architecture = architecture.with_output_buckets(2).unwrap();
        // As few digits as possible are divided away, and yet few scores leave an `i32`.
        let small = self.outputs.narrow_sums || self.qa <= 2;
        let qb = if small { 1 } else { 300 };
        let architecture = architecture.with_quantization(self.qa, qb).unwrap();
        architecture
            .with_eval_scale(self.qa.clamp(1, 10_000).into())
            .unwrap()
    }

    fn weights(&self, architecture: &Architecture, random: &mut Random) -> Weights {
        let mut weights = Weights::zero(architecture);
        for column in 0..self.hidden {
            self.fill_column(column, &mut weights, random);
        }
        for row in weights.output_weights.chunks_exact_mut(2 * self.hidden) {
            self.fill_output_row(row, random);
        }
        let extreme = random.pick(&[i32::MIN, i32::MAX, 0, 0, 0, 0]);
        weights.output_biases = vec![random.within(1 << 20) as i32, extreme];
        weights
    }

    fn fill_column(&self, column: usize, weights: &mut Weights, random: &mut Random) {
        let qa = i64::from(self.qa);
        let edges = [
            0,
            1,
            -1,
            qa - 1,
            qa,
            qa + 1,
            i16::MAX.into(),
            -i64::from(i16::MAX),
        ];
        let edge = random.pick(&edges).min(i16::MAX.into());
        let limit = random.pick(&[1, qa / 8 + 1, 1023]).min(1023);
        let room = i64::from(i16::MAX) - 32 * limit;
        let ends = [i16::MIN.into(), i16::MAX.into()];
        // The bias, and the weights of the column: either of two numbers.
        let (bias, pair) = match (self.features, random.below(5)) {
            (Features::Saturated, _) => (random.pick(&[qa, 32767]), [0, 0]),
            (Features::Wide, 0 | 1) => (random.pick(&ends), ends),
            (Features::Wide, 2) => (random.pick(&ends), [random.pick(&ends); 2]),
            (_, 0) => (room, [limit; 2]),
            (_, 1) => (-room, [-limit; 2]),
            (_, 2) => (edge, [0; 2]),
            (_, 3) => (edge.clamp(-room, room), [-1, 1]),
            (_, _) => (random.within(room), [-limit, limit]),
        };
        weights.feature_biases[column] = bias as i16;
        let column = weights.feature_weights[column..].iter_mut();
        let mut bits = 0;
        for (row, weight) in column.step_by(self.hidden).enumerate() {
            if row % 64 == 0 {
                bits = random.next();
            }
            *weight = pair[(bits >> (row % 64)) as usize & 1] as i16;
        }
    }

    /// From somewhere in the row on and around it, until the bound is reached to the last integer.
    fn fill_output_row(&self, row: &mut [i16], random: &mut Random) {
        let qa = i64::from(self.qa);
        let largest = match self.outputs.narrow_products {
            true => 32767 / qa,
            false => 32768,
        };
        let factor = match self.activation {
            Activation::Screlu => qa * qa,
            _ => qa,
        };
        let mut left = match self.outputs.narrow_sums {
            true => i64::from(i32::MAX) / factor,
            false => i64::MAX,
        };
        let signs = random.pick(&[[1, 1], [-1, -1], [-1, 1]]);
        let (start, len) = (random.below(row.len()), row.len());
        for step in 0..len {
            let size = match random.below(3) {
                0 => random.below(largest as usize + 1) as i64,
                _ => largest,
            };
            let size = size.min(left);
            left -= size;
            let weight = (random.pick(&signs) * size).min(i16::MAX.into());
            row[(start + step) % len] = weight as i16;
        }
    }
}

/// Counts of men put and lifted, all nine, from a full board on; twice over.
const COUNTS: [(usize, usize); 18] = {
    let once = [
        (1, 1),
        (2, 2),
        (0, 1),
        (1, 2),
        (2, 1),
        (0, 2),
        (1, 0),
        (2, 0),
        (0, 0),
    ];
    let mut twice = [(0, 0); 18];
    let mut index = 0;
    while index < 18 {
        twice[index] = once[index % 9];
        index += 1;
    }
    twice
};

/// A line of placements whose neighbours differ by such counts, from 32 men or from two kings.
fn line(random: &mut Random, full: bool) -> Vec<Placement> {
    let mut men: Vec<(Piece, Square)> = if full {
        let start = *AccumulatorStack::with_capacity(&zero_network(), 0).placement();
        let at = |square| start.piece_at(square).map(|piece| (piece, square));
        Square::ALL.into_iter().filter_map(at).collect()
    } else {
        let king = |color| Piece::new(color, PieceType::King);
        vec![
            (king(Color::White), Square::E1),
            (king(Color::Black), Square::E8),
        ]
    };
    let mut line = vec![Placement::from_pieces(men.iter().copied()).unwrap()];
    for (put, lifted) in COUNTS {
        if full || men.len() >= 2 + lifted {
            let mover = Color::ALL[(line.len() - 1) % 2];
            change(&mut men, put, lifted, mover, random);
            line.push(Placement::from_pieces(men.iter().copied()).unwrap());
        }
    }
    line
}

fn zero_network() -> Network {
    let architecture = Architecture::new(16).unwrap();
    Network::new(architecture.clone(), &Weights::zero(&architecture)).unwrap()
}

fn change(
    men: &mut Vec<(Piece, Square)>,
    put: usize,
    lifted: usize,
    mover: Color,
    random: &mut Random,
) {
    let before = men.clone();
    for _ in 0..lifted {
        let who = loop {
            let who = random.below(men.len());
            if men[who].0.piece_type != PieceType::King && before.contains(&men[who]) {
                break who;
            }
        };
        men.swap_remove(who);
    }
    for _ in 0..put {
        let square = loop {
            let square = random.pick(&Square::ALL);
            if [&before, &*men]
                .iter()
                .all(|men| men.iter().all(|&(_, taken)| taken != square))
            {
                break square;
            }
        };
        let piece_type = random.pick(&[PieceType::Pawn, PieceType::Knight, PieceType::Queen]);
        men.push((Piece::new(mover, piece_type), square));
    }
}

/// A line with the scores it should have, the side to move taking turns.
struct Expected {
    positions: Vec<Position>,
    scores: Vec<i32>,
}

impl Expected {
    fn new(architecture: &Architecture, weights: &Weights, line: &[Placement]) -> Self {
        let turns = Color::ALL.into_iter().cycle();
        let positions: Vec<_> = line
            .iter()
            .zip(turns)
            .map(|(&placement, mover)| Position::new(placement, mover))
            .collect();
        let score = |(placement, mover): (&Placement, Color)| {
            reference::evaluate(architecture, weights, placement, mover)
        };
        let scores = line
            .iter()
            .zip(Color::ALL.into_iter().cycle())
            .map(score)
            .collect();
        Self { positions, scores }
    }

    fn check(&self, network: &Network, line: &[Placement], case: &Case) {
        let backend = network.backend();
        for (position, &score) in self.positions.iter().zip(&self.scores) {
            assert_eq!(
                network.evaluate(position),
                score,
                "{backend}, {case:?}, fresh"
            );
        }
        // Values made ply by ply, after some plies at once, and at the end of the line only.
        let mut stack = AccumulatorStack::with_capacity(network, line.len());
        for stride in [1, 3, line.len() - 1] {
            stack.reset(&self.positions[0]);
            for (ply, pair) in line.windows(2).enumerate() {
                if ply % stride == 0 && stride < line.len() - 1 {
                    let found = stack.evaluate(network);
                    let score = self.scores[ply];
                    assert_eq!(found, score, "{backend}, {case:?}, ply {ply} of {stride}");
                }
                stack.push(&Delta::between(&pair[0], &pair[1]).unwrap());
            }
            let (found, score) = (stack.evaluate(network), *self.scores.last().unwrap());
            assert_eq!(found, score, "{backend}, {case:?}, last of {stride}");
        }
        // Roots that differ from the last one by few men and by many.
        for step in [1, 5] {
            for (position, &score) in self.positions.iter().zip(&self.scores).rev().step_by(step) {
                stack.reset(position);
                let found = stack.evaluate(network);
                assert_eq!(found, score, "{backend}, {case:?}, roots {step} apart");
            }
        }
    }
}

/// What the cases came to.
#[derive(Default)]
struct Met {
    /// SCReLU or not; narrow or not: accumulators, products, sums.
    choices: BTreeSet<(bool, bool, bool, bool)>,
    scores: usize,
    /// Scores at the end of an `i32`, which would hide a wrong sum.
    clamped: usize,
}

impl Met {
    fn choice(&mut self, network: &Network) {
        let narrow = |width| width == Width::Narrow;
        let arithmetic = network.arithmetic();
        self.choices.insert((
            network.architecture().activation() == Activation::Screlu,
            narrow(arithmetic.accumulators),
            narrow(arithmetic.products),
            narrow(arithmetic.sums),
        ));
    }

    fn scores(&mut self, scores: &[i32]) {
        let clamped = scores
            .iter()
            .filter(|score| [i32::MIN, i32::MAX].contains(score));
        self.clamped += clamped.count();
        self.scores += scores.len();
    }
}

fn check(hidden: usize, met: &mut Met) {
    for (index, case) in cases(hidden).enumerate() {
        let mut random = Random((hidden * 100 + index) as u64);
        let architecture = case.architecture();
        let weights = case.weights(&architecture, &mut random);
        let mut network = Network::new(architecture.clone(), &weights).unwrap();
        met.choice(&network);
        for full in [true, false] {
            let line = line(&mut random, full);
            let expected = Expected::new(&architecture, &weights, &line);
            met.scores(&expected.scores);
            for backend in Backend::available() {
                network = network.with_backend(backend);
                expected.check(&network, &line, &case);
            }
        }
    }
}

#[test]
fn every_size_up_to_512_and_every_width() {
    let mut met = Met::default();
    for hidden in (16..=512).step_by(16) {
        check(hidden, &mut met);
    }
    // Narrow products keep the sums of a CReLU narrow; all other choices occur.
    assert_eq!(met.choices.len(), 14, "{:?}", met.choices);
    let (scores, clamped) = (met.scores, met.clamped);
    assert!(clamped * 4 < scores, "{clamped} of {scores} are clamped");
    assert!(scores > 5000);
}

#[test]
fn large_sizes() {
    for hidden in [
        528, 768, 1008, 1024, 1040, 1536, 2048, 2064, 3072, 4080, 4096,
    ] {
        check(hidden, &mut Met::default());
    }
}
