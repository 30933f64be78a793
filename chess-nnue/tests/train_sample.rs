//! Training on the real sample.

#![cfg(feature = "train")]

mod train_common;

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::time::Instant;

use chess_nnue::Architecture;
use chess_nnue::train::{Event, TrainConfig, Trainer};
use train_common::real_sample;

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
