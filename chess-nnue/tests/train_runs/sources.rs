//! Where samples come from, and scores that cannot be right.

use super::*;

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
