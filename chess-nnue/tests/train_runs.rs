//! Runs of the trainer: what they report, repeat and refuse.

#![cfg(feature = "train")]
#![allow(clippy::unwrap_used)]

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

fn missing(change: impl Fn(&mut Label)) -> Positions {
    let mut samples = random_positions(300, 1);
    change(&mut samples.0[217].label);
    samples
}

/// A fault and everything behind it.
fn text(error: &dyn Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", text(source)),
        None => error.to_string(),
    }
}

#[test]
fn labels_that_lack_what_is_needed_are_named() {
    let no_score = missing(|label| label.score = None);
    let no_result = missing(|label| label.result = None);
    let error = |samples| text(&run(config(16), samples).unwrap_err());
    assert_eq!(
        error(&no_score),
        "training set: sample 217: no score, which a result weight of 0.25 needs"
    );
    assert_eq!(
        error(&no_result),
        "training set: sample 217: no result, which a result weight of 0.25 needs"
    );
    let mut trainer = Trainer::new(config(16)).unwrap();
    let good = random_positions(100, 1);
    let go_on = |_: Event<'_>| ControlFlow::Continue(());
    let error = trainer.run(good.clone(), &no_score, go_on).unwrap_err();
    assert!(text(&error).starts_with("validation set: sample 217: no score"));
    let weighted = |result_weight, samples| {
        let mut config = config(16);
        config.result_weight = result_weight;
        let mut trainer = Trainer::new(config).unwrap();
        trainer
            .run(Positions::clone(samples), samples, go_on)
            .is_ok()
    };
    assert!(weighted(0.0, &no_result) && !weighted(0.0, &no_score));
    assert!(weighted(1.0, &no_score) && !weighted(1.0, &no_result));
}

#[test]
fn the_first_of_several_faults_is_reported() {
    let mut samples = random_positions(3000, 1);
    for index in [1203, 1999, 2998] {
        samples.0[index].label.score = None;
    }
    let targets = Targets::new(115, 0.25).unwrap();
    let parameters = Parameters::random(&Architecture::new(16).unwrap(), 1);
    let validator = Validator::new(targets, NonZeroUsize::new(3)).unwrap();
    let error = validator.loss(&parameters, &samples).unwrap_err();
    assert!(matches!(error, SampleError::Target { index: 1203, .. }));
    let error = MaterialTable::of_dataset(&samples, &targets).unwrap_err();
    assert!(matches!(error, SampleError::Target { index: 1203, .. }));
}

#[test]
fn empty_sets_are_refused() {
    let (empty, some) = (Positions(Vec::new()), random_positions(10, 1));
    let go_on = |_: Event<'_>| ControlFlow::Continue(());
    let mut trainer = Trainer::new(config(16)).unwrap();
    let error = trainer.run(empty.clone(), &some, go_on).unwrap_err();
    assert_eq!(text(&error), "training set: no samples");
    let error = trainer.run(some.clone(), &empty, go_on).unwrap_err();
    assert_eq!(text(&error), "validation set: no samples");
    assert!(matches!(
        EvalScaleFit::of_dataset(&empty),
        Err(SampleError::Empty)
    ));
}

/// A dataset that goes wrong at its last sample.
#[derive(Clone)]
struct Faulty {
    samples: Positions,
    loses_samples: bool,
}

impl Dataset for Faulty {
    type Batch = Vec<LabelledPosition>;

    fn len(&self) -> u64 {
        self.samples.len() + 1
    }

    fn gather(&self, indices: &[u64], batch: &mut Self::Batch) -> Result<(), DatasetError> {
        let mut kept = indices.to_vec();
        if self.loses_samples {
            kept.retain(|&index| index < self.samples.len());
        }
        self.samples.gather(&kept, batch)
    }

    fn block_count(&self) -> u64 {
        1
    }

    fn block(&self, _: u64) -> std::ops::Range<u64> {
        0..self.len()
    }

    fn game_start(&self, _: u64) -> Option<bool> {
        None
    }
}

#[test]
fn faults_of_datasets_are_passed_on() {
    let error = |loses_samples| {
        let faulty = Faulty {
            samples: random_positions(99, 1),
            loses_samples,
        };
        assert!(EvalScaleFit::of_dataset(&faulty).is_err());
        let mut trainer = Trainer::new(config(16)).unwrap();
        let go_on = |_: Event<'_>| ControlFlow::Continue(());
        text(&trainer.run(faulty.clone(), &faulty, go_on).unwrap_err())
    };
    assert_eq!(
        error(false),
        "training set: samples could not be fetched: sample 99 asked for, the dataset holds 99"
    );
    assert_eq!(
        error(true),
        "training set: 99 samples fetched, expected 100"
    );
}

