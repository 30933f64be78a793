//! `chess-nnue train`, and what the commands around it share.

mod data;
mod display;
mod files;
mod filter;
mod folder;
mod metrics;
mod open;
mod prepared;
mod report;
mod run;
mod source;
mod spec;

use std::io::Write;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};

use clap::Args;
use toml::{Table, Value};

use crate::{Outcome, interrupt};
use display::Display;
use files::KnownFile;
use prepared::Prepared;
use run::Run;
use source::{Format, HeldOut, HeldOutBy, ZdatLayout, ZdatScore};
use spec::Spec;

pub(crate) use data::{Data, together};
pub(crate) use filter::Filter;
pub(crate) use folder::read_spec;
pub(crate) use open::Samples;
pub(crate) use report::Examination;
pub(crate) use source::Source;

/// Train a network from files of labelled positions.
///
/// What the run is to be stands in a configuration file, in options, or in both: options come first.
/// Whole games are held out, the eval scale is fitted to the scores and results, scores that cannot
/// be right are refused. The run lives in a folder of its own:
///
///   network.nnue     the network, when the run is over
///   report.md        what was learnt, for people; with losses.svg and calibration.svg
///   last.nnue        the network after the last epoch
///   best.nnue        the network after the epoch with the smallest loss held out
///   metrics.jsonl    a line of JSON for every epoch and every few steps
///   resolved.toml    the configuration with nothing left open: `train` takes it too
///   given.toml       the configuration as it was given
///
/// It may be killed at any moment: `chess-nnue resume` goes on to the same network, byte for byte.
/// Ctrl-C stops it after the step in work.
#[derive(Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:
  chess-nnue train --data games.marlin --out runs/first
  chess-nnue train --data old.marlin:2 new.viri:1 --held-out late.viri --out runs/mixed \\
      --hidden 512 --epochs 40 --set 'rate_schedule={cosine={last=0.01}}' \\
      --set architecture.output_buckets=8
  chess-nnue train --example-config > example.toml
  chess-nnue train example.toml --seed 1 --out runs/seed-1

A configuration file:
  out = \"runs/first\"
  [data]
  training = [\"old.marlin\", { path = \"new.bin\", format = \"viri\" }]
  held_out = 0.05
  [filter]
  in_check = false
  [architecture]
  hidden = 256
  [training]
  epochs = 20"
)]
pub(crate) struct Arguments {
    /// The configuration file; --example-config prints one that says everything
    #[arg(value_name = "CONFIG", required_unless_present_any = ["data", "example_config"])]
    config: Option<PathBuf>,
    /// The files to train on, with weights if they are to be mixed by weight
    #[arg(long, num_args = 1.., value_name = "FILE[:WEIGHT]")]
    data: Vec<String>,
    /// What is not trained on but judged by: a share of the games [default: 0.05], or files
    #[arg(long, num_args = 1.., value_name = "SHARE|FILE")]
    held_out: Vec<String>,
    /// What is held out whole
    #[arg(long)]
    held_out_by: Option<HeldOutBy>,
    /// The run's folder, which must be new or empty
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Print a configuration with comments that trains on the sample of the repository
    #[arg(long)]
    example_config: bool,
    #[command(flatten)]
    formats: Formats,
    #[command(flatten)]
    training: Training,
    #[command(flatten)]
    filter: Filter,
    #[command(flatten)]
    output: Output,
}

/// What the names of files do not say.
#[derive(Args)]
#[command(next_help_heading = "What the names of files do not say")]
pub(crate) struct Formats {
    /// The format of files named by options whose extension does not tell
    #[arg(long)]
    format: Option<Format>,
    /// What the scores of zdat files are
    #[arg(long)]
    zdat_score: Option<ZdatScore>,
    /// How zdat files number ranks, if their records do not tell
    #[arg(long)]
    zdat_layout: Option<ZdatLayout>,
}

