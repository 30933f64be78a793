//! The eval scale that fits a dataset's scores.

use core::ops::Range;
use std::vec;
use std::vec::Vec;

use chess_records::{Color, Dataset, Labelled, Score};
use thiserror::Error;

use super::sigmoid::sigmoid;
use super::target::SampleError;
use crate::Architecture;

/// Scores and results of many samples, and the eval scale that makes the scores predict the results
/// best: the *S* with the smallest log-loss of σ(score / *S*) against the points.
///
/// Samples with a centipawn score and a result count; others are passed over.
#[derive(Clone, Debug)]
pub struct EvalScaleFit {
    /// For each score from −32,768 how many samples have it, and twice the points White got in them.
    /// Integers: the fit does not depend on the samples' order.
    by_score: Vec<(u64, u64)>,
    /// How scores and results go together, by the side to move: a score of the mover's side instead of
    /// White's shows in one of them only.
    by_mover: [Correlation; Color::COUNT],
    samples: u64,
}

/// The sums of a correlation, in integers.
#[derive(Clone, Copy, Debug, Default)]
struct Correlation {
    count: i128,
    scores: i128,
    squared_scores: i128,
    points: i128,
    squared_points: i128,
    products: i128,
}

impl Correlation {
    /// Fewer samples prove nothing.
    const FEWEST: i128 = 200;
    /// How many standard deviations a correlation must be from that of chance: one in 30,000 is.
    const LEAST: f64 = 4.0;

    fn add(&mut self, score: i128, points: i128) {
        self.count += 1;
        self.scores += score;
        self.squared_scores += score * score;
        self.points += points;
        self.squared_points += points * points;
        self.products += score * points;
    }

    /// Whether good scores do not come with good results, beyond chance.
    fn is_missing(&self) -> bool {
        let covariance = self.count * self.products - self.scores * self.points;
        let of_scores = self.count * self.squared_scores - self.scores * self.scores;
        let of_points = self.count * self.squared_points - self.points * self.points;
        let deviation = (of_scores as f64).sqrt() * (of_points as f64).sqrt();
        let from_chance = covariance as f64 / deviation * (self.count as f64).sqrt();
        self.count >= Self::FEWEST && (from_chance.is_nan() || from_chance < Self::LEAST)
    }
}

/// Why there is no eval scale that fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EvalScaleError {
    /// No sample has both.
    #[error("no sample has both a centipawn score and a result")]
    NoSamples,
    /// Good scores do not come with good results, in the positions of one side at least.
    #[error(
        "the scores do not predict the results of {samples} samples; \
         are they from White's side?"
    )]
    NotPredictive {
        /// How many samples have both.
        samples: u64,
    },
    /// The scale asked for is far from the one that fits.
    #[error(
        "eval scale {asked_for} is asked for, {fitted} fits the scores and results of {samples} \
         samples best"
    )]
    Misfit {
        /// The scale asked for.
        asked_for: i32,
        /// The best one, rounded.
        fitted: i32,
        /// How many samples have both a score and a result.
        samples: u64,
    },
    /// The best scale is under a centipawn.
    #[error("the scores' signs predict the results of {samples} samples without fail")]
    Separated {
        /// How many samples have both.
        samples: u64,
    },
}

impl Default for EvalScaleFit {
    fn default() -> Self {
        Self::new()
    }
}

impl EvalScaleFit {
    /// How many samples of a dataset are fetched at once.
    const CHUNK: u64 = 16_384;

    /// A fit without samples.
    #[must_use]
    pub fn new() -> Self {
        Self {
            by_score: vec![(0, 0); 1 << 16],
            by_mover: [Correlation::default(); Color::COUNT],
            samples: 0,
        }
    }

    /// A fit with all samples of a dataset.
    ///
    /// # Errors
    ///
    /// When there are none, or they cannot be fetched.
    pub fn of_dataset<D, S>(dataset: &D) -> Result<Self, SampleError>
    where
        D: Dataset<Batch = Vec<S>> + ?Sized,
        S: Labelled,
    {
        let mut fit = Self::new();
        for_each_sample(dataset, Self::CHUNK, |_, sample| {
            fit.add(sample);
            Ok(())
        })?;
        Ok(fit)
    }

