//! Training on the processor.

// Loops over lanes are by index, so that none of the arrays leads and every loop looks the same to the
// vectoriser.
#![allow(clippy::needless_range_loop)]

mod adam;
mod kernels;
mod lane;
mod pass;
mod row_order;
mod rows;
mod shape;
mod tiles;

#[cfg(test)]
mod gradient_tests;

use std::sync::Arc;
use std::vec::Vec;

use rayon::ThreadPool;

use super::backend::{Backend, BackendOptions};
use super::batch::Batch;
use super::optimizer::{OptimizerState, StepOptions};
use super::parameters::Parameters;
use crate::Architecture;
use adam::Adam;
use pass::Pass;
use shape::Shape;
use tiles::Tiles;

/// The processor's threads.
#[derive(Debug)]
pub(super) struct Cpu {
    pool: Arc<ThreadPool>,
    architecture: Architecture,
    tiles: Tiles,
    optimizer: Adam,
    pass: Pass,
}

impl Cpu {
    /// A backend with these parameters.
    pub(super) fn new(
        parameters: &Parameters,
        options: BackendOptions,
        pool: Arc<ThreadPool>,
    ) -> Self {
        let architecture = parameters.architecture().clone();
        let shape = Shape::new(architecture.hidden(), options.batch_size);
        let tiles = Tiles::new(parameters, shape);
        Self {
            optimizer: Adam::new(options.optimizer, &tiles),
            pass: Pass::new(shape, &architecture, options.loss),
            pool,
            architecture,
            tiles,
        }
    }

    /// The gradient as it is now.
    #[cfg(all(test, feature = "gpu"))]
    pub(super) fn gradient_now(&self) -> super::FloatWeights {
        self.pass.summed_gradient(&self.tiles).to_weights()
    }

    /// The same with another instruction set.
    #[cfg(test)]
    fn with_instructions(mut self, instructions: crate::Backend) -> Self {
        self.pass.set_instructions(instructions);
        self
    }

    /// Makes the bias of a hidden value NaN.
    #[cfg(test)]
    pub(super) fn poison(&mut self, column: usize) {
        let mut weights = self.tiles.to_weights();
        weights.feature_biases[column] = f32::NAN;
        let parameters = Parameters::of_training(self.architecture.clone(), weights);
        self.tiles = Tiles::new(&parameters, self.pass.shape());
    }
}

impl Backend for Cpu {
    fn gradient(&mut self, batch: &Batch, divisor: usize, fresh: bool) -> f64 {
        let (pass, tiles) = (&mut self.pass, &self.tiles);
        self.pool
            .install(|| pass.gradient(tiles, batch, divisor, fresh))
    }

    fn step(&mut self, options: &StepOptions) {
        let (pass, tiles, optimizer) = (&self.pass, &mut self.tiles, &mut self.optimizer);
        self.pool.install(|| pass.step(tiles, optimizer, options));
    }

    fn outputs(&mut self, batch: &Batch) -> Vec<f32> {
        let (pass, tiles) = (&mut self.pass, &self.tiles);
        self.pool.install(|| pass.outputs(tiles, batch))
    }

    fn parameters(&self) -> Parameters {
        Parameters::of_training(self.architecture.clone(), self.tiles.to_weights())
    }

    fn set_parameters(&mut self, parameters: &Parameters) {
        self.tiles = Tiles::new(parameters, self.pass.shape());
    }

    fn state(&self) -> OptimizerState {
        self.optimizer.state()
    }

