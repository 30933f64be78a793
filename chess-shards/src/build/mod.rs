//! Building flat shards from games.
//!
//! ```no_run
//! use std::ops::ControlFlow;
//!
//! use chess_shards::build::{BuildOptions, Source, build};
//!
//! let source = Source::pgn(["lichess_db_standard_rated_2025-05.pgn.zst"]);
//! let options = BuildOptions::new().k(4).num_shards(256).seed(0).min_elo(Some(1800));
//! let summary = build(&source, &options, "shards", &mut |progress| {
//!     eprintln!("{:.0} samples a second", progress.samples_per_second());
//!     ControlFlow::Continue(()) // or Break, to stop; the same call goes on later
//! })?;
//! println!("{} samples", summary.report.samples);
//! # Ok::<(), chess_shards::build::BuildError>(())
//! ```
//!
//! # Bytes
//!
//! The same games, options and seed give the same bytes, on every machine, for any number of workers,
//! after any number of interruptions and whether shards are built at once or in slices. They are
//! those that the reference gives (the ChessTransformer project's `build_shards.py`), because games are
//! numbered, cut into shards and split as there, plies are drawn with numpy's `default_rng([seed,
//! shard])` and `Generator.choice`, and legal moves are in python-chess' order. So is `meta.json`, but
//! for `git_sha`, `source_h5` and `build_seconds`.
//!
//! # Files
//!
//! | file | what |
//! |---|---|
//! | `shard_0000.npy` … | the shards |
//! | `meta.json` | as the reference writes it; it is there when all shards are |
//! | `build_report.json` | a [`BuildReport`]: what became of the games |
//! | `build_manifest.json`, `build_manifest_AAAA_BBBB.json` | of the whole and of the slice `AAAA..BBBB`: options, the games' identity, finished shards with hashes. Needed to go on and to [`merge`], and by no reader |
//!
//! # Licence
//!
//! This module uses [shakmaty](https://github.com/niklasf/shakmaty), which is GPL-3.0-or-later: a binary
//! built with the feature `build` must be distributed under those terms.

mod builder;
mod choice;
mod count;
mod error;
mod files;
mod game;
mod manifest;
mod merge;
mod online;
mod options;
mod order;
mod pass;
mod plan;
mod progress;
mod random;
mod report;
mod rounds;
mod row;
mod shard_file;
mod source;

pub use chess_records::LeftOutGames;

pub use builder::{BuildSummary, build};
pub use error::BuildError;
pub use merge::merge;
pub use online::OnlinePlies;
pub use options::{BuildOptions, BuildOptionsError};
pub use progress::{BuildPhase, BuildProgress, Progress};
pub use report::BuildReport;
pub use source::{Source, SourceError};
