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
use chess_nnue_benches::noru_training::Noru;
use chess_nnue_benches::plain_training::Plain;
use chess_nnue_benches::training::{Positions, inputs, men};
use chess_nnue_benches::training_plot::{Cost, plot};
use chess_nnue_benches::{HIDDEN, Random};
use chess_records::{Board, Labelled};

const BATCH: usize = 16_384;
const MEN: u32 = 30;
/// How often each contestant has its turn.
const ROUNDS: usize = 5;

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

    /// The median time of a step of the plain loop, told inputs and targets.
    fn plain_time(&self) -> Duration {
        let (men, targets) = (inputs(&self.positions.0), self.targets());
        let mut plain = self.plain();
        let batches = men.chunks(BATCH).zip(targets.chunks(BATCH));
        let times = batches.map(|(men, targets)| timed(|| plain.batch(men, targets)));
        median(times.collect())
    }

    /// The same of the plain loop that has the trainer's job: it starts from positions in random order.
    fn plain_time_from_records(&self) -> Duration {
        let of_label = self.config.targets().expect("a good configuration");
        let mut order: Vec<u32> = (0..self.positions.0.len() as u32).collect();
        let mut random = Random(1);
        for left in (1..order.len()).rev() {
            order.swap(left, random.below(left + 1));
        }
        let mut plain = self.plain();
        let (mut inputs, mut targets) = (vec![Vec::new(); BATCH], vec![0.0; BATCH]);
        let mut step = |indices: &[u32]| {
            for ((&index, inputs), target) in indices.iter().zip(&mut inputs).zip(&mut targets) {
                let sample = &self.positions.0[index as usize];
                inputs.clear();
                inputs.extend(men(sample));
                let found = of_label.target(sample.label(), sample.side_to_move());
                *target = found.expect("positions with labels");
            }
            plain.batch(&inputs, &targets)
        };
        median(
            order
                .chunks(BATCH)
                .map(|indices| timed(|| step(indices)))
                .collect(),
        )
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

/// Contestants take turns, so that what else the machine does slows all of them.
fn contest() -> Result<(), Box<dyn Error>> {
    check();
    let task = Task::new(HIDDEN, BATCH, MEN, 20);
    let (men, targets) = (inputs(&task.positions.0[..BATCH]), task.targets());
    let samples = men.iter().zip(&targets);
    let samples: Vec<_> = samples
        .map(|(men, &target)| Noru::sample(men, target))
        .collect();
    let mut noru = Noru::new(HIDDEN);
    let mut times: [Vec<Duration>; 5] = Default::default();
    for _ in 0..ROUNDS {
        let of_round = [
            timed(|| noru.batch(&samples)),
            task.plain_time(),
            task.plain_time_from_records(),
            task.step_time(1),
            task.step_time(2),
        ];
        for (times, time) in times.iter_mut().zip(of_round) {
            times.push(time);
        }
    }
    let times = times.map(median);
    let backend = Backend::detect();
    let names = [
        "noru".into(),
        "the plain loop, told inputs".into(),
        "the plain loop, from positions".into(),
        format!("chess-nnue {backend}, threads: 1"),
        format!("chess-nnue {backend}, threads: 2"),
    ];
    println!("| | records/s | times noru | times the plain loop | times it from positions |");
    println!("|---|---|---|---|---|");
    for (name, time) in names.into_iter().zip(times) {
        let [noru, told, from_positions] =
            [0, 1, 2].map(|peer| times[peer].as_secs_f64() / time.as_secs_f64());
        let speed = BATCH as f64 / time.as_secs_f64();
        println!("| {name} | {speed:.0} | {noru:.1} | {told:.2} | {from_positions:.2} |");
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
