//! Runs of the trainer: what they report, repeat and refuse.

#![cfg(feature = "train")]
#![allow(clippy::unwrap_used)]

mod faults;
mod sources;
#[path = "../train_common/mod.rs"]
mod train_common;

use std::error::Error;
use std::num::{NonZeroU64, NonZeroUsize};
use std::ops::ControlFlow;

use chess_nnue::train::{
    ConfigError, EvalScaleFit, Event, Loss, Material, MaterialTable, Optimizer, Outcome,
    Parameters, Prediction, RateSchedule, SampleError, Targets, TrainConfig, TrainError, Trainer,
    Validator, sigmoid,
};
use chess_nnue::{Activation, Architecture, KingBuckets};
use chess_records::ops::Interleaved;
use chess_records::{
    Board, Color, Concat, Dataset, DatasetError, GameResult, Label, LabelledPosition, Order,
    Position, Score,
};
use train_common::{Numbers, Positions, random_positions};

fn config(hidden: usize) -> TrainConfig {
    let mut config = TrainConfig::new(Architecture::new(hidden).unwrap());
    config.batch_size = 128;
    config.epochs = 2;
    config.threads = NonZeroUsize::new(2);
    // Random scores have nothing to do with random results.
    config.check_scores = false;
    config
}

fn run(config: TrainConfig, training: &Positions) -> Result<Outcome, TrainError> {
    let validation = random_positions(30, 99);
    let mut trainer = Trainer::new(config).unwrap();
    trainer.run(training.clone(), &validation, |_| ControlFlow::Continue(()))
}

fn bits(parameters: &Parameters) -> Vec<u32> {
    let weights = parameters.weights();
    let rows = [
        &weights.feature_weights,
        &weights.factoriser,
        &weights.feature_biases,
        &weights.output_weights,
    ];
    let rows = rows.into_iter().chain([&weights.output_biases]).flatten();
    rows.map(|value| value.to_bits()).collect()
}

/// A fault and everything behind it.
fn text(error: &dyn Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", text(source)),
        None => error.to_string(),
    }
}

/// Buckets by the king's rank, from the first to the third and beyond.
fn king_buckets(mirrored: bool) -> KingBuckets {
    let map = core::array::from_fn(|square| (square / 8).min(2) as u8);
    KingBuckets::new(map, mirrored).unwrap()
}

/// Configurations of everything that can be trained.
fn all_kinds() -> Vec<TrainConfig> {
    let large = |mirrored| {
        let architecture = Architecture::new(80).unwrap();
        let architecture = architecture.with_king_buckets(king_buckets(mirrored));
        architecture.with_output_buckets(8).unwrap()
    };
    let mut plain = [config(48), config(144)];
    plain[0].loss = Loss::new(2.6).unwrap();
    plain[1].optimizer = Optimizer::RAdam;
    let [mut bucketed, mut factorised] = [false, true].map(|mirrored| {
        let mut config = config(16);
        config.architecture = large(mirrored);
        config
    });
    bucketed.architecture = bucketed.architecture.with_activation(Activation::Crelu);
    factorised.factoriser = true;
    let [first, second] = plain;
    vec![first, second, bucketed, factorised]
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let training = random_positions(700, 1);
    for kind in all_kinds() {
        let outcome = |threads| {
            let mut config = kind.clone();
            config.batch_size = 300;
            config.threads = NonZeroUsize::new(threads);
            run(config, &training).unwrap()
        };
        let one = outcome(1);
        assert_eq!(bits(&outcome(1).parameters), bits(&one.parameters));
        for threads in [2, 3, 16] {
            let many = outcome(threads);
            assert_eq!(bits(&many.parameters), bits(&one.parameters));
            assert_eq!(many.validation_loss, one.validation_loss);
            let networks = [&one, &many].map(|outcome| outcome.parameters.quantize());
            assert_eq!(networks[0], networks[1]);
        }
    }
}

