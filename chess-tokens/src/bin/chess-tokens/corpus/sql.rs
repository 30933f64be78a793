//! `sql`: any question about a corpus.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use chess_tokens::corpus::sql::{SqlFormat, SqlOutputError};
use clap::Args;

use super::work::Work;
use crate::failure::Failure;
use crate::report;

/// Answers a query over the stages of a corpus.
///
/// Each stage in the folder is a table of its name, with _ for -: fetch, filter, uci, elo_bins. Names with
/// capital letters, as raw games have, need quotation marks. Beside what SQL has there are uci_moves,
/// n_plies, game_id, sample_hash and token_ids.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  chess-tokens sql corpus 'SELECT month, count(*) FROM uci GROUP BY month ORDER BY month'
  chess-tokens sql corpus 'SELECT \"ECO\", count(*) AS games FROM fetch GROUP BY 1 ORDER BY 2 DESC LIMIT 9'
  chess-tokens sql corpus --format json \
    'SELECT game_id, token_ids(uci, white_elo, black_elo, result) AS ids FROM uci LIMIT 10'")]
pub(crate) struct Sql {
    /// The folder of the corpus
    #[arg(value_name = "CORPUS")]
    corpus: PathBuf,
    /// The query
    #[arg(value_name = "SQL")]
    sql: String,
    /// How the result is written: table, csv or json (an object a line)
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: SqlFormat,
    #[command(flatten)]
    work: Work,
}

impl Sql {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let session = self.work.session()?;
        let ctx = session.parallel();
        session.register_corpus(&ctx, &self.corpus)?;
        let rows = session.select(&ctx, &self.sql)?;
        let mut out = BufWriter::new(io::stdout().lock());
        let written = rows.write_to(self.format, &mut out);
        let has_more = written.map_err(failure)?;
        out.flush()?;
        match has_more {
            true => report::note("there are more rows; --format csv or json writes all"),
            false => Ok(()),
        }
    }
}

fn failure(error: SqlOutputError) -> Failure {
    match error {
        SqlOutputError::Io(error) => error.into(),
        error => Failure::Other(error.into()),
    }
}
