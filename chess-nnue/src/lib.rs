#![doc = include_str!("../README.md")]
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

mod adapters;
mod arch;
mod architecture;
mod arithmetic;
#[cfg(feature = "builtin-net")]
mod builtin;
mod delta;
mod engine;
mod features;
mod file;
#[cfg(any(feature = "selfplay", feature = "train"))]
mod file_lock;
mod line;
mod network;
mod placements;
mod quick;
mod rows;
mod stack;

#[cfg(feature = "selfplay")]
pub mod selfplay;
#[cfg(feature = "train")]
pub mod train;

/// The words that positions and moves are made of. An engine needs no dependency on chess-records of
/// its own.
pub use chess_records;

pub use arch::Backend;
pub use architecture::{Activation, Architecture, ArchitectureError, KingBuckets};
pub use arithmetic::{Arithmetic, Width};
#[cfg(feature = "builtin-net")]
pub use builtin::builtin;
pub use delta::Delta;
pub use engine::{Evaluator, needs_fallback};
pub use features::feature_index;
pub use file::{BulletError, BulletExportError, FormatError};
#[cfg(feature = "std")]
pub use file::{LoadError, SaveError};
pub use network::{Network, Weights, WeightsError};
pub use stack::AccumulatorStack;