/// Trained parameters, their float evaluation, the validator and the evaluator's integers tell of one
/// network.
#[test]
fn every_kind_is_learnt_and_evaluated_alike() {
    let training = random_positions(60, 1);
    for mut config in all_kinds() {
        config.epochs = 200;
        config.learning_rate = 5e-3;
        let mut trainer = Trainer::new(config.clone()).unwrap();
        let before = trainer.validator().loss(&trainer.parameters(), &training);
        let go_on = |_: Event<'_>| ControlFlow::Continue(());
        let outcome = trainer.run(training.clone(), &training, go_on).unwrap();
        let after = outcome.validation_loss.unwrap();
        assert!(after < before.unwrap() / 5.0, "{after}: {config:?}");

        let parameters = &outcome.parameters;
        let has_factoriser = !parameters.weights().factoriser.is_empty();
        assert_eq!(has_factoriser, config.factoriser);
        let quantized = parameters.quantize();
        assert_eq!(quantized.clipped, 0);
        assert_eq!(*quantized.network.architecture(), config.architecture);
        let folded = parameters.clone().folded();
        assert!(folded.weights().factoriser.is_empty());
        assert_eq!(folded.quantize(), quantized);
        let mut index = 0;
        let each = |prediction: Prediction<'_, LabelledPosition>| {
            let sample = &training.0[index];
            index += 1;
            for parameters in [parameters, &folded] {
                assert!((parameters.evaluate(sample) - prediction.output).abs() < 1e-4);
            }
            let exact = prediction.output * 400.0;
            let found = quantized.network.evaluate(sample) as f32;
            assert!((exact - found).abs() < 40.0, "{exact}, {found}: {config:?}");
            ControlFlow::Continue(())
        };
        let validator = trainer.validator();
        assert_eq!(
            validator.predict(parameters, &training, each).unwrap(),
            after
        );
    }
}

#[test]
fn weights_keep_within_the_limit() {
    let training = random_positions(60, 1);
    for (limit, factoriser) in [(0.25, false), (0.25, true)] {
        let mut config = config(16);
        config.architecture = config.architecture.with_king_buckets(king_buckets(true));
        (config.weight_limit, config.factoriser) = (limit, factoriser);
        (config.epochs, config.learning_rate) = (60, 0.05);
        let weights = run(config, &training)
            .unwrap()
            .parameters
            .folded()
            .into_weights();
        for values in [
            weights.feature_weights,
            weights.feature_biases,
            weights.output_weights,
        ] {
            let largest = values
                .into_iter()
                .fold(0.0, |largest: f32, value| value.abs().max(largest));
            assert!(largest > 0.9 * limit && largest <= limit, "{largest}");
        }
    }
}

#[test]
fn weights_decay_as_configured() {
    let training = random_positions(300, 1);
    let largest = |weight_decay| {
        let mut config = config(16);
        config.epochs = 40;
        config.learning_rate = 0.01;
        config.weight_decay = weight_decay;
        let parameters = run(config, &training).unwrap().parameters;
        let weights = &parameters.weights().feature_weights;
        weights
            .iter()
            .map(|weight| f64::from(weight.abs()))
            .sum::<f64>()
    };
    assert!(largest(1.0) < 0.8 * largest(0.0));
}

#[test]
fn seeds_decide_parameters_and_order() {
    let training = random_positions(300, 1);
    let outcome = |seed| {
        let mut config = config(16);
        config.seed = seed;
        bits(&run(config, &training).unwrap().parameters)
    };
    assert_eq!(outcome(1), outcome(1));
    assert_ne!(outcome(1), outcome(2));
    let start = Parameters::random(&Architecture::new(16).unwrap(), 1);
    let from_start = |seed| {
        let mut config = config(16);
        config.seed = seed;
        let mut trainer = Trainer::with_parameters(config, &start).unwrap();
        let go_on = |_: Event<'_>| ControlFlow::Continue(());
        let outcome = trainer.run(training.clone(), &training, go_on).unwrap();
        bits(&outcome.parameters)
    };
    assert_ne!(
        from_start(1),
        from_start(2),
        "the order must follow the seed"
    );
}

