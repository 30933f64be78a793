//! What a trained network must beat: the mean of the targets, and counting the men.

use std::collections::BTreeMap;
use std::vec::Vec;

use chess_records::{Board, Color, Dataset, Labelled, Piece, PieceType};

use super::eval_scale::for_each_sample;
use super::sigmoid::sigmoid;
use super::target::{SampleError, Targets};

/// The types of piece whose numbers may differ.
const TYPES: usize = 5;
/// Their values, and the worth of the move.
const UNKNOWNS: usize = TYPES + 1;

/// The targets of a dataset, gathered by the balance of the men: all that the baselines learn from
/// and are measured on.
#[derive(Clone, Debug)]
pub struct MaterialTable {
    groups: BTreeMap<Balance, Group>,
    samples: u64,
}

/// Of each type how many more men the side to move has than its opponent: what counting sees.
type Balance = [i8; TYPES];

/// The targets of all samples of one balance.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Group {
    fn add(&mut self, target: f64) {
        self.count += 1.0;
        self.sum += target;
        self.squares += target * target;
    }

    /// The sum of (prediction − target)².
    fn loss(&self, prediction: f64) -> f64 {
        prediction * (prediction * self.count - 2.0 * self.sum) + self.squares
    }
}

impl MaterialTable {
    /// How many samples are fetched at once.
    const CHUNK: u64 = 16_384;

    /// The table of a dataset.
    ///
    /// # Errors
    ///
    /// When there are no samples, they cannot be fetched, or a label lacks what the targets need.
    pub fn of_dataset<D, S>(dataset: &D, targets: &Targets) -> Result<Self, SampleError>
    where
        D: Dataset<Batch = Vec<S>> + ?Sized,
        S: Labelled,
    {
        let mut groups: BTreeMap<Balance, Group> = BTreeMap::new();
        for_each_sample(dataset, Self::CHUNK, |index, sample| {
            let target = targets.target(sample.label(), sample.side_to_move());
            let target = target.map_err(|source| SampleError::Target { index, source })?;
            groups
                .entry(balance(sample))
                .or_default()
                .add(f64::from(target));
            Ok(())
        })?;
        Ok(Self {
            groups,
            samples: dataset.len(),
        })
    }

    /// The mean of the targets, the best constant prediction.
    #[must_use]
    pub fn mean_target(&self) -> f64 {
        self.groups.values().map(|group| group.sum).sum::<f64>() / self.samples as f64
    }

    /// The mean of (prediction − target)² when every prediction is the same.
    #[must_use]
    pub fn loss_of_constant(&self, prediction: f64) -> f64 {
        let losses = self.groups.values().map(|group| group.loss(prediction));
        self.mean(losses.sum())
    }

    /// The mean of (prediction − target)² when men are counted.
    #[must_use]
    pub fn loss_of_material(&self, material: &Material) -> f64 {
        let losses = self
            .groups
            .iter()
            .map(|(balance, group)| group.loss(sigmoid(material.logit(balance))));
        self.mean(losses.sum())
    }

    /// The mean of squares whose sum was taken by differences, which rounding may take below 0.
    fn mean(&self, losses: f64) -> f64 {
        match losses > 0.0 {
            true => losses / self.samples as f64,
            false => 0.0,
        }
    }
}

fn balance(board: &impl Board) -> Balance {
    let (mover, placement) = (board.side_to_move(), board.placement());
    core::array::from_fn(|index| {
        let men = |color: Color| {
            let piece = Piece::new(color, PieceType::ALL[index]);
            placement.mask(piece).count_ones() as i8
        };
        men(mover) - men(!mover)
    })
}

/// An evaluation that counts the men: a value for each type of piece, and one for having the move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// The values, then the move's, in logits.
    logits: [f64; UNKNOWNS],
}

impl Material {
    /// Steps without a gain after which the values are taken as found: λ then is 10¹².
    const MAX_DAMPING: f64 = 1e12;
    /// Far more steps than any fit has needed.
    const MAX_STEPS: usize = 1000;

    /// The values with the smallest loss on a table, by the method of Levenberg and Marquardt.
    #[must_use]
    pub fn fit(table: &MaterialTable) -> Self {
        let mut best = Self {
            logits: [0.0; UNKNOWNS],
        };
        let mut loss = table.loss_of_material(&best);
        let mut damping = 1e-3;
        for _ in 0..Self::MAX_STEPS {
            let stepped = best.stepped(table, damping);
            let stepped_loss = table.loss_of_material(&stepped);
            if stepped_loss < loss {
                (best, loss) = (stepped, stepped_loss);
                damping /= 10.0;
            } else {
                damping *= 10.0;
            }
            if damping > Self::MAX_DAMPING {
                break;
            }
        }
        best
    }

