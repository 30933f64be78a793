//! The GPU against the processor. Without a GPU nothing is tested.

use core::num::NonZeroUsize;
use core::ops::ControlFlow;
use std::sync::Arc;
use std::vec::Vec;

use rayon::ThreadPool;

use super::backend::OnGpu;
use super::device::{Gpu, GpuError};
use crate::train::backend::{Backend, BackendOptions};
use crate::train::batch::{Batch, Samples};
use crate::train::config::thread_pool;
use crate::train::cpu::Cpu;
use crate::train::optimizer::StepOptions;
use crate::train::train_common::random_positions;
use crate::train::{
    ConfigError, Device, Event, FloatWeights, Loss, Optimizer, Parameters, Targets, TrainConfig,
    Trainer,
};
use crate::{Activation, Architecture, KingBuckets};

const LIMIT: u64 = 128 << 20;

const STEP: StepOptions = StepOptions {
    rate: 0.01,
    weight_decay: 0.01,
    weight_limit: 0.1,
};

/// A network and what it is trained with.
#[derive(Clone)]
struct Case {
    parameters: Parameters,
    options: BackendOptions,
}

impl Case {
    fn of(architecture: &Architecture, batch_size: usize) -> Self {
        Self {
            parameters: Parameters::random(architecture, 1),
            options: BackendOptions {
                batch_size,
                optimizer: Optimizer::AdamW,
                loss: Loss::SQUARED,
            },
        }
    }

    fn plain(hidden: usize, activation: Activation, batch_size: usize) -> Self {
        let architecture = Architecture::new(hidden).unwrap();
        Self::of(&architecture.with_activation(activation), batch_size)
    }

    fn cpu(&self) -> Cpu {
        Cpu::new(&self.parameters, self.options, pool())
    }

    /// `None`, with a word about it, where there is no GPU.
    fn gpu(&self, limit: u64) -> Option<OnGpu> {
        let gpu = match Gpu::open(None) {
            Err(GpuError::None) => {
                skip();
                return None;
            }
            opened => opened.unwrap(),
        };
        let backend = OnGpu::with_limit(gpu, limit, &self.parameters, self.options, pool());
        Some(backend.unwrap())
    }

    fn batch(&self, samples: usize, seed: u64) -> Batch {
        let (mut fetched, mut batch) = (Samples::new(), Batch::new());
        let positions = random_positions(samples, seed);
        fetched.fetch(&positions, 0..samples as u64).unwrap();
        let targets = Targets::new(200, 0.25).unwrap();
        let architecture = self.parameters.architecture();
        batch.load(&fetched, &targets, architecture).unwrap();
        batch
    }
}

#[allow(clippy::print_stderr)]
fn skip() {
    std::eprintln!("skipped: no GPU here");
}

fn pool() -> Arc<ThreadPool> {
    Arc::new(thread_pool(NonZeroUsize::new(2)).unwrap())
}