#[test]
fn events_count_batches_records_and_epochs() {
    let training = random_positions(300, 1);
    let mut trainer = Trainer::new(config(16)).unwrap();
    let (mut batches, mut epochs) = (Vec::new(), Vec::<(_, _, _, _, Parameters)>::new());
    let mut checkpoints = 0;
    let outcome = trainer.run(training.clone(), &training, |event| {
        match event {
            Event::Start {
                step: 0,
                steps: 6,
                records: 0,
                epochs: 2,
                ..
            } => assert!(batches.is_empty()),
            Event::Step {
                epoch,
                batch,
                batches: 3,
                records,
                training_loss,
                step,
                steps: 6,
                ..
            } if step == u64::from(3 * (epoch - 1)) + batch => {
                batches.push((epoch, batch, records, training_loss))
            }
            Event::Epoch {
                epoch,
                epochs: 2,
                records,
                training_loss,
                validation_loss,
                parameters,
                ..
            } => epochs.push((
                epoch,
                records,
                training_loss,
                validation_loss,
                parameters.clone(),
            )),
            Event::Checkpoint {
                checkpoint,
                is_best,
                ..
            } => {
                let last = epochs.last().unwrap();
                assert_eq!(*checkpoint.parameters(), last.4);
                assert_eq!(checkpoint.validation_loss(), Some(last.3));
                assert_eq!(checkpoint.steps(), 3 * u64::from(last.0));
                let best = checkpoint.best().unwrap();
                assert_eq!(is_best, best.epoch == last.0);
                checkpoints += 1;
            }
            event => panic!("{event:?}"),
        }
        ControlFlow::Continue(())
    });
    let outcome = outcome.unwrap();
    let counts: Vec<_> = batches.iter().map(|b| (b.0, b.1, b.2)).collect();
    assert_eq!(
        counts,
        [
            (1, 1, 128),
            (1, 2, 256),
            (1, 3, 300),
            (2, 1, 428),
            (2, 2, 556),
            (2, 3, 600)
        ]
    );
    assert_eq!((epochs.len(), checkpoints), (2, 2));
    assert_eq!((epochs[1].0, epochs[1].1), (2, 600));
    assert_eq!(
        epochs[0].2, batches[2].3,
        "the epoch's loss is that after its last batch"
    );
    assert_eq!(
        (outcome.epochs, outcome.records, outcome.stopped),
        (2, 600, false)
    );
    assert_eq!(outcome.validation_loss, Some(epochs[1].3));
    assert_eq!(outcome.parameters, epochs[1].4);
    assert_eq!(outcome.parameters, trainer.parameters());
    let validated = trainer.validator().loss(&outcome.parameters, &training);
    assert_eq!(validated.unwrap(), epochs[1].3);
}

#[test]
fn the_last_quarter_of_the_epochs_takes_small_steps() {
    let training = random_positions(300, 1);
    let mut config = config(16);
    config.epochs = 4;
    let mut trainer = Trainer::new(config).unwrap();
    let mut before = trainer.parameters();
    let mut changes = Vec::new();
    let outcome = trainer.run(training.clone(), &training, |event| {
        if let Event::Epoch {
            learning_rate,
            parameters,
            ..
        } = event
        {
            let weights = [&before, parameters].map(|p| &p.weights().output_weights);
            let differences = weights[0]
                .iter()
                .zip(weights[1])
                .map(|(a, b)| (a - b).abs());
            changes.push((learning_rate, differences.fold(0.0, f32::max)));
            before = parameters.clone();
        }
        ControlFlow::Continue(())
    });
    assert!(outcome.is_ok());
    let rates: Vec<_> = changes.iter().map(|change| change.0).collect();
    assert_eq!(rates, [1e-3, 1e-3, 1e-3, 1e-4]);
    assert!(changes[3].1 < changes[2].1 / 5.0, "{changes:?}");
}

