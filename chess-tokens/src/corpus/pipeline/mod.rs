//! A whole corpus from one description: months fetched or read, filtered, converted, drawn and packed.
//!
//! ```text
//! CORPUS/fetch/year=2025/month=05/games.parquet     months from the hub, filtered as they come
//!        filter/year=2025/month=05/games.parquet    or months that lie on this machine, filtered
//!        uci/year=2025/month=05/games.parquet       their moves in UCI's notation
//!        databases/NAME/games.parquet               the same of databases of PGN
//!        elo-bins/games.parquet                     games drawn by strength
//!        packs/train, packs/val                     token packs
//! ```
//!
//! Whatever is finished is left as it is, so that the same description goes on where it was interrupted.
//! What was made with other settings, or of other files, is refused, or made anew if that is asked for.

mod config;
mod error;
mod place;
mod plan;
mod run;

pub use config::{
    BinsConfig, Database, FetchConfig, PackConfig, PipelineConfig, RawConfig, SessionConfig,
    TrainOn,
};
pub use error::{ConfigError, PipelineError};
pub use plan::{PlannedStage, StageState};
pub use run::{Observer, Pipeline, PipelineEvent};
