//! The kernels against a plain network in f64, and that one against finite differences.

use std::vec;
use std::vec::Vec;

use chess_records::{Board, Color, LabelledPosition};

use super::pass::Pass;
use super::shape::Shape;
use super::tiles::Tiles;
use crate::train::batch::{Batch, Samples};
use crate::train::train_common::{Numbers, Positions, random_positions};
use crate::train::{FloatWeights, Loss, Parameters, Targets};
use crate::{Activation, Architecture};

const GROUPS: [&str; 4] = [
    "feature weights",
    "feature biases",
    "output weights",
    "output bias",
];

/// A network as naive as can be: all its parameters in one list, features, biases, output weights,
/// output bias.
struct Reference {
    hidden: usize,
    activation: Activation,
    values: Vec<f64>,
}

/// One view of one sample on its way through: inputs that are on, and hidden sums.
struct View {
    inputs: Vec<usize>,
    sums: Vec<f64>,
}

impl Reference {
    fn random(hidden: usize, activation: Activation) -> Self {
        let mut numbers = Numbers(hidden as u64);
        let mut uniform = |count, limit: f64| -> Vec<f64> {
            // Values that f32 holds exactly: both networks are then the same.
            let value = |_| f64::from((limit * numbers.signed_unit()) as f32);
            (0..count).map(value).collect()
        };
        let groups = [
            uniform(768 * hidden, 0.3),
            uniform(hidden, 0.5),
            uniform(2 * hidden, 4.0 / hidden as f64),
            uniform(1, 0.3),
        ];
        Self {
            hidden,
            activation,
            values: groups.concat(),
        }
    }

    /// Where the groups of [`GROUPS`] start.
    fn starts(&self) -> [usize; 4] {
        [0, 768, 769, 771].map(|rows| rows * self.hidden)
    }

    fn parameters(&self) -> Parameters {
        let values: Vec<f32> = self.values.iter().map(|&value| value as f32).collect();
        let [features, biases, outputs, bias] = self.starts();
        let weights = FloatWeights {
            feature_weights: values[features..biases].to_vec(),
            feature_biases: values[biases..outputs].to_vec(),
            output_weights: values[outputs..bias].to_vec(),
            output_biases: vec![values[bias]],
            factoriser: Vec::new(),
        };
        let architecture = Architecture::new(self.hidden).unwrap();
        Parameters::new(architecture.with_activation(self.activation), weights).unwrap()
    }

    fn view(&self, sample: &LabelledPosition, view: Color) -> View {
        let biases = self.starts()[1];
        let mut sums = self.values[biases..biases + self.hidden].to_vec();
        let mut inputs = Vec::new();
        for (piece, square) in sample.placement().pieces() {
            let side = if piece.color == view { 0 } else { 384 };
            let square = match view {
                Color::White => square.index(),
                Color::Black => square.index() ^ 56,
            };
            let input = side + 64 * piece.piece_type.index() + square;
            for (column, sum) in sums.iter_mut().enumerate() {
                *sum += self.values[input * self.hidden + column];
            }
            inputs.push(input);
        }
        View { inputs, sums }
    }

    fn views(&self, sample: &LabelledPosition) -> [View; 2] {
        let mover = sample.side_to_move();
        [mover, mover.opponent()].map(|view| self.view(sample, view))
    }

    /// The activation and its slope.
    fn activate(&self, sum: f64) -> (f64, f64) {
        let inside = sum > 0.0 && sum < 1.0;
        let clipped = sum.clamp(0.0, 1.0);
        let (value, slope) = match self.activation {
            Activation::Crelu => (clipped, 1.0),
            Activation::Screlu => (clipped * clipped, 2.0 * clipped),
        };
        (value, if inside { slope } else { 0.0 })
    }

    fn output(&self, views: &[View; 2]) -> f64 {
        let [_, _, outputs, bias] = self.starts();
        let mut output = self.values[bias];
        for (half, view) in views.iter().enumerate() {
            for (column, &sum) in view.sums.iter().enumerate() {
                let weight = self.values[outputs + half * self.hidden + column];
                output += weight * self.activate(sum).0;
            }
        }
        output
    }

    fn loss(&self, samples: &Positions, targets: &Targets) -> f64 {
        let losses = samples.0.iter().map(|sample| {
            let expected = 1.0 / (1.0 + (-self.output(&self.views(sample))).exp());
            (expected - target(sample, targets)).powi(2)
        });
        losses.sum::<f64>() / samples.0.len() as f64
    }

    fn gradient(&self, samples: &Positions, targets: &Targets) -> Vec<f64> {
        let [_, biases, outputs, bias] = self.starts();
        let mut gradient = vec![0.0; self.values.len()];
        for sample in &samples.0 {
            let views = self.views(sample);
            let expected = 1.0 / (1.0 + (-self.output(&views)).exp());
            let miss = expected - target(sample, targets);
            let slope = 2.0 * miss * expected * (1.0 - expected) / samples.0.len() as f64;
            gradient[bias] += slope;
            for (half, view) in views.iter().enumerate() {
                for (column, &sum) in view.sums.iter().enumerate() {
                    let (value, rise) = self.activate(sum);
                    let output = outputs + half * self.hidden + column;
                    gradient[output] += slope * value;
                    let hidden_slope = slope * self.values[output] * rise;
                    gradient[biases + column] += hidden_slope;
                    for &input in &view.inputs {
                        gradient[input * self.hidden + column] += hidden_slope;
                    }
                }
            }
        }
        gradient
    }