    /// A fit with stretches of samples that are spread evenly over a dataset, `at_most` in all if that
    /// is at least 16,384: with a million a scale is good to a percent.
    ///
    /// # Errors
    ///
    /// As [`EvalScaleFit::of_dataset`].
    pub fn of_spread<D, S>(dataset: &D, at_most: u64) -> Result<Self, SampleError>
    where
        D: Dataset<Batch = Vec<S>> + ?Sized,
        S: Labelled,
    {
        let stretches = (at_most / Self::CHUNK).max(1);
        let len = dataset.len();
        if len <= stretches * Self::CHUNK {
            return Self::of_dataset(dataset);
        }
        let mut fit = Self::new();
        for stretch in 0..stretches {
            let of_way = u128::from(stretch) * u128::from(len - Self::CHUNK);
            let start = (of_way / u128::from(stretches - 1).max(1)) as u64;
            for_each_in(
                dataset,
                start..start + Self::CHUNK,
                Self::CHUNK,
                |_, sample| {
                    fit.add(sample);
                    Ok(())
                },
            )?;
        }
        Ok(fit)
    }

    /// Takes a sample into account.
    pub fn add(&mut self, sample: &impl Labelled) {
        let label = sample.label();
        if let (Some(Score::Centipawns(score_cp)), Some(result)) = (label.score, label.result) {
            let entry = &mut self.by_score[usize::from((score_cp as u16) ^ 0x8000)];
            entry.0 += 1;
            entry.1 += u64::from(u8::from(result));
            let mover = &mut self.by_mover[sample.side_to_move().index()];
            mover.add(score_cp.into(), u8::from(result).into());
            self.samples += 1;
        }
    }

    /// How many samples had both a score and a result.
    #[must_use]
    pub const fn samples(&self) -> u64 {
        self.samples
    }

