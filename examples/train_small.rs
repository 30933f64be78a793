//! From real records to a trained, checked network.
//!
//! ```text
//! cargo run --release --example train_small
//! ```
//!
//! trains a network of 256 hidden values on the sample that comes with the project, in less than two
//! minutes on two cores; `--help` tells the rest.

#![allow(clippy::print_stderr)]

use std::io::{self, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use chess_data_examples::{
    Diagram, agreement, file_mirror_difference, known_positions, piece_values, side_by_side,
    turned_round,
};
use chess_nnue::train::{
    EvalScaleFit, Event, Material, MaterialTable, Parameters, Targets, TrainConfig, Trainer,
};
use chess_nnue::{Architecture, Network, needs_fallback};
use chess_records::{
    AtomicFile, Board, Color, Concat, Dataset, MarlinRecord, RecordFile, Slice, Split, SplitError,
};
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};

/// Prints a line; a reader that has gone away is an error and not a panic.
macro_rules! say {
    ($($argument:tt)*) => { writeln!(io::stdout(), $($argument)*)? };
}

/// The sample that comes with the project.
const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/real-sample.marlin");
/// Fewer records are no data to learn from.
const FEWEST: u64 = 1000;
/// The share of games that is held out.
const HELD_OUT: f64 = 0.05;

/// Train a small network on marlinformat records and check what it has learnt.
///
/// The last 5% of games are held out: the network never sees them and is judged by them. It is
/// compared with two baselines (the mean of all targets, and counting the men), its integers with
/// the floating point they came from, and it is asked what the pieces are worth.
///
/// The network is written after every epoch, so an interrupted run leaves the last one.
#[derive(Parser)]
#[command(
    after_help = "Exit code: 0 if the network beats both baselines, 1 if not or if something failed, \
2 for options that make no sense."
)]
struct Options {
    /// Files of marlinformat records, several if you like [default: the sample of the project]
    #[arg(long, num_args = 1.., value_name = "FILE")]
    data: Vec<PathBuf>,
    /// Hidden values of one view, a multiple of 16
    #[arg(long, default_value_t = 256, value_name = "N")]
    hidden: usize,
    /// How often each record is seen
    #[arg(long, default_value_t = 20, value_name = "N")]
    epochs: u32,
    /// Where the network is written; an older file there is replaced
    #[arg(long, default_value = "train_small.nnue", value_name = "FILE")]
    out: PathBuf,
    /// Decides the first weights and the order of the records
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
    /// Threads to work with; the result does not depend on it [default: one per processor]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
}

type Records = Arc<Concat<RecordFile<MarlinRecord>>>;
type Part = Slice<Records>;

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if !reader_is_gone(&error) {
                eprintln!("error: {error:#}");
            }
            ExitCode::FAILURE
        }
    }
}

