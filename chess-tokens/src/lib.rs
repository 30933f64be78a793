#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod board;
#[cfg(feature = "hub")]
pub mod corpus;
pub mod dataset;
mod folder_lock;
pub mod pack;
mod scheme;
#[cfg(any(feature = "parquet", feature = "pgn"))]
pub mod source;
pub mod stats;
pub mod tokenizer;

pub use board::{ReplayError, position_after};
pub use scheme::{Scheme, SchemeError};
pub use tokenizer::Tokenizer;