#[derive(Args)]
#[command(next_help_heading = "How to train")]
struct Training {
    /// Hidden values of a view, a multiple of 16 [default: 256]
    #[arg(long, value_name = "N")]
    hidden: Option<u16>,
    /// The centipawns that stand for an output of 1, or fit [default: fit]
    #[arg(long, value_name = "CP")]
    eval_scale: Option<String>,
    /// How many epochs there are [default: 20]
    #[arg(long, value_name = "N")]
    epochs: Option<u32>,
    /// Samples a step [default: 16384]
    #[arg(long, value_name = "N")]
    batch_size: Option<u32>,
    /// The learning rate at its largest [default: 0.001]
    #[arg(long, value_name = "RATE")]
    learning_rate: Option<f64>,
    /// The share of the result in the targets; the rest is the score's [default: 0.25]
    #[arg(long, value_name = "SHARE")]
    result_weight: Option<f64>,
    /// Decides the first weights and the order of the samples [default: 0]
    #[arg(long, value_name = "N")]
    seed: Option<u32>,
    /// A checkpoint every so many steps, beside those after every epoch
    #[arg(long, value_name = "N")]
    checkpoint_steps: Option<u32>,
    /// Threads to work with; the network does not depend on it [default: one per processor]
    #[arg(long, value_name = "N")]
    threads: Option<u32>,
    /// What does the arithmetic: cpu, gpu, or gpu:NAME with a part of a GPU's name [default: cpu]
    #[arg(long, value_parser = device)]
    device: Option<Value>,
    /// Any other field of [training], or of [architecture] by architecture.KEY=VALUE
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Every so many steps there is a line in metrics.jsonl [default: 10]
    #[arg(long, value_name = "N")]
    metrics_steps: Option<NonZeroU64>,
}

/// What is said.
#[derive(Args)]
#[command(next_help_heading = "What is said")]
pub(crate) struct Output {
    /// Nothing on standard error but what went wrong
    #[arg(long, short)]
    quiet: bool,
    /// The end's numbers as one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments, out: &mut dyn Write) -> Outcome {
    if arguments.example_config {
        return Ok(write!(out, "{}", include_str!("example.toml"))?);
    }
    let (given, text) = arguments.spec()?;
    let Some(path) = &given.out else {
        return Err("no folder for the run: name it by --out or out".into());
    };
    folder::check_free(path)?;
    interrupt::listen();
    let display = Display::new(arguments.output.quiet);
    // From before the long work, during which files may change.
    let known = known_files(&given)?;
    let prepared = Prepared::of(&given, &display)?;
    // A device or threads that cannot be had are told before there is a folder.
    let trainer = prepared.trainer()?;
    let folder = folder::begin(path, &text, &known, &prepared.spec)?;
    let ended = Run::new(folder, prepared, display)?.finish(trainer)?;
    ended.write(arguments.output.json, out)
}

/// What the files are known by. A file that is held out and trained on, if only as a copy under another
/// name, would flatter.
fn known_files(given: &Spec) -> Outcome<Vec<KnownFile>> {
    data::check_files(&given.data)?;
    let known = given.files().map(|source| KnownFile::of(&source.path));
    let known = known.collect::<Outcome<Vec<_>>>()?;
    let (training, held_out) = known.split_at(given.data.training.len());
    for file in held_out {
        if let Some(other) = training.iter().find(|other| other.is_copy_of(file)) {
            let (path, other) = (file.path.display(), other.path.display());
            return Err(format!("{path}: holds the same as {other}, which is trained on").into());
        }
    }
    Ok(known)
}

impl Arguments {
    /// The configuration file with the options in it, all paths absolute, and its text without them;
    /// the text of the options where there is no file.
    fn spec(&self) -> Outcome<(Spec, String)> {
        let (mut spec, text) = match &self.config {
            Some(path) => Spec::read(path).map(|(spec, text)| (spec, Some(text)))?,
            None => (Spec::default(), None),
        };
        if !self.data.is_empty() {
            let files = self.data.iter().map(|argument| Source::parse(argument));
            spec.data.training = files.map(|source| self.formats.of(source)).collect();
        }
        if !self.held_out.is_empty() {
            spec.data.held_out = match HeldOut::parse(&self.held_out) {
                HeldOut::Files(files) => {
                    let files = files.into_iter();
                    HeldOut::Files(files.map(|source| self.formats.of(source)).collect())
                }
                share => share,
            };
        }
        spec.data.held_out_by = self.held_out_by.unwrap_or(spec.data.held_out_by);
        spec.out = self.out.clone().or(spec.out);
        spec.filter = spec.filter.overridden_by(&self.filter);
        self.training.put_into(&mut spec)?;
        let spec = spec.within(&std::env::current_dir()?);
        let written = spec.to_toml()?;
        Ok((spec, text.unwrap_or(written)))
    }
}