    fn restore(&mut self, state: &OptimizerState) {
        self.optimizer.restore(state, self.pass.shape());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::batch::Samples;
    use crate::train::config::thread_pool;
    use crate::train::train_common::random_positions;
    use crate::train::{FloatWeights, Loss, Optimizer, Targets};

    const fn options(batch_size: usize) -> BackendOptions {
        BackendOptions {
            batch_size,
            optimizer: Optimizer::AdamW,
            loss: Loss::SQUARED,
        }
    }

    const OPTIONS: StepOptions = StepOptions {
        rate: 0.01,
        weight_decay: 0.01,
        weight_limit: Parameters::WEIGHT_LIMIT,
    };

    pub(super) fn cpu_of(parameters: &Parameters, batch_size: usize, loss: Loss) -> Cpu {
        let pool = Arc::new(thread_pool(core::num::NonZeroUsize::new(2)).unwrap());
        let options = BackendOptions {
            loss,
            ..options(batch_size)
        };
        Cpu::new(parameters, options, pool)
    }

    fn cpu(batch_size: usize) -> Cpu {
        let architecture = Architecture::new(80).unwrap();
        cpu_of(
            &Parameters::random(&architecture, 1),
            batch_size,
            Loss::SQUARED,
        )
    }

    /// All that comes of two steps: the losses, the outputs, and parameters and moments.
    pub(super) fn results(
        mut cpu: Cpu,
        batch: &Batch,
    ) -> ([u64; 2], Vec<u32>, Parameters, OptimizerState) {
        let losses = [(); 2].map(|()| {
            let loss = cpu.gradient(batch, batch.len(), true);
            cpu.step(&OPTIONS);
            loss.to_bits()
        });
        let outputs = cpu.outputs(batch).into_iter().map(f32::to_bits);
        (losses, outputs.collect(), cpu.parameters(), cpu.state())
    }

    fn batch(cpu: &Cpu, range: core::ops::Range<u64>) -> Batch {
        let (mut samples, mut batch) = (Samples::new(), Batch::new());
        samples.fetch(&random_positions(200, 1), range).unwrap();
        let targets = Targets::new(200, 0.25).unwrap();
        batch.load(&samples, &targets, &cpu.architecture).unwrap();
        batch
    }

    #[test]
    fn a_state_goes_on_where_it_was_taken() {
        let mut first = cpu(100);
        let batches = [0..100, 100..200].map(|range| batch(&first, range));
        let learn = |cpu: &mut Cpu, batch: &Batch| {
            cpu.gradient(batch, batch.len(), true);
            cpu.step(&OPTIONS);
        };
        learn(&mut first, &batches[0]);
        let pool = Arc::clone(&first.pool);
        let mut second = Cpu::new(&first.parameters(), options(100), pool);
        second.restore(&first.state());
        assert_eq!(second.state(), first.state());
        assert_eq!(first.state().steps, 1);
        learn(&mut first, &batches[1]);
        learn(&mut second, &batches[1]);
        assert_eq!(second.parameters(), first.parameters());
        assert_eq!(second.state(), first.state());
        second.restore(&OptimizerState::new(first.parameters().weights()));
        learn(&mut first, &batches[1]);
        learn(&mut second, &batches[1]);
        assert_ne!(second.parameters(), first.parameters());
    }

    fn largest_miss(a: &FloatWeights, b: &FloatWeights) -> f32 {
        let pairs = [
            (&a.feature_weights, &b.feature_weights),
            (&a.feature_biases, &b.feature_biases),
            (&a.output_weights, &b.output_weights),
            (&a.output_biases, &b.output_biases),
        ];
        let pairs = pairs.into_iter().flat_map(|(a, b)| a.iter().zip(b));
        pairs.fold(0.0, |largest, (a, b)| (a - b).abs().max(largest))
    }

    #[test]
    fn gradients_of_several_calls_add_up() {
        let mut cpu = cpu(200);
        let whole = batch(&cpu, 0..200);
        let loss = cpu.gradient(&whole, 200, true);
        let expected = cpu.pass.summed_gradient(&cpu.tiles).to_weights();
        let mut sum = 0.0;
        for (range, fresh) in [(0..70, true), (70..71, false), (71..200, false)] {
            let share = batch(&cpu, range);
            sum += cpu.gradient(&share, 200, fresh);
        }
        assert!((sum - loss).abs() < 1e-9);
        let found = cpu.pass.summed_gradient(&cpu.tiles).to_weights();
        assert!(largest_miss(&found, &expected) < 1e-6);
        assert!(largest_miss(&found, &FloatWeights::zero(&cpu.architecture)) > 1e-4);
    }

    #[test]
    fn outputs_are_those_of_the_parameters() {
        let mut cpu = cpu(64);
        let batch = batch(&cpu, 0..200);
        let outputs = cpu.outputs(&batch);
        let samples = random_positions(200, 1).0;
        assert_eq!(outputs.len(), samples.len());
        for (output, sample) in outputs.iter().zip(&samples) {
            assert!((output - cpu.parameters().evaluate(sample)).abs() < 1e-5);
        }
        cpu.poison(79);
        assert!(cpu.outputs(&batch).iter().all(|output| output.is_nan()));
        assert!(cpu.gradient(&batch, 200, true).is_nan());
    }
}