    /// The scale that fits best, 1 to 10,000 centipawns.
    ///
    /// # Errors
    ///
    /// When no sample had both, or the best scale is not in that range; when the scores do not predict
    /// the results of either side's positions beyond chance, as when they are from the mover's side,
    /// random or all the same (told from 200 positions on); and when the scores never fail.
    pub fn eval_scale(&self) -> Result<f64, EvalScaleError> {
        let samples = self.samples;
        if samples == 0 {
            return Err(EvalScaleError::NoSamples);
        }
        if self.by_mover.iter().any(Correlation::is_missing) {
            return Err(EvalScaleError::NotPredictive { samples });
        }
        // The log-loss is convex in 1 / S: its slope crosses 0 once, upwards.
        let (mut low, mut high) = (1.0 / f64::from(Architecture::MAX_EVAL_SCALE), 1.0);
        if self.log_loss_slope(low) >= 0.0 {
            return Err(EvalScaleError::NotPredictive { samples });
        }
        if self.log_loss_slope(high) <= 0.0 {
            return Err(EvalScaleError::Separated { samples });
        }
        for _ in 0..Self::HALVINGS {
            let middle = (low + high) / 2.0;
            if self.log_loss_slope(middle) < 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        Ok(2.0 / (low + high))
    }

    /// From so many samples on, a scale twice as large or half as large as the best is no chance.
    const FEWEST_TO_CHECK: u64 = 1000;

    /// Whether these scores can be trained on with this eval scale: an error if they do not predict the
    /// results of either side's positions, as when they are from the wrong side, or want an eval scale
    /// more than twice or less than half as large, as when they are in other units.
    ///
    /// Under 1,000 samples prove nothing and pass; so do scores whose signs are never wrong.
    ///
    /// # Errors
    ///
    /// [`EvalScaleError::NotPredictive`] and [`EvalScaleError::Misfit`].
    pub fn check(&self, eval_scale: i32) -> Result<(), EvalScaleError> {
        let samples = self.samples;
        if samples < Self::FEWEST_TO_CHECK {
            return Ok(());
        }
        let fitted = match self.eval_scale() {
            Ok(fitted) => fitted,
            Err(EvalScaleError::Separated { .. }) => return Ok(()),
            Err(error) => return Err(error),
        };
        let ratio = fitted / f64::from(eval_scale);
        if (0.5..=2.0).contains(&ratio) {
            return Ok(());
        }
        Err(EvalScaleError::Misfit {
            asked_for: eval_scale,
            fitted: fitted.round() as i32,
            samples,
        })
    }

    /// Enough for every bit that matters: 1/10,000 to twelve digits.
    const HALVINGS: u32 = 54;

    /// How much the log-loss, summed over the samples, rises with the inverse of the scale.
    fn log_loss_slope(&self, inverse_scale: f64) -> f64 {
        let scores = (i32::from(i16::MIN)..).map(f64::from);
        let slopes = self
            .by_score
            .iter()
            .zip(scores)
            .map(|(&(count, half_points), score)| {
                if count == 0 {
                    return 0.0;
                }
                let expected = count as f64 * sigmoid(score * inverse_scale);
                score * (expected - half_points as f64 / 2.0)
            });
        slopes.sum()
    }
}

/// Calls `each` for every sample with its number, in order.
pub(super) fn for_each_sample<D, S>(
    dataset: &D,
    chunk: u64,
    each: impl FnMut(u64, &S) -> Result<(), SampleError>,
) -> Result<(), SampleError>
where
    D: Dataset<Batch = Vec<S>> + ?Sized,
{
    if dataset.is_empty() {
        return Err(SampleError::Empty);
    }
    for_each_in(dataset, 0..dataset.len(), chunk, each)
}

fn for_each_in<D, S>(
    dataset: &D,
    range: Range<u64>,
    chunk: u64,
    mut each: impl FnMut(u64, &S) -> Result<(), SampleError>,
) -> Result<(), SampleError>
where
    D: Dataset<Batch = Vec<S>> + ?Sized,
{
    let (mut indices, mut samples) = (Vec::new(), Vec::new());
    let mut start = range.start;
    while start < range.end {
        let end = range.end.min(start + chunk);
        indices.clear();
        indices.extend(start..end);
        dataset.gather(&indices, &mut samples)?;
        if samples.len() != indices.len() {
            let (expected, found) = (indices.len(), samples.len());
            return Err(SampleError::Count { expected, found });
        }
        for (&index, sample) in indices.iter().zip(&samples) {
            each(index, sample)?;
        }
        start = end;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess_records::{
        GameResult, Label, LabelledPosition, Piece, PieceType, Placement, Position, Square,
    };
    use std::string::ToString;

    fn sample(score_cp: i16, result: GameResult) -> LabelledPosition {
        let kings = [(Color::White, Square::E1), (Color::Black, Square::E8)];
        let kings = kings.map(|(color, square)| (Piece::new(color, PieceType::King), square));
        let placement = Placement::from_pieces(kings).unwrap();
        LabelledPosition {
            position: Position::new(placement, Color::Black),
            label: Label::new(Some(Score::Centipawns(score_cp)), Some(result)),
        }
    }

    fn fit(samples: &[(i16, GameResult, usize)]) -> Result<f64, EvalScaleError> {
        let mut fit = EvalScaleFit::new();
        for &(score_cp, result, count) in samples {
            (0..count).for_each(|_| fit.add(&sample(score_cp, result)));
        }
        fit.eval_scale()
    }

    /// With 3 of 4 points at one score, σ(score / S) must be ¾: S = score / ln 3.
    #[test]
    fn the_scale_gives_the_points_won() {
        use GameResult::{BlackWon, Draw, WhiteWon};
        let expected = 200.0 / 3.0f64.ln();
        for samples in [
            &[(200, WhiteWon, 3), (200, BlackWon, 1)][..],
            &[(-200, BlackWon, 3), (-200, WhiteWon, 1)],
            &[(200, WhiteWon, 1), (200, Draw, 1)],
        ] {
            let scale = fit(samples).unwrap();
            assert!((scale - expected).abs() < 1e-6, "{scale}");
        }
    }

    fn played(score_of: impl Fn(i16, Color, usize) -> i16) -> Result<f64, EvalScaleError> {
        played_fit(score_of).eval_scale()
    }

    /// 1,000 positions, half of them Black's, whose results are as likely as their scores say.
    fn played_fit(score_of: impl Fn(i16, Color, usize) -> i16) -> EvalScaleFit {
        let mut fit = EvalScaleFit::new();
        for number in 0..1000usize {
            let white_cp = ((number * 7919) % 601) as i16 - 300;
            let mover = Color::ALL[number % 2];
            let lucky = (number * 104_729 % 1000) as f64 / 1000.0;
            let won = lucky < sigmoid(f64::from(white_cp) / 150.0);
            let result = if won {
                GameResult::WhiteWon
            } else {
                GameResult::BlackWon
            };
            let mut sample = sample(score_of(white_cp, mover, number), result);
            sample.position = Position::new(chess_records::Board::placement(&sample), mover);
            fit.add(&sample);
        }
        fit
    }

    #[test]
    fn scores_of_the_wrong_side_and_no_scores_at_all_are_refused() {
        let scale = played(|white_cp, _, _| white_cp).unwrap();
        assert!((120.0..180.0).contains(&scale), "{scale}");
        let refused = Err(EvalScaleError::NotPredictive { samples: 1000 });
        assert_eq!(played(|white_cp, _, _| -white_cp), refused);
        let of_mover = |white_cp: i16, mover| {
            if mover == Color::White {
                white_cp
            } else {
                -white_cp
            }
        };
        assert_eq!(
            played(|white_cp, mover, _| of_mover(white_cp, mover)),
            refused
        );
        assert_eq!(played(|_, _, _| 20), refused);
        assert_eq!(
            played(|_, _, number| (number * 31 % 601) as i16 - 300),
            refused
        );
    }

    #[test]
    fn other_units_and_other_sides_do_not_pass_the_check() {
        let good = played_fit(|white_cp, _, _| white_cp);
        for scale in [100, 150, 250] {
            assert_eq!(good.check(scale), Ok(()));
        }
        let fitted = good.eval_scale().unwrap().round() as i32;
        for asked_for in [1, 60, 400, 10_000] {
            let misfit = EvalScaleError::Misfit {
                asked_for,
                fitted,
                samples: 1000,
            };
            assert_eq!(good.check(asked_for), Err(misfit));
        }
        let pawns = played_fit(|white_cp, _, _| white_cp / 25);
        assert!(matches!(
            pawns.check(150),
            Err(EvalScaleError::Misfit { fitted: 4..=8, .. })
        ));
        let of_mover = played_fit(|white_cp, mover, _| [white_cp, -white_cp][mover.index()]);
        let refused = Err(EvalScaleError::NotPredictive { samples: 1000 });
        assert_eq!(of_mover.check(150), refused);
        assert_eq!(played_fit(|white_cp, _, _| -white_cp).check(150), refused);
        let mut few = EvalScaleFit::new();
        (0..999).for_each(|_| few.add(&sample(100, GameResult::BlackWon)));
        assert_eq!(few.check(150), Ok(()));
    }

    #[test]
    fn what_cannot_be_fitted() {
        use GameResult::{BlackWon, Draw, WhiteWon};
        let text = |samples| fit(samples).unwrap_err().to_string();
        assert_eq!(
            text(&[]),
            "no sample has both a centipawn score and a result"
        );
        assert_eq!(
            text(&[(100, BlackWon, 3), (100, WhiteWon, 1)]),
            "the scores do not predict the results of 4 samples; are they from White's side?"
        );
        let misfit = EvalScaleError::Misfit {
            asked_for: 400,
            fitted: 115,
            samples: 7000,
        };
        assert_eq!(
            misfit.to_string(),
            "eval scale 400 is asked for, 115 fits the scores and results of 7000 samples best"
        );
        assert_eq!(
            text(&[(100, WhiteWon, 2), (-100, BlackWon, 1), (0, Draw, 4)]),
            "the scores' signs predict the results of 7 samples without fail"
        );
    }
}
