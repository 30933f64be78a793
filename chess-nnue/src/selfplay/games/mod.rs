//! Games of engines: starts, play, adjudication, records, matches.

mod datagen;
mod ending;
mod in_order;
mod openings;
mod play;
mod record;
mod starts;
mod statistics;

pub(super) use datagen::game_random;
pub(super) use in_order::in_order;
pub(super) use play::play;
#[cfg(feature = "train")]
pub(super) use record::append_marlin;

pub use datagen::{Datagen, DatagenError};
pub use ending::{Adjudication, Ended};
pub use play::{PlayedGame, PlayedMove};
pub use record::ChunkFormat;
pub use starts::Starts;
pub use statistics::GameStatistics;

#[cfg(test)]
mod tests;
