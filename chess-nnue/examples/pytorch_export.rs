//! A training run with all that another program needs to repeat it; see `tests/pytorch_compare.md`.
//!
//! ```text
//! cargo run --release -p chess-nnue --features safetensors --example pytorch_export -- DATA.marlin FOLDER [EPOCHS]
//! ```
//!
//! writes `initial.safetensors`, `trained.safetensors`, `order.bin` (the samples in the order learnt from, in
//! little-endian `u32`) and `run.json` (settings and losses) to the folder.

#![allow(clippy::print_stderr)]

use std::error::Error;
use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use chess_nnue::Architecture;
use chess_nnue::train::{EvalScaleFit, Event, TrainConfig, Trainer};
use chess_records::{
    Dataset, MarlinRecord, RecordFile, Sampler, SamplerConfig, Selection, Slice, Split,
};
use serde_json::json;

/// The share of games that is held out, as in the example `train_small`.
const HELD_OUT: f64 = 0.05;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(data), Some(folder)) = (arguments.next(), arguments.next()) else {
        return Err("usage: pytorch_export DATA.marlin FOLDER [EPOCHS]".into());
    };
    let folder = PathBuf::from(folder);
    let records = Arc::new(RecordFile::<MarlinRecord>::read(data)?);
    let split = Split::last_games(&records, HELD_OUT)?;
    let training = Slice::new(Arc::clone(&records), split.train.clone())?;
    let held_out = Slice::new(records, split.held_out.clone())?;
    let eval_scale = EvalScaleFit::of_dataset(&training)?.eval_scale()?;
    let architecture = Architecture::new(256)?.with_eval_scale(eval_scale.round() as i32)?;
    let mut config = TrainConfig::new(architecture);
    if let Some(epochs) = arguments.next() {
        config.epochs = epochs.to_string_lossy().parse()?;
    }

    let mut trainer = Trainer::new(config)?;
    let initial = trainer.parameters();
    let initial_loss = trainer.validator().loss(&initial, &held_out)?;
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("initial.safetensors"), initial.to_safetensors())?;
    let order = order(trainer.config(), &training)?;
    let mut epochs = Vec::new();
    let outcome = trainer.run(training, &held_out, |event| {
        if let Event::Epoch {
            epoch,
            learning_rate,
            training_loss,
            validation_loss,
            ..
        } = event
        {
            eprintln!("epoch {epoch}: {training_loss:.5} {validation_loss:.5}");
            epochs.push(json!({
                "learning_rate": learning_rate,
                "training_loss": training_loss,
                "validation_loss": validation_loss,
            }));
        }
        ControlFlow::Continue(())
    })?;
    let trained = outcome.parameters.to_safetensors();
    fs::write(folder.join("trained.safetensors"), trained)?;
    fs::write(folder.join("order.bin"), order)?;
    let config = trainer.config();
    let run = json!({
        "training": [split.train.start, split.train.end],
        "held_out": [split.held_out.start, split.held_out.end],
        "batch_size": config.batch_size,
        "eval_scale": config.architecture.eval_scale(),
        "result_weight": config.result_weight,
        "weight_decay": config.weight_decay,
        "initial_loss": initial_loss,
        "epochs": epochs,
    });
    fs::write(folder.join("run.json"), format!("{run:#}\n"))?;
    Ok(())
}

/// The samples in the order in which the trainer takes them, epoch after epoch.
fn order(config: &TrainConfig, training: impl Dataset) -> Result<Vec<u8>, Box<dyn Error>> {
    let sampling = SamplerConfig::new(config.batch_size).seed(config.seed);
    let mut sampler = Sampler::new(training, sampling.order(config.order))?;
    let (mut order, mut batch) = (Vec::new(), Selection::default());
    for epoch in 0..config.epochs {
        sampler.set_epoch(epoch.into());
        while sampler.next_into(&mut batch) {
            let indices = batch.samples().iter().map(|&index| index as u32);
            order.extend(indices.flat_map(u32::to_le_bytes));
        }
    }
    Ok(order)
}