fn groups(weights: &FloatWeights) -> [(&'static str, &[f32]); 5] {
    [
        ("feature weights", &weights.feature_weights),
        ("factoriser", &weights.factoriser),
        ("feature biases", &weights.feature_biases),
        ("output weights", &weights.output_weights),
        ("output biases", &weights.output_biases),
    ]
}

/// To a part of the value, or a hundredth of that of the largest in the group, for sums that cancel
/// out.
#[track_caller]
fn assert_near(found: &FloatWeights, expected: &FloatWeights, tolerance: f32) {
    for ((group, found), (_, expected)) in groups(found).into_iter().zip(groups(expected)) {
        assert_eq!(found.len(), expected.len());
        let largest = expected.iter().fold(0.0f32, |a, b| a.max(b.abs()));
        for (index, (&found, &expected)) in found.iter().zip(expected).enumerate() {
            let allowed = tolerance * (expected.abs() + 0.01 * largest);
            let miss = (found - expected).abs();
            assert!(
                miss <= allowed,
                "{group} {index}: {found}, expected {expected}"
            );
        }
        let is_zero = largest == 0.0 && !expected.is_empty();
        assert!(!is_zero, "{group}: nothing to compare");
    }
}

/// A batch's gradient, and that of two more added up, on both.
fn check_gradients(case: &Case) {
    let Some(mut gpu) = case.gpu(LIMIT) else {
        return;
    };
    let mut cpu = case.cpu();
    for (seed, samples, fresh) in [(1, 700, true), (2, 300, true), (3, 130, false)] {
        let batch = case.batch(samples, seed);
        let expected = cpu.gradient(&batch, 430, fresh);
        let found = gpu.gradient(&batch, 430, fresh);
        assert!((found / expected - 1.0).abs() < 1e-5, "{found} {expected}");
        assert_near(&gpu.gradient_now().unwrap(), &cpu.gradient_now(), 1e-4);
    }
    gpu.check().unwrap();
}

#[test]
fn gradients_are_those_of_the_processor() {
    for hidden in [16, 48, 256] {
        for activation in [Activation::Crelu, Activation::Screlu] {
            check_gradients(&Case::plain(hidden, activation, 700));
        }
    }
}

/// Ten king buckets, mirrored, and eight output buckets.
fn buckets(hidden: usize) -> Architecture {
    let map = core::array::from_fn(|square| (square % 8 * 2 + square / 32) as u8 % 10);
    let architecture = Architecture::new(hidden).unwrap();
    architecture
        .with_king_buckets(KingBuckets::new(map, true).unwrap())
        .with_output_buckets(8)
        .unwrap()
}

#[test]
fn gradients_of_buckets_are_those_of_the_processor() {
    let mut case = Case::of(&buckets(48), 700);
    check_gradients(&case);
    case.parameters = case.parameters.with_factoriser();
    check_gradients(&case);
}

#[test]
fn losses_may_be_other_powers() {
    for power in [1.0, 2.6] {
        let mut case = Case::plain(32, Activation::Screlu, 700);
        case.options.loss = Loss::new(power).unwrap();
        check_gradients(&case);
    }
}

fn check_parts(limit: u64, samples: usize, part_len: usize) {
    let case = Case::plain(2048, Activation::Screlu, samples);
    let Some(mut gpu) = case.gpu(limit) else {
        return;
    };
    assert_eq!(gpu.part_len(), part_len);
    let mut cpu = case.cpu();
    let batch = case.batch(samples, 1);
    let expected = cpu.gradient(&batch, samples, true);
    let found = gpu.gradient(&batch, samples, true);
    assert!((found / expected - 1.0).abs() < 1e-5, "{found} {expected}");
    assert_near(&gpu.gradient_now().unwrap(), &cpu.gradient_now(), 1e-4);
    let outputs = gpu.outputs(&batch).into_iter().zip(cpu.outputs(&batch));
    for (number, (found, expected)) in outputs.enumerate() {
        assert!((found - expected).abs() < 1e-4, "{number}");
    }
    gpu.check().unwrap();
}

#[test]
fn a_batch_too_large_for_the_device_goes_through_in_parts() {
    check_parts(8 << 20, 700, 512);
}

/// What is usual, by a software device's limit.
#[test]
#[ignore = "two minutes on a software device"]
fn a_usual_batch_of_a_wide_network_goes_through_in_parts() {
    check_parts(LIMIT, 16_384, 8192);
}

#[test]
fn steps_are_those_of_the_processor() {
    let plain = Case::plain(48, Activation::Screlu, 300);
    let mut shared = Case::of(&buckets(16), 300);
    shared.parameters = shared.parameters.with_factoriser();
    let cases = [
        (Optimizer::AdamW, &plain),
        (Optimizer::RAdam, &plain),
        (Optimizer::AdamW, &shared),
    ];
    for (optimizer, case) in cases {
        let mut case = case.clone();
        case.options.optimizer = optimizer;
        let Some(mut gpu) = case.gpu(LIMIT) else {
            return;
        };
        let mut cpu = case.cpu();
        for seed in 0..7 {
            let batch = case.batch(300, seed);
            for backend in [&mut cpu as &mut dyn Backend, &mut gpu] {
                backend.gradient(&batch, 300, true);
                backend.step(&STEP);
            }
            // From the same point each time: Adam makes much of next to nothing.
            let (of_cpu, of_gpu) = (cpu.state(), gpu.state());
            assert_eq!(of_gpu.steps, seed + 1);
            assert_near(&of_gpu.means, &of_cpu.means, 1e-4);
            assert_near(&of_gpu.squares, &of_cpu.squares, 1e-4);
            let found = gpu.parameters();
            let largest = largest_miss(found.weights(), cpu.parameters().weights());
            assert!(
                largest < 1e-4,
                "{optimizer:?}, step {}: {largest}",
                seed + 1
            );
            gpu.set_parameters(&cpu.parameters());
            gpu.restore(&of_cpu);
        }
        if optimizer == Optimizer::AdamW {
            let parameters = gpu.parameters();
            let mut weights = parameters.weights().output_weights.iter();
            let rows = parameters.weights().factoriser.iter();
            assert!(
                rows.clone()
                    .all(|weight| weight.abs() <= STEP.weight_limit / 2.0)
            );
            assert!(weights.any(|weight| weight.abs() == STEP.weight_limit));
        }
    }
}

fn largest_miss(a: &FloatWeights, b: &FloatWeights) -> f32 {
    let pairs = groups(a).into_iter().zip(groups(b));
    let pairs = pairs.flat_map(|((_, a), (_, b))| a.iter().zip(b));
    pairs.fold(0.0, |largest, (a, b)| (a - b).abs().max(largest))
}

/// Thirty steps; the losses of all batches.
fn train(backend: &mut dyn Backend, case: &Case, steps: core::ops::Range<u64>) -> Vec<f64> {
    let losses = steps.map(|step| {
        let batch = case.batch(256, step % 4);
        let loss = backend.gradient(&batch, 256, true);
        backend.step(&STEP);
        loss
    });
    losses.collect()
}

#[test]
fn a_run_is_like_the_processors_and_repeats_itself() {
    let case = Case::plain(64, Activation::Screlu, 256);
    let (Some(mut gpu), Some(mut again)) = (case.gpu(LIMIT), case.gpu(LIMIT)) else {
        return;
    };
    let expected = train(&mut case.cpu(), &case, 0..30);
    let found = train(&mut gpu, &case, 0..30);
    assert!(expected[29] < 0.8 * expected[1], "nothing learnt");
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found / expected - 1.0).abs() < 0.005, "{found} {expected}");
    }
    assert_eq!(train(&mut again, &case, 0..30), found);
    assert_eq!(again.parameters(), gpu.parameters());
    assert_eq!(again.state(), gpu.state());
}

