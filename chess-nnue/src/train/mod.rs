//! A trainer for plain networks, (768 → N)×2 → 1, on the processor.

mod config;
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

pub use config::{ConfigError, TrainConfig};
pub use parameters::{FloatWeights, Parameters, ParametersError, Quantized};
pub use sigmoid::sigmoid;
pub use target::{SampleError, TargetError, Targets};
pub use trainer::{Event, Outcome, TrainError, Trainer};
pub use validator::{Prediction, Validator};
