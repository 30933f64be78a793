//! Runs that are interrupted and go on: the end must be the same, bit by bit.

#![cfg(feature = "train")]
#![allow(clippy::unwrap_used)]

mod train_common;

use std::error::Error;
use std::fs;
use std::num::{NonZeroU64, NonZeroUsize};
use std::ops::ControlFlow;
use std::path::Path;

use chess_nnue::train::{
    Checkpoint, CheckpointError, Event, Loss, Optimizer, Outcome, RateSchedule, RunFolder,
    TrainConfig, TrainError, Trainer,
};
use chess_nnue::{Activation, Architecture, KingBuckets, Network};
use chess_records::{Concat, Order};
use train_common::{Positions, random_positions};

const GO_ON: ControlFlow<()> = ControlFlow::Continue(());

/// Steps of all kinds: shuffled, three a pass.
fn plain() -> TrainConfig {
    let mut config = TrainConfig::new(Architecture::new(32).unwrap());
    (config.batch_size, config.epochs) = (128, 3);
    config.check_scores = false;
    config.checkpoint_steps = NonZeroU64::new(1);
    config.threads = NonZeroUsize::new(2);
    config
}

/// Everything that changes from step to step, passes that do not fit epochs, batches in pieces.
fn intricate() -> TrainConfig {
    let mut config = plain();
    let architecture = Architecture::new(16).unwrap();
    let map = core::array::from_fn(|square| (square / 16) as u8);
    config.architecture = architecture
        .with_activation(Activation::Crelu)
        .with_king_buckets(KingBuckets::new(map, true).unwrap())
        .with_output_buckets(4)
        .unwrap();
    (config.optimizer, config.factoriser) = (Optimizer::RAdam, true);
    config.loss = Loss::new(2.5).unwrap();
    config.micro_batch_size = Some(32);
    config.steps_per_epoch = NonZeroU64::new(4);
    config.rate_schedule = RateSchedule::Cosine { last: 0.1 };
    config.warmup_steps = 5;
    config.last_result_weight = Some(0.75);
    config.order = Order::Blocks { window: 2 };
    config.checkpoint_steps = NonZeroU64::new(2);
    config.seed = 9;
    config
}

/// Five sources, and so five blocks.
fn training() -> Concat<Positions> {
    Concat::new((0..5).map(|seed| random_positions(60 + seed, seed as u64)))
}

/// The numbers of an event that a run must repeat.
type Told = [u64; 4];

/// How much was told before a checkpoint, and its bytes.
type Shown = (usize, Vec<u8>);

fn told(event: &Event<'_>) -> Option<Told> {
    match event {
        Event::Step {
            step,
            records,
            batch_loss,
            training_loss,
            ..
        } => Some([
            *step,
            *records,
            batch_loss.to_bits(),
            training_loss.to_bits(),
        ]),
        Event::Epoch {
            step,
            training_loss,
            validation_loss,
            is_best,
            ..
        } => Some([
            *step,
            u64::from(*is_best),
            training_loss.to_bits(),
            validation_loss.to_bits(),
        ]),
        _ => None,
    }
}

/// A whole run: how it ended, what was told, and each checkpoint with what was told before it.
fn whole(config: &TrainConfig) -> (Outcome, Vec<Told>, Vec<Shown>) {
    let (mut events, mut checkpoints) = (Vec::new(), Vec::new());
    let mut trainer = Trainer::new(config.clone()).unwrap();
    let outcome = trainer.run(training(), &random_positions(90, 99), |event| {
        events.extend(told(&event));
        if let Event::Checkpoint { checkpoint, .. } = event {
            checkpoints.push((events.len(), checkpoint.to_bytes()));
        }
        GO_ON
    });
    (outcome.unwrap(), events, checkpoints)
}

#[test]
fn a_run_goes_on_from_any_checkpoint_to_the_same_end() {
    for config in [plain(), intricate()] {
        let (expected, events, checkpoints) = whole(&config);
        assert!(checkpoints.len() >= 6 && !expected.stopped);
        for (number, (before, bytes)) in checkpoints.iter().enumerate() {
            let checkpoint = Checkpoint::from_bytes(bytes).unwrap();
            assert_eq!(checkpoint.to_bytes(), *bytes);
            let mut config = config.clone();
            config.threads = NonZeroUsize::new(1 + number % 3);
            config.loader_threads = Some(number % 4);
            let mut trainer = Trainer::new(config).unwrap();
            let (mut told_again, mut started) = (Vec::new(), None);
            let validation = random_positions(90, 99);
            let outcome = trainer.resume(&checkpoint, training(), &validation, |event| {
                told_again.extend(told(&event));
                if let Event::Start { step, .. } = event {
                    started = Some(step);
                }
                GO_ON
            });
            assert_eq!(outcome.unwrap(), expected, "checkpoint {number}");
            assert_eq!(told_again, events[*before..], "checkpoint {number}");
            assert_eq!(started, Some(checkpoint.steps()));
            assert_eq!(trainer.parameters(), expected.parameters);
        }
    }
}

