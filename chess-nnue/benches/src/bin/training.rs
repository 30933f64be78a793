//! How fast networks are trained.
//!
//! ```text
//! training contest          chess-nnue beside noru and the plain loop, as a table
//! training cost FOLDER      cost against N, batch size and men: FOLDER/training.csv and .svg
//! ```

use std::error::Error;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chess_nnue::train::{Event, Parameters, TrainConfig, Trainer};
use chess_nnue::{Architecture, Backend};
use chess_nnue_benches::HIDDEN;
use chess_nnue_benches::noru_training::Noru;
use chess_nnue_benches::plain_training::Plain;
use chess_nnue_benches::training::{Positions, inputs};
use chess_nnue_benches::training_plot::{Cost, plot};
use chess_records::{Board, Labelled};

const BATCH: usize = 16_384;
const MEN: u32 = 30;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["contest"] => contest(),
        ["cost", folder] => cost(Path::new(folder)),
        _ => Err("usage: training contest | training cost FOLDER".into()),
    }
}

/// A configuration and positions for a few batches.
struct Task {
    config: TrainConfig,
    positions: Arc<Positions>,
}

impl Task {
    fn new(hidden: usize, batch_size: usize, men: u32, batches: usize) -> Self {
        let architecture = Architecture::new(hidden).expect("a multiple of 16");
        let mut config = TrainConfig::new(architecture);
        config.batch_size = batch_size;
        // Random labels say nothing.
        config.check_scores = false;
        Self {
            config,
            positions: Arc::new(Positions::random(batch_size * batches, men)),
        }
    }

    /// The median time of a step, loading and all.
    fn step_time(&self, threads: usize) -> Duration {
        let mut config = self.config.clone();
        (config.epochs, config.threads) = (1, NonZeroUsize::new(threads));
        // One thread is one thread: it loads as well.
        config.loader_threads = (threads == 1).then_some(0);
        let few = Positions(self.positions.0[..1].to_vec());
        let mut trainer = Trainer::new(config).expect("a good configuration");
        let (mut times, mut last) = (Vec::new(), None);
        let outcome = trainer.run(Arc::clone(&self.positions), &few, |event| {
            if let Event::Step { .. } = event {
                let now = Instant::now();
                times.extend(last.replace(now).map(|last| now - last));
            }
            ControlFlow::Continue(())
        });
        outcome.expect("positions with labels");
        median(times)
    }

    /// The training loss of each of some epochs over the positions.
    fn losses(&self, epochs: u32) -> Vec<f64> {
        let mut config = self.config.clone();
        config.epochs = epochs;
        let few = Positions(self.positions.0[..1].to_vec());
        let mut trainer = Trainer::new(config).expect("a good configuration");
        let mut losses = Vec::new();
        let outcome = trainer.run(Arc::clone(&self.positions), &few, |event| {
            if let Event::Epoch { training_loss, .. } = event {
                losses.push(training_loss);
            }
            ControlFlow::Continue(())
        });
        outcome.expect("positions with labels");
        losses
    }

    fn targets(&self) -> Vec<f32> {
        let targets = self.config.targets().expect("a good configuration");
        let target = |sample: &chess_records::LabelledPosition| {
            let target = targets.target(sample.label(), sample.side_to_move());
            target.expect("positions with labels")
        };
        self.positions.0.iter().map(target).collect()
    }

    fn plain(&self) -> Plain {
        Plain::new(Parameters::random(&self.config.architecture, 0).weights())
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// The plain loop and the trainer must learn the same from the same batch, and noru must learn.
fn check() {
    let task = Task::new(HIDDEN, BATCH, MEN, 1);
    let (men, targets) = (inputs(&task.positions.0), task.targets());
    let ours = task.losses(3);
    let mut plain = task.plain();
    for (step, ours) in ours.into_iter().enumerate() {
        let plain = plain.batch(&men, &targets);
        let miss = (plain / ours - 1.0).abs();
        assert!(miss < 1e-4, "loss {plain} and {ours} before step {step}");
    }
    let samples = men.iter().zip(&targets);
    let samples: Vec<_> = samples
        .take(1000)
        .map(|(men, &target)| Noru::sample(men, target))
        .collect();
    let mut noru = Noru::new(HIDDEN);
    let first = noru.batch(&samples);
    let later = (0..5).map(|_| noru.batch(&samples)).last();
    assert!(
        later.is_some_and(|later| later < first),
        "noru learns nothing"
    );
}

fn contest() -> Result<(), Box<dyn Error>> {
    check();
    let task = Task::new(HIDDEN, BATCH, MEN, 20);
    let (men, targets) = (inputs(&task.positions.0), task.targets());
    let mut plain = task.plain();
    let batches = men.chunks(BATCH).zip(targets.chunks(BATCH));
    let times = batches.map(|(men, targets)| timed(|| plain.batch(men, targets)));
    let plain = median(times.collect());
    let samples = men[..BATCH].iter().zip(&targets);
    let samples: Vec<_> = samples
        .map(|(men, &target)| Noru::sample(men, target))
        .collect();
    let mut noru = Noru::new(HIDDEN);
    let noru = median((0..3).map(|_| timed(|| noru.batch(&samples))).collect());
    println!("| | records/s | times noru | times the plain loop |\n|---|---|---|---|");
    let row = |name: &str, time: Duration| {
        let speed = BATCH as f64 / time.as_secs_f64();
        let times = [noru, plain].map(|peer| peer.as_secs_f64() / time.as_secs_f64());
        println!(
            "| {name} | {speed:.0} | {:.1} | {:.2} |",
            times[0], times[1]
        );
    };
    row("noru", noru);
    row("the plain loop", plain);
    let backend = Backend::detect();
    for threads in [1, 2] {
        row(
            &format!("chess-nnue {backend}, threads: {threads}"),
            task.step_time(threads),
        );
    }
    Ok(())
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    std::hint::black_box(work());
    start.elapsed()
}

/// One thing is changed at a time, from N = 256, 16,384 samples and 30 men, on one thread.
fn cost(folder: &Path) -> Result<(), Box<dyn Error>> {
    let mut costs = Vec::new();
    let mut measure = |hidden, batch_size: usize, men| {
        let batches = (131_072 / batch_size).clamp(4, 32);
        let time = Task::new(hidden, batch_size, men, batches).step_time(1);
        let ns = time.as_secs_f64() * 1e9 / batch_size as f64;
        costs.push(Cost {
            hidden,
            batch_size,
            men,
            ns,
        });
    };
    for hidden in [64, 128, 256, 512, 1024, 2048] {
        measure(hidden, BATCH, MEN);
    }
    for batch_size in [256, 1024, 4096, 65_536] {
        measure(HIDDEN, batch_size, MEN);
    }
    for men in [8, 16, 24, 32] {
        measure(HIDDEN, BATCH, men);
    }
    let mut csv = String::from("hidden,batch_size,men,ns_per_record\n");
    println!("| N | batch | men | ns a record | records/s |\n|---|---|---|---|---|");
    for Cost {
        hidden,
        batch_size,
        men,
        ns,
    } in &costs
    {
        csv += &format!("{hidden},{batch_size},{men},{ns:.1}\n");
        println!(
            "| {hidden} | {batch_size} | {men} | {ns:.0} | {:.0} |",
            1e9 / ns
        );
    }
    std::fs::write(folder.join("training.csv"), csv)?;
    plot(&folder.join("training.svg"), &costs)
}
