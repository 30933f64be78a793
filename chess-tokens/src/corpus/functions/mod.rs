//! Chess in SQL: functions for DataFusion.
//!
//! | function | gives | of |
//! |---|---|---|
//! | `uci_moves(movetext)` | text | the moves in UCI's notation, apart by a space; null where a move is not legal |
//! | `n_plies(uci)` | int | how many moves there are |
//! | `game_id(site)` | bigint | the first 8 bytes of SHA-256, little-endian, signed |
//! | `sample_hash(seed, game_id)` | bigint unsigned | XXH3-64 of both numbers, 8 bytes each, little-endian |
//! | `token_ids(uci, white_elo, black_elo, result)` | list of smallint unsigned | the tokens of a whole game; null where it has none |
//!
//! All are immutable, and null where an argument is. They work in any DataFusion program:
//!
//! ```
//! use chess_tokens::corpus::functions;
//! use datafusion::prelude::SessionContext;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let ctx = SessionContext::new();
//! functions::register(&ctx);
//! let query = ctx.sql("SELECT uci_moves('1. e4 e5 2. Nf3 1-0') AS uci");
//! # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
//! # let batches = runtime.block_on(async { query.await?.collect().await })?;
//! let table = datafusion::arrow::util::pretty::pretty_format_batches(&batches)?;
//! assert!(table.to_string().contains("| e2e4 e7e5 g1f3 |"));
//! # Ok(())
//! # }
//! ```

mod arguments;
mod documentation;
mod game_id;
mod n_plies;
mod sample_hash;
mod token_ids;
mod uci_moves;

use datafusion::logical_expr::ScalarUDF;
use datafusion::prelude::SessionContext;

pub use self::game_id::{GameId, game_id};
pub use self::n_plies::NPlies;
pub use self::sample_hash::{SampleHash, sample_hash};
pub use self::token_ids::TokenIds;
pub use self::uci_moves::UciMoves;

/// All functions, as a program whose plans run in many partitions wants them: `uci_moves` on one
/// thread, and `token_ids` by the scheme `uci`.
#[must_use]
pub fn all() -> Vec<ScalarUDF> {
    vec![
        UciMoves::new().into(),
        NPlies::new().into(),
        GameId::new().into(),
        SampleHash::new().into(),
        TokenIds::uci().into(),
    ]
}

/// Adds [`all`] functions to those that the queries of `ctx` can name. Others can take their places
/// with [`SessionContext::register_udf`].
pub fn register(ctx: &SessionContext) {
    for function in all() {
        ctx.register_udf(function);
    }
}
