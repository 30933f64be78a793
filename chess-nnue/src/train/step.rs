//! Adam's steps in numbers: the same for every backend. See [`Optimizer`].

use super::optimizer::{Optimizer, StepOptions};

/// How much of the mean of gradients one step keeps.
const BETA_1: f64 = 0.9;
/// How much of the mean of squared gradients one step keeps.
const BETA_2: f64 = 0.999;

/// Counts steps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steps {
    kind: Optimizer,
    count: u64,
    /// β₁ and β₂ to the power of the number of steps.
    powers: (f64, f64),
}

/// What one step does to a value, its bias corrections worked in.
///
/// With a gradient *g* a mean *m* becomes `KEEP.0`·*m* + `TAKE.0`·*g*, a mean square *s*
/// `KEEP.1`·*s* + `TAKE.1`·*g*². A weight *w* becomes `keep`·*w* − `rate`·*m* / (√*s* ·
/// `root_correction` + `epsilon`), clipped to ± `limit`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// Rate over the correction of the mean.
    pub(crate) rate: f32,
    /// One over the root of the correction of the mean square.
    pub(crate) root_correction: f32,
    pub(crate) epsilon: f32,
    /// What the decay leaves of a weight.
    pub(crate) keep: f32,
    pub(crate) limit: f32,
}

impl Step {
    /// What the means keep.
    pub(crate) const KEEP: (f32, f32) = (BETA_1 as f32, BETA_2 as f32);
    /// What the gradient gives to the means.
    pub(crate) const TAKE: (f32, f32) = ((1.0 - BETA_1) as f32, (1.0 - BETA_2) as f32);
    /// Added to the root of the mean square.
    const EPSILON: f32 = 1e-8;
}

impl Steps {
    /// After so many steps.
    pub(crate) fn new(kind: Optimizer, count: u64) -> Self {
        let mut steps = Self {
            kind,
            count: 0,
            powers: (1.0, 1.0),
        };
        for _ in 0..count {
            steps.add();
        }
        steps
    }

    /// The same steps from another number on.
    pub(crate) fn restart(&mut self, count: u64) {
        *self = Self::new(self.kind, count);
    }

    pub(crate) const fn count(&self) -> u64 {
        self.count
    }

    /// By products, not `powi`, which is not the same on every machine.
    fn add(&mut self) {
        self.count += 1;
        self.powers.0 *= BETA_1;
        self.powers.1 *= BETA_2;
    }

    /// Begins the next step.
    pub(crate) fn next(&mut self, options: &StepOptions) -> Step {
        self.add();
        let rate = options.rate / (1.0 - self.powers.0);
        let root_correction = 1.0 / (1.0 - self.powers.1).sqrt();
        let step = Step {
            rate: rate as f32,
            root_correction: root_correction as f32,
            epsilon: Step::EPSILON,
            keep: (1.0 - options.rate * options.weight_decay) as f32,
            limit: options.weight_limit,
        };
        match self.kind {
            Optimizer::AdamW => step,
            Optimizer::RAdam => self.rectified(step, rate),
        }
    }

    /// The step made smaller by how little is known of the mean square; while next to nothing is, the
    /// root counts as 1.
    fn rectified(&self, step: Step, rate: f64) -> Step {
        const LONGEST: f64 = 2.0 / (1.0 - BETA_2) - 1.0;
        let power = self.powers.1;
        let length = LONGEST - 2.0 * self.count as f64 * power / (1.0 - power);
        if length <= 4.0 {
            return Step {
                root_correction: 0.0,
                epsilon: 1.0,
                ..step
            };
        }
        let known = (length - 4.0) * (length - 2.0) * LONGEST;
        let all = (LONGEST - 4.0) * (LONGEST - 2.0) * length;
        Step {
            rate: (rate * (known / all).sqrt()) as f32,
            ..step
        }
    }
}