#[test]
fn a_state_goes_on_wherever_it_was_taken() {
    let case = Case::plain(64, Activation::Screlu, 256);
    let Some(mut first) = case.gpu(LIMIT) else {
        return;
    };
    let mut cpu = case.cpu();
    train(&mut first, &case, 0..6);
    for backend in [&mut cpu as &mut dyn Backend, &mut case.gpu(LIMIT).unwrap()] {
        backend.set_parameters(&first.parameters());
        backend.restore(&first.state());
        assert_eq!(backend.parameters(), first.parameters());
        assert_eq!(backend.state(), first.state());
    }
    let mut back = case.gpu(LIMIT).unwrap();
    back.set_parameters(&cpu.parameters());
    back.restore(&cpu.state());
    let expected = train(&mut first, &case, 6..12);
    assert_eq!(train(&mut back, &case, 6..12), expected);
    assert_eq!(back.parameters(), first.parameters());
    for (found, expected) in train(&mut cpu, &case, 6..12).iter().zip(expected) {
        assert!((found / expected - 1.0).abs() < 0.005, "{found} {expected}");
    }
}

#[test]
fn losses_told_late_are_the_same() {
    let case = Case::plain(32, Activation::Screlu, 100);
    // Parts of a batch, and more batches than the device keeps losses of.
    let limit = 4 * case.parameters.weights().feature_weights.len() as u64 + 3000;
    let (Some(mut late), Some(mut at_once)) = (case.gpu(limit), case.gpu(limit)) else {
        return;
    };
    let batches = [1, 2].map(|seed| case.batch(100, seed));
    let mut expected = Vec::new();
    for batch in batches.iter().cycle().take(140) {
        expected.push(at_once.gradient(batch, 100, true));
        at_once.step(&STEP);
        assert_eq!(late.start_gradient(batch, 100, true), None);
        late.step(&STEP);
    }
    assert_eq!(late.late_losses(), expected);
    assert!(late.late_losses().is_empty() && at_once.late_losses().is_empty());
    late.start_gradient(&batches[0], 100, true);
    let loss = late.gradient(&batches[0], 100, true);
    assert_eq!(late.late_losses(), [loss]);
    late.check().unwrap();

    let timings = late.timings().unwrap();
    assert!(timings.preparation.as_nanos() > 0 && timings.waiting.as_nanos() > 0);
    assert!(timings.device.is_none_or(|time| time.as_nanos() > 0));
}

#[test]
fn a_number_that_is_none_is_noticed() {
    let mut case = Case::plain(80, Activation::Screlu, 64);
    let Some(mut gpu) = case.gpu(LIMIT) else {
        return;
    };
    let batch = case.batch(64, 1);
    assert!(gpu.gradient(&batch, 64, true).is_finite());
    let mut weights = case.parameters.weights().clone();
    weights.feature_biases[79] = f32::NAN;
    let architecture = case.parameters.architecture().clone();
    case.parameters = Parameters::of_training(architecture, weights);
    gpu.set_parameters(&case.parameters);
    assert!(gpu.outputs(&batch).iter().all(|output| output.is_nan()));
    assert!(gpu.gradient(&batch, 64, true).is_nan());
    gpu.step(&STEP);
    assert!(gpu.gradient(&batch, 64, true).is_nan());
    gpu.check().unwrap();
}

#[test]
fn a_gpu_that_is_not_there_is_an_error() {
    let case = Case::plain(16, Activation::Screlu, 64);
    let error = OnGpu::new(Some("no such"), &case.parameters, case.options, pool());
    let error = error.unwrap_err();
    assert!(matches!(error, GpuError::None | GpuError::Name { .. }));
}

