//! How often each number was seen.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How often each number was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Counts(BTreeMap<u64, u64>);

impl Counts {
    /// Counts a number.
    pub fn add(&mut self, number: u64) {
        *self.0.entry(number).or_default() += 1;
    }

    /// How often a number was seen.
    #[must_use]
    pub fn of(&self, number: u64) -> u64 {
        self.0.get(&number).copied().unwrap_or(0)
    }

    /// The numbers that were seen, in order, and how often each was.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, u64)> {
        self.0.iter().map(|(&number, &count)| (number, count))
    }

    /// How many numbers were counted.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }

    /// The smallest number.
    #[must_use]
    pub fn min(&self) -> Option<u64> {
        self.iter().next().map(|(number, _)| number)
    }

    /// The largest number.
    #[must_use]
    pub fn max(&self) -> Option<u64> {
        self.iter().next_back().map(|(number, _)| number)
    }

    /// The mean of all numbers.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        let sum: f64 = self
            .iter()
            .map(|(number, count)| number as f64 * count as f64)
            .sum();
        let total = self.total();
        (total > 0).then(|| sum / total as f64)
    }

    /// The smallest number that at least this share of all, from 0 to 1, is not over: of 0.5 the
    /// median.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Option<u64> {
        let wanted = (share.clamp(0.0, 1.0) * self.total() as f64).ceil() as u64;
        let mut seen = 0;
        let reached = self.iter().find(|&(_, count)| {
            seen += count;
            seen >= wanted
        });
        reached.map(|(number, _)| number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let mut counts = Counts::default();
        assert_eq!(
            (counts.min(), counts.mean(), counts.quantile(0.5)),
            (None, None, None)
        );
        for number in [5, 1, 5, 9] {
            counts.add(number);
        }
        assert_eq!((counts.total(), counts.of(5), counts.of(6)), (4, 2, 0));
        assert_eq!(
            (counts.min(), counts.max(), counts.mean()),
            (Some(1), Some(9), Some(5.0))
        );
        let quantiles = [0.0, 0.25, 0.26, 0.75, 0.76, 1.0].map(|share| counts.quantile(share));
        assert_eq!(quantiles, [1, 1, 5, 5, 9, 9].map(Some));
        assert_eq!(
            serde_json::to_string(&counts).unwrap(),
            r#"{"1":1,"5":2,"9":1}"#
        );
    }
}
