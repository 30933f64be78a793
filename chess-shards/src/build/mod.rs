//! Building flat shards from games.

mod choice;
mod game;
mod order;
mod pgn;
mod random;
mod row;

pub use game::{Game, UciError, parse_uci};
pub use order::legal_actions;
pub use pgn::PgnReadError;