#[test]
fn what_fails_on_the_device_is_told() {
    let case = Case::plain(16, Activation::Screlu, 64);
    let Some(mut gpu) = case.gpu(LIMIT) else {
        return;
    };
    gpu.break_device();
    let batch = case.batch(64, 1);
    assert!(gpu.gradient(&batch, 64, true).is_nan());
    let error = gpu.check().unwrap_err();
    assert!(std::string::ToString::to_string(&error).starts_with("the GPU failed: "));
}

/// A run by the trainer on the processor, on the GPU and half on each.
#[test]
fn a_trainer_may_change_devices() {
    let training = Arc::new(random_positions(900, 1));
    let validation = random_positions(200, 2);
    let config = |device| {
        let architecture = Architecture::new(32).unwrap();
        let mut config = TrainConfig::new(architecture.with_eval_scale(200).unwrap());
        (config.batch_size, config.epochs, config.check_scores) = (100, 10, false);
        config.device = device;
        config
    };
    let on_gpu = config(Device::Gpu { name: None });
    let mut gpu = match Trainer::new(on_gpu.clone()) {
        Err(ConfigError::Gpu(GpuError::None)) => return skip(),
        trainer => trainer.unwrap(),
    };
    let mut cpu = Trainer::new(config(Device::Cpu)).unwrap();
    let no_stop = |_: Event<'_>| ControlFlow::Continue(());
    let mut losses = [Vec::new(), Vec::new()];
    for (trainer, losses) in [&mut cpu, &mut gpu].into_iter().zip(&mut losses) {
        let outcome = trainer.run(Arc::clone(&training), &validation, |event| {
            match event {
                Event::Epoch {
                    training_loss,
                    validation_loss,
                    ..
                } => {
                    losses.extend([training_loss, validation_loss]);
                }
                Event::Step {
                    batch_loss,
                    training_loss,
                    ..
                } => {
                    assert!(batch_loss > 0.0 && training_loss > 0.0);
                }
                _ => {}
            }
            ControlFlow::Continue(())
        });
        outcome.unwrap();
    }
    let [expected, found] = &losses;
    for (found, expected) in found.iter().zip(expected) {
        assert!((found / expected - 1.0).abs() < 0.005, "{found} {expected}");
    }
    assert_eq!(losses[0].len(), 20);
    assert!(gpu.gpu_name().is_some() && cpu.gpu_name().is_none());
    assert!(gpu.timings().is_some() && cpu.timings().is_none());

    // Stopped on the one, gone on with on the other.
    let half_way = |config: &TrainConfig| {
        let mut trainer = Trainer::new(config.clone()).unwrap();
        let half = trainer.run(Arc::clone(&training), &validation, |event| match event {
            Event::Step { step: 43, .. } => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        });
        half.unwrap().checkpoint
    };
    let checkpoints = [half_way(cpu.config()), half_way(gpu.config())];
    for (trainer, checkpoint) in [&mut gpu, &mut cpu].into_iter().zip(checkpoints) {
        let outcome = trainer.resume(&checkpoint, Arc::clone(&training), &validation, no_stop);
        let loss = outcome.unwrap().validation_loss.unwrap();
        assert!((loss / expected[19] - 1.0).abs() < 0.005, "{loss}");
    }
}

#[test]
fn a_run_tells_later_that_a_loss_is_no_number() {
    let training = Arc::new(random_positions(900, 1));
    let mut config = TrainConfig::new(Architecture::new(32).unwrap());
    (config.batch_size, config.check_scores) = (10, false);
    config.device = Device::Gpu { name: None };
    let mut trainer = match Trainer::new(config) {
        Err(ConfigError::Gpu(GpuError::None)) => return skip(),
        trainer => trainer.unwrap(),
    };
    let parameters = trainer.parameters();
    let mut weights = parameters.weights().clone();
    weights.feature_biases[3] = f32::NAN;
    let poisoned = Parameters::of_training(parameters.architecture().clone(), weights);
    trainer.backend.set_parameters(&poisoned);
    let no_stop = |_: Event<'_>| ControlFlow::Continue(());
    let error = trainer.run(Arc::clone(&training), &*training, no_stop);
    assert_eq!(
        std::string::ToString::to_string(&error.unwrap_err()),
        "the loss of batch 1 in epoch 1 (step 1) is NaN, as was told later"
    );
    // What is left of it does not disturb the next run.
    trainer.backend.set_parameters(&parameters);
    let outcome = trainer.run(Arc::clone(&training), &*training, |event| match event {
        Event::Step { step: 150, .. } => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    assert_eq!(outcome.unwrap().steps, 150);
}