impl Formats {
    /// A file named by an option.
    pub(crate) fn of(&self, mut source: Source) -> Source {
        if source.format().is_err() {
            source.format = self.format;
        }
        if source.format().is_ok_and(|format| format == Format::Zdat) {
            source.score = self.zdat_score;
            source.layout = self.zdat_layout;
        }
        source
    }
}

impl Training {
    fn put_into(&self, spec: &mut Spec) -> Outcome {
        let whole = |number: Option<u32>| number.map(|number| Value::from(i64::from(number)));
        let real = |number: Option<f64>| number.map(Value::from);
        let fields = [
            ("epochs", whole(self.epochs)),
            ("batch_size", whole(self.batch_size)),
            ("learning_rate", real(self.learning_rate)),
            ("result_weight", real(self.result_weight)),
            ("seed", whole(self.seed)),
            ("checkpoint_steps", whole(self.checkpoint_steps)),
            ("threads", whole(self.threads)),
            ("device", self.device.clone()),
        ];
        for (key, value) in fields {
            if let Some(value) = value {
                spec.training.insert(key.into(), value);
            }
        }
        let eval_scale = self.eval_scale.as_ref().map(|text| match text.parse() {
            Ok(number) => Value::Integer(number),
            Err(_) => Value::String(text.clone()),
        });
        let hidden = whole(self.hidden.map(u32::from));
        for (key, value) in [("hidden", hidden), ("eval_scale", eval_scale)] {
            if let Some(value) = value {
                spec.architecture.insert(key.into(), value);
            }
        }
        spec.metrics_steps = self.metrics_steps.unwrap_or(spec.metrics_steps);
        self.set
            .iter()
            .try_for_each(|assignment| spec.set(assignment))
    }
}

/// A device as the trainer's configuration has it.
fn device(text: &str) -> Result<Value, String> {
    let (kind, name) = match text.split_once(':') {
        Some((kind, name)) => (kind, Some(name)),
        None => (text, None),
    };
    match (kind, name) {
        ("cpu", None) => Ok("cpu".into()),
        ("gpu", _) if !cfg!(feature = "gpu") => {
            Err("this program was built without the feature gpu".into())
        }
        ("gpu", name) => {
            let name = name.map(|name| ("name".to_owned(), Value::from(name)));
            let of_gpu: Table = name.into_iter().collect();
            Ok(Table::from_iter([("gpu".to_owned(), Value::from(of_gpu))]).into())
        }
        _ => Err("expected cpu, gpu or gpu:NAME".into()),
    }
}

/// Refuses files that are not those that the run in a folder began with.
pub(crate) fn check_files(path: &Path) -> Outcome {
    files::check(&path.join(folder::FILES))
}

/// `chess-nnue resume`: goes on with a run in this folder.
pub(crate) fn resume(
    path: &Path,
    threads: Option<NonZeroUsize>,
    output: &Output,
    out: &mut dyn Write,
) -> Outcome {
    let spec = folder::read_spec(path)?;
    check_files(path)?;
    interrupt::listen();
    let display = Display::new(output.quiet);
    let mut prepared = Prepared::of(&spec, &display)?;
    if threads.is_some() {
        prepared.config.threads = threads;
    }
    let trainer = prepared.trainer()?;
    let folder = folder::open(path)?;
    let ended = Run::new(folder, prepared, display)?.finish(trainer)?;
    ended.write(output.json, out)
}
