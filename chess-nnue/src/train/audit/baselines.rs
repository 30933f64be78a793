//! The losses that a network must beat.

use std::vec::Vec;

use chess_records::{Dataset, Labelled};

use crate::train::baseline::{Material, MaterialTable};
use crate::train::target::{SampleError, Targets};

/// The losses of two predictions that need no network, learnt from the training set and measured on
/// the samples held out.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Baselines {
    /// The loss of always predicting the mean of the training targets.
    pub constant_loss: f64,
    /// The loss of counting the men: [`Material`] fitted to the training set.
    pub material_loss: f64,
}

impl Baselines {
    /// The baselines of a training set, measured on `held_out`.
    ///
    /// # Errors
    ///
    /// When either has no samples, they cannot be fetched, or a label lacks what the targets need.
    pub fn of_datasets<D, V, S>(
        training: &D,
        held_out: &V,
        targets: &Targets,
    ) -> Result<Self, SampleError>
    where
        D: Dataset<Batch = Vec<S>> + ?Sized,
        V: Dataset<Batch = Vec<S>> + ?Sized,
        S: Labelled,
    {
        let training = MaterialTable::of_dataset(training, targets)?;
        let held_out = MaterialTable::of_dataset(held_out, targets)?;
        Ok(Self {
            constant_loss: held_out.loss_of_constant(training.mean_target()),
            material_loss: held_out.loss_of_material(&Material::fit(&training)),
        })
    }

    /// The smaller of the two: a network with a larger loss has learnt nothing.
    #[must_use]
    pub const fn best(&self) -> f64 {
        self.constant_loss.min(self.material_loss)
    }
}
