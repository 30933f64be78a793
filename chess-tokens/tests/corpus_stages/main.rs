//! The stages of the corpus pipeline against the reference's files.
#![cfg(feature = "corpus")]
#![allow(clippy::unwrap_used, missing_docs)]

mod draw;
mod filter;
mod folders;
mod pack;
mod pgn;
mod support;
mod uci;