    /// What a man of this type is worth, in the centipawns of `eval_scale`; a king is worth nothing.
    #[must_use]
    pub fn value_cp(&self, piece_type: PieceType, eval_scale: i32) -> f64 {
        match piece_type {
            PieceType::King => 0.0,
            other => self.logits[other.index()] * f64::from(eval_scale),
        }
    }

    /// What having the move is worth, in the centipawns of `eval_scale`.
    #[must_use]
    pub fn move_cp(&self, eval_scale: i32) -> f64 {
        self.logits[TYPES] * f64::from(eval_scale)
    }

    fn logit(&self, balance: &Balance) -> f64 {
        let terms = factors(balance).into_iter().zip(self.logits);
        terms.map(|(factor, value)| factor * value).sum()
    }

    /// One damped step: the solution of (JᵀJ + λ·(diag JᵀJ + 1)) step = −Jᵀ residuals.
    fn stepped(&self, table: &MaterialTable, damping: f64) -> Self {
        let mut squares = [[0.0; UNKNOWNS]; UNKNOWNS];
        let mut slopes = [0.0; UNKNOWNS];
        for (balance, group) in &table.groups {
            let factors = factors(balance);
            let expected = sigmoid(self.logit(balance));
            let slope = expected * (1.0 - expected);
            for (i, row) in squares.iter_mut().enumerate() {
                for (j, square) in row.iter_mut().enumerate() {
                    *square += group.count * slope * slope * factors[i] * factors[j];
                }
                slopes[i] -= (expected * group.count - group.sum) * slope * factors[i];
            }
        }
        for (i, row) in squares.iter_mut().enumerate() {
            row[i] += damping * (row[i] + 1.0);
        }
        let step = solve(squares, slopes);
        Self {
            logits: core::array::from_fn(|i| self.logits[i] + step[i]),
        }
    }
}

fn factors(balance: &Balance) -> [f64; UNKNOWNS] {
    core::array::from_fn(|i| balance.get(i).map_or(1.0, |&men| f64::from(men)))
}

/// The solution of a positive definite system, by Gaussian elimination: no pivots need be sought.
fn solve(mut a: [[f64; UNKNOWNS]; UNKNOWNS], mut b: [f64; UNKNOWNS]) -> [f64; UNKNOWNS] {
    for column in 0..UNKNOWNS {
        let (pivot, known) = (a[column], b[column]);
        for row in column + 1..UNKNOWNS {
            let factor = a[row][column] / pivot[column];
            a[row] = core::array::from_fn(|k| a[row][k] - factor * pivot[k]);
            b[row] -= factor * known;
        }
    }
    for row in (0..UNKNOWNS).rev() {
        let known: f64 = (row + 1..UNKNOWNS).map(|k| a[row][k] * b[k]).sum();
        b[row] = (b[row] - known) / a[row][row];
    }
    b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_are_solved() {
        let mut a = [[1.0; UNKNOWNS]; UNKNOWNS];
        for (i, row) in a.iter_mut().enumerate() {
            row[i] += 2.0 + i as f64;
        }
        let x = [1.0, -2.0, 3.0, 0.5, 0.0, 4.0];
        let b = a.map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum());
        for (found, expected) in solve(a, b).into_iter().zip(x) {
            assert!((found - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn no_loss_is_below_0() {
        let samples = 4750;
        let mut below = false;
        for hundredths in 1..100 {
            let target = f64::from(hundredths as f32 / 100.0);
            let mut group = Group::default();
            (0..samples).for_each(|_| group.add(target));
            below |= group.loss(target) < 0.0;
            let groups = BTreeMap::from([([0; TYPES], group)]);
            let table = MaterialTable { groups, samples };
            let loss = table.loss_of_constant(target);
            assert!((0.0..1e-12).contains(&loss) && loss.is_sign_positive());
        }
        assert!(below, "rounding has been looked at");
    }

    #[test]
    fn values_behind_the_targets_are_found_again() {
        let truth = Material {
            logits: [0.9, 2.5, 2.7, 4.0, 7.5, 0.1],
        };
        let mut groups = BTreeMap::new();
        for type_index in 0..TYPES {
            for difference in -2..=2 {
                let mut balance = [0; TYPES];
                balance[type_index] = difference;
                balance[0] -= difference * 2;
                let mut group = Group::default();
                group.add(sigmoid(truth.logit(&balance)));
                groups.insert(balance, group);
            }
        }
        let samples = groups.len() as u64;
        let table = MaterialTable { groups, samples };
        let found = Material::fit(&table);
        for (found, expected) in found.logits.into_iter().zip(truth.logits) {
            assert!((found - expected).abs() < 1e-4, "{found}, {expected}");
        }
        assert!(table.loss_of_material(&found) < 1e-12);
        assert!((found.value_cp(PieceType::Queen, 100) - 750.0).abs() < 0.01);
        assert!((found.move_cp(100) - 10.0).abs() < 0.01);
        assert_eq!(found.value_cp(PieceType::King, 100), 0.0);
    }
}
