//! A trainer for plain networks, (768 → N)×2 → 1, on the processor.

mod baseline;
mod config;
mod eval_scale;
mod inputs;
mod kernels;
mod lane;
mod optimizer;
mod order;
mod parameters;
mod pass;
mod permutation;
mod schedule;
mod shape;
mod sigmoid;
mod target;
mod tiles;
mod trainer;
mod validator;

#[cfg(test)]
mod gradient_tests;
#[cfg(test)]
#[path = "../../tests/train_common/mod.rs"]
mod train_common;

pub use baseline::{Material, MaterialTable};
pub use config::{ConfigError, TrainConfig};
pub use eval_scale::{EvalScaleError, EvalScaleFit};
pub use parameters::{FloatWeights, Parameters, ParametersError, Quantized};
pub use sigmoid::sigmoid;
pub use target::{SampleError, TargetError, Targets};
pub use trainer::{Event, Outcome, TrainError, Trainer};
pub use validator::{Prediction, Validator};