#[test]
fn what_cannot_be_trained_is_refused() {
    let mut config = config(16);
    config.result_weight = 2.0;
    let error = Trainer::new(config.clone()).unwrap_err();
    assert_eq!(error.to_string(), "result weight 2, expected 0 to 1");
    let other = Parameters::random(&Architecture::new(32).unwrap(), 0);
    let error = Trainer::with_parameters(config, &other).unwrap_err();
    assert!(matches!(
        error,
        ConfigError::Architecture | ConfigError::Targets(_)
    ));
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

/// Two sources, two samples of the first to one of the second.
#[test]
fn several_sources_are_mixed_by_weight() {
    let (first, second) = (random_positions(200, 1), random_positions(100, 2));
    let sources = [("first", first.clone(), 2), ("second", second.clone(), 1)];
    let mixed = Interleaved::new(sources).unwrap();
    assert_eq!(mixed.len(), 300);
    let mut trainer = Trainer::new(config(16)).unwrap();
    let go_on = |_: Event<'_>| ControlFlow::Continue(());
    let outcome = trainer.run(mixed, &first, go_on).unwrap();
    assert_eq!(outcome.records, 600);
    let by_hand = (0..300).map(|index| match index % 3 {
        0 => first.0[index / 3 * 2],
        1 => second.0[index / 3],
        _ => first.0[index / 3 * 2 + 1],
    });
    let by_hand = Positions(by_hand.collect());
    let mut trainer = Trainer::new(config(16)).unwrap();
    let again = trainer.run(by_hand, &first, go_on).unwrap();
    assert_eq!(bits(&again.parameters), bits(&outcome.parameters));
}

/// Positions whose results are as likely as their scores say, at 150 centipawns a logit.
fn played(score_of: impl Fn(i16, Color) -> i16) -> Positions {
    let mut numbers = Numbers(5);
    let mut samples = random_positions(3000, 1);
    for sample in &mut samples.0 {
        let white_cp = numbers.below(601) as i16 - 300;
        let luck = (numbers.signed_unit() + 1.0) / 2.0;
        let won = luck < sigmoid(f64::from(white_cp) / 150.0);
        let score = Score::Centipawns(score_of(white_cp, sample.side_to_move()));
        sample.label = Label::new(Some(score), GameResult::new(2 * u8::from(won)));
    }
    samples
}

#[test]
fn scores_of_another_side_or_in_another_unit_are_caught() {
    let train = |samples: &Positions, eval_scale: i32, check: bool| {
        let mut config = config(16);
        config.architecture = config.architecture.with_eval_scale(eval_scale).unwrap();
        (config.check_scores, config.epochs) = (check, 1);
        run(config, samples).map_err(|error| text(&error))
    };
    let of_white = played(|white_cp, _| white_cp);
    assert!(train(&of_white, 150, true).is_ok());
    let start =
        "the scores of the training set cannot be right (`check_scores` off lets them pass): ";
    let caught = |samples: &Positions, eval_scale| {
        assert!(train(samples, eval_scale, false).is_ok());
        let error = train(samples, eval_scale, true).unwrap_err();
        error.strip_prefix(start).unwrap().to_owned()
    };
    let not_predictive = "the scores do not predict the results of 3000 samples; \
                          are they from White's side?";
    let of_mover = played(|white_cp, mover| {
        if mover == Color::White {
            white_cp
        } else {
            -white_cp
        }
    });
    assert_eq!(caught(&of_mover, 150), not_predictive);
    assert_eq!(
        caught(&played(|white_cp, _| -white_cp), 150),
        not_predictive
    );
    let text = caught(&of_white, 400);
    assert!(text.starts_with("eval scale 400 is asked for, 1"), "{text}");
    let text = caught(&played(|white_cp, _| 10 * white_cp), 150);
    assert!(text.starts_with("eval scale 150 is asked for, 1"), "{text}");
    // Results that are turned round look the same as scores that are.
    let mut turned = of_white.clone();
    for sample in &mut turned.0 {
        sample.label.result = sample.label.result.map(GameResult::flipped);
    }
    assert_eq!(caught(&turned, 150), not_predictive);
}

#[test]
fn a_dataset_that_panics_is_an_error() {
    #[derive(Clone)]
    struct Panics(Positions);
    impl Dataset for Panics {
        type Batch = Vec<LabelledPosition>;

        fn len(&self) -> u64 {
            self.0.len()
        }

        fn gather(&self, indices: &[u64], batch: &mut Self::Batch) -> Result<(), DatasetError> {
            // Not when it is asked for a few samples to be known by.
            assert!(indices.len() < 100, "out of order");
            self.0.gather(indices, batch)
        }

        fn block_count(&self) -> u64 {
            1
        }

        fn block(&self, _: u64) -> std::ops::Range<u64> {
            0..self.len()
        }

        fn game_start(&self, _: u64) -> Option<bool> {
            None
        }
    }
    let mut trainer = Trainer::new(config(16)).unwrap();
    let go_on = |_: Event<'_>| ControlFlow::Continue(());
    let samples = random_positions(300, 1);
    let error = trainer
        .run(Panics(samples.clone()), &samples, go_on)
        .unwrap_err();
    assert_eq!(text(&error), "the training set panicked: out of order");
}
