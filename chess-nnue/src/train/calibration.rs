//! Whether what is predicted is what happens.

use core::fmt;
use core::ops::ControlFlow;
use std::vec;
use std::vec::Vec;

use chess_records::{Board, Dataset, GameResult, Label, Labelled};

use super::eval_scale::for_each_sample;
use super::parameters::Parameters;
use super::sigmoid::sigmoid;
use super::target::{SampleError, Targets};
use super::validator::{Prediction, Validator};
use crate::Network;

/// Predicted against actual results: positions gathered by the expected points that a network gives
/// the side to move, in buckets of equal width from 0 to 1.
///
/// In a bucket of a calibrated network the mean of the predictions is the mean of the points won.
/// Predictions that are too sure of themselves, with results nearer to ½, tell of an eval scale that
/// is too small. As text it is a table for people; with the feature `serde` it is `Serialize`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Calibration {
    /// From the worst predictions for the side to move to the best. No bucket is left out: those
    /// without positions have a count of 0.
    pub buckets: Vec<CalibrationBucket>,
    /// The mean over the positions with a result of −(p ln q + (1 − p) ln (1 − q)), *p* the points won
    /// and *q* the prediction, no nearer to 0 and 1 than 10⁻¹²; `None` if there is no result.
    pub log_loss: Option<f64>,
}

/// The positions whose prediction was in one range. All results and points are those of the side to
/// move.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CalibrationBucket {
    /// The lowest prediction of the range, included.
    pub low: f64,
    /// The highest, excluded but for 1.
    pub high: f64,
    /// How many positions there were.
    pub count: u64,
    /// How many of them were won in the end.
    pub wins: u64,
    /// How many were drawn. Those neither won nor drawn nor lost have no result.
    pub draws: u64,
    /// How many were lost.
    pub losses: u64,
    /// The mean of the predictions; `None` without positions.
    pub predicted: Option<f64>,
    /// The mean of the points won; `None` without results.
    pub actual: Option<f64>,
    /// The mean of the targets, which mix results and scores; `None` without positions.
    pub target: Option<f64>,
}

impl Calibration {
    /// Enough buckets for a picture, few enough for a table.
    pub const DEFAULT_BUCKETS: usize = 20;
    /// How many samples are fetched at once.
    const CHUNK: u64 = 16_384;

    /// The calibration of a network in integers.
    ///
    /// # Errors
    ///
    /// When there are no samples, they cannot be fetched, or a label lacks what the targets need.
    ///
    /// # Panics
    ///
    /// When there are to be no buckets.
    pub fn of_network<D, S>(
        network: &Network,
        targets: &Targets,
        dataset: &D,
        buckets: usize,
    ) -> Result<Self, SampleError>
    where
        D: Dataset<Batch = Vec<S>> + ?Sized,
        S: Labelled,
    {
        let eval_scale = f64::from(network.architecture().eval_scale());
        let mut sums = Sums::new(buckets);
        for_each_sample(dataset, Self::CHUNK, |index, sample| {
            let target = targets.target(sample.label(), sample.side_to_move());
            let target = target.map_err(|source| SampleError::Target { index, source })?;
            let output = f64::from(network.evaluate(sample)) / eval_scale;
            sums.add(sigmoid(output), target, sample);
            Ok(())
        })?;
        Ok(sums.finish())
    }

    /// The calibration of a network in floating point.
    ///
    /// # Errors
    ///
    /// As [`Calibration::of_network`].
    ///
    /// # Panics
    ///
    /// When there are to be no buckets.
    pub fn of_parameters<D, S>(
        validator: &Validator,
        parameters: &Parameters,
        dataset: &D,
        buckets: usize,
    ) -> Result<Self, SampleError>
    where
        D: Dataset<Batch = Vec<S>> + ?Sized,
        S: Labelled + Send + Sync,
    {
        let mut sums = Sums::new(buckets);
        validator.predict(parameters, dataset, |prediction: Prediction<'_, S>| {
            let predicted = sigmoid(f64::from(prediction.output));
            sums.add(predicted, prediction.target, prediction.sample);
            ControlFlow::Continue(())
        })?;
        Ok(sums.finish())
    }

    /// How many positions there were.
    #[must_use]
    pub fn positions(&self) -> u64 {
        self.buckets.iter().map(|bucket| bucket.count).sum()
    }

    /// How far in the mean a bucket's predictions are from its results, each bucket counting as many
    /// times as it has results; `None` if there is no result.
    #[must_use]
    pub fn error(&self) -> Option<f64> {
        let (mut sum, mut results) = (0.0, 0);
        for bucket in &self.buckets {
            if let (Some(predicted), Some(actual)) = (bucket.predicted, bucket.actual) {
                sum += (predicted - actual).abs() * bucket.results() as f64;
                results += bucket.results();
            }
        }
        (results > 0).then(|| sum / results as f64)
    }
}

