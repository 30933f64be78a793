//! The tool, run as its users run it.
#![cfg(feature = "cli")]
// Helpers of tests fail by panicking, as tests do.
#![allow(clippy::unwrap_used)]

mod build;
mod commands;
#[cfg(unix)]
mod kill;
mod support;
mod verify;