/// Whether what is printed goes to nobody any more, as after `| head`.
fn reader_is_gone(error: &anyhow::Error) -> bool {
    let cause = error.root_cause().downcast_ref::<io::Error>();
    cause.is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

fn run(options: &Options) -> Result<()> {
    let started = Instant::now();
    let records = open(&options.data, &options.out)?;
    let (training, held_out) = split(&records)?;
    let architecture = architecture(options.hidden, &training)?;
    let mut config = TrainConfig::new(architecture);
    config.epochs = options.epochs;
    config.seed = options.seed;
    config.threads = options.threads;
    let baselines = Baselines::of(&training, &held_out, &config.targets()?)?;
    let mut trainer = Trainer::new(config)?;
    let parameters = train(&mut trainer, &training, &held_out, &baselines, options)?;
    let network = Network::load(&options.out)?;
    let loss = report(&trainer, &parameters, &network, &held_out)?;
    say!(
        "Wrote {} in {:.0} seconds.",
        options.out.display(),
        started.elapsed().as_secs_f64()
    );
    baselines.judge(loss)
}

/// Opens the data, once it is sure that the network can be written and is none of it.
fn open(paths: &[PathBuf], out: &Path) -> Result<Records> {
    let sample = [PathBuf::from(SAMPLE)];
    let paths = if paths.is_empty() { &sample } else { paths };
    drop(AtomicFile::create(out)?);
    let mut seen = Vec::from_iter(out.canonicalize());
    let mut files = Vec::new();
    for path in paths {
        files.push(RecordFile::read(path)?);
        let canonical = path.canonicalize()?;
        ensure!(
            !seen.contains(&canonical),
            "{}: named twice, as data or as data and output",
            path.display()
        );
        seen.push(canonical);
    }
    let records = Arc::new(Concat::new(files));
    ensure!(
        records.len() >= FEWEST,
        "{} records are too few to train on and to hold some out, expected {FEWEST} or more",
        records.len()
    );
    Ok(records)
}

/// What to train on and what to hold out.
fn split(records: &Records) -> Result<(Part, Part)> {
    let (training, held_out) = match Split::last_games(&**records, HELD_OUT) {
        Ok(split) => {
            say!(
                "{} records of {} games, {} records of the last {} games held out",
                records.len(),
                split.games,
                split.held_out.end - split.held_out.start,
                split.held_out_games
            );
            (split.train, split.held_out)
        }
        Err(SplitError::NotByGame { .. }) => {
            let first = records.len() - (records.len() as f64 * HELD_OUT) as u64;
            say!(
                "{} records, the last {} held out",
                records.len(),
                records.len() - first
            );
            say!(
                "WARNING: the records do not tell which belong to one game. Games may be on both \
                 sides of the split: expect the held-out loss to look better than it is."
            );
            (0..first, first..records.len())
        }
        Err(error) => return Err(error.into()),
    };
    Ok((
        Slice::new(Arc::clone(records), training)?,
        Slice::new(Arc::clone(records), held_out)?,
    ))
}

fn architecture(hidden: usize, training: &Part) -> Result<Architecture> {
    let fit = EvalScaleFit::of_dataset(training).context("are these marlinformat records?")?;
    let eval_scale = fit.eval_scale()?;
    let rounded = eval_scale.round() as i32;
    say!("eval scale {rounded} ({eval_scale:.2} fits the training games' scores and results best)");
    if !(50..=1000).contains(&rounded) {
        say!("WARNING: that is an unusual scale. Are the scores centipawns from White's side?");
    }
    Ok(Architecture::new(hidden)?.with_eval_scale(rounded)?)
}

/// The held-out losses that a network must beat.
struct Baselines {
    constant: f64,
    material: f64,
}

impl Baselines {
    fn of(training: &Part, held_out: &Part, targets: &Targets) -> Result<Self> {
        let training = MaterialTable::of_dataset(training, targets)?;
        let held_out = MaterialTable::of_dataset(held_out, targets)?;
        Ok(Self {
            constant: held_out.loss_of_constant(training.mean_target()),
            material: held_out.loss_of_material(&Material::fit(&training)),
        })
    }

    fn judge(&self, loss: f64) -> Result<()> {
        let best = self.constant.min(self.material);
        ensure!(
            loss < best,
            "the network has learnt too little: its held-out loss is {loss:.4}, always saying the \
             mean gives {:.4} and counting the men {:.4}",
            self.constant,
            self.material
        );
        say!("It beats both baselines: held-out loss {loss:.4} against {best:.4}.");
        Ok(())
    }
}

/// Trains, shows how it goes, and writes the network after every epoch.
fn train(
    trainer: &mut Trainer,
    training: &Part,
    held_out: &Part,
    baselines: &Baselines,
    options: &Options,
) -> Result<Parameters> {
    say!("\n          training    held-out    always the mean    counting the men");
    let bar = progress_bar(u64::from(options.epochs) * training.len());
    let mut failed = None;
    let outcome = trainer.run(training.clone(), held_out, |event| {
        let shown = show(&event, &bar, baselines, &options.out);
        match shown {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        }
    })?;
    bar.finish_and_clear();
    match failed {
        Some(error) => Err(error),
        None => Ok(outcome.parameters),
    }
}

/// Moves the bar, and after an epoch writes the network and a line of the table.
fn show(event: &Event<'_>, bar: &ProgressBar, baselines: &Baselines, out: &Path) -> Result<()> {
    match event {
        Event::Step {
            epoch,
            records,
            training_loss,
            ..
        } => {
            bar.set_position(*records);
            bar.set_message(format!("epoch {epoch}, loss {training_loss:.4}"));
        }
        Event::Epoch {
            epoch,
            training_loss,
            validation_loss,
            parameters,
            ..
        } => {
            parameters.quantize().network.save(out)?;
            let Baselines { constant, material } = baselines;
            bar.suspend(|| -> Result<()> {
                say!("epoch {epoch:>3}   {training_loss:.4}      {validation_loss:.4}      {constant:.4}             {material:.4}");
                Ok(())
            })?;
        }
        _ => {}
    }
    Ok(())
}

/// A bar on the terminal, if there is one.
fn progress_bar(records: u64) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = "{bar:30} {percent:>3}%  {per_sec}  {eta} left  {msg}";
    let bar = ProgressBar::new(records);
    bar.set_style(
        ProgressStyle::with_template(style)
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .with_key(
                "per_sec",
                |state: &indicatif::ProgressState, text: &mut dyn std::fmt::Write| {
                    let _ = write!(text, "{:.0} records/s", state.per_sec());
                },
            ),
    );
    bar
}

