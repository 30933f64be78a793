//! The tool, run as its users run it.
#![cfg(feature = "cli")]
// Helpers of tests fail by panicking, as tests do.
#![allow(clippy::unwrap_used)]

mod commands;
mod formats;
mod games;
#[cfg(unix)]
mod kill;
#[cfg(unix)]
mod pipes;
mod support;
mod zdat;
