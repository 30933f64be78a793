//! Games from PGN text, streamed.
//!
//! What counts as a game, a tag and a move is what [python-chess](https://github.com/niklasf/python-chess)
//! takes for one, so that games have the same numbers here as there. Games of variants, from another
//! start, without a result and with movetext that does not parse are left out, with a reason.
//!
//! ```
//! use chess_records::pgn::PgnGames;
//!
//! let text = "[Site \"here\"]\n[WhiteElo \"1500\"]\n[Result \"1-0\"]\n\n1. e4 {best by test} e5 1-0\n";
//! for game in PgnGames::new(text.as_bytes()) {
//!     let game = game?;
//!     assert_eq!(game.tags().get("Site").as_deref(), Some("here"));
//!     match game.into_game() {
//!         Ok(game) => assert_eq!((game.moves.len(), game.white_elo), (2, Some(1500))),
//!         Err(left_out) => panic!("{left_out}"),
//!     }
//! }
//! # Ok::<(), chess_records::pgn::PgnReadError>(())
//! ```
//!
//! Who has several threads takes a [`PgnBlock`] after the other from [`PgnBlocks`], which only looks
//! for the ends of games, and reads their [`PgnText`]s elsewhere.
//!
//! # Licence
//!
//! This module uses [shakmaty](https://github.com/niklasf/shakmaty), which is GPL-3.0-or-later: a binary
//! built with the feature `pgn` must be distributed under those terms.

mod blocks;
mod games;
mod lines;
mod movetext;
mod open;
mod replay;
mod tags;
mod text;
mod tokens;

pub use blocks::{PgnBlock, PgnBlocks, PgnReadError};
pub use games::{PgnGame, PgnGames};
pub use movetext::movetext_moves;
pub use open::{open, text_of};
pub use replay::PgnReplay;
pub use tags::PgnTags;
pub use text::PgnText;

#[cfg(test)]
mod tests;
