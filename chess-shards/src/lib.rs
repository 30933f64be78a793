#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod action;
pub mod npy;
pub mod record;

pub use action::{Action, ActionError, FlatMove};
pub use npy::{NpyError, NpyHeader, NpyReadError};
pub use record::{FlatEncodeError, FlatError, FlatFields, FlatRecord, FlatTargetError};