impl CalibrationBucket {
    /// How many positions had a result.
    #[must_use]
    pub const fn results(&self) -> u64 {
        self.wins + self.draws + self.losses
    }
}

/// What is summed up bucket by bucket.
struct Sums {
    buckets: Vec<BucketSums>,
    log_losses: f64,
}

#[derive(Clone, Copy, Default)]
struct BucketSums {
    count: u64,
    /// By half points: losses, draws, wins.
    results: [u64; 3],
    predictions: f64,
    targets: f64,
}

impl Sums {
    fn new(buckets: usize) -> Self {
        assert!(buckets > 0, "a calibration needs a bucket");
        Self {
            buckets: vec![BucketSums::default(); buckets],
            log_losses: 0.0,
        }
    }

    fn add(&mut self, predicted: f64, target: f32, sample: &impl Labelled) {
        let last = self.buckets.len() - 1;
        let index = (predicted * self.buckets.len() as f64) as usize;
        let bucket = &mut self.buckets[index.min(last)];
        bucket.count += 1;
        bucket.predictions += predicted;
        bucket.targets += f64::from(target);
        if let Some(half_points) = half_points(sample.label(), sample) {
            bucket.results[half_points] += 1;
            self.log_losses += log_loss(predicted, half_points as f64 / 2.0);
        }
    }

    fn finish(self) -> Calibration {
        let results = self.buckets.iter().flat_map(|sums| sums.results);
        let results: u64 = results.sum();
        let width = 1.0 / self.buckets.len() as f64;
        let buckets = (0..).zip(&self.buckets);
        Calibration {
            buckets: buckets
                .map(|(index, sums)| sums.finish(f64::from(index) * width, width))
                .collect(),
            log_loss: (results > 0).then(|| self.log_losses / results as f64),
        }
    }
}

impl BucketSums {
    fn finish(&self, low: f64, width: f64) -> CalibrationBucket {
        let [losses, draws, wins] = self.results;
        let mean = |sum: f64, count: u64| (count > 0).then(|| sum / count as f64);
        CalibrationBucket {
            low,
            high: low + width,
            count: self.count,
            wins,
            draws,
            losses,
            predicted: mean(self.predictions, self.count),
            actual: mean(wins as f64 + draws as f64 / 2.0, wins + draws + losses),
            target: mean(self.targets, self.count),
        }
    }
}

/// Twice the points of the side to move.
fn half_points(label: Label, board: &impl Board) -> Option<usize> {
    let result: GameResult = label.result?;
    Some((2.0 * result.points(board.side_to_move())) as usize)
}

fn log_loss(predicted: f64, points: f64) -> f64 {
    const LEAST: f64 = 1e-12;
    let q = predicted.clamp(LEAST, 1.0 - LEAST);
    -(points * q.ln() + (1.0 - points) * (1.0 - q).ln())
}

impl fmt::Display for Calibration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "expected points    positions   predicted  target  actual   won   drawn  lost"
        )?;
        for bucket in self.buckets.iter().filter(|bucket| bucket.count > 0) {
            bucket.fmt(f)?;
        }
        match (self.log_loss, self.error()) {
            (Some(log_loss), Some(error)) => writeln!(
                f,
                "log-loss {log_loss:.4}, predictions off by {error:.3} in the mean"
            ),
            _ => writeln!(f, "no results"),
        }
    }
}

