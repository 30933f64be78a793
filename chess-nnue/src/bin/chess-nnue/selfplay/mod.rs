//! Commands that play games.

pub(crate) mod contest;
pub(crate) mod datagen;
mod player;
mod progress;
