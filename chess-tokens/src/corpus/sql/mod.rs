//! Any question about any stage: its files as tables, and results as text.
//!
//! Each stage in a folder of a corpus is a table of its name, with `_` for `-`: `fetch`, `filter`,
//! `uci`, `elo_bins`. Stages by month have the columns `year` and `month` of their folders beside those
//! of their files; where a file has a column `month` itself, that one is kept.

mod output;

use std::fs;
use std::path::{Path, PathBuf};

use datafusion::arrow::datatypes::DataType;
use datafusion::execution::context::SQLOptions;
use datafusion::prelude::SessionContext;

pub use output::{SqlFormat, SqlOutputError};

use super::rows::Rows;
use super::session::{QueryError, Session};
use super::tables::TableError;
use super::{Manifest, Month};

impl Session {
    /// The stages in a folder, each in a folder of its own, as tables of `ctx`. Gives their names, in
    /// order. Months that are not finished are not among them.
    ///
    /// # Errors
    ///
    /// When a folder or the first file of a stage cannot be read.
    pub fn register_corpus(
        &self,
        ctx: &SessionContext,
        corpus: &Path,
    ) -> Result<Vec<String>, TableError> {
        let error = |source| TableError::Path {
            path: corpus.to_path_buf(),
            source,
        };
        let mut stages = Vec::new();
        for entry in fs::read_dir(corpus).map_err(error)? {
            let path = entry.map_err(error)?.path();
            let name = path.file_name().and_then(|name| name.to_str());
            if let Some(name) = name.filter(|name| path.is_dir() && !name.starts_with('.')) {
                stages.push((name.replace('-', "_"), path));
            }
        }
        stages.sort();
        let mut names = Vec::new();
        for (name, path) in stages {
            if self.register_stage(ctx, &name, &path)? {
                names.push(name);
            }
        }
        Ok(names)
    }

    /// Whether there is anything to ask.
    fn register_stage(
        &self,
        ctx: &SessionContext,
        name: &str,
        stage: &Path,
    ) -> Result<bool, TableError> {
        let whole = stage.join(Month::GAMES);
        if whole.is_file() {
            self.register_files(ctx, name, &[whole])?;
            return Ok(true);
        }
        let Some(first) = first_month(stage)? else {
            return Ok(false);
        };
        let schema = self.register_files(ctx, name, &[first])?;
        let _ = ctx.deregister_table(name);
        let mut columns = vec![("year", DataType::Int32)];
        if schema.index_of("month").is_err() {
            columns.push(("month", DataType::Int32));
        }
        self.register(ctx, name, &[stage.to_path_buf()], &columns)?;
        Ok(true)
    }

    /// The result of a query that only reads; anything else is refused.
    ///
    /// # Errors
    ///
    /// When it cannot be planned, or would change something.
    pub fn select(&self, ctx: &SessionContext, sql: &str) -> Result<Rows<'_>, QueryError> {
        let reading = SQLOptions::new()
            .with_allow_ddl(false)
            .with_allow_dml(false)
            .with_allow_statements(false);
        self.query_with(ctx, sql, reading)
    }
}

/// The games of the first month that is finished.
fn first_month(stage: &Path) -> Result<Option<PathBuf>, TableError> {
    let months = Month::all_in(stage).map_err(|source| TableError::Path {
        path: stage.to_path_buf(),
        source,
    })?;
    let is_finished = |month: &Month| Manifest::finished(month.folder(stage)).is_ok();
    let games = |month: Month| month.games(stage);
    let found = months.into_iter().filter(is_finished).map(games);
    Ok(found.into_iter().find(|path| path.is_file()))
}
