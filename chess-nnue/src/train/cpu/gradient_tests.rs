//! The kernels against a plain network in f64, and that one against finite differences.

use core::ops::Range;
use std::string::String;
use std::vec;
use std::vec::Vec;

use chess_records::{Board, Color, LabelledPosition};

use super::pass::Pass;
use super::shape::Shape;
use super::tiles::Tiles;
use crate::train::batch::{Batch, Samples};
use crate::train::train_common::{Numbers, Positions, random_positions};
use crate::train::{FloatWeights, Loss, Parameters, Targets};
use crate::{Activation, Architecture, Backend as InstructionSet, KingBuckets};

/// The lists of a network's numbers, in the order in which [`Reference`] holds them.
const GROUPS: [&str; 5] = [
    "feature weights",
    "factoriser",
    "feature biases",
    "output weights",
    "output biases",
];

/// A kind of network and of loss.
#[derive(Clone, Copy, Debug)]
struct Kind {
    hidden: usize,
    activation: Activation,
    /// How many king buckets, and whether views are mirrored.
    kings: (usize, bool),
    factoriser: bool,
    output_buckets: usize,
    power: f64,
}

const PLAIN: Kind = Kind {
    hidden: 16,
    activation: Activation::Screlu,
    kings: (1, false),
    factoriser: false,
    output_buckets: 1,
    power: 2.0,
};

/// Everything that can be trained, once.
const KINDS: [Kind; 7] = [
    PLAIN,
    Kind {
        activation: Activation::Crelu,
        ..PLAIN
    },
    Kind {
        power: 2.6,
        ..PLAIN
    },
    Kind {
        kings: (1, true),
        output_buckets: 8,
        ..PLAIN
    },
    Kind {
        kings: (3, false),
        ..PLAIN
    },
    Kind {
        kings: (3, true),
        factoriser: true,
        activation: Activation::Crelu,
        output_buckets: 5,
        ..PLAIN
    },
    Kind {
        kings: (2, false),
        factoriser: true,
        output_buckets: 2,
        power: 2.6,
        ..PLAIN
    },
];

impl Kind {
    /// The bucket of a king on this square, as its own side sees it.
    fn bucket(self, square: usize) -> usize {
        (square / 8 + square % 3) % self.kings.0
    }

    fn architecture(self) -> Architecture {
        let map = core::array::from_fn(|square| self.bucket(square) as u8);
        let kings = KingBuckets::new(map, self.kings.1).unwrap();
        let architecture = Architecture::new(self.hidden).unwrap();
        let architecture = architecture.with_king_buckets(kings);
        let architecture = architecture.with_activation(self.activation);
        architecture
            .with_output_buckets(self.output_buckets)
            .unwrap()
    }

    fn loss(self) -> Loss {
        Loss::new(self.power).unwrap()
    }
}

/// A network as naive as can be: all its parameters in one list.
struct Reference {
    kind: Kind,
    values: Vec<f64>,
}

/// One view of one sample on its way through: inputs that are on, and hidden sums.
struct View {
    inputs: Vec<usize>,
    sums: Vec<f64>,
}

impl Reference {
    fn random(kind: Kind) -> Self {
        let mut numbers = Numbers(kind.hidden as u64);
        let mut uniform = |range: Range<usize>, limit: f64| -> Vec<f64> {
            // Values that f32 holds exactly: both networks are then the same.
            let value = |_| f64::from((limit * numbers.signed_unit()) as f32);
            range.map(value).collect()
        };
        let limits = [0.3, 0.1, 0.5, 4.0 / kind.hidden as f64, 0.3];
        let groups = groups(kind).into_iter().zip(limits);
        let values = groups.map(|((_, range), limit)| uniform(range, limit));
        Self {
            kind,
            values: values.collect::<Vec<_>>().concat(),
        }
    }

    /// Where the group starts.
    fn start(&self, group: &str) -> usize {
        let groups = groups(self.kind);
        groups
            .iter()
            .find(|found| found.0 == group)
            .unwrap()
            .1
            .start
    }