#[test]
fn a_run_may_be_stopped_after_any_event() {
    let config = intricate();
    let (expected, events, _) = whole(&config);
    let validation = random_positions(90, 99);
    for stop in 0..events.len() {
        let mut seen = 0;
        let mut trainer = Trainer::new(config.clone()).unwrap();
        let stopped = trainer.run(training(), &validation, |event| {
            seen += usize::from(told(&event).is_some());
            match seen > stop && told(&event).is_some() {
                true => ControlFlow::Break(()),
                false => GO_ON,
            }
        });
        let stopped = stopped.unwrap();
        assert_eq!(stopped.stopped, stop + 1 < events.len());
        let mut trainer = Trainer::new(config.clone()).unwrap();
        let checkpoint = &stopped.checkpoint;
        let outcome = trainer.resume(checkpoint, training(), &validation, |_| GO_ON);
        assert_eq!(outcome.unwrap(), expected, "stopped after event {stop}");
    }
}

/// A fault and everything behind it.
fn text(error: &dyn Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", text(source)),
        None => error.to_string(),
    }
}

#[test]
fn another_run_is_told_by_what_differs() {
    let (_, _, checkpoints) = whole(&plain());
    let checkpoint = Checkpoint::from_bytes(&checkpoints[1].1).unwrap();
    let refused = |config: TrainConfig, training: Concat<Positions>, validation: &Positions| {
        let mut trainer = Trainer::new(config).unwrap();
        let before = trainer.parameters();
        let error = trainer.resume(&checkpoint, training, validation, |_| GO_ON);
        let error = error.unwrap_err();
        assert!(matches!(error, TrainError::Resume(_)), "{error:?}");
        assert_eq!(trainer.parameters(), before);
        text(&error)
            .strip_prefix("cannot go on from the checkpoint: ")
            .unwrap()
            .to_owned()
    };
    let validation = random_positions(90, 99);
    let with = |change: fn(&mut TrainConfig)| {
        let mut config = plain();
        change(&mut config);
        refused(config, training(), &validation)
    };
    assert_eq!(
        with(|config| config.seed = 4),
        "the checkpoint is of another run: seed = 0, expected seed = 4"
    );
    assert_eq!(
        with(|config| config.learning_rate = 0.002),
        "the checkpoint is of another run: learning_rate = 0.001, expected learning_rate = 0.002"
    );
    assert_eq!(
        with(|config| config.architecture = Architecture::new(48).unwrap()),
        "the checkpoint is of another run: hidden = 32, expected hidden = 48"
    );
    assert_eq!(
        with(|config| config.order = Order::Sequential),
        "the checkpoint is of another run: order = shuffled, expected order = sequential"
    );
    let fewer = Concat::new((0..4).map(|seed| random_positions(60 + seed, seed as u64)));
    assert_eq!(
        refused(plain(), fewer, &validation),
        "the checkpoint is of a run with 310 samples in its training set, expected 246"
    );
    let others = Concat::new((0..5).map(|seed| random_positions(60 + seed, seed as u64 + 1)));
    let text = refused(plain(), others, &validation);
    let start = "the checkpoint is of a run with another training set: fingerprint ";
    assert!(text.starts_with(start), "{text}");
    let text = refused(plain(), training(), &random_positions(90, 98));
    assert!(text.contains("another validation set"), "{text}");
    let text = refused(plain(), training(), &random_positions(91, 99));
    assert_eq!(
        text,
        "the checkpoint is of a run with 90 samples in its validation set, expected 91"
    );
}

