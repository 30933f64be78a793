//! Builds a set of flat shards from PGN, compressed or not:
//! `cargo run --release -p chess-shards --features build --example build_pgn -- GAMES.pgn OUT 4 16 0`,
//! with 4 positions a game, 16 shards and seed 0. `WORKERS=1` in the environment limits the threads.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::env;
use std::error::Error;
use std::ops::ControlFlow;
use std::time::Instant;

use chess_shards::build::{BuildOptions, Source, build};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let [pgn, out, k, shards, seed] = &arguments[..] else {
        return Err("expected GAMES.pgn OUT K SHARDS SEED".into());
    };
    let options = BuildOptions::new()
        .k(k.parse()?)
        .num_shards(shards.parse()?)
        .val_shards(1)
        .test_shards(1)
        .seed(seed.parse()?)
        .overwrite(true);
    let options = match env::var("WORKERS") {
        Ok(workers) => options.workers(workers.parse()?),
        Err(_) => options,
    };
    let started = Instant::now();
    let summary = build(&Source::pgn([pgn]), &options, out, &mut |progress| {
        let (games, rate) = (progress.games, progress.games_per_second());
        eprint!("\r{:?}: {games} games, {rate:.0} a second ", progress.phase);
        ControlFlow::Continue(())
    })?;
    eprintln!();
    let (samples, seconds) = (summary.report.samples, started.elapsed().as_secs_f64());
    println!("{samples} samples in {seconds:.2} s");
    if let Some(left_out) = summary.report.left_out {
        println!("{} games, left out: {left_out:?}", summary.report.games);
    }
    Ok(())
}
