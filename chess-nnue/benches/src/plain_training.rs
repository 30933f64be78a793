//! A training step as plain as can be, for this one network: SCReLU, one output, AVX2, one thread.
//!
//! The hidden layer is cut into tiles of 64 columns, each with its weights, gradients and moments. It is
//! told the inputs and the targets of a batch and knows nothing else: a measure, not a library.

// Loops are by index, as one writes them by hand.
#![allow(clippy::needless_range_loop)]

use chess_nnue::train::{FloatWeights, sigmoid};

/// The columns of a tile.
const WIDTH: usize = 64;
/// The samples whose hidden values are kept: they fit a cache.
const PART: usize = 2048;
const BIAS: usize = 768;
const OUTPUT: usize = 769;
const ROWS: usize = 771;

type Row = [f32; WIDTH];

/// A cache line's alignment for every row.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Aligned(Row);

struct Tile {
    weights: Vec<Aligned>,
    gradient: Vec<Aligned>,
    means: Vec<Aligned>,
    squares: Vec<Aligned>,
    /// Clipped hidden values of both views of each sample.
    clipped: Vec<[Aligned; 2]>,
}

/// A network in training.
pub struct Plain {
    tiles: Vec<Tile>,
    output_bias: f32,
    bias_moments: [f32; 2],
    powers: [f64; 2],
    outputs: Vec<f32>,
    slopes: Vec<f32>,
}

const RATE: f64 = 1e-3;
const DECAY: f64 = 0.01;
const LIMIT: f32 = 1.98;

impl Plain {
    /// Training that starts from these weights, whose number of columns is a multiple of 64.
    pub fn new(weights: &FloatWeights) -> Self {
        let hidden = weights.feature_biases.len();
        assert!(hidden.is_multiple_of(WIDTH));
        let rows: Vec<&[f32]> = weights
            .feature_weights
            .chunks(hidden)
            .chain([weights.feature_biases.as_slice()])
            .chain(weights.output_weights.chunks(hidden))
            .collect();
        let tile = |first: usize| Tile {
            weights: rows
                .iter()
                .map(|row| Aligned(core::array::from_fn(|i| row[first + i])))
                .collect(),
            gradient: vec![Aligned([0.0; WIDTH]); ROWS],
            means: vec![Aligned([0.0; WIDTH]); ROWS],
            squares: vec![Aligned([0.0; WIDTH]); ROWS],
            clipped: Vec::new(),
        };
        Self {
            tiles: (0..hidden).step_by(WIDTH).map(tile).collect(),
            output_bias: weights.output_biases[0],
            bias_moments: [0.0; 2],
            powers: [1.0; 2],
            outputs: Vec::new(),
            slopes: Vec::new(),
        }
    }

    /// The output weights, the mover's half first.
    pub fn output_weights(&self) -> Vec<f32> {
        let half = |row: usize| self.tiles.iter().flat_map(move |tile| tile.weights[row].0);
        half(OUTPUT).chain(half(OUTPUT + 1)).collect()
    }

    /// Learns from a batch and gives its mean loss.
    ///
    /// # Panics
    ///
    /// On a processor without AVX2.
    pub fn batch(&mut self, men: &[Vec<[u16; 2]>], targets: &[f32]) -> f64 {
        assert!(is_x86_feature_detected!("avx2"), "a processor with AVX2");
        for tile in &mut self.tiles {
            tile.gradient.fill(Aligned([0.0; WIDTH]));
        }
        let (mut loss, mut bias_gradient) = (0.0, 0.0);
        for (part, targets) in men.chunks(PART).zip(targets.chunks(PART)) {
            let (losses, slopes) = self.part(part, targets, men.len());
            loss += losses;
            bias_gradient += slopes;
        }
        self.step(bias_gradient as f32);
        loss / men.len() as f64
    }

