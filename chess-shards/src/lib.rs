#![cfg_attr(feature = "meta", doc = include_str!("../README.md"))]
#![cfg_attr(
    not(feature = "meta"),
    doc = "Flat shards of chess positions; see the README."
)]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod action;
#[cfg(feature = "build")]
pub mod build;
mod convert;
mod dataset;
mod gather;
mod legal;
pub mod mask;
#[cfg(feature = "meta")]
pub mod meta;
pub mod npy;
mod plies;
pub mod record;
#[cfg(feature = "meta")]
mod set;
mod verify;

pub use action::{Action, ActionError};
pub use convert::{FlatConvertError, MarlinLoss};
#[cfg(feature = "zstd")]
pub use dataset::unpack_shard;
pub use dataset::{
    Compressed, FlatColumnsDataset, FlatDataset, FlatPositions, Measured, Regime, RegimeChoice,
    RowError, ShardError, ShardOptions, ShardProgress,
};
pub use gather::FlatColumns;
pub use legal::legal_actions;
#[cfg(feature = "meta")]
pub use meta::{Meta, MetaError, MetaReadError, SampleMode, ShardInfo, SplitName, Splits};
pub use npy::{NpyError, NpyHeader, NpyReadError};
pub use plies::{PlyDistribution, PlyHistogram, SampleWeighting};
pub use record::{FlatEncodeError, FlatError, FlatFields, FlatRecord, FlatTargetError};
#[cfg(feature = "meta")]
pub use set::{ShardSet, ShardSetError};
#[cfg(feature = "meta")]
pub use verify::GameOverlap;
pub use verify::{FlatFault, RowFault, Verifier};
