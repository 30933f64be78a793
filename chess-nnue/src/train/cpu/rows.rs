//! Which row of a tile is which.

use crate::Architecture;
use crate::train::FloatWeights;

/// The rows of a tile: one for each input, those of the factoriser, the biases, and the output
/// weights of each output bucket, the mover's half and the opponent's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rows {
    inputs: usize,
    factoriser: usize,
    output_buckets: usize,
}

impl Rows {
    /// The rows of a network's weights, or of anything laid out like them.
    pub(super) fn of(weights: &FloatWeights) -> Self {
        let hidden = weights.feature_biases.len();
        Self {
            inputs: weights.feature_weights.len() / hidden,
            factoriser: weights.factoriser.len() / hidden,
            output_buckets: weights.output_biases.len(),
        }
    }

    /// The rows of the inputs; they come first.
    pub(super) const fn inputs(self) -> usize {
        self.inputs
    }

    pub(super) const fn has_factoriser(self) -> bool {
        self.factoriser > 0
    }

    /// The factoriser's rows and those of each bucket.
    pub(super) const INPUTS_PER_BUCKET: usize = Architecture::INPUTS_PER_BUCKET;

    /// The row of the biases, an input that is always on.
    pub(super) const fn bias(self) -> usize {
        self.inputs + self.factoriser
    }

    /// The row of an output bucket's mover's half; the opponent's follows.
    pub(super) const fn output(self, bucket: usize) -> usize {
        self.bias() + 1 + 2 * bucket
    }

    /// How many rows there are.
    pub(super) const fn count(self) -> usize {
        self.output(self.output_buckets)
    }
}
