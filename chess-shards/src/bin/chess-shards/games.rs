//! Files of games.

use std::path::{Path, PathBuf};

use chess_shards::build::Source;

use crate::failure::Failure;

/// The games of files, all of them PGN or all Parquet, which is told by the extension.
pub(crate) fn source(paths: &[PathBuf]) -> Result<Source<'static>, Failure> {
    let parquet = paths.iter().filter(|path| is_parquet(path)).count();
    match parquet {
        0 => Ok(Source::pgn(paths)),
        all if all == paths.len() => Ok(Source::parquet(paths)),
        _ => Err(Failure::usage(
            "the games are in PGN and in Parquet files, expected one kind",
        )),
    }
}

fn is_parquet(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "parquet")
}