    fn parameters(&self) -> Parameters {
        let lists = groups(self.kind).map(|(_, range)| {
            let values = self.values[range].iter();
            values.map(|&value| value as f32).collect()
        });
        let [
            feature_weights,
            factoriser,
            feature_biases,
            output_weights,
            output_biases,
        ] = lists;
        let weights = FloatWeights {
            feature_weights,
            factoriser,
            feature_biases,
            output_weights,
            output_biases,
        };
        Parameters::new(self.kind.architecture(), weights).unwrap()
    }

    /// The inputs that are on, by the rule: each as its own row and the factoriser's.
    fn inputs(&self, sample: &LabelledPosition, view: Color) -> Vec<usize> {
        let flip = |square: usize| match view {
            Color::White => square,
            Color::Black => square ^ 56,
        };
        let king = flip(sample.placement().king(view).index());
        let mirror = if self.kind.kings.1 && king % 8 > 3 {
            7
        } else {
            0
        };
        let men = sample.placement().pieces().map(|(piece, square)| {
            let side = if piece.color == view { 0 } else { 384 };
            side + 64 * piece.piece_type.index() + (flip(square.index()) ^ mirror)
        });
        let bucket = 768 * self.kind.bucket(king);
        let shared = self.start("factoriser") / self.kind.hidden;
        let rows = men.flat_map(|input| {
            [
                Some(bucket + input),
                self.kind.factoriser.then_some(shared + input),
            ]
        });
        rows.flatten().collect()
    }

    fn views(&self, sample: &LabelledPosition) -> [View; 2] {
        let mover = sample.side_to_move();
        let (biases, hidden) = (self.start("feature biases"), self.kind.hidden);
        [mover, mover.opponent()].map(|view| {
            let inputs = self.inputs(sample, view);
            let mut sums = self.values[biases..biases + hidden].to_vec();
            for input in &inputs {
                for (column, sum) in sums.iter_mut().enumerate() {
                    *sum += self.values[input * hidden + column];
                }
            }
            View { inputs, sums }
        })
    }

    /// The activation and its slope.
    fn activate(&self, sum: f64) -> (f64, f64) {
        let inside = sum > 0.0 && sum < 1.0;
        let clipped = sum.clamp(0.0, 1.0);
        let (value, slope) = match self.kind.activation {
            Activation::Crelu => (clipped, 1.0),
            Activation::Screlu => (clipped * clipped, 2.0 * clipped),
        };
        (value, if inside { slope } else { 0.0 })
    }

    /// The output bias that counts for a sample, and the first of its output weights.
    fn output_of(&self, sample: &LabelledPosition) -> (usize, usize) {
        let men = sample.placement().men() as usize;
        let bucket = (men - 2) / 32usize.div_ceil(self.kind.output_buckets);
        let weights = self.start("output weights") + 2 * self.kind.hidden * bucket;
        (self.start("output biases") + bucket, weights)
    }

    fn output(&self, sample: &LabelledPosition, views: &[View; 2]) -> f64 {
        let (bias, weights) = self.output_of(sample);
        let mut output = self.values[bias];
        for (half, view) in views.iter().enumerate() {
            for (column, &sum) in view.sums.iter().enumerate() {
                let weight = self.values[weights + half * self.kind.hidden + column];
                output += weight * self.activate(sum).0;
            }
        }
        output
    }

    fn loss(&self, samples: &Positions, targets: &Targets) -> f64 {
        let losses = samples.0.iter().map(|sample| {
            let expected = 1.0 / (1.0 + (-self.output(sample, &self.views(sample))).exp());
            let miss = expected - target(sample, targets);
            miss.abs().powf(self.kind.power)
        });
        losses.sum::<f64>() / samples.0.len() as f64
    }

    fn gradient(&self, samples: &Positions, targets: &Targets) -> Vec<f64> {
        let (biases, hidden) = (self.start("feature biases"), self.kind.hidden);
        let mut gradient = vec![0.0; self.values.len()];
        for sample in &samples.0 {
            let views = self.views(sample);
            let (bias, weights) = self.output_of(sample);
            let expected = 1.0 / (1.0 + (-self.output(sample, &views)).exp());
            let miss = expected - target(sample, targets);
            let rise = self.kind.power * miss.abs().powf(self.kind.power - 1.0) * miss.signum();
            let slope = rise * expected * (1.0 - expected) / samples.0.len() as f64;
            gradient[bias] += slope;
            for (half, view) in views.iter().enumerate() {
                for (column, &sum) in view.sums.iter().enumerate() {
                    let (value, rise) = self.activate(sum);
                    let output = weights + half * hidden + column;
                    gradient[output] += slope * value;
                    let hidden_slope = slope * self.values[output] * rise;
                    gradient[biases + column] += hidden_slope;
                    for &input in &view.inputs {
                        gradient[input * hidden + column] += hidden_slope;
                    }
                }
            }
        }
        gradient
    }

