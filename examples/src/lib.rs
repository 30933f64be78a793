//! What the examples share: positions to ask a trained network about, and boards drawn small.

mod diagram;
mod questions;

pub use diagram::{Diagram, side_by_side};
pub use questions::known_positions;

/// The README's examples, so that they are tested.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;

/// The guide, so that it is tested.
#[cfg(doctest)]
#[doc = include_str!("../../docs/guide.md")]
pub struct Guide;