    /// Some samples forward and back; the sums of their losses and of their slopes.
    fn part(&mut self, men: &[Vec<[u16; 2]>], targets: &[f32], batch_len: usize) -> (f64, f64) {
        self.outputs.clear();
        self.outputs.resize(men.len(), self.output_bias);
        for tile in &mut self.tiles {
            // SAFETY: `batch` has seen that the processor has AVX2.
            unsafe { forward(tile, men, &mut self.outputs) };
        }
        let (mut losses, mut slopes) = (0.0, 0.0);
        self.slopes.clear();
        for (&output, &target) in self.outputs.iter().zip(targets) {
            let expected = sigmoid(f64::from(output));
            let miss = expected - f64::from(target);
            let slope = 2.0 * miss * expected * (1.0 - expected) / batch_len as f64;
            losses += miss * miss;
            slopes += slope;
            self.slopes.push(slope as f32);
        }
        for tile in &mut self.tiles {
            // SAFETY: as above.
            unsafe { backward(tile, men, &self.slopes) };
        }
        (losses, slopes)
    }

    fn step(&mut self, bias_gradient: f32) {
        self.powers = [self.powers[0] * 0.9, self.powers[1] * 0.999];
        let step = Step {
            rate: (RATE / (1.0 - self.powers[0])) as f32,
            correction: (1.0 / (1.0 - self.powers[1]).sqrt()) as f32,
        };
        for tile in &mut self.tiles {
            // SAFETY: `batch` has seen that the processor has AVX2.
            unsafe { step_tile(tile, step) };
        }
        let [mean, square] = &mut self.bias_moments;
        self.output_bias -= step.change(mean, square, bias_gradient);
    }
}

#[target_feature(enable = "avx2")]
fn forward(tile: &mut Tile, men: &[Vec<[u16; 2]>], outputs: &mut [f32]) {
    tile.clipped.resize(men.len(), [Aligned([0.0; WIDTH]); 2]);
    for sample in 0..men.len() {
        let mut lanes = [0.0; 8];
        for view in 0..2 {
            let mut sums = tile.weights[BIAS].0;
            for man in &men[sample] {
                let row = &tile.weights[usize::from(man[view])].0;
                for i in 0..WIDTH {
                    sums[i] += row[i];
                }
            }
            let clipped = &mut tile.clipped[sample][view].0;
            for i in 0..WIDTH {
                clipped[i] = sums[i].clamp(0.0, 1.0);
            }
            let output_row = &tile.weights[OUTPUT + view].0;
            for block in 0..WIDTH / 8 {
                for lane in 0..8 {
                    let i = 8 * block + lane;
                    lanes[lane] += clipped[i] * clipped[i] * output_row[i];
                }
            }
        }
        outputs[sample] += lanes.iter().sum::<f32>();
    }
}

#[target_feature(enable = "avx2")]
fn backward(tile: &mut Tile, men: &[Vec<[u16; 2]>], slopes: &[f32]) {
    for sample in 0..men.len() {
        let slope = slopes[sample];
        for view in 0..2 {
            let clipped = &tile.clipped[sample][view].0;
            let output_row = &tile.weights[OUTPUT + view].0;
            let mut hidden = [0.0; WIDTH];
            for i in 0..WIDTH {
                let x = clipped[i];
                let rise = if (x > 0.0) & (x < 1.0) { x + x } else { 0.0 };
                hidden[i] = rise * (output_row[i] * slope);
                tile.gradient[OUTPUT + view].0[i] += x * x * slope;
                tile.gradient[BIAS].0[i] += hidden[i];
            }
            for man in &men[sample] {
                let row = &mut tile.gradient[usize::from(man[view])].0;
                for i in 0..WIDTH {
                    row[i] += hidden[i];
                }
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Step {
    rate: f32,
    correction: f32,
}

impl Step {
    #[inline(always)]
    fn change(self, mean: &mut f32, square: &mut f32, gradient: f32) -> f32 {
        *mean = 0.9 * *mean + 0.1 * gradient;
        *square = 0.999 * *square + 0.001 * (gradient * gradient);
        self.rate * *mean / (square.sqrt() * self.correction + 1e-8)
    }
}

#[target_feature(enable = "avx2")]
fn step_tile(tile: &mut Tile, step: Step) {
    let keep = (1.0 - RATE * DECAY) as f32;
    for row in 0..ROWS {
        let gradient = &tile.gradient[row].0;
        let (means, squares) = (&mut tile.means[row].0, &mut tile.squares[row].0);
        let weights = &mut tile.weights[row].0;
        for i in 0..WIDTH {
            let change = step.change(&mut means[i], &mut squares[i], gradient[i]);
            weights[i] = (weights[i] * keep - change).clamp(-LIMIT, LIMIT);
        }
    }
}
