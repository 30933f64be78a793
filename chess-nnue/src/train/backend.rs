//! What a trainer asks of whatever does the arithmetic.

use core::fmt;
use std::vec::Vec;

use super::batch::Batch;
use super::loss::Loss;
use super::optimizer::{Optimizer, OptimizerState, StepOptions};
use super::parameters::Parameters;

/// What a backend is made for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BackendOptions {
    /// Samples a call; smaller and larger calls do too.
    pub(crate) batch_size: usize,
    pub(crate) optimizer: Optimizer,
    pub(crate) loss: Loss,
}

/// Something that passes batches through a network and back, and steps its parameters.
///
/// The same calls give the same bits: how work is cut up depends on the network and on sizes, never
/// on the number of threads.
pub(crate) trait Backend: fmt::Debug + Send {
    /// Passes a batch through the network and back, and gives the sum of its samples' losses.
    ///
    /// The gradient, that of the losses' sum over `divisor`, is added to the one there is; a `fresh`
    /// call forgets that first. So a batch too large for one call is made of several, all with its
    /// size as `divisor` and the first `fresh`.
    fn gradient(&mut self, batch: &Batch, divisor: usize, fresh: bool) -> f64;

    /// Steps every parameter by the gradient. Without a `gradient` call since the last step the
    /// gradient is still the last one.
    fn step(&mut self, options: &StepOptions);

    /// The network's outputs for a batch, logits, with the parameters as they are now: what to look
    /// into when [`Backend::gradient`] gave a loss that is not finite.
    fn outputs(&mut self, batch: &Batch) -> Vec<f32>;

    /// The parameters as they are now.
    fn parameters(&self) -> Parameters;

    /// Takes these parameters, of the same architecture, in place of the present ones.
    fn set_parameters(&mut self, parameters: &Parameters);

    /// What the optimizer remembers, laid out like the parameters.
    fn state(&self) -> OptimizerState;

    /// Goes on from this state, which has the parameters' layout.
    fn restore(&mut self, state: &OptimizerState);
}
