//! viriformat: whole games, as the engine Viridithas writes them.
//!
//! All numbers are little-endian. A file is games and nothing else, so files may be concatenated.
//! A game is
//!
//! | bytes | what |
//! |---|---|
//! | 32 | a [marlinformat](crate::marlin) record of the position the game starts from; its result is the game's |
//! | 4 a ply | u16 [move](crate::ViriMove), i16 score in centipawns from White's side of the position before the move |
//! | 4 | zeros: the end of the game |
//!
//! 1.e4 e5 2.Qh5 Ke7 3.Qxe5#, which White won:
//!
//! ```text
//! ff ff 00 00 00 00 ff ff   the start position
//! 16 42 25 61 00 00 00 00
//! 88 88 88 88 9e ca ad e9
//! 40 00 01 00 00 00 02 00   White to move, move 1, White won
//! 0c 07 00 00               e2e4, 0
//! 34 09 0a 00               e7e5, +10
//! c3 09 f6 ff               d1h5, -10
//! 3c 0d 01 00               e8e7, +1
//! 27 09 ff 7f               h5e5, +32767
//! 00 00 00 00               the end
//! ```
//!
//! There is neither a length nor an index: [`ViriGames`] makes one in a pass over the bytes. One
//! flipped bit can put a false end into a game or take an end away, and what follows is then no game;
//! faults name the game's number and byte offset, and [`ViriGames::sound_prefix`] still gives what
//! stands before. The position after the last move has no score and is no sample.
//!
//! The nibbles of the pieces are low first, as viriformat's code has it (the example in its README
//! shows them swapped).
//!
//! The layout is that of the `viriformat` crate.

#[cfg(feature = "std")]
mod dataset;
mod fault;
#[cfg(feature = "std")]
mod file;
mod filter;
mod game;
#[cfg(feature = "std")]
mod games;
#[cfg(feature = "std")]
mod index;
#[cfg(feature = "std")]
mod writer;

pub use fault::{ViriError, ViriFault};
#[cfg(feature = "std")]
pub use file::{ViriFile, ViriOpenError};
pub use filter::ViriFilter;
pub use game::{ViriGame, ViriMoves, ViriPosition, ViriPositions};
#[cfg(feature = "std")]
pub use games::ViriGames;
#[cfg(feature = "std")]
pub use writer::{ViriWriteError, ViriWriter};

/// The size of the record a game starts with.
const START_BYTES: usize = crate::MarlinRecord::BYTES;
/// The size of a move with its score, and of the zeros after the last.
const PLY_BYTES: usize = 4;

#[cfg(all(test, feature = "std"))]
mod tests;