/// A run in a folder; the steps that it began with, and how many checkpoints it called damaged.
fn in_folder(path: &Path, config: &TrainConfig) -> (Outcome, u64, usize) {
    let (mut begun, mut damaged) = (None, 0);
    let folder = RunFolder::open(path).unwrap();
    let mut trainer = Trainer::new(config.clone()).unwrap();
    let validation = random_positions(90, 99);
    let outcome = folder.train(&mut trainer, training(), &validation, |event| {
        match event {
            Event::Start { step, .. } => begun = Some(step),
            Event::Damaged { damaged: found, .. } => {
                assert!(found.error.to_string().contains("checkpoint-"));
                damaged += 1;
            }
            _ => {}
        }
        GO_ON
    });
    (outcome.unwrap(), begun.unwrap(), damaged)
}

fn names(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_folder_keeps_the_last_checkpoints_and_the_best() {
    let folder = tempfile::tempdir().unwrap();
    let (outcome, begun, _) = in_folder(folder.path(), &plain());
    assert_eq!((outcome.steps, begun), (9, 0));
    let kept = [
        "best.ckpt",
        "best.nnue",
        "checkpoint-0000000007.ckpt",
        "checkpoint-0000000008.ckpt",
        "checkpoint-0000000009.ckpt",
        "last.nnue",
        "lock",
    ];
    assert_eq!(names(folder.path()), kept);
    let best = Checkpoint::load(folder.path().join("best.ckpt")).unwrap();
    assert_eq!(best.best(), outcome.best);
    assert_eq!(
        best.validation_loss(),
        Some(outcome.best.unwrap().validation_loss)
    );
    let network = |name| Network::load(folder.path().join(name)).unwrap();
    assert_eq!(network("best.nnue"), best.parameters().quantize().network);
    assert_eq!(network("last.nnue"), outcome.parameters.quantize().network);
    // What is over is only reported.
    let (again, begun, _) = in_folder(folder.path(), &plain());
    assert_eq!((again, begun), (outcome, 9));
    assert_eq!(names(folder.path()), kept);
}

#[test]
fn a_damaged_checkpoint_is_passed_over() {
    let whole = tempfile::tempdir().unwrap();
    let (expected, ..) = in_folder(whole.path(), &plain());
    let damage: [fn(&mut Vec<u8>); 4] = [
        Vec::clear,
        |bytes| bytes.truncate(bytes.len() / 2),
        |bytes| bytes[10_000] ^= 1,
        |bytes| bytes.push(0),
    ];
    for (number, damage) in damage.into_iter().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        in_folder(folder.path(), &plain());
        let bad = 1 + number % 2;
        for steps in 10 - bad..10 {
            let path = folder.path().join(format!("checkpoint-{steps:010}.ckpt"));
            let mut bytes = fs::read(&path).unwrap();
            damage(&mut bytes);
            fs::write(&path, bytes).unwrap();
        }
        fs::write(folder.path().join(".last.nnue.1-0.tmp"), "half").unwrap();
        let (outcome, begun, told) = in_folder(folder.path(), &plain());
        assert_eq!(outcome, expected);
        assert_eq!((begun, told), (9 - bad as u64, bad));
        for name in names(whole.path()) {
            let of = |folder: &Path| fs::read(folder.join(&name)).unwrap();
            assert_eq!(of(folder.path()), of(whole.path()), "{name}");
        }
        assert_eq!(names(folder.path()), names(whole.path()));
    }
}

#[test]
fn folders_that_cannot_be_used() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let error = |config: TrainConfig| {
        let folder = RunFolder::open(path).unwrap();
        let mut trainer = Trainer::new(config).unwrap();
        let validation = random_positions(90, 99);
        let error = folder.train(&mut trainer, training(), &validation, |_| GO_ON);
        text(&error.unwrap_err())
    };
    in_folder(path, &plain());
    let mut other = plain();
    other.weight_decay = 0.5;
    assert_eq!(
        error(other),
        "cannot go on from the checkpoint: the checkpoint is of another run: \
         weight_decay = 0.01, expected weight_decay = 0.5"
    );
    let open = RunFolder::open(path).unwrap();
    assert_eq!(open.path(), path);
    let busy = RunFolder::open(path).unwrap_err().to_string();
    let shown = path.display();
    assert_eq!(
        busy,
        format!("{shown}: another run is working in this folder")
    );
    drop(open);
    for name in names(path)
        .iter()
        .filter(|name| name.starts_with("checkpoint"))
    {
        fs::write(path.join(name), "CHSNNCP1").unwrap();
    }
    assert_eq!(
        error(plain()),
        format!(
            "{shown}: all 3 checkpoints are damaged; the newest is told of, remove them to begin \
             again: {shown}/checkpoint-0000000009.ckpt is no usable checkpoint: \
             the checkpoint is cut short: 8 bytes, expected 256"
        )
    );
    let file = path.join("file");
    fs::write(&file, "").unwrap();
    let error = RunFolder::open(&file).unwrap_err().to_string();
    assert!(error.ends_with("file: cannot be used as the folder of a run"));
}

