//! What the examples share: questions to ask a trained network before believing it.

mod diagram;
mod questions;

pub use diagram::{Diagram, side_by_side};
pub use questions::{
    Agreement, PieceValue, agreement, file_mirror_difference, known_positions, piece_values,
    turned_round,
};

/// The README's examples, so that they are tested.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
