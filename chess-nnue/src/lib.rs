#![doc = include_str!("../README.md")]
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

mod architecture;
mod features;
mod network;

#[cfg(feature = "train")]
pub mod train;

pub use architecture::{Activation, Architecture, ArchitectureError, KingBuckets};
pub use features::feature_index;
pub use network::{Network, NetworkError, Weights};
