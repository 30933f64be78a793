//! Files of games, read in order on several threads.
//!
//! PGN (feature `pgn`), plain, compressed by zstd or the one such file of a zip, and Parquet files of UCI
//! moves (feature `parquet`). What a file is called does not matter: its first bytes tell what it is.
//!
//! ```no_run
//! use chess_tokens::source::GameFiles;
//!
//! let files = GameFiles::open(["2025-05.pgn.zst", "masters.zip", "games.parquet"])?;
//! let mut games = files.games()?;
//! for game in games.by_ref() {
//!     let game = game?;
//!     println!("{} plies", game.moves.len());
//! }
//! println!("{} games were left out", games.left_out().total());
//! # Ok::<(), chess_tokens::source::SourceError>(())
//! ```
//!
//! [`pack_games`] makes a pack of them.
//!
//! Which games count is told in [`chess_records::pgn`] and [`chess_records::parquet`]. The order is that of
//! the files and of the games in them, for any number of threads; memory is that of some blocks of
//! games a thread, however long the files are.

mod error;
mod files;
mod format;
mod games;
mod ordered;
mod pack;
#[cfg(feature = "pgn")]
mod pgn_file;
mod read;

pub use error::SourceError;
pub use files::GameFiles;
pub use format::GameFormat;
pub use games::{Blocks, GameBlock, Games};
pub use pack::{PackGamesError, PackProgress, PackReport, pack_games};
#[cfg(feature = "corpus")]
pub(crate) use pgn_file::pgn_blocks;