#[test]
fn a_stopped_run_in_a_folder_goes_on() {
    let whole = tempfile::tempdir().unwrap();
    let (expected, ..) = in_folder(whole.path(), &intricate());
    for stop in [0, 3, 4, 5] {
        let folder = tempfile::tempdir().unwrap();
        let validation = random_positions(90, 99);
        let kept = RunFolder::open(folder.path()).unwrap();
        let mut trainer = Trainer::new(intricate()).unwrap();
        let stopped = kept.train(&mut trainer, training(), &validation, |event| match event {
            Event::Start { .. } if stop == 0 => ControlFlow::Break(()),
            // One that ends an epoch as well: it must not be lost that it was the best.
            Event::Epoch { step, .. } if step == stop => ControlFlow::Break(()),
            Event::Step { step, .. } if step == stop && stop != 4 => ControlFlow::Break(()),
            _ => GO_ON,
        });
        assert_eq!(stopped.unwrap().steps, stop);
        drop(kept);
        let (outcome, begun, _) = in_folder(folder.path(), &intricate());
        assert_eq!((&outcome, begun), (&expected, stop));
        for name in ["best.ckpt", "best.nnue", "last.nnue"] {
            let of = |folder: &Path| fs::read(folder.join(name)).unwrap();
            assert_eq!(of(folder.path()), of(whole.path()), "{name} after {stop}");
        }
    }
}

#[test]
fn damaged_and_foreign_bytes_are_refused() {
    let mut config = plain();
    config.architecture = Architecture::new(16).unwrap();
    let (_, _, checkpoints) = whole(&config);
    let bytes = &checkpoints[2].1;
    let error = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = bytes.clone();
        change(&mut bytes);
        Checkpoint::from_bytes(&bytes).unwrap_err()
    };
    for len in (0..bytes.len())
        .step_by(7919)
        .chain([1, 255, 256, bytes.len() - 1])
    {
        let error = error(&|bytes| bytes.truncate(len));
        assert!(matches!(error, CheckpointError::Truncated { .. }), "{len}");
    }
    for at in (0..bytes.len()).step_by(61) {
        error(&|bytes| bytes[at] ^= 0x40);
    }
    let len = bytes.len();
    assert_eq!(
        error(&|bytes| bytes.push(1)).to_string(),
        format!(
            "the checkpoint goes on after its end: {} bytes, expected {len}",
            len + 1
        )
    );
    assert_eq!(
        error(&|bytes| bytes[..8].copy_from_slice(b"CHSNNUE1")).to_string(),
        "not a CHSNNCP1 checkpoint: it begins with the bytes [43, 48, 53, 4e, 4e, 55, 45, 31]"
    );
    assert_eq!(
        error(&|bytes| bytes[8] = 2).to_string(),
        "version at byte 8 is 2, expected 1"
    );
    let damaged = error(&|bytes| bytes[5000] ^= 1).to_string();
    assert!(damaged.starts_with("checksum ") && damaged.ends_with(": the checkpoint is damaged"));
    // No memory is asked for before there are as many bytes as that takes.
    let huge = error(&|bytes| bytes[152..160].copy_from_slice(&(1u64 << 61).to_le_bytes()));
    assert!(matches!(
        huge,
        CheckpointError::Truncated {
            expected: u64::MAX,
            ..
        }
    ));
    let text = error(&|bytes| bytes[30] = 2).to_string();
    assert!(
        text.starts_with("description length at byte 28 is "),
        "{text}"
    );
    assert!(text.ends_with(", expected at most 65536"), "{text}");
}

#[test]
fn missing_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none.ckpt");
    let error = Checkpoint::load(&path).unwrap_err();
    let shown = path.display();
    assert_eq!(
        error.to_string(),
        format!("cannot read the checkpoint {shown}")
    );
    let (_, _, checkpoints) = whole(&plain());
    let checkpoint = Checkpoint::from_bytes(&checkpoints[0].1).unwrap();
    let error = checkpoint.save(path.join("deeper")).unwrap_err();
    assert_eq!(error.to_string(), "cannot write the checkpoint");
    checkpoint.save(&path).unwrap();
    assert_eq!(Checkpoint::load(&path).unwrap(), checkpoint);
}
