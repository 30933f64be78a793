//! What a network is to predict for a labelled position.

use chess_records::{Color, DatasetError, GameResult, Label, Labelled, Score};
use thiserror::Error;

use super::sigmoid::sigmoid;

/// How a label becomes a target: the expected points of the side to move, 0 to 1.
///
/// A share `result_weight` of the target is the points the side to move got in the end; the rest is
/// what the score says, σ(score / eval scale) for centipawns, σ being the logistic function.
/// Labels hold scores and results from White's side and are turned to the mover's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Targets {
    eval_scale: i32,
    result_weight: f32,
}

/// What a label says, as the mover sees it.
#[derive(Clone, Copy, Debug, Default)]
struct Said {
    /// A logit or expected points.
    score: f64,
    is_logit: bool,
    /// What the mover got in the end.
    points: f64,
}

/// Why there is no target.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum TargetError {
    /// No score, and the result weight is under 1.
    #[error("no score, which a result weight of {result_weight} needs")]
    NoScore {
        /// The share of the result.
        result_weight: f32,
    },
    /// No result, and the result weight is over 0.
    #[error("no result, which a result weight of {result_weight} needs")]
    NoResult {
        /// The share of the result.
        result_weight: f32,
    },
    /// Expected points that are not in 0…1.
    #[error("expected points {found}, expected 0 to 1")]
    ExpectedPoints {
        /// What the label says, from White's side.
        found: f32,
    },
    /// A kind of score this version has no target for.
    #[error("a score that is neither centipawns nor expected points")]
    UnknownScore,
    /// A result weight outside 0…1.
    #[error("result weight {found}, expected 0 to 1")]
    ResultWeight {
        /// The share asked for.
        found: f32,
    },
    /// An eval scale that is not positive.
    #[error("eval scale {found}, expected 1 or more")]
    EvalScale {
        /// The scale asked for.
        found: i32,
    },
}

/// Why samples could not be learnt from.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SampleError {
    /// There are none.
    #[error("no samples")]
    Empty,
    /// The dataset could not fetch them.
    #[error("samples could not be fetched")]
    Dataset(#[from] DatasetError),
    /// The dataset put another number of samples into the batch than it was asked for.
    #[error("{found} samples fetched, expected {expected}")]
    Count {
        /// How many were asked for.
        expected: usize,
        /// How many came.
        found: usize,
    },
    /// A sample's label gives no target.
    #[error("sample {index}")]
    Target {
        /// The sample's number in the dataset.
        index: u64,
        /// What is wrong with its label.
        source: TargetError,
    },
}

impl Targets {
    /// Targets for an eval scale in centipawns and a result's share.
    ///
    /// # Errors
    ///
    /// [`TargetError::EvalScale`] unless the scale is 1 or more, [`TargetError::ResultWeight`]
    /// unless the share is in 0…1.
    pub fn new(eval_scale: i32, result_weight: f32) -> Result<Self, TargetError> {
        if eval_scale < 1 {
            return Err(TargetError::EvalScale { found: eval_scale });
        }
        if !(0.0..=1.0).contains(&result_weight) {
            let found = result_weight;
            return Err(TargetError::ResultWeight { found });
        }
        Ok(Self {
            eval_scale,
            result_weight,
        })
    }

    /// The centipawns that stand for an output of 1.
    #[must_use]
    pub const fn eval_scale(&self) -> i32 {
        self.eval_scale
    }

    /// The result's share.
    #[must_use]
    pub const fn result_weight(&self) -> f32 {
        self.result_weight
    }

    /// The target of a position with this label and `mover` to move. A result weight of 0 asks for
    /// no result, one of 1 for no score.
    ///
    /// # Errors
    ///
    /// When the label lacks what the mix needs, or its expected points are not in 0…1.
    pub fn target(&self, label: Label, mover: Color) -> Result<f32, TargetError> {
        Ok(self.mix(self.read(label, mover)?))
    }

