//! What in an audit speaks against a network.

use std::vec::Vec;

use thiserror::Error;

use super::Audit;

/// Something that speaks against a network, or against the data it was examined on.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum AuditWarning {
    /// No better than a baseline.
    #[error("the loss of {loss:.5} is not below the better baseline's {baseline:.5}")]
    Baselines {
        /// The integers' loss.
        loss: f64,
        /// The smaller loss of the baselines.
        baseline: f64,
    },
    /// Weights that do not fit their integers.
    #[error("{clipped} weights do not fit their integers")]
    Clipped {
        /// How many.
        clipped: usize,
    },
    /// Rounding to integers costs more than a hundredth of the loss.
    #[error("integers lose {integer:.5}, floating point {float:.5}")]
    Rounding {
        /// The integers' loss.
        integer: f64,
        /// The loss in floating point.
        float: f64,
    },
    /// The network is not that of the parameters.
    #[error("the network is not what the parameters quantize to")]
    OtherParameters,
    /// Many hidden values are wasted.
    #[error("{dead} of {count} hidden values are never above 0 here")]
    Dead {
        /// How many.
        dead: usize,
        /// How many hidden values there are.
        count: usize,
    },
    /// The evaluator does not see both sides alike.
    #[error("{positions} positions score differently turned round")]
    TurnedRound {
        /// How many.
        positions: u64,
    },
    /// Stronger pieces are not worth more.
    #[error("the pieces' values are not in the order P < N <= B < R < Q")]
    MaterialOrder,
}

impl Audit {
    /// What speaks against the network: a loss not below both baselines, clipped weights, integers
    /// whose loss is over a hundredth above that of floating point, a network that is not what the
    /// parameters quantize to, more than a quarter of the hidden values dead, positions that score
    /// differently turned round, pieces whose values are out of order.
    #[must_use]
    pub fn warnings(&self) -> Vec<AuditWarning> {
        let quantization = self.quantization.iter().flat_map(|audit| {
            let integer = self.integer_loss;
            let (float, clipped) = (audit.float_loss, audit.clipped);
            [
                (clipped > 0).then_some(AuditWarning::Clipped { clipped }),
                (integer > 1.01 * float).then_some(AuditWarning::Rounding { integer, float }),
                (!audit.is_of_parameters).then_some(AuditWarning::OtherParameters),
            ]
        });
        let of_network = [self.dead(), self.sides(), self.material()];
        let all = [self.loss()].into_iter().chain(quantization);
        all.chain(of_network).flatten().collect()
    }

    fn loss(&self) -> Option<AuditWarning> {
        let (loss, baseline) = (self.integer_loss, self.baselines?.best());
        let is_worse = self.beats_baselines() == Some(false);
        is_worse.then_some(AuditWarning::Baselines { loss, baseline })
    }

    fn dead(&self) -> Option<AuditWarning> {
        let (dead, count) = (self.hidden_values.dead.len(), self.hidden_values.count);
        (4 * dead > count).then_some(AuditWarning::Dead { dead, count })
    }

    fn sides(&self) -> Option<AuditWarning> {
        let positions = self.turned_round;
        (positions > 0).then_some(AuditWarning::TurnedRound { positions })
    }

    fn material(&self) -> Option<AuditWarning> {
        let is_wrong = self.material_is_in_order() == Some(false);
        is_wrong.then_some(AuditWarning::MaterialOrder)
    }
}