    /// Whether a column's hidden sums keep off the corners of the clip in every sample.
    fn columns_off_corners(&self, samples: &Positions) -> Vec<bool> {
        let mut off = vec![true; self.kind.hidden];
        for view in samples.0.iter().flat_map(|sample| self.views(sample)) {
            for (off, sum) in off.iter_mut().zip(view.sums) {
                *off &= sum.abs() > 1e-4 && (sum - 1.0).abs() > 1e-4;
            }
        }
        off
    }

    /// The parameters whose gradient can be told: all of the output layer, and the columns of the
    /// first layer that keep off the corners.
    fn tellable(&self, samples: &Positions) -> Vec<bool> {
        let off = self.columns_off_corners(samples);
        let outputs = self.start("output weights");
        let of_index = |index: usize| index >= outputs || off[index % self.kind.hidden];
        let tellable: Vec<_> = (0..self.values.len()).map(of_index).collect();
        let count = tellable.iter().filter(|&&tellable| tellable).count();
        assert!(count > tellable.len() / 2, "too many columns at corners");
        tellable
    }
}

fn target(sample: &LabelledPosition, targets: &Targets) -> f64 {
    f64::from(targets.target(sample.label, sample.side_to_move()).unwrap())
}

/// The groups of [`GROUPS`] and where they lie.
fn groups(kind: Kind) -> [(&'static str, Range<usize>); 5] {
    let rows = [
        768 * kind.kings.0,
        if kind.factoriser { 768 } else { 0 },
        1,
        2 * kind.output_buckets,
    ];
    let mut start = 0;
    core::array::from_fn(|group| {
        let len = rows
            .get(group)
            .map_or(kind.output_buckets, |rows| rows * kind.hidden);
        start += len;
        (GROUPS[group], start - len..start)
    })
}

fn batch(reference: &Reference, samples: &Positions, targets: &Targets) -> Batch {
    let (mut fetched, mut batch) = (Samples::new(), Batch::new());
    fetched.fetch(samples, 0..samples.0.len() as u64).unwrap();
    let architecture = reference.kind.architecture();
    batch.load(&fetched, targets, &architecture).unwrap();
    batch
}

/// The kernels' gradient as one list, like [`Reference::values`].
fn kernel_gradient(
    reference: &Reference,
    samples: &Positions,
    targets: &Targets,
    shape: Shape,
) -> (f64, Vec<f64>) {
    let kind = reference.kind;
    let tiles = Tiles::new(&reference.parameters(), shape);
    let mut pass = Pass::new(shape, &kind.architecture(), kind.loss());
    let batch = batch(reference, samples, targets);
    // Twice: a batch must not remember the one before.
    pass.gradient(&tiles, &batch, batch.len(), true);
    let loss = pass.gradient(&tiles, &batch, batch.len(), true);
    let gradient = list(pass.summed_gradient(&tiles).to_weights());
    let gradient = gradient.into_iter().map(f64::from).collect();
    (loss / samples.0.len() as f64, gradient)
}

fn list(weights: FloatWeights) -> Vec<f32> {
    let FloatWeights {
        feature_weights,
        factoriser,
        feature_biases,
        output_weights,
        output_biases,
    } = weights;
    [
        feature_weights,
        factoriser,
        feature_biases,
        output_weights,
        output_biases,
    ]
    .concat()
}

/// To 0.1%, or to a millionth of the largest in the group for sums that cancel out.
#[track_caller]
fn assert_near(found: f64, expected: f64, largest: f64, what: impl FnOnce() -> String) {
    let allowed = 1e-3 * expected.abs() + 1e-6 * largest;
    let miss = (found - expected).abs();
    assert!(miss <= allowed, "{}: {found}, expected {expected}", what());
}

fn largest(values: &[f64]) -> f64 {
    values
        .iter()
        .fold(0.0, |largest, value| value.abs().max(largest))
}

fn targets() -> Targets {
    Targets::new(200, 0.25).unwrap()
}

fn check_kernels(kind: Kind, samples: usize, shape: Shape) {
    let reference = Reference::random(kind);
    let samples = random_positions(samples, kind.hidden as u64 + 1);
    let (loss, found) = kernel_gradient(&reference, &samples, &targets(), shape);
    let what = || String::from("loss");
    assert_near(loss, reference.loss(&samples, &targets()), 1.0, what);
    let expected = reference.gradient(&samples, &targets());
    assert_eq!(found.len(), expected.len());
    let tellable = reference.tellable(&samples);
    for (group, range) in groups(kind) {
        let largest = largest(&expected[range.clone()]);
        assert!(
            largest > 0.0 || range.is_empty(),
            "{group}: nothing to check"
        );
        for index in range.filter(|&index| tellable[index]) {
            let what = || std::format!("{group}, {index}, {kind:?}");
            assert_near(found[index], expected[index], largest, what);
        }
    }
}

#[test]
fn kernels_have_the_reference_gradient_at_every_width() {
    for hidden in [16, 32, 48, 64, 80, 144, 256] {
        for activation in [Activation::Crelu, Activation::Screlu] {
            let kind = Kind {
                hidden,
                activation,
                ..PLAIN
            };
            check_kernels(kind, 40, Shape::new(hidden, 40));
        }
    }
}

#[test]
fn kernels_have_the_reference_gradient_for_every_kind() {
    for kind in KINDS {
        for hidden in [16, 80] {
            check_kernels(Kind { hidden, ..kind }, 150, Shape::new(hidden, 64));
        }
    }
}

#[test]
fn slices_and_parts_need_not_divide_the_batch() {
    for (samples, batch_size) in [
        (1, 1),
        (131, 131),
        (131, 1000),
        (150, 64),
        (67, 64),
        (200, 70),
    ] {
        let kind = Kind {
            hidden: 48,
            ..PLAIN
        };
        check_kernels(kind, samples, Shape::new(48, batch_size));
    }
}

/// Every bias and output weight, and thousands of feature weights, most of inputs that are on.
#[test]
fn reference_gradient_is_that_of_finite_differences() {
    const STEP: f64 = 1e-5;
    for kind in KINDS {
        let mut reference = Reference::random(kind);
        let samples = random_positions(20, 5);
        let gradient = reference.gradient(&samples, &targets());
        let tellable = reference.tellable(&samples);
        for (group, range) in groups(kind) {
            let largest = largest(&gradient[range.clone()]);
            let stride = range.len().div_ceil(2000).next_power_of_two() | 1;
            for index in range.step_by(stride).filter(|&index| tellable[index]) {
                let value = reference.values[index];
                let mut loss_at = |value| {
                    reference.values[index] = value;
                    reference.loss(&samples, &targets())
                };
                let rise = loss_at(value + STEP) - loss_at(value - STEP);
                loss_at(value);
                let what = || std::format!("{group}, {index}, {kind:?}");
                assert_near(rise / (2.0 * STEP), gradient[index], largest, what);
            }
        }
    }
}

/// Outputs, losses, gradients and steps of every instruction set, to the last bit.
#[test]
fn every_instruction_set_gives_the_same_bits() {
    for kind in KINDS {
        for hidden in [16, 32, 48, 64, 80] {
            let kind = Kind { hidden, ..kind };
            let reference = Reference::random(kind);
            let samples = random_positions(150, 9);
            let batch = batch(&reference, &samples, &targets());
            let results = InstructionSet::available().map(|set| {
                let cpu = super::tests::cpu_of(&reference.parameters(), 64, kind.loss());
                (
                    set,
                    super::tests::results(cpu.with_instructions(set), &batch),
                )
            });
            let results: Vec<_> = results.collect();
            for (set, result) in &results {
                assert!(*result == results[0].1, "{set}, {kind:?}");
            }
        }
    }
}
