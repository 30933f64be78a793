//! Months fetched from a stand-in that makes mistakes, stopped and killed on the way.
#![cfg(feature = "hub")]
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "../hub_stand_in/mod.rs"]
mod hub_stand_in;
mod killed;
mod mistakes;
mod months;
mod resumed;
mod support;
