//! Commands that play games.

pub(crate) mod contest;
pub(crate) mod datagen;
pub(crate) mod generations;
mod player;
mod progress;
