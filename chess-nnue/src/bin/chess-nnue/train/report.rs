//! A run as a page for people.

use std::fmt::{self, Display, Formatter};
use std::path::Path;

use chess_nnue::Network;
use chess_nnue::train::{Audit, Baselines, Calibration, Loss, Parameters, TrainConfig, Validator};
use chess_nnue::{Activation, Architecture};
use chess_records::{Dataset, LabelledPosition};
use serde_json::{Value, json};

use super::data::{Account, FileAccount};
use super::folder;
use super::metrics::Row;
use super::prepared::Prepared;
use crate::Outcome;

/// What a network is worth on samples held out.
pub(crate) struct Examination {
    pub(crate) audit: Audit,
    pub(crate) calibration: Calibration,
}

impl Examination {
    pub(crate) fn of(
        network: &Network,
        parameters: Option<&Parameters>,
        validator: &Validator,
        held_out: &dyn Dataset<Batch = Vec<LabelledPosition>>,
        baselines: Baselines,
    ) -> Outcome<Self> {
        let targets = validator.targets();
        let audit = match parameters {
            Some(parameters) => Audit::of_dataset(validator, parameters, network, held_out)?,
            None => Audit::of_network(network, targets, held_out)?,
        };
        let buckets = Calibration::DEFAULT_BUCKETS;
        Ok(Self {
            audit: audit.with_baselines(baselines),
            calibration: Calibration::of_network(network, targets, held_out, buckets)?,
        })
    }

    pub(crate) fn json(&self) -> Value {
        let warnings = self.audit.warnings();
        let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        json!({
            "audit": self.audit,
            "calibration": self.calibration,
            "calibration_error": self.calibration.error(),
            "beats_baselines": self.audit.beats_baselines(),
            "material_is_in_order": self.audit.material_is_in_order(),
            "warnings": warnings,
        })
    }
}

/// How far a run is.
#[derive(Clone, Copy)]
pub(crate) enum State {
    After { epoch: u32 },
    Over,
}

pub(crate) struct Report<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) prepared: &'a Prepared,
    pub(crate) rows: &'a [Row],
    pub(crate) examination: &'a Examination,
    pub(crate) state: State,
    pub(crate) has_losses: bool,
    pub(crate) has_calibration: bool,
}

impl Display for Report<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.write_summary(f)?;
        self.write_data(f)?;
        self.write_settings(f)?;
        self.write_epochs(f)?;
        self.write_examination(f)?;
        self.write_files(f)
    }
}

