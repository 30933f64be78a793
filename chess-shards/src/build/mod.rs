//! Building flat shards from games.

mod builder;
mod choice;
mod count;
mod error;
mod game;
mod manifest;
mod merge;
mod options;
mod order;
#[cfg(feature = "parquet")]
mod parquet;
mod pass;
mod pgn;
mod plan;
mod progress;
mod random;
mod report;
mod rounds;
mod row;
mod shard_file;
mod source;

pub use builder::{BuildSummary, build};
pub use error::BuildError;
pub use game::{Game, UciError, parse_uci};
pub use merge::merge;
pub use options::{BuildOptions, BuildOptionsError};
pub use order::legal_actions;
#[cfg(feature = "parquet")]
pub use parquet::ParquetReadError;
pub use pgn::PgnReadError;
pub use progress::{BuildPhase, BuildProgress, Progress};
pub use report::{BuildReport, LeftOutGames};
pub use source::{Source, SourceError};
