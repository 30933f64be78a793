//! Everything that is known before the first step.

use chess_nnue::train::{
    Baselines, EvalScaleError, EvalScaleFit, TrainConfig, TrainError, Trainer,
};
use chess_records::Dataset;

use super::data::Data;
use super::display::Display;
use super::spec::Spec;
use crate::{Outcome, chain};

/// With so many samples a scale is far better than it needs to be.
const FITTED_SAMPLES: u64 = 1 << 24;
/// Any scale does to see whether the rest of a configuration is sound.
const SOME_EVAL_SCALE: i32 = 100;

/// A run that can begin or go on.
pub(crate) struct Prepared {
    /// The configuration with nothing left open.
    pub(crate) spec: Spec,
    pub(crate) config: TrainConfig,
    pub(crate) data: Data,
    /// The eval scale that fits best.
    pub(crate) fitted: Result<f64, EvalScaleError>,
    pub(crate) baselines: Baselines,
}

impl Prepared {
    /// Opens the data of a configuration and fits the eval scale if it is left open.
    pub(crate) fn of(given: &Spec, display: &Display) -> Outcome<Self> {
        // Mistakes are told before long work.
        let asked_for = given.eval_scale()?;
        given.config(asked_for.unwrap_or(SOME_EVAL_SCALE))?;
        display.doing("reading the data");
        let data = Data::open(&given.data, &given.filter)?;
        display.say(&format!(
            "{} samples to train on, {} held out",
            data.training.len(),
            data.held_out.len()
        ));
        if data.account.left_over > 0 {
            let left_over = data.account.left_over;
            display.say(&format!(
                "{left_over} more find no place in the mix by weight"
            ));
        }
        let warnings = data.account.warnings.iter();
        warnings.for_each(|warning| display.say(&format!("WARNING: {warning}")));
        display.doing("fitting the eval scale");
        let fit = EvalScaleFit::of_spread(&data.training, FITTED_SAMPLES)?;
        let fitted = fit.eval_scale();
        let eval_scale = match asked_for {
            Some(eval_scale) => eval_scale,
            None => rounded(fitted)?,
        };
        let config = given.config(eval_scale)?;
        if config.check_scores && scores_count(&config) {
            fit.check(eval_scale).map_err(TrainError::Scores)?;
        }
        if let Ok(fitted) = fitted {
            display.say(&format!("eval scale {eval_scale}, {fitted:.2} fits best"));
        }
        display.doing("counting the men");
        let baselines = Baselines::of_datasets(&data.training, &data.held_out, &config.targets()?);
        Ok(Self {
            spec: given.resolved(&config)?,
            config,
            baselines: baselines.map_err(|error| {
                let hint = "the samples cannot be learnt from";
                format!("{hint}: {}", chain(&error))
            })?,
            data,
            fitted,
        })
    }

    /// What trains by this configuration.
    pub(crate) fn trainer(&self) -> Outcome<Trainer> {
        let trainer = Trainer::new(self.config.clone());
        Ok(trainer.map_err(|error| chain(&error))?)
    }
}

/// A scale for a network's header.
fn rounded(fitted: Result<f64, EvalScaleError>) -> Outcome<i32> {
    match fitted {
        Ok(fitted) => Ok((fitted.round() as i32).max(1)),
        Err(error) => Err(format!(
            "no eval scale fits the training set, so that its scores may be wrong (a number as eval \
             scale passes over this): {error}"
        )
        .into()),
    }
}

/// Whether targets are made of scores.
fn scores_count(config: &TrainConfig) -> bool {
    let last = config.last_result_weight.unwrap_or(config.result_weight);
    config.result_weight < 1.0 || last < 1.0
}