    /// Puts the targets of samples in the place of what is there. Of several samples without one, the
    /// number of the first is told.
    ///
    /// The branches of reading labels come first: sums without them are worked out side by side.
    pub(super) fn fill<S: Labelled>(
        &self,
        samples: &[S],
        targets: &mut [f32],
    ) -> Result<(), (usize, TargetError)> {
        const AT_ONCE: usize = 64;
        let chunks = samples.chunks(AT_ONCE).zip(targets.chunks_mut(AT_ONCE));
        for (chunk, (samples, targets)) in chunks.enumerate() {
            let mut said = [Said::default(); AT_ONCE];
            for (i, (said, sample)) in said.iter_mut().zip(samples).enumerate() {
                let found = self.read(sample.label(), sample.side_to_move());
                *said = found.map_err(|fault| (chunk * AT_ONCE + i, fault))?;
            }
            for (target, said) in targets.iter_mut().zip(said) {
                *target = self.mix(said);
            }
        }
        Ok(())
    }

    /// What a label says that the mix needs.
    #[inline]
    fn read(&self, label: Label, mover: Color) -> Result<Said, TargetError> {
        let mut said = Said::default();
        if self.result_weight < 1.0 {
            (said.score, said.is_logit) = self.score(label.score, mover)?;
        }
        if self.result_weight > 0.0 {
            said.points = self.points(label.result, mover)?;
        }
        Ok(said)
    }

    #[inline]
    fn mix(&self, said: Said) -> f32 {
        let share = f64::from(self.result_weight);
        let mut target = 0.0;
        if share < 1.0 {
            let expected = sigmoid(said.score);
            let expected = if said.is_logit { expected } else { said.score };
            target += (1.0 - share) * expected;
        }
        if share > 0.0 {
            target += share * said.points;
        }
        target as f32
    }

    /// A score as the mover sees it, and whether it is a logit and not expected points.
    fn score(&self, score: Option<Score>, mover: Color) -> Result<(f64, bool), TargetError> {
        let result_weight = self.result_weight;
        match score.ok_or(TargetError::NoScore { result_weight })? {
            Score::Centipawns(score_cp) => {
                let seen_cp = match mover {
                    Color::White => score_cp,
                    Color::Black => score_cp.saturating_neg(),
                };
                Ok((f64::from(seen_cp) / f64::from(self.eval_scale), true))
            }
            Score::Expected(found) if !(0.0..=1.0).contains(&found) => {
                Err(TargetError::ExpectedPoints { found })
            }
            Score::Expected(points) => {
                let seen = match mover {
                    Color::White => points,
                    Color::Black => 1.0 - points,
                };
                Ok((f64::from(seen), false))
            }
            _ => Err(TargetError::UnknownScore),
        }
    }

