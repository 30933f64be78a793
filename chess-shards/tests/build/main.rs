//! Sets built from the golden games, byte for byte those of the reference.
#![cfg(feature = "build")]
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "../build_common/mod.rs"]
mod build_common;
mod games;
mod golden;
mod resumed;
mod slices;
mod support;