#[test]
fn a_stopped_run_leaves_its_parameters() {
    let training = random_positions(300, 1);
    let mut trainer = Trainer::new(config(16)).unwrap();
    let start = trainer.parameters();
    let stop_in_epoch_2 = |event: Event<'_>| match event {
        Event::Step {
            epoch: 2, batch: 1, ..
        } => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    let outcome = trainer
        .run(training.clone(), &training, stop_in_epoch_2)
        .unwrap();
    assert!(outcome.stopped && outcome.validation_loss.is_some());
    assert_eq!((outcome.epochs, outcome.records), (1, 428));
    assert_ne!(outcome.parameters, start);
    assert_eq!(outcome.parameters, trainer.parameters());
    let stop = |event: Event<'_>| match event {
        Event::Step { .. } => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    let outcome = trainer.run(training.clone(), &training, stop).unwrap();
    assert_eq!((outcome.epochs, outcome.records), (0, 128));
    assert_eq!(outcome.validation_loss, None);
}

#[test]
fn a_network_learns_a_small_set_by_heart() {
    let training = random_positions(50, 1);
    let mut config = config(32);
    config.epochs = 400;
    config.learning_rate = 5e-3;
    let mut trainer = Trainer::new(config).unwrap();
    let before = trainer.validator().loss(&trainer.parameters(), &training);
    let go_on = |_: Event<'_>| ControlFlow::Continue(());
    let outcome = trainer.run(training.clone(), &training, go_on).unwrap();
    let after = outcome.validation_loss.unwrap();
    assert!(after < before.unwrap() / 50.0, "{after}");
}

#[test]
fn predictions_come_in_order_and_agree_with_the_plain_evaluation() {
    let samples = random_positions(2500, 7);
    let architecture = Architecture::new(80).unwrap().with_eval_scale(200).unwrap();
    let parameters = Parameters::random(&architecture, 3);
    let targets = Targets::new(200, 0.25).unwrap();
    let predictions = |threads| {
        let validator = Validator::new(targets, NonZeroUsize::new(threads)).unwrap();
        let mut seen = Vec::new();
        let each = |Prediction {
                        index,
                        sample,
                        output,
                        target,
                        ..
                    }: Prediction<'_, LabelledPosition>| {
            assert_eq!(*sample, samples.0[index as usize]);
            seen.push((index, output, target));
            ControlFlow::Continue(())
        };
        let loss = validator.predict(&parameters, &samples, each).unwrap();
        (loss, seen)
    };
    let (loss, seen) = predictions(2);
    assert_eq!(predictions(3), (loss, seen.clone()));
    assert!(seen.iter().map(|&(index, ..)| index).eq(0..2500));
    let mut sum = 0.0;
    for (&(_, output, target), sample) in seen.iter().zip(&samples.0) {
        assert!((parameters.evaluate(sample) - output).abs() < 1e-5);
        let mover = sample.side_to_move();
        assert_eq!(targets.target(sample.label, mover), Ok(target));
        sum += (sigmoid(f64::from(output)) - f64::from(target)).powi(2);
    }
    assert!((sum / 2500.0 - loss).abs() < 1e-12);
}

/// The same position with the colours exchanged is the same sample: the target, the output and the
/// losses of both baselines must not change. Scores or results of the wrong side would.
#[test]
fn exchanging_the_colours_changes_nothing() {
    let samples = random_positions(500, 7);
    let mirrored = samples.0.iter().map(|sample| LabelledPosition {
        position: Position::new(sample.placement().flipped(), !sample.side_to_move()),
        label: Label::new(
            sample.label.score.map(Score::flipped),
            sample
                .label
                .result
                .map(|result| chess_records::GameResult::new(2 - u8::from(result)).unwrap()),
        ),
    });
    let mirrored = Positions(mirrored.collect());
    let targets = Targets::new(200, 0.25).unwrap();
    let parameters = Parameters::random(&Architecture::new(32).unwrap(), 3);
    let validator = Validator::new(targets, None).unwrap();
    let predictions = |samples| {
        let mut seen = Vec::new();
        let each = |Prediction { output, target, .. }: Prediction<'_, LabelledPosition>| {
            seen.push((output, target));
            ControlFlow::Continue(())
        };
        validator.predict(&parameters, samples, each).unwrap();
        seen
    };
    for (plain, mirrored) in predictions(&samples)
        .into_iter()
        .zip(predictions(&mirrored))
    {
        assert!((plain.0 - mirrored.0).abs() < 1e-5);
        assert!((plain.1 - mirrored.1).abs() < 1e-6);
    }
    let losses = [&samples, &mirrored].map(|samples| {
        let table = MaterialTable::of_dataset(samples, &targets).unwrap();
        table.loss_of_material(&Material::fit(&table))
    });
    assert!((losses[0] - losses[1]).abs() < 1e-7);
    let scales = [&samples, &mirrored].map(|samples| {
        let fit = EvalScaleFit::of_dataset(samples).unwrap();
        fit.eval_scale().unwrap_or(0.0)
    });
    assert!((scales[0] - scales[1]).abs() < 1e-3);
}