impl fmt::Display for CalibrationBucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            low, high, count, ..
        } = self;
        write!(f, "{low:.3} to {high:.3} {count:>12}       ")?;
        for (mean, width) in [(self.predicted, 5), (self.target, 7), (self.actual, 7)] {
            match mean {
                Some(mean) => write!(f, "{mean:>width$.3} ")?,
                None => write!(f, "{:>width$} ", "-")?,
            }
        }
        let results = self.results();
        if results > 0 {
            for part in [self.wins, self.draws, self.losses] {
                let percent = 100.0 * part as f64 / results as f64;
                write!(f, "{percent:>5.0}%")?;
            }
        }
        writeln!(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::train_common::{Positions, random_positions};
    use crate::{Architecture, Weights};
    use chess_records::{Color, LabelledPosition, Position, Score};
    use std::string::ToString;

    /// A network that always expects σ(1/4) of the side to move.
    fn constant() -> Network {
        let architecture = Architecture::new(16).unwrap();
        let mut weights = Weights::zero(&architecture);
        weights.output_biases[0] = 255 * 64 / 4;
        Network::new(architecture, &weights).unwrap()
    }

    /// Results of positions with White to move and with Black to move.
    fn positions(results: &[(Color, Option<GameResult>)]) -> Positions {
        let kings: Position = "4k3/8/8/8/8/8/8/4K3 w - - 0 1".parse().unwrap();
        let sample = |&(mover, result)| LabelledPosition {
            position: Position::new(kings.placement(), mover),
            label: Label::new(Some(Score::Expected(0.75)), result),
        };
        Positions(results.iter().map(sample).collect())
    }

    use Color::{Black, White};
    use GameResult::{BlackWon, Draw, WhiteWon};

    fn calibrate(results: &[(Color, Option<GameResult>)], buckets: usize) -> Calibration {
        let targets = Targets::new(400, 0.0).unwrap();
        Calibration::of_network(&constant(), &targets, &positions(results), buckets).unwrap()
    }

    #[test]
    fn results_are_the_movers() {
        let results = [
            (White, Some(WhiteWon)),
            (Black, Some(BlackWon)),
            (Black, Some(BlackWon)),
            (Black, Some(WhiteWon)),
            (White, Some(Draw)),
            (Black, None),
        ];
        let calibration = calibrate(&results, 2);
        assert_eq!(calibration.positions(), 6);
        let [low, high] = &calibration.buckets[..] else {
            panic!("two buckets");
        };
        assert_eq!((low.count, low.predicted, low.actual), (0, None, None));
        assert_eq!(
            (low.low, low.high, high.low, high.high),
            (0.0, 0.5, 0.5, 1.0)
        );
        assert_eq!((high.wins, high.draws, high.losses), (3, 1, 1));
        assert_eq!((high.results(), high.count), (5, 6));
        let predicted = sigmoid(0.25);
        assert!((high.predicted.unwrap() - predicted).abs() < 1e-12);
        assert_eq!(high.actual, Some(3.5 / 5.0));
        // 0.75 for White, 0.25 for Black.
        assert_eq!(high.target, Some((2.0 * 0.75 + 4.0 * 0.25) / 6.0));
        let expected = -(3.5 * predicted.ln() + 1.5 * (1.0 - predicted).ln()) / 5.0;
        assert!((calibration.log_loss.unwrap() - expected).abs() < 1e-12);
        let error = (predicted - 3.5 / 5.0).abs();
        assert!((calibration.error().unwrap() - error).abs() < 1e-12);
    }

    #[test]
    fn without_results_there_is_no_log_loss() {
        let calibration = calibrate(&[(White, None)], 20);
        assert_eq!((calibration.log_loss, calibration.error()), (None, None));
        assert!(calibration.to_string().ends_with("no results\n"));
    }

    #[test]
    fn certain_predictions_have_a_bucket_and_a_finite_loss() {
        let mut sums = Sums::new(4);
        let samples = positions(&[(White, Some(BlackWon))]);
        sums.add(1.0, 0.5, &samples.0[0]);
        sums.add(0.0, 0.5, &samples.0[0]);
        let calibration = sums.finish();
        let counts: Vec<_> = calibration.buckets.iter().map(|b| b.count).collect();
        assert_eq!(counts, [1, 0, 0, 1]);
        let expected = 1e12f64.ln() / 2.0;
        assert!((calibration.log_loss.unwrap() - expected).abs() < 1e-3);
    }

    #[test]
    #[should_panic(expected = "a calibration needs a bucket")]
    fn no_buckets() {
        let _ = calibrate(&[(White, None)], 0);
    }

    #[test]
    fn floats_and_integers_tell_the_same() {
        let architecture = Architecture::new(32).unwrap();
        let parameters = Parameters::random(&architecture, 1);
        let data = random_positions(500, 2);
        let targets = Targets::new(400, 0.25).unwrap();
        let validator = Validator::new(targets, None).unwrap();
        let of_floats = Calibration::of_parameters(&validator, &parameters, &data, 1).unwrap();
        let network = parameters.quantize().network;
        let of_integers = Calibration::of_network(&network, &targets, &data, 1).unwrap();
        let [floats, integers] = [&of_floats.buckets[0], &of_integers.buckets[0]];
        assert_eq!((floats.wins, floats.draws), (integers.wins, integers.draws));
        assert_eq!((floats.target, floats.count), (integers.target, 500));
        let near = |a: Option<f64>, b: Option<f64>| (a.unwrap() - b.unwrap()).abs() < 0.01;
        assert!(near(floats.predicted, integers.predicted));
        assert!(near(of_floats.log_loss, of_integers.log_loss));
    }

    #[test]
    fn the_table_reads_like_this() {
        let results = [(White, Some(WhiteWon)), (White, Some(Draw)), (Black, None)];
        let expected = "\
expected points    positions   predicted  target  actual   won   drawn  lost
0.550 to 0.600            3       0.562   0.583   0.750    50%   50%    0%
log-loss 0.6384, predictions off by 0.188 in the mean
";
        assert_eq!(calibrate(&results, 20).to_string(), expected);
    }
}