impl Report<'_> {
    fn write_summary(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let name = self.folder.file_name().unwrap_or(self.folder.as_os_str());
        writeln!(f, "# Training run {}\n", name.display())?;
        let epochs = self.prepared.config.epochs;
        match self.state {
            State::Over => writeln!(f, "The run is over: {epochs} epochs.")?,
            State::After { epoch } => writeln!(
                f,
                "Epoch {epoch} of {epochs} is over. `chess-nnue resume {}` goes on where the run was \
                 interrupted.",
                folder::quoted(&self.folder.to_string_lossy())
            )?,
        }
        let audit = &self.examination.audit;
        let baselines = &self.prepared.baselines;
        writeln!(
            f,
            "The last network's loss on the samples held out is {:.5}; counting the men gives {:.5}, \
             always the mean {:.5}.",
            audit.integer_loss, baselines.material_loss, baselines.constant_loss
        )?;
        if let Some(note) = other_power(&self.prepared.config) {
            writeln!(f, "{note}")?;
        }
        let of_data = self.prepared.data.account.warnings.iter().cloned();
        let of_network = audit
            .warnings()
            .into_iter()
            .map(|warning| warning.to_string());
        for warning in of_data.chain(of_network) {
            writeln!(f, "\n**WARNING**: {warning}.")?;
        }
        Ok(())
    }

    fn write_data(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "\n## Data\n")?;
        let Account {
            files,
            training_samples,
            held_out_samples,
            left_over,
            ..
        } = &self.prepared.data.account;
        writeln!(
            f,
            "| file | weight | samples | games | filtered out | training | held out |"
        )?;
        writeln!(f, "|---|--:|--:|--:|--:|--:|--:|")?;
        files.iter().try_for_each(|file| write_file(f, file))?;
        writeln!(
            f,
            "\n{training_samples} samples to train on, {held_out_samples} held out."
        )?;
        if *left_over > 0 {
            writeln!(f, "{left_over} found no place in the mix by weight.")?;
        }
        let filter = self.prepared.spec.filter.text();
        if !filter.is_empty() {
            writeln!(f, "Only samples with {filter} count.")?;
        }
        Ok(())
    }

    fn write_settings(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let config = &self.prepared.config;
        let architecture = &config.architecture;
        writeln!(f, "\n## Network and settings\n")?;
        writeln!(f, "- {}", shape(architecture))?;
        write!(f, "- eval scale {}: ", architecture.eval_scale())?;
        match &self.prepared.fitted {
            Ok(fitted) => writeln!(f, "{fitted:.2} fits the scores and results best")?,
            Err(error) => writeln!(f, "none could be fitted, {error}")?,
        }
        writeln!(f, "- {}", targets(config))?;
        let batch = config.batch_size;
        writeln!(
            f,
            "- {} samples a step, learning rate {}, seed {}",
            batch, config.learning_rate, config.seed
        )?;
        writeln!(f, "- everything else is in [{0}]({0})", folder::RESOLVED)
    }

    fn write_epochs(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "\n## Epochs\n")?;
        writeln!(
            f,
            "| epoch | steps | training loss | loss held out | best | learning rate | records/s |"
        )?;
        writeln!(f, "|--:|--:|--:|--:|---|--:|--:|")?;
        self.rows.iter().try_for_each(|row| write_epoch(f, row))?;
        if self.has_losses {
            writeln!(f, "\n![Losses by step]({})", folder::LOSSES)?;
        }
        Ok(())
    }

    fn write_examination(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Examination { audit, calibration } = self.examination;
        writeln!(f, "\n## What the last network is worth\n")?;
        writeln!(f, "```text\n{audit}```")?;
        writeln!(f, "\n## Predicted and actual results\n")?;
        writeln!(f, "```text\n{calibration}```")?;
        if self.has_calibration {
            writeln!(
                f,
                "\n![Points won by points predicted]({})",
                folder::CALIBRATION
            )?;
        }
        Ok(())
    }

    fn write_files(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "\n## Files\n\n| file | what it is |\n|---|---|")?;
        let over = matches!(self.state, State::Over);
        let at_the_end: &[_] = match over {
            true => &[
                (folder::NETWORK, "the network"),
                (folder::PARAMETERS, "its parameters in floating point"),
            ],
            false => &[],
        };
        let always = [
            ("last.nnue", "the network after the last epoch"),
            (
                "best.nnue",
                "the network after the epoch with the smallest loss held out",
            ),
            (
                "best.ckpt, checkpoint-*.ckpt",
                "where the run was then, and where it can go on",
            ),
            (
                folder::METRICS,
                "a line for every epoch and every few steps",
            ),
            (folder::RESOLVED, "the configuration, nothing left open"),
            (folder::GIVEN, "the configuration as it was given"),
            (
                folder::FILES,
                "what the files of samples are known by when the run goes on",
            ),
        ];
        for (name, what) in at_the_end.iter().chain(&always) {
            writeln!(f, "| {name} | {what} |")?;
        }
        Ok(())
    }
}

fn write_file(f: &mut Formatter<'_>, file: &FileAccount) -> fmt::Result {
    let weight = file.weight.map_or("-".into(), |weight| weight.to_string());
    let games = file.games.map_or("-".into(), |[all, held_out]| {
        format!("{all}, {held_out} held out")
    });
    writeln!(
        f,
        "| {} | {weight} | {} | {games} | {} | {} | {} |",
        file.path.display(),
        file.samples,
        file.filtered_out,
        file.training_samples,
        file.held_out_samples
    )
}

fn write_epoch(f: &mut Formatter<'_>, row: &Row) -> fmt::Result {
    let Row::Epoch {
        step,
        epoch,
        training_loss,
        validation_loss,
        is_best,
        learning_rate,
        records_per_second,
        ..
    } = row
    else {
        return Ok(());
    };
    let best = if *is_best { "best so far" } else { "" };
    let rate = records_per_second.map_or("-".into(), |rate| format!("{rate:.0}"));
    writeln!(
        f,
        "| {epoch} | {step} | {training_loss:.5} | {validation_loss:.5} | {best} | {learning_rate:.2e} \
         | {rate} |"
    )
}

/// A network's shape on one line.
fn shape(architecture: &Architecture) -> String {
    let (kings, hidden) = (architecture.king_buckets(), architecture.hidden());
    let inputs = match kings.count() {
        1 => "768".to_owned(),
        buckets => format!("768·{buckets} king buckets"),
    };
    let mirrored = if kings.mirrored() { " mirrored" } else { "" };
    let outputs = architecture.output_buckets();
    let activation = match architecture.activation() {
        Activation::Crelu => "CReLU",
        _ => "SCReLU",
    };
    format!("({inputs}{mirrored} → {hidden})×2 → {outputs}, {activation}")
}

/// That two kinds of losses are told, if they are.
pub(crate) fn other_power(config: &TrainConfig) -> Option<String> {
    let power = config.loss.power();
    (config.loss != Loss::SQUARED).then(|| {
        format!(
            "These are means of squared misses; the losses by step and epoch are of the power {power} that \
             was trained with, and do not compare with them."
        )
    })
}

/// What targets are mixed of.
fn targets(config: &TrainConfig) -> String {
    let first = config.result_weight;
    match config.last_result_weight {
        Some(last) if last != first => {
            format!("the result's share in the targets goes from {first} to {last}")
        }
        _ => format!("the result's share in the targets is {first}"),
    }
}
