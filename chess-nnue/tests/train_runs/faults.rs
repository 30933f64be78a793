//! What goes wrong in a run, and what is said of it.

use super::*;

fn missing(change: impl Fn(&mut Label)) -> Positions {
    let mut samples = random_positions(300, 1);
    change(&mut samples.0[217].label);
    samples
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
