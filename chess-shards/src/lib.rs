#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod action;
#[cfg(feature = "build")]
pub mod build;
pub mod record;

pub use action::{Action, ActionError, FlatMove};
pub use record::{FlatEncodeError, FlatError, FlatFields, FlatRecord, FlatTargetError};