/// Asks the network what it has learnt; returns its held-out loss.
fn report(
    trainer: &Trainer,
    parameters: &Parameters,
    network: &Network,
    held_out: &Part,
) -> Result<f64> {
    let found = agreement(trainer.validator(), parameters, network, held_out)
        .context("the held-out records cannot be evaluated")?;
    say!(
        "\nIntegers against floating point, {} held-out positions:",
        found.positions
    );
    say!(
        "  difference {:.2} centipawns in the mean, {:.1} at most; loss {:.5} against {:.5}",
        found.mean_cp,
        found.largest_cp,
        found.integer_loss,
        found.float_loss
    );
    say!("\nWhat a piece is worth, by taking it off balanced positions:");
    for value in piece_values(network, held_out)? {
        say!(
            "  {:<7} {:>5.0} centipawns  ({} taken off)",
            value.piece_type.to_string(),
            value.mean_cp,
            value.pieces
        );
    }
    let different = turned_round(network, held_out)?;
    let mirrored = file_mirror_difference(network, held_out)?;
    say!("\nTurned round with colours exchanged, {different} positions score differently.");
    say!("With the files a-h exchanged, scores differ by {mirrored:.1} centipawns in the mean.");
    ensure!(different == 0, "the network does not see both sides alike");
    say!(
        "\nScores of well-known positions, in pawns from White's side. The sample holds quiet positions of"
    );
    say!(
        "good games and hardly any like these: what it does not hold, a network does not learn. An"
    );
    say!("engine evaluates those marked * by hand.\n");
    write!(io::stdout(), "{}", side_by_side(&diagrams(network), 3))?;
    Ok(found.integer_loss)
}

fn diagrams(network: &Network) -> Vec<Diagram> {
    let positions = known_positions().into_iter();
    let diagrams = positions.map(|(name, position)| {
        let mover = position.side_to_move();
        let score = network.evaluate(&position);
        let for_white = if mover == Color::White { score } else { -score };
        let by_hand = if needs_fallback(&position.placement()) {
            " *"
        } else {
            ""
        };
        let note = format!(
            "{:+.2}, {mover} to move{by_hand}",
            f64::from(for_white) / 100.0
        );
        Diagram::new(name, &position.placement(), &[note])
    });
    diagrams.collect()
}
