//! How parameters lie on the device.

use std::vec::Vec;

use crate::Architecture;
use crate::train::parameters::FloatWeights;

/// One list: a row for each input, the rows of a factoriser, the biases, the output weights and the
/// output biases, filled up to a multiple of four. Gradients and moments lie like parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) inputs: usize,
    /// Rows that are added to those of every king bucket: 768 or 0.
    pub(super) factoriser: usize,
    pub(super) hidden: usize,
    pub(super) output_buckets: usize,
}

impl Layout {
    pub(super) fn new(architecture: &Architecture, weights: &FloatWeights) -> Self {
        let hidden = architecture.hidden();
        Self {
            inputs: architecture.inputs(),
            factoriser: weights.factoriser.len() / hidden,
            hidden,
            output_buckets: architecture.output_buckets(),
        }
    }

    /// Where the biases start.
    pub(super) const fn biases(&self) -> usize {
        (self.inputs + self.factoriser) * self.hidden
    }

    /// Where the output weights start.
    pub(super) const fn output_weights(&self) -> usize {
        self.biases() + self.hidden
    }

    /// Where the output biases start.
    pub(super) const fn output_biases(&self) -> usize {
        self.output_weights() + 2 * self.hidden * self.output_buckets
    }

    /// The length of the list.
    pub(super) const fn len(&self) -> usize {
        self.output_biases() + self.output_buckets.next_multiple_of(4)
    }

    pub(super) fn join(&self, weights: &FloatWeights) -> Vec<f32> {
        let groups = [
            &weights.feature_weights,
            &weights.factoriser,
            &weights.feature_biases,
            &weights.output_weights,
            &weights.output_biases,
        ];
        let mut values = Vec::with_capacity(self.len());
        for group in groups {
            values.extend_from_slice(group);
        }
        values.resize(self.len(), 0.0);
        values
    }

    /// The weights that such a list of [`Layout::len`] values holds.
    pub(super) fn split(&self, values: &[f32]) -> FloatWeights {
        let group = |start: usize, end: usize| values[start..end].to_vec();
        let features = self.inputs * self.hidden;
        let output_biases = self.output_biases();
        FloatWeights {
            feature_weights: group(0, features),
            factoriser: group(features, self.biases()),
            feature_biases: group(self.biases(), self.output_weights()),
            output_weights: group(self.output_weights(), output_biases),
            output_biases: group(output_biases, output_biases + self.output_buckets),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_joined_and_split_again() {
        let architecture = Architecture::new(16)
            .and_then(|architecture| architecture.with_output_buckets(5))
            .unwrap();
        let mut weights = FloatWeights::zero(&architecture);
        weights.factoriser.resize(768 * 16, 0.0);
        let mut next = 0.0;
        let groups = [
            &mut weights.feature_weights,
            &mut weights.factoriser,
            &mut weights.feature_biases,
            &mut weights.output_weights,
            &mut weights.output_biases,
        ];
        for value in groups.into_iter().flatten() {
            next += 1.0;
            *value = next;
        }
        let layout = Layout::new(&architecture, &weights);
        assert_eq!(layout.factoriser, 768);
        let values = layout.join(&weights);
        assert_eq!(values.len(), layout.len());
        assert_eq!(values.len() % 4, 0);
        assert_eq!(layout.split(&values), weights);
        assert_eq!(values[layout.biases()], weights.feature_biases[0]);
        assert_eq!(values[layout.output_biases()], weights.output_biases[0]);
    }
}