    fn points(&self, result: Option<GameResult>, mover: Color) -> Result<f64, TargetError> {
        let result_weight = self.result_weight;
        let result = result.ok_or(TargetError::NoResult { result_weight })?;
        Ok(f64::from(result.points(mover)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::train_common::random_positions;
    use chess_records::Board;
    use std::string::ToString;

    const WHITE_BETTER: Label = Label::new(Some(Score::Centipawns(200)), Some(GameResult::Draw));

    fn targets(result_weight: f32) -> Targets {
        Targets::new(115, result_weight).unwrap()
    }

    #[track_caller]
    fn assert_near(found: f32, expected: f64) {
        assert!(
            (f64::from(found) - expected).abs() < 1e-6,
            "{found}, expected {expected}"
        );
    }

    #[test]
    fn scores_and_results_are_the_movers() {
        let white = 1.0 / (1.0 + (-200.0f64 / 115.0).exp());
        let target = |share, mover| targets(share).target(WHITE_BETTER, mover).unwrap();
        assert_near(target(0.0, Color::White), white);
        assert_near(target(0.0, Color::Black), 1.0 - white);
        assert_near(target(0.25, Color::White), 0.75 * white + 0.125);
        assert_near(target(0.25, Color::Black), 0.75 * (1.0 - white) + 0.125);
        let lost = Label::new(None, Some(GameResult::BlackWon));
        assert_eq!(targets(1.0).target(lost, Color::White), Ok(0.0));
        assert_eq!(targets(1.0).target(lost, Color::Black), Ok(1.0));
        // It has no counterpart among 16-bit numbers.
        let least = Label::new(Some(Score::Centipawns(i16::MIN)), None);
        assert_near(targets(0.0).target(least, Color::White).unwrap(), 0.0);
        assert_near(targets(0.0).target(least, Color::Black).unwrap(), 1.0);
    }

    #[test]
    fn the_scale_is_the_centipawns_of_one_logit() {
        let label = Label::new(Some(Score::Centipawns(400)), None);
        let at_400 = Targets::new(400, 0.0).unwrap();
        assert_near(at_400.target(label, Color::White).unwrap(), 0.731_058_578_6);
        let at_800 = Targets::new(800, 0.0).unwrap();
        assert_near(at_800.target(label, Color::White).unwrap(), 0.622_459_331_2);
    }

    #[test]
    fn many_targets_are_those_one_by_one() {
        let mut samples = random_positions(200, 1).0;
        samples[70].label.score = Some(Score::Expected(0.3));
        samples[71].label.score = Some(Score::Centipawns(i16::MIN));
        for share in [0.0, 0.25, 1.0] {
            let targets = targets(share);
            let mut found = [f32::NAN; 200];
            targets.fill(&samples, &mut found).unwrap();
            for (sample, found) in samples.iter().zip(found) {
                let expected = targets.target(sample.label, sample.side_to_move());
                assert_eq!(Ok(found), expected);
            }
        }
        (samples[150].label.score, samples[151].label.result) = (None, None);
        let (sample, fault) = targets(0.25).fill(&samples, &mut [0.0; 200]).unwrap_err();
        let result_weight = 0.25;
        assert_eq!(
            (sample, fault),
            (150, TargetError::NoScore { result_weight })
        );
    }

    #[test]
    fn expected_points_are_taken_as_they_are() {
        let label = Label::new(Some(Score::Expected(0.75)), Some(GameResult::WhiteWon));
        assert_eq!(targets(0.0).target(label, Color::White), Ok(0.75));
        assert_eq!(targets(0.0).target(label, Color::Black), Ok(0.25));
        assert_eq!(targets(0.5).target(label, Color::Black), Ok(0.125));
    }

    #[test]
    fn what_the_mix_needs_must_be_there() {
        let text = |share, score, result| {
            let target = targets(share).target(Label::new(score, result), Color::White);
            target.unwrap_err().to_string()
        };
        let (score, result) = (Some(Score::Centipawns(0)), Some(GameResult::Draw));
        assert_eq!(
            text(0.25, None, result),
            "no score, which a result weight of 0.25 needs"
        );
        assert_eq!(
            text(0.25, score, None),
            "no result, which a result weight of 0.25 needs"
        );
        assert_eq!(
            text(0.25, Some(Score::Expected(1.5)), result),
            "expected points 1.5, expected 0 to 1"
        );
        assert!(
            text(0.0, Some(Score::Expected(f32::NAN)), None).starts_with("expected points NaN")
        );
        assert_eq!(
            targets(0.0).target(Label::new(score, None), Color::White),
            Ok(0.5)
        );
        assert_eq!(
            targets(1.0).target(Label::new(None, result), Color::White),
            Ok(0.5)
        );
        assert_eq!(
            TargetError::UnknownScore.to_string(),
            "a score that is neither centipawns nor expected points"
        );
    }

    #[test]
    fn mixes_out_of_range() {
        for found in [-0.1, 1.1, f32::NAN] {
            assert!(matches!(
                Targets::new(115, found),
                Err(TargetError::ResultWeight { .. })
            ));
        }
        assert_eq!(
            Targets::new(115, 1.5).unwrap_err().to_string(),
            "result weight 1.5, expected 0 to 1"
        );
        assert_eq!(
            Targets::new(0, 0.5).unwrap_err().to_string(),
            "eval scale 0, expected 1 or more"
        );
    }

    #[test]
    fn faults_of_samples_are_named() {
        let source = TargetError::UnknownScore;
        let error = SampleError::Target { index: 7, source };
        assert_eq!(error.to_string(), "sample 7");
        assert_eq!(SampleError::Empty.to_string(), "no samples");
        let count = SampleError::Count {
            expected: 3,
            found: 2,
        };
        assert_eq!(count.to_string(), "2 samples fetched, expected 3");
        let dataset = DatasetError::OutOfRange { index: 3, len: 2 };
        assert_eq!(
            SampleError::from(dataset).to_string(),
            "samples could not be fetched"
        );
    }
}
