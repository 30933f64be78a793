//! A run in its folder, from where it is to its end.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::rc::Rc;

use chess_nnue::Network;
use chess_nnue::train::{
    Checkpoint, Event, Outcome as TrainOutcome, Parameters, RunFolder, Trainer, Validator,
    calibration_curve, loss_curves,
};
use serde_json::json;

use super::display::Display;
use super::folder;
use super::metrics::{Metrics, loss_points};
use super::prepared::Prepared;
use super::report::{self, Examination, Report, State};
use crate::Outcome;
use crate::interrupt::{self, Interrupted};

pub(crate) struct Run {
    folder: Rc<RunFolder>,
    prepared: Prepared,
    metrics: Metrics,
    display: Display,
    /// For examinations while the trainer is at work.
    validator: Validator,
    /// That of the last network.
    examination: Option<Examination>,
}

/// A run that is over.
pub(crate) struct Ended {
    run: Run,
    outcome: TrainOutcome,
    examination: Examination,
}

impl Run {
    /// A run that goes on where its folder says.
    pub(crate) fn new(folder: RunFolder, prepared: Prepared, display: Display) -> Outcome<Self> {
        let (newest, _) = folder.newest()?;
        let config = &prepared.config;
        let metrics = Metrics::open(
            &folder.path().join(folder::METRICS),
            newest.as_ref().map_or(0, Checkpoint::steps),
            prepared.spec.metrics_steps,
            config.checkpoint_steps,
        )?;
        if let Some(warning) = metrics.warning() {
            display.say(&format!("WARNING: {warning}"));
        }
        let validator = Validator::new(config.targets()?, config.threads)?;
        Ok(Self {
            validator: validator.with_loss(config.loss),
            folder: Rc::new(folder),
            prepared,
            metrics,
            display,
            examination: None,
        })
    }

    pub(crate) fn finish(mut self, trainer: Trainer) -> Outcome<Ended> {
        let outcome = self.train(trainer)?;
        if outcome.stopped {
            return Err(Box::new(Interrupted(format!(
                "stopped after step {}; to go on: chess-nnue resume {}",
                outcome.steps,
                folder::quoted(&self.folder.path().to_string_lossy())
            ))));
        }
        self.display.doing("writing the report");
        let path = self.folder.path();
        let network = outcome.parameters.quantize().network;
        folder::write(path, folder::NETWORK, &network.to_bytes())?;
        let parameters = outcome.parameters.to_safetensors();
        folder::write(path, folder::PARAMETERS, &parameters)?;
        let examination = match self.examination.take() {
            Some(examination) => examination,
            None => self.examine(&outcome.parameters, folder::NETWORK)?,
        };
        self.write_report(&examination, State::Over)?;
        Ok(Ended {
            run: self,
            outcome,
            examination,
        })
    }

    fn train(&mut self, mut trainer: Trainer) -> Outcome<TrainOutcome> {
        let training = self.prepared.data.training.clone();
        let held_out = self.prepared.data.held_out.clone();
        let folder = Rc::clone(&self.folder);
        let mut failure = None;
        let outcome = folder.train(&mut trainer, training, &*held_out, |event| {
            match self.on_event(&event) {
                Ok(()) if !interrupt::was_asked() => ControlFlow::Continue(()),
                Ok(()) => ControlFlow::Break(()),
                Err(error) => {
                    failure = Some(error);
                    ControlFlow::Break(())
                }
            }
        });
        match failure {
            Some(failure) => Err(failure),
            None => Ok(outcome?),
        }
    }

    fn on_event(&mut self, event: &Event<'_>) -> Outcome {
        self.metrics.on_event(event)?;
        self.display.on_event(event);
        if let Event::Epoch {
            epoch, parameters, ..
        } = event
        {
            let examination = self.examine(parameters, "last.nnue")?;
            self.write_report(&examination, State::After { epoch: *epoch })?;
            self.examination = Some(examination);
        }
        Ok(())
    }

    /// Examines the network that an engine would load, the file of this name.
    fn examine(&self, parameters: &Parameters, name: &str) -> Outcome<Examination> {
        let network = Network::load(self.folder.path().join(name))?;
        let (data, baselines) = (&self.prepared.data, self.prepared.baselines);
        Examination::of(
            &network,
            Some(parameters),
            &self.validator,
            &*data.held_out,
            baselines,
        )
    }

    fn write_report(&self, examination: &Examination, state: State) -> Outcome {
        let path = self.folder.path();
        let rows = self.metrics.rows();
        // Without rows there is nothing to draw: somebody has damaged the file of metrics.
        let losses = loss_curves(&loss_points(rows)).ok();
        if let Some(losses) = &losses {
            folder::write(path, folder::LOSSES, losses.as_bytes())?;
        }
        // Nor is there without results.
        let calibration = calibration_curve(&examination.calibration).ok();
        if let Some(calibration) = &calibration {
            folder::write(path, folder::CALIBRATION, calibration.as_bytes())?;
        }
        let report = Report {
            folder: path,
            prepared: &self.prepared,
            rows,
            examination,
            state,
            has_losses: losses.is_some(),
            has_calibration: calibration.is_some(),
        };
        folder::write(path, folder::REPORT, report.to_string().as_bytes())
    }
}

impl Ended {
    /// Says what came of it.
    pub(crate) fn write(&self, as_json: bool, out: &mut dyn Write) -> Outcome {
        match as_json {
            true => self.write_json(out),
            false => self.write_text(out),
        }
    }

    fn path(&self) -> &Path {
        self.run.folder.path()
    }

    fn write_text(&self, out: &mut dyn Write) -> Outcome {
        let baselines = &self.run.prepared.baselines;
        let path = self.path();
        writeln!(
            out,
            "loss held out {:.5}; counting the men {:.5}, always the mean {:.5}",
            self.examination.audit.integer_loss, baselines.material_loss, baselines.constant_loss
        )?;
        if let Some(note) = report::other_power(&self.run.prepared.config) {
            writeln!(out, "{note}")?;
        }
        if let Some(best) = self
            .outcome
            .best
            .filter(|best| best.epoch < self.outcome.epochs)
        {
            writeln!(
                out,
                "epoch {} was better: {}",
                best.epoch,
                path.join("best.nnue").display()
            )?;
        }
        for warning in self.examination.audit.warnings() {
            writeln!(out, "WARNING: {warning}")?;
        }
        writeln!(out, "network {}", path.join(folder::NETWORK).display())?;
        Ok(writeln!(
            out,
            "report {}",
            path.join(folder::REPORT).display()
        )?)
    }

    fn write_json(&self, out: &mut dyn Write) -> Outcome {
        let best = self.outcome.best;
        let object = json!({
            "run": self.path(),
            "network": self.path().join(folder::NETWORK),
            "epochs": self.outcome.epochs,
            "steps": self.outcome.steps,
            "records": self.outcome.records,
            "validation_loss": self.outcome.validation_loss,
            "best": best.map(|best| json!({
                "epoch": best.epoch,
                "validation_loss": best.validation_loss,
            })),
            "eval_scale": self.run.prepared.config.architecture.eval_scale(),
            "fitted_eval_scale": self.run.prepared.fitted.ok(),
            "data": self.run.prepared.data.account,
            "examination": self.examination.json(),
        });
        Ok(writeln!(out, "{object}")?)
    }
}
