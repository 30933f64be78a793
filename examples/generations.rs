//! A network that learns from its own games, from nothing.
//!
//! ```text
//! cargo run --release --example generations -- --minutes 30
//! ```
//!
//! An evaluation by hand-written rules plays the first games; a network is trained on them, plays the next
//! games, and a second one is trained on those too. Each plays a match against the one before it. Killed
//! at any moment, the same command goes on; `--help` tells the rest.

#![allow(clippy::print_stderr, clippy::print_stdout)]

use std::io::{IsTerminal, stderr};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::thread::available_parallelism;

use anyhow::{Context, Result, ensure};
use chess_nnue::Network;
use chess_nnue::selfplay::{Generations, Plan, Progress};
use chess_nnue::train::Event;
use clap::Parser;

/// Train networks on their own games, generation after generation, and see each beat the last.
///
/// In a minute everything can be seen at work, but the networks learn little; seven minutes on two cores gave
/// a second network that was 84 Elo ahead of the rules.
#[derive(Parser)]
struct Options {
    /// About how long it is to take on this machine; the plan is made once and kept
    #[arg(long, default_value_t = 30.0, value_name = "MINUTES")]
    minutes: f64,
    /// How many generations
    #[arg(long, default_value_t = 2, value_name = "COUNT")]
    generations: u64,
    /// The folder of games, networks, matches and the report
    #[arg(long, default_value = "generations", value_name = "FOLDER")]
    out: PathBuf,
    /// Threads to work with; what comes out does not depend on it [default: one per processor]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
}

fn main() -> Result<()> {
    let options = Options::parse();
    let processors = || available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = options.threads.map_or_else(processors, NonZeroUsize::get);
    let generations = Generations::open(&options.out, || {
        let mut plan = Plan::default();
        plan.generations = options.generations;
        plan.sized(options.minutes, threads)
    })?;
    println!("The plan:\n{}", generations.plan());
    let report = generations.run(threads, |progress| {
        show(progress);
        ControlFlow::Continue(())
    })?;
    let report = report.context("nobody breaks off")?;
    for generation in &report.generations {
        let path = generations.network_path(generation.number);
        Network::load(&path)?;
        ensure!(
            generation.audit.turned_round == 0,
            "{}: does not see both sides alike",
            path.display()
        );
    }
    println!("Report: {}", options.out.join("report.md").display());
    Ok(())
}

/// A line for what is finished, and one that changes for what is at work.
fn show(progress: &Progress<'_>) {
    let at_work = match progress {
        Progress::Game {
            generation,
            games,
            of,
            ..
        } => format!("gen{generation}: game {games} of {of}"),
        Progress::Training {
            generation,
            event: Event::Step { step, steps, .. },
            ..
        } => format!("gen{generation}: step {step} of {steps}"),
        Progress::Pair {
            generation,
            pairs,
            of,
            ..
        } => format!("gen{generation}: pair {} of {of} of a match", pairs.len()),
        Progress::Finished(generation) => {
            clear();
            println!("{generation}");
            return;
        }
        _ => return,
    };
    if stderr().is_terminal() {
        eprint!("\r{at_work:<60}");
    }
}

fn clear() {
    if stderr().is_terminal() {
        eprint!("\r{:<60}\r", "");
    }
}
