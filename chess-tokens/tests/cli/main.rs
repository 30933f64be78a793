//! The tool, run as its users run it.
#![cfg(feature = "cli")]
// Helpers of tests fail by panicking, as tests do.
#![allow(clippy::unwrap_used)]

#[cfg(unix)]
mod kill;
mod pack;
mod packs;
mod pipes;
mod support;
