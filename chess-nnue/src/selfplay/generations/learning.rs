//! One network from the positions of games.

use std::format;
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::string::String;
use std::sync::Arc;
use std::vec::Vec;

use super::samples::Samples;
use super::{GenerationsError, Plan};
use crate::train::{Audit, Baselines, EvalScaleFit, Event, RunFolder, TrainConfig, Trainer};
use crate::{Architecture, Network};

/// The losses of an epoch.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct EpochLosses {
    /// The mean over the samples that were learnt from.
    pub training: f64,
    /// The mean over those held out, after the epoch.
    pub held_out: f64,
}

/// What came of training.
pub(super) struct Learnt {
    pub(super) network: Network,
    pub(super) eval_scale: i32,
    pub(super) losses: Vec<EpochLosses>,
    pub(super) audit: Audit,
}

/// The share of the results in the targets. A game's result says little of one position, and the games are
/// few: networks of 30,000 games and 10 epochs were 89 Elo (71 to 108) ahead of the rules with a share of
/// 0.25, 133 (115 to 152) with 0.1 and 137 (118 to 157) with none.
const RESULT_WEIGHT: f32 = 0.05;

/// With so many samples a scale is far better than it needs to be.
const FITTED_SAMPLES: u64 = 1 << 22;

/// Trains on these positions in `folder`, or goes on there; `None` when `tell` breaks off.
pub(super) fn learn(
    plan: &Plan,
    samples: Samples,
    folder: &Path,
    threads: usize,
    mut tell: impl FnMut(&Event<'_>) -> ControlFlow<()>,
) -> Result<Option<Learnt>, GenerationsError> {
    let (training, held_out) = (Arc::new(samples.training), samples.held_out);
    let config = config(plan, &training, threads)?;
    let baselines = Baselines::of_datasets(&training, &held_out, &config.targets()?)?;
    let eval_scale = config.architecture.eval_scale();
    let mut trainer = Trainer::new(config)?;
    let run = RunFolder::open(folder)?;
    let mut log = LossLog::open(folder)?;
    // A run that is over may be broken off too: with its last event.
    let mut flow = ControlFlow::Continue(());
    let outcome = run.train(&mut trainer, training, &held_out, |event| {
        log.add(&event)?;
        flow = tell(&event);
        flow
    })?;
    if let Some(failure) = log.failure {
        return Err(failure);
    }
    if outcome.stopped || flow.is_break() {
        return Ok(None);
    }
    log.check(plan.epochs)?;
    let network = outcome.parameters.quantize().network;
    let validator = trainer.validator();
    let audit = Audit::of_dataset(validator, &outcome.parameters, &network, &held_out)?;
    Ok(Some(Learnt {
        network,
        eval_scale,
        losses: log.losses,
        audit: audit.with_baselines(baselines),
    }))
}

fn config(
    plan: &Plan,
    training: &Arc<super::samples::Records>,
    threads: usize,
) -> Result<TrainConfig, GenerationsError> {
    let fit = EvalScaleFit::of_spread(training, FITTED_SAMPLES)?;
    let eval_scale = (fit.eval_scale()?.round() as i32).clamp(1, Architecture::MAX_EVAL_SCALE);
    let architecture = Architecture::new(plan.hidden as usize)?.with_eval_scale(eval_scale)?;
    let mut config = TrainConfig::new(architecture);
    config.epochs = plan.epochs as u32;
    config.batch_size = plan.batch as usize;
    config.result_weight = RESULT_WEIGHT;
    config.seed = plan.seed;
    config.threads = std::num::NonZeroUsize::new(threads);
    Ok(config)
}

/// The losses of the epochs that are over, in `losses.csv`: what an interrupted run had told already is
/// not lost.
struct LossLog {
    path: PathBuf,
    losses: Vec<EpochLosses>,
    failure: Option<GenerationsError>,
}

impl LossLog {
    const HEADER: &str = "epoch,training,held_out";

    fn open(folder: &Path) -> Result<Self, GenerationsError> {
        super::remove_unfinished(folder, &["losses.csv."])?;
        let path = folder.join("losses.csv");
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(source) => return Err(GenerationsError::Io { path, source }),
        };
        let rows = (1..).zip(text.lines().skip(1));
        let losses = rows.map(|(epoch, row)| {
            read_row(row, epoch).ok_or_else(|| no_row(&path, epoch, row.into()))
        });
        Ok(Self {
            losses: losses.collect::<Result<_, _>>()?,
            path,
            failure: None,
        })
    }

    /// Keeps the losses of an epoch, before its checkpoint is written: one that is done again after an
    /// interruption has the same.
    fn add(&mut self, event: &Event<'_>) -> ControlFlow<()> {
        let &Event::Epoch {
            epoch,
            training_loss,
            validation_loss,
            ..
        } = event
        else {
            return ControlFlow::Continue(());
        };
        let losses = EpochLosses {
            training: training_loss,
            held_out: validation_loss,
        };
        match self.keep(epoch.into(), losses) {
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => {
                self.failure = Some(failure);
                ControlFlow::Break(())
            }
        }
    }

    fn keep(&mut self, epoch: u64, losses: EpochLosses) -> Result<(), GenerationsError> {
        self.check(epoch - 1)?;
        self.losses.truncate(epoch as usize - 1);
        self.losses.push(losses);
        self.write()
    }

    /// Whether there are the losses of so many epochs.
    fn check(&self, epochs: u64) -> Result<(), GenerationsError> {
        let found = self.losses.len();
        match found as u64 >= epochs {
            true => Ok(()),
            false => Err(no_row(&self.path, found + 1, String::new())),
        }
    }

    fn write(&self) -> Result<(), GenerationsError> {
        let mut text = format!("{}\n", Self::HEADER);
        for (epoch, losses) in (1..).zip(&self.losses) {
            let EpochLosses { training, held_out } = losses;
            text += &format!("{epoch},{training},{held_out}\n");
        }
        super::write(&self.path, text.as_bytes())
    }
}

fn read_row(row: &str, epoch: usize) -> Option<EpochLosses> {
    let losses = row.strip_prefix(&format!("{epoch},"))?;
    let (training, held_out) = losses.split_once(',')?;
    Some(EpochLosses {
        training: training.parse().ok()?,
        held_out: held_out.parse().ok()?,
    })
}

/// The error of an epoch without losses; its line is the one after that of the names and its number.
fn no_row(path: &Path, epoch: usize, found: String) -> GenerationsError {
    GenerationsError::Losses {
        path: path.into(),
        line: epoch + 1,
        found,
    }
}
