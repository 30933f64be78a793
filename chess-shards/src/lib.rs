#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod action;
#[cfg(feature = "build")]
pub mod build;
#[cfg(feature = "meta")]
pub mod meta;
pub mod npy;
pub mod record;

pub use action::{Action, ActionError, FlatMove};
#[cfg(feature = "meta")]
pub use meta::{
    Meta, MetaError, MetaReadError, SampleMode, SampleWeighting, ShardInfo, SplitName, Splits,
};
pub use npy::{NpyError, NpyHeader, NpyReadError};
pub use record::{FlatEncodeError, FlatError, FlatFields, FlatRecord, FlatTargetError};
