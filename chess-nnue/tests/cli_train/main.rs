//! Training by the tool `chess-nnue`, as its users start it: on the first records of the sample.

#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used)] // a test fails by panicking

mod faults;
mod formats;
mod mistakes;
mod reports;
mod runs;
mod support;
