//! The client of the hub against a stand-in that makes mistakes.
#![cfg(feature = "hub")]
#![allow(clippy::unwrap_used, missing_docs)]

mod downloads;
#[path = "../hub_stand_in/mod.rs"]
mod hub_stand_in;
mod lists;
mod support;
mod tokens;
mod waits;
