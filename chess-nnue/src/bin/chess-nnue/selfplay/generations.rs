//! `chess-nnue generations`.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;

use chess_nnue::selfplay::{Generations, Plan, Progress};
use chess_nnue::train::Event;
use clap::{Args, value_parser};
use indicatif::ProgressBar;

use super::datagen::threads;
use super::progress;
use crate::Outcome;
use crate::interrupt::{self, Interrupted};

/// Train networks on their own games, generation after generation.
///
/// The evaluation by rules plays the first games; a network is trained on them, plays the next games, and
/// so on. Each network meets the one before it and the rules in matches. Everything is kept in FOLDER:
/// networks (gen1.nnue and so on), games, training, matches and report.md with its pictures. The plan is
/// made once, by the options, and kept in plan.txt: an interrupted command, given once more, goes on, and
/// ends as it would have without the interruption.
#[derive(Args)]
#[command(after_help = "Examples:
  chess-nnue generations lunch --minutes 45
  chess-nnue generations evening --minutes 240 --generations 3
  chess-nnue generations evening
  chess-nnue generations exact --chunks 20 --games 1000 --nodes 3000 --epochs 30 --pairs 200")]
pub(crate) struct Arguments {
    /// The folder
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// About how long everything is to take on this machine: sets all numbers below that are not given
    #[arg(long, value_name = "MINUTES", value_parser = minutes)]
    minutes: Option<f64>,
    /// How many generations [default: 2]
    #[arg(long, value_name = "COUNT")]
    generations: Option<u64>,
    /// The seed of games, first weights and the order of positions [default: 0]
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
    /// Hidden values of a view, a multiple of 16 [default: 256]
    #[arg(long, value_name = "N")]
    hidden: Option<u64>,
    /// Chunks of games of a generation [default: 20]
    #[arg(long, value_name = "COUNT")]
    chunks: Option<u64>,
    /// Games of a chunk [default: 1000]
    #[arg(long, value_name = "COUNT")]
    games: Option<u64>,
    /// Nodes of a move, in games and matches [default: 3000]
    #[arg(long, value_name = "COUNT")]
    nodes: Option<u64>,
    /// How often each position is trained on [default: 30]
    #[arg(long, value_name = "COUNT")]
    epochs: Option<u64>,
    /// Positions a step [default: 16384]
    #[arg(long, value_name = "COUNT")]
    batch: Option<u64>,
    /// Pairs of games of a match [default: 200]
    #[arg(long, value_name = "COUNT")]
    pairs: Option<u64>,
    /// Threads to work with; what comes out does not depend on it [default: one a processor]
    #[arg(long, value_name = "COUNT", value_parser = value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
}

fn minutes(text: &str) -> Result<f64, String> {
    let minutes = text.parse().ok();
    let minutes = minutes.filter(|minutes| (0.1..=1e6).contains(minutes));
    minutes.ok_or_else(|| "expected minutes, 0.1 or more".into())
}

pub(crate) fn run(arguments: &Arguments, out: &mut dyn Write) -> Outcome {
    let threads = threads(arguments.threads);
    interrupt::listen();
    let generations = Generations::open(&arguments.folder, || arguments.plan(threads))?;
    arguments.check_kept(generations.plan())?;
    let mut display = Display::default();
    let mut told = Ok(());
    let report = generations.run(threads, |progress| {
        display.show(progress);
        if let Progress::Finished(generation) = progress {
            display.clear();
            told = writeln!(out, "{generation}").and_then(|()| out.flush());
        }
        match interrupt::was_asked() || told.is_err() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    })?;
    display.clear();
    told?;
    if report.is_none() {
        return Err(Interrupted("interrupted; the same command goes on".into()).into());
    }
    let report = arguments.folder.join("report.md");
    Ok(writeln!(out, "report {}", report.display())?)
}

impl Arguments {
    fn plan(&self, threads: usize) -> Plan {
        let plan = self.with_given(Plan::default());
        match self.minutes {
            Some(minutes) => self.with_given(plan.sized(minutes, threads)),
            None => plan,
        }
    }

    /// A plan with what the options give.
    fn with_given(&self, mut plan: Plan) -> Plan {
        for (number, given) in [
            (&mut plan.generations, self.generations),
            (&mut plan.seed, self.seed),
            (&mut plan.hidden, self.hidden),
            (&mut plan.chunks, self.chunks),
            (&mut plan.games, self.games),
            (&mut plan.nodes, self.nodes),
            (&mut plan.epochs, self.epochs),
            (&mut plan.batch, self.batch),
            (&mut plan.pairs, self.pairs),
        ] {
            *number = given.unwrap_or(*number);
        }
        plan
    }

    /// Refuses options that differ from the plan of a folder that was there.
    fn check_kept(&self, kept: &Plan) -> Outcome {
        let (kept, asked) = (kept.to_string(), self.with_given(*kept).to_string());
        let mut lines = kept.lines().zip(asked.lines());
        match lines.find(|(kept, asked)| kept != asked) {
            None => Ok(()),
            Some((kept, asked)) => Err(format!(
                "{}: its plan has {kept}, asked for {asked}; leave the option out, or take a new folder",
                self.folder.display()
            )
            .into()),
        }
    }
}

/// A bar for the step in work, on standard error if that is a terminal.
#[derive(Default)]
struct Display {
    bar: Option<(String, ProgressBar)>,
}

impl Display {
    fn show(&mut self, progress: &Progress<'_>) {
        match progress {
            Progress::Game {
                generation,
                games,
                of,
                ..
            } => self.at(format!("games for gen{generation}"), *games, *of, "games"),
            Progress::Training {
                generation,
                event: Event::Step { step, steps, .. },
                ..
            } => self.at(format!("training gen{generation}"), *step, *steps, "steps"),
            Progress::Pair {
                generation,
                against,
                pairs,
                of,
                ..
            } => {
                let elo = pairs.elo().map(|elo| elo.to_string()).unwrap_or_default();
                let opponent = match against {
                    0 => "the rules".into(),
                    number => format!("gen{number}"),
                };
                self.at(
                    format!("gen{generation} against {opponent}"),
                    pairs.len(),
                    *of,
                    "pairs",
                );
                self.say(&elo);
            }
            _ => {}
        }
    }

    /// Moves the bar of a step, or begins one.
    fn at(&mut self, step: String, done: u64, of: u64, unit: &str) {
        if self.bar.as_ref().is_none_or(|(name, _)| *name != step) {
            self.clear();
            self.bar = Some((step, progress::bar(of, unit)));
        }
        if let Some((name, bar)) = &self.bar {
            bar.set_position(done);
            bar.set_message(name.clone());
        }
    }

    fn say(&self, more: &str) {
        if let Some((name, bar)) = &self.bar {
            bar.set_message(format!("{name}  {more}"));
        }
    }

    fn clear(&mut self) {
        if let Some((_, bar)) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}
