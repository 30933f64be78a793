//! `merge`: one set of slices.

use std::path::PathBuf;

use chess_shards::build::merge;
use clap::Args;

use crate::failure::Failure;
use crate::report::{self, print};

/// Makes one set of slices that were built with --only.
///
/// The slices must be of the same games and options, and have all shards together. Shards that are not
/// in OUT are copied there. The set is byte for byte what a single build gives, but for the time it
/// took.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  chess-shards merge shards one two
  chess-shards merge shards")]
pub(crate) struct Merge {
    /// The folder of the set, in which slices may lie already
    #[arg(value_name = "OUT")]
    out: PathBuf,
    /// Folders with slices
    #[arg(value_name = "PIECES")]
    pieces: Vec<PathBuf>,
}

impl Merge {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        print(&report::built(&merge(&self.pieces, &self.out)?))
    }
}
