//! `chess-nnue validate`.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use chess_nnue::Network;
use chess_nnue::train::{Baselines, EvalScaleFit, Parameters, Targets, Validator};
use clap::Args;
use serde_json::json;

use crate::Outcome;
use crate::network_file::{self, Layout};
use crate::train::{self, Data, Examination, Filter, Formats, Samples, Source};

/// Examine a network on samples that it has not seen.
///
/// The loss of its integers beside two baselines, hidden values that do nothing, what the pieces are
/// worth, symmetry, and predicted against actual results; with --parameters also what rounding to
/// integers cost. What speaks against the network stands at the end as WARNING.
#[derive(Args)]
#[command(after_help = "Examples:
  chess-nnue validate net.nnue --data held-out.marlin
  chess-nnue validate net.nnue --data held-out.viri --training games.viri --json
  chess-nnue validate runs/first/best.nnue --run runs/first --parameters runs/first/best.ckpt")]
pub(crate) struct Arguments {
    /// The network
    #[arg(value_name = "NET")]
    network: PathBuf,
    /// Files of samples that it has not seen
    #[arg(long, num_args = 1.., value_name = "FILE", required_unless_present = "run")]
    data: Vec<PathBuf>,
    /// Files from which the baselines learn [default: from the samples themselves]
    #[arg(long, num_args = 1.., value_name = "FILE", conflicts_with = "run")]
    training: Vec<PathBuf>,
    /// A run whose samples held out and targets are used in place of --data
    #[arg(long, value_name = "RUN", conflicts_with_all = ["data", "scale", "result_weight"])]
    run: Option<PathBuf>,
    /// What the network was quantized from: a file of safetensors, or a checkpoint
    #[arg(long, value_name = "FILE")]
    parameters: Option<PathBuf>,
    /// The eval scale by which scores become targets [default: the network's]
    #[arg(long, value_name = "CP")]
    scale: Option<i32>,
    /// The share of the result in the targets [default: 0.25]
    #[arg(long, value_name = "SHARE")]
    result_weight: Option<f32>,
    /// Threads to work with [default: one per processor]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// One JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    formats: Formats,
    #[command(flatten)]
    filter: Filter,
    #[command(flatten)]
    layout: Layout,
}

/// What a network is examined by.
struct Yardstick {
    held_out: Samples,
    training: Samples,
    targets: Targets,
}

pub(crate) fn run(arguments: &Arguments, out: &mut dyn Write) -> Outcome {
    let (network, _) = network_file::load(&arguments.network, &arguments.layout)?;
    let parameters = arguments.parameters.as_deref().map(load_parameters);
    let parameters = parameters.transpose()?;
    let Yardstick {
        held_out,
        training,
        targets,
    } = match &arguments.run {
        Some(run) => of_run(run)?,
        None => arguments.of_files(&network)?,
    };
    let validator = Validator::new(targets, arguments.threads)?;
    let baselines = Baselines::of_datasets(&training, &held_out, &targets)?;
    let parameters = parameters.as_ref();
    let examined = Examination::of(&network, parameters, &validator, &*held_out, baselines)?;
    let fit = EvalScaleFit::of_dataset(&held_out)?;
    match arguments.json {
        true => write_json(&examined, &targets, &fit, out),
        false => write_text(&examined, &targets, &fit, out),
    }
}

fn load_parameters(path: &Path) -> Outcome<Parameters> {
    let loaded = network_file::load_parameters(path)?;
    let (parameters, _) = loaded.ok_or_else(|| {
        let shown = path.display();
        format!("{shown}: holds no parameters by its name, expected .safetensors or .ckpt")
    })?;
    Ok(parameters)
}

/// The samples held out of a run, its training set and its targets.
fn of_run(path: &Path) -> Outcome<Yardstick> {
    let spec = train::read_spec(path)?;
    train::check_files(path)?;
    let data = Data::open(&spec.data, &spec.filter)?;
    let eval_scale = spec.eval_scale()?.ok_or("the run's eval scale is open")?;
    Ok(Yardstick {
        held_out: data.held_out,
        training: data.training,
        targets: spec.config(eval_scale)?.targets()?,
    })
}

impl Arguments {
    fn of_files(&self, network: &Network) -> Outcome<Yardstick> {
        let open = |paths: &[PathBuf]| {
            let sources = paths.iter().map(|path| self.formats.of(Source::new(path)));
            train::together(&sources.collect::<Vec<_>>(), &self.filter)
        };
        let held_out = open(&self.data)?;
        let training = match self.training.is_empty() {
            true => held_out.clone(),
            false => open(&self.training)?,
        };
        let eval_scale = self.scale.unwrap_or(network.architecture().eval_scale());
        Ok(Yardstick {
            held_out,
            training,
            targets: Targets::new(eval_scale, self.result_weight.unwrap_or(0.25))?,
        })
    }
}

fn write_json(
    examined: &Examination,
    targets: &Targets,
    fit: &EvalScaleFit,
    out: &mut dyn Write,
) -> Outcome {
    let mut object = examined.json();
    object["eval_scale"] = json!(targets.eval_scale());
    object["fitted_eval_scale"] = json!(fit.eval_scale().ok());
    object["result_weight"] = json!(targets.result_weight());
    if let (Err(error), Some(warnings)) = (
        fit.check(targets.eval_scale()),
        object["warnings"].as_array_mut(),
    ) {
        warnings.push(json!(error.to_string()));
    }
    Ok(writeln!(out, "{object}")?)
}

fn write_text(
    examined: &Examination,
    targets: &Targets,
    fit: &EvalScaleFit,
    out: &mut dyn Write,
) -> Outcome {
    let (scale, weight) = (targets.eval_scale(), targets.result_weight());
    write!(out, "Targets by eval scale {scale}")?;
    if let Ok(fitted) = fit.eval_scale() {
        write!(out, " ({fitted:.2} fits these samples best)")?;
    }
    writeln!(out, ", the result's share {weight}.\n")?;
    writeln!(out, "{}", examined.calibration)?;
    write!(out, "{}", examined.audit)?;
    if let Err(error) = fit.check(scale) {
        writeln!(out, "\nWARNING: {error}")?;
    }
    Ok(())
}