#[test]
fn loading_threads_and_blocks_change_no_bit() {
    let sources = || Concat::new((0..6).map(|seed| random_positions(90, seed)));
    let outcome = |loader_threads, order| {
        let mut config = config(48);
        config.loader_threads = loader_threads;
        config.order = order;
        let mut trainer = Trainer::new(config).unwrap();
        let go_on = |_: Event<'_>| ControlFlow::Continue(());
        let outcome = trainer.run(sources(), &random_positions(30, 99), go_on);
        bits(&outcome.unwrap().parameters)
    };
    let orders = [
        Order::Shuffled,
        Order::Blocks { window: 2 },
        Order::Sequential,
    ];
    let results = orders.map(|order| outcome(None, order));
    for (order, expected) in orders.into_iter().zip(&results) {
        for threads in [0, 1, 4] {
            assert_eq!(outcome(Some(threads), order), *expected);
        }
    }
    assert_ne!(results[0], results[1]);
    assert_ne!(results[1], results[2]);
}

/// The gradient of a batch in pieces is that of the whole, but for the rounding of sums.
#[test]
fn a_batch_in_pieces_makes_the_same_steps() {
    let training = random_positions(700, 1);
    let outcome = |micro_batch_size| {
        let mut config = config(32);
        (config.batch_size, config.micro_batch_size) = (128, micro_batch_size);
        run(config, &training).unwrap()
    };
    let whole = outcome(None);
    for size in [64, 16] {
        let pieces = outcome(Some(size));
        assert_eq!((pieces.steps, pieces.records), (whole.steps, whole.records));
        let losses = [&pieces, &whole].map(|outcome| outcome.validation_loss.unwrap());
        assert!((losses[0] / losses[1] - 1.0).abs() < 1e-4, "{losses:?}");
        assert_eq!(
            bits(&outcome(Some(size)).parameters),
            bits(&pieces.parameters)
        );
    }
    assert_eq!(
        bits(&outcome(Some(128)).parameters),
        bits(&whole.parameters)
    );
}

#[test]
fn rates_and_shares_change_step_by_step() {
    let training = random_positions(300, 1);
    let mut config = config(16);
    config.batch_size = 64;
    config.rate_schedule = RateSchedule::Linear { last: 0.1 };
    config.warmup_steps = 2;
    config.last_result_weight = Some(1.0);
    config.steps_per_epoch = NonZeroU64::new(2);
    let mut trainer = Trainer::new(config.clone()).unwrap();
    let mut seen = Vec::new();
    let outcome = trainer.run(training.clone(), &training, |event| {
        if let Event::Step {
            learning_rate,
            result_weight,
            records_per_second,
            epoch,
            batches: 2,
            ..
        } = event
        {
            assert!(records_per_second > 0.0);
            seen.push((epoch, learning_rate, result_weight));
        }
        ControlFlow::Continue(())
    });
    assert_eq!(outcome.unwrap().steps, 4);
    let expected = [
        (1, 0.5e-3, 0.25),
        (1, 0.7e-3, 0.5),
        (2, 0.4e-3, 0.75),
        (2, 0.1e-3, 1.0),
    ];
    assert_eq!(seen.len(), expected.len());
    for (found, expected) in seen.iter().zip(expected) {
        assert_eq!((found.0, found.2), (expected.0, expected.2));
        assert!((found.1 - expected.1).abs() < 1e-9, "{found:?}");
    }
    assert_eq!(trainer.validator().targets().result_weight(), 1.0);
}
