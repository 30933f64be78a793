//! A trainer for every network that the evaluator knows, on the processor or a GPU.
//!
//! Any dataset of labelled positions will do. A network's output, a logit, becomes expected points
//! by the logistic function σ; they are compared with a [target](Targets) mixed from the position's
//! score and the game's result, both for the side to move. The loss is the mean of
//! (σ(output) − target)², or of another [power](Loss) of the miss, its minimum sought by AdamW (β 0.9
//! and 0.999, ε 10⁻⁸, decoupled decay) or another [`Optimizer`], each epoch in a new random order.
//! After each step all weights and biases but the output biases are clipped to ± 1.98, which the
//! evaluator's narrowest arithmetic can hold, or [less](TrainConfig::weight_limit).
//!
//! With king buckets a [factoriser](FloatWeights::factoriser) lets all buckets learn from every
//! position: the rows it shares are added to each bucket's, and folded into them when the network is
//! quantized.
//!
//! ```
//! use std::error::Error;
//! use std::ops::ControlFlow;
//!
//! use chess_nnue::train::{EvalScaleFit, Event, TrainConfig, Trainer};
//! use chess_nnue::{Architecture, Network};
//! use chess_records::{Dataset, LabelledPosition};
//!
//! /// `validation` holds games of which no position is in `training`.
//! fn train<D>(training: D, validation: &D) -> Result<Network, Box<dyn Error>>
//! where
//!     D: Dataset<Batch = Vec<LabelledPosition>> + 'static,
//! {
//!     let eval_scale = EvalScaleFit::of_dataset(&training)?.eval_scale()?;
//!     let architecture = Architecture::new(256)?.with_eval_scale(eval_scale.round() as i32)?;
//!     let mut config = TrainConfig::new(architecture);
//!     config.epochs = 40;
//!     let outcome = Trainer::new(config)?.run(training, validation, |event| {
//!         if let Event::Epoch { epoch, validation_loss, .. } = event {
//!             println!("epoch {epoch}: {validation_loss:.4}");
//!         }
//!         ControlFlow::Continue(())
//!     })?;
//!     Ok(outcome.parameters.quantize().network)
//! }
//! ```
//!
//! A loss says little by itself: [`MaterialTable`] and [`Material`] give that of a constant and that
//! of counting the men, which a network must beat. A scale that does not fit the scores, or scores
//! from the wrong side, would train without complaint and play badly: fit the scale with
//! [`EvalScaleFit`]. A run looks at the scores as well before its first step, and refuses those that do
//! not predict the results or want quite another scale ([`TrainConfig::check_scores`]).
//!
//! The same configuration and data give the same parameters, bit by bit, whatever the number of
//! threads and the instruction set: see [`Trainer`]. The arithmetic is compiled for each instruction
//! set and chosen as the evaluator's is, by what the machine has or by the environment variable
//! `CHESS_NNUE_BACKEND`.
//!
//! # Data
//!
//! Any [`Dataset`](chess_records::Dataset) of [`Labelled`](chess_records::Labelled) positions will do:
//! files of fixed records, games of viriformat, `ZdatPositions`. Several are laid end to end by a
//! [`Concat`](chess_records::Concat) or mixed by weight by an
//! [`Interleaved`](chess_records::ops::Interleaved); [`Filtered`](chess_records::Filtered) leaves samples out; a
//! [`Slice`](chess_records::Slice) holds some back. Here are two files of different formats, two
//! samples of the first to one of the second, without checks and decided positions:
//!
//! ```no_run
//! use chess_records::ops::{Filter, Interleaved};
//! use chess_records::{Dataset, Filtered, LabelledPosition, MarlinRecord, RecordFile, ViriFile};
//!
//! type Source = Box<dyn Dataset<Batch = Vec<LabelledPosition>>>;
//!
//! let sources: [(&str, Source, u64); 2] = [
//!     ("old", Box::new(RecordFile::<MarlinRecord>::read("old.marlin")?), 2),
//!     ("new", Box::new(ViriFile::read("new.viri")?), 1),
//! ];
//! let mut filter = Filter::default();
//! filter.score_cp = Some(-2000..=2000);
//! filter.in_check = Some(false);
//! let training = Filtered::new(Interleaved::new(sources)?, |labelled| filter.keeps(labelled))?;
//! # let _ = training;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Threads of their own fetch samples and make batches of them while the others work
//! ([`TrainConfig::loader_threads`]). Where reads scattered over all the data are slow, in compressed
//! files and those larger than memory, let the order go [by blocks](TrainConfig::order).
//!
//! # Runs that last
//!
//! [`RunFolder`] keeps a run in a folder: checkpoints, the last network and the best. It may be killed
//! at any moment and goes on where it was, to the same end. Whoever keeps [`Checkpoint`]s otherwise
//! finds them in [`Event::Checkpoint`] and gives them to [`Trainer::resume`].
//!
//! # On a GPU
//!
//! With the feature `gpu`, [`TrainConfig::device`] may be a GPU. The same GPU gives the same parameters,
//! bit by bit; with the processor's they agree but for rounding.

mod audit;
mod backend;
mod baseline;
mod batch;
mod calibration;
mod checkpoint;
mod config;
#[cfg(feature = "serde")]
mod config_fields;
mod cpu;
mod device;
mod eval_scale;
#[cfg(feature = "gpu")]
mod gpu;
mod inputs;
mod late;
mod loss;
mod optimizer;
mod parameters;
#[cfg(feature = "plot")]
pub(crate) mod plot;
mod run;
mod run_folder;
#[cfg(feature = "safetensors")]
mod safetensors;
mod schedule;
mod sigmoid;
mod source;
mod step;
mod tally;
mod target;
mod trainer;
mod validator;

#[cfg(test)]
#[path = "../../tests/train_common/mod.rs"]
mod train_common;

pub use audit::{
    Audit, AuditError, AuditWarning, Baselines, Difference, HiddenValues, PieceValue,
    QuantizationAudit,
};
pub use backend::Timings;
pub use baseline::{Material, MaterialTable};
pub use calibration::{Calibration, CalibrationBucket};
pub use checkpoint::{
    Best, Checkpoint, CheckpointError, CheckpointLoadError, CheckpointSaveError, ResumeError,
};
pub use config::{ConfigError, TrainConfig};
pub use device::Device;
pub use eval_scale::{EvalScaleError, EvalScaleFit};
#[cfg(feature = "gpu")]
pub use gpu::{GpuError, gpu_names};
pub use loss::Loss;
pub use optimizer::Optimizer;
pub use parameters::{FloatWeights, Parameters, ParametersError, Quantized};
#[cfg(feature = "plot")]
pub use plot::{LossPoint, PlotError, calibration_curve, loss_curves};
pub use run_folder::{DamagedCheckpoint, RunFolder, RunFolderError};
#[cfg(feature = "safetensors")]
pub use safetensors::SafetensorsError;
pub use schedule::RateSchedule;
pub use sigmoid::sigmoid;
pub use target::{SampleError, TargetError, Targets};
pub use trainer::{Event, Outcome, TrainError, Trainer};
pub use validator::{Prediction, Validator};