    /// Whether a column's hidden sums keep off the corners of the clip in every sample.
    fn columns_off_corners(&self, samples: &Positions) -> Vec<bool> {
        let mut off = vec![true; self.hidden];
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
        let outputs = self.starts()[2];
        let columns = (0..outputs).map(|index| off[index % self.hidden]);
        let tellable: Vec<_> = columns.chain(vec![true; 2 * self.hidden + 1]).collect();
        let count = tellable.iter().filter(|&&tellable| tellable).count();
        assert!(count > tellable.len() / 2, "too many columns at corners");
        tellable
    }
}

fn target(sample: &LabelledPosition, targets: &Targets) -> f64 {
    f64::from(targets.target(sample.label, sample.side_to_move()).unwrap())
}

/// The kernels' gradient as one list, like [`Reference::values`].
fn kernel_gradient(
    reference: &Reference,
    samples: &Positions,
    targets: &Targets,
    shape: Shape,
) -> (f64, Vec<f64>) {
    let tiles = Tiles::new(&reference.parameters(), shape);
    let mut pass = Pass::new(shape, reference.activation, Loss::SQUARED);
    let mut fetched = Samples::new();
    fetched.fetch(samples, 0..samples.0.len() as u64).unwrap();
    let (mut batch, mut loss) = (Batch::new(), 0.0);
    let parameters = reference.parameters();
    batch
        .load(&fetched, targets, parameters.architecture())
        .unwrap();
    // Twice: a batch must not remember the one before.
    for _ in 0..2 {
        loss = pass.gradient(&tiles, &batch, batch.len(), true);
    }
    let FloatWeights {
        feature_weights,
        feature_biases,
        output_weights,
        output_biases,
        ..
    } = pass.summed_gradient(&tiles).to_weights();
    let groups = [
        feature_weights,
        feature_biases,
        output_weights,
        output_biases,
    ];
    let gradient = groups.concat().into_iter().map(f64::from).collect();
    (loss / samples.0.len() as f64, gradient)
}

/// To 0.1%, or to a millionth of the largest in the group for sums that cancel out.
#[track_caller]
fn assert_near(found: f64, expected: f64, largest: f64, what: &str) {
    let allowed = 1e-3 * expected.abs() + 1e-6 * largest;
    let miss = (found - expected).abs();
    assert!(miss <= allowed, "{what}: {found}, expected {expected}");
}

fn largest(values: &[f64]) -> f64 {
    values
        .iter()
        .fold(0.0, |largest, value| value.abs().max(largest))
}

/// Index ranges of the groups, with their names.
fn groups(
    reference: &Reference,
) -> impl Iterator<Item = (&'static str, core::ops::Range<usize>)> + use<> {
    let starts = reference.starts();
    let ends = [starts[1], starts[2], starts[3], starts[3] + 1];
    let ranges = starts.into_iter().zip(ends).map(|(start, end)| start..end);
    GROUPS.into_iter().zip(ranges)
}

fn targets() -> Targets {
    Targets::new(200, 0.25).unwrap()
}

fn check_kernels(hidden: usize, activation: Activation, samples: usize, shape: Shape) {
    let reference = Reference::random(hidden, activation);
    let samples = random_positions(samples, 3);
    let (loss, found) = kernel_gradient(&reference, &samples, &targets(), shape);
    assert_near(loss, reference.loss(&samples, &targets()), 1.0, "loss");
    let expected = reference.gradient(&samples, &targets());
    let tellable = reference.tellable(&samples);
    for (group, range) in groups(&reference) {
        let largest = largest(&expected[range.clone()]);
        assert!(largest > 0.0, "{group} have no gradient to check");
        for index in range.filter(|&index| tellable[index]) {
            let what = std::format!("{group}, {index}, N = {hidden}");
            assert_near(found[index], expected[index], largest, &what);
        }
    }
}

#[test]
fn kernels_have_the_reference_gradient_at_every_width() {
    for hidden in [16, 32, 64, 80, 144, 256] {
        for activation in [Activation::Crelu, Activation::Screlu] {
            check_kernels(hidden, activation, 40, Shape::new(hidden, 40));
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
        check_kernels(48, Activation::Screlu, samples, Shape::new(48, batch_size));
    }
}

/// Every bias and output weight, and three thousand feature weights, most of inputs that are on.
#[test]
fn reference_gradient_is_that_of_finite_differences() {
    const STEP: f64 = 1e-5;
    for activation in [Activation::Crelu, Activation::Screlu] {
        let mut reference = Reference::random(16, activation);
        let samples = random_positions(20, 5);
        let gradient = reference.gradient(&samples, &targets());
        let tellable = reference.tellable(&samples);
        for (group, range) in groups(&reference) {
            let largest = largest(&gradient[range.clone()]);
            let stride = if range.len() > 1000 { 4 } else { 1 };
            for index in range.step_by(stride).filter(|&index| tellable[index]) {
                let value = reference.values[index];
                let mut loss_at = |value| {
                    reference.values[index] = value;
                    reference.loss(&samples, &targets())
                };
                let rise = loss_at(value + STEP) - loss_at(value - STEP);
                loss_at(value);
                let what = std::format!("{group}, {index}");
                assert_near(rise / (2.0 * STEP), gradient[index], largest, &what);
            }
        }
    }
}
