//! Training on the real sample.

#![cfg(feature = "train")]
#![allow(clippy::unwrap_used)]

mod train_common;

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::time::Instant;

use chess_nnue::Architecture;
use chess_nnue::train::{EvalScaleFit, Event, Material, MaterialTable, TrainConfig, Trainer};
use train_common::{Positions, real_sample};

fn config() -> TrainConfig {
    let architecture = Architecture::new(256)
        .unwrap()
        .with_eval_scale(115)
        .unwrap();
    TrainConfig::new(architecture)
}

/// Takes a minute in a debug build; `cargo test --release -- --ignored --nocapture` shows the losses
/// and the speed. `THREADS` and `EPOCHS` in the environment change the run.
#[test]
#[ignore = "slow without optimization"]
#[allow(clippy::print_stdout)]
fn twenty_epochs_reach_the_reference_loss() {
    let from_environment = |name: &str| std::env::var(name).ok()?.parse::<usize>().ok();
    let (training, validation) = real_sample();
    let mut config = config();
    config.threads = from_environment("THREADS").and_then(NonZeroUsize::new);
    config.epochs = from_environment("EPOCHS").map_or(20, |epochs| epochs as u32);
    config.seed = from_environment("SEED").unwrap_or(0) as u64;
    let mut trainer = Trainer::new(config).unwrap();
    let start = Instant::now();
    let outcome = trainer.run(&training, &validation, |event| {
        if let Event::Epoch {
            epoch,
            training_loss,
            validation_loss,
            records,
            ..
        } = event
        {
            let speed = records as f64 / start.elapsed().as_secs_f64();
            println!("{epoch:2}: {training_loss:.5} {validation_loss:.5}, {speed:.0} records/s");
        }
        ControlFlow::Continue(())
    });
    println!("{:?}", start.elapsed());
    assert!(outcome.unwrap().validation_loss.unwrap() <= 0.0411);
}

/// The figures are those of Newton's method in another language.
#[test]
fn the_scale_that_fits_the_sample() {
    let (mut samples, held_out) = real_sample();
    let scale = |samples: &Positions| {
        let fit = EvalScaleFit::of_dataset(samples).unwrap();
        (fit.samples(), fit.eval_scale().unwrap())
    };
    let (count, of_training) = scale(&samples);
    assert!((of_training - 115.3892).abs() < 1e-4, "{of_training}");
    assert_eq!(count + held_out.0.len() as u64, 201_608);
    samples.0.extend(held_out.0);
    let (count, of_all) = scale(&samples);
    assert!((of_all - 115.5114).abs() < 1e-4, "{of_all}");
    assert_eq!(count, 201_608);
}

#[test]
fn baselines_of_the_sample() {
    let (training, validation) = real_sample();
    let targets = config().targets().unwrap();
    let training = MaterialTable::of_dataset(&training, &targets).unwrap();
    let validation = MaterialTable::of_dataset(&validation, &targets).unwrap();
    let near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 0.01;
    let constant = validation.loss_of_constant(training.mean_target());
    assert!(near(constant, 0.0561), "{constant}");
    let material = validation.loss_of_material(&Material::fit(&training));
    assert!(near(material, 0.0447), "{material}");
}
