//! What a trainer asks of whatever does the arithmetic.

use core::fmt;
use core::time::Duration;
use std::vec::Vec;

use super::batch::Batch;
use super::loss::Loss;
use super::optimizer::{Optimizer, OptimizerState, StepOptions};
use super::parameters::Parameters;

/// Why a backend failed.
#[cfg(not(feature = "gpu"))]
pub(crate) type BackendError = core::convert::Infallible;
/// Why a backend failed.
#[cfg(feature = "gpu")]
pub(crate) type BackendError = super::gpu::GpuError;

/// Where the time went that a device apart from the processor was at work. Preparation and device time
/// run side by side: what is longer decides how fast batches go through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timings {
    /// What the processor took to prepare batches for the device and to send them.
    pub preparation: Duration,
    /// How long the processor waited for the device.
    pub waiting: Duration,
    /// How long the device worked, up to the last time it was waited for; `None` if it cannot tell.
    pub device: Option<Duration>,
}

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

    /// As [`Backend::gradient`], but a device need not be waited for: `None` leaves the loss to
    /// [`Backend::late_losses`].
    fn start_gradient(&mut self, batch: &Batch, divisor: usize, fresh: bool) -> Option<f64> {
        Some(self.gradient(batch, divisor, fresh))
    }

    /// The losses that [`Backend::start_gradient`] left untold, in the order of the calls. A device
    /// has to stop for it: often enough is every some dozen batches.
    fn late_losses(&mut self) -> Vec<f64> {
        Vec::new()
    }

    /// Whether all went well so far. After a failure losses are NaN, and parameters and state are not
    /// to be relied on.
    fn check(&self) -> Result<(), BackendError> {
        Ok(())
    }

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

    /// What a GPU is called.
    fn gpu_name(&self) -> Option<&str> {
        None
    }

    /// Where a device's time went.
    fn timings(&self) -> Option<Timings> {
        None
    }
}
