//! The stages after fetching: `filter`, `uci`, `elo-bins` and `pack`.
//!
//! Each is a query over partitioned Parquet files ([`Filter::sql`] and its like show it) and keeps
//! nothing in the process: what it makes lies in a folder with a [`manifest`](super::manifest), and a
//! folder that the same stage has finished with the same settings and inputs is left as it is.

mod elo_bins;
mod error;
mod filter;
mod input;
mod pack;
mod progress;
mod sql_text;
mod uci;

use std::path::{Path, PathBuf};
use std::time::Duration;

use datafusion::arrow::array::RecordBatch;
use datafusion::prelude::SessionContext;
use serde::Serialize;
use serde_json::{Map, Value};

pub use elo_bins::{BinCount, EloBins};
pub use error::{SettingsError, StageError};
pub use filter::Filter;
pub(super) use filter::check_limit;
pub use input::StageInput;
pub(super) use input::files;
pub use pack::{CorpusPack, PackPart};
pub use progress::{Progress, StageProgress};
pub use uci::ToUci;

use super::parquet_file::ParquetFile;
use super::rows::{Rows, Waited};
use super::session::{QueryError, Session};
use super::tables::first_damaged;
use super::{Counts, Job, Manifest, Opened, Overwrite, StageFolder};
use progress::Meter;

/// How long a stage waits for rows before it asks whether to stop.
const TICK: Duration = Duration::from_millis(200);
/// The table that a stage's query reads.
const TABLE: &str = "games";
/// The file that a stage writes.
const GAMES: &str = super::Month::GAMES;

/// What a stage runs with.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Stages<'a> {
    session: &'a Session,
    overwrite: Overwrite,
}

/// What a stage has done.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StageDone {
    /// The folder.
    pub folder: PathBuf,
    /// What there is now.
    pub manifest: Manifest,
    /// It was there already, and nothing was done.
    pub was_finished: bool,
}

impl<'a> Stages<'a> {
    /// Stages whose queries run in this session.
    pub const fn new(session: &'a Session) -> Self {
        Self {
            session,
            overwrite: Overwrite::Nothing,
        }
    }

    /// What to begin anew of what is there already.
    pub fn overwrite(mut self, overwrite: impl Into<Overwrite>) -> Self {
        self.overwrite = overwrite.into();
        self
    }

    /// Does the work in a folder, unless it is done. `inputs` are the files that it reads.
    fn run(
        &self,
        folder: PathBuf,
        job: &Job,
        inputs: &[PathBuf],
        work: impl FnOnce(&mut StageFolder) -> Result<(), StageError>,
    ) -> Result<StageDone, StageError> {
        refuse_own_input(&folder, inputs)?;
        let mut stage = match StageFolder::open(&folder, job, self.overwrite)? {
            Opened::Unfinished(stage) => stage,
            Opened::Finished(manifest) => {
                return Ok(StageDone {
                    folder,
                    manifest,
                    was_finished: true,
                });
            }
        };
        // Stages that are not begun again where they were, begin anew.
        stage.manifest_mut().counts = Counts::default();
        work(&mut stage).map_err(|error| with_file(error, inputs))?;
        Ok(StageDone {
            folder,
            manifest: stage.finish_with_notes()?,
            was_finished: false,
        })
    }
}

/// What a stage reads must not be where it writes: it would be overwritten, or read the next time.
fn refuse_own_input(folder: &Path, inputs: &[PathBuf]) -> Result<(), StageError> {
    // A folder that is not there holds no input.
    let Ok(whole) = folder.canonicalize() else {
        return Ok(());
    };
    let is_inside = |input: &&PathBuf| {
        let input = input.canonicalize();
        input.is_ok_and(|input| input.starts_with(&whole))
    };
    match inputs.iter().find(is_inside) {
        None => Ok(()),
        Some(input) => Err(StageError::OwnInput {
            folder: folder.to_path_buf(),
            input: input.clone(),
        }),
    }
}

/// Queries do not tell which file they cannot read on.
fn with_file(error: StageError, inputs: &[PathBuf]) -> StageError {
    match error {
        StageError::Query(QueryError::Run(_)) => {
            first_damaged(inputs).map_or(error, StageError::Table)
        }
        error => error,
    }
}

/// Joins files of the same columns, in the order of their names, into one.
///
/// # Errors
///
/// When they cannot be read, or the file cannot be written.
pub fn join(session: &Session, parts: &[PathBuf], out: &Path) -> Result<(), StageError> {
    let ctx = session.ordered();
    session.register_files(&ctx, TABLE, parts)?;
    let mut silent = |_: &StageProgress| std::ops::ControlFlow::Continue(());
    let mut meter = Meter::begin("join", None, None, &mut silent)?;
    let sql = format!("SELECT * FROM {TABLE}");
    write_query(session, &ctx, &sql, out, &mut meter)?;
    Ok(())
}

/// Notes the file of games, of which there must be some, and what became of the others.
fn take_games(folder: &mut StageFolder, counts: Counts) -> Result<(), StageError> {
    let (read, kept) = (counts.read, counts.kept);
    if kept == 0 {
        let path = folder.file(GAMES);
        // The folder would hold a file that no manifest tells of.
        let _ = std::fs::remove_file(path);
        return Err(StageError::NoGames {
            folder: folder.path().to_path_buf(),
            read,
        });
    }
    folder.add_file(GAMES, Some(kept))?;
    folder.manifest_mut().counts = counts;
    Ok(())
}

/// Settings by name, for manifests.
fn settings_of(settings: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(settings) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    }
}

/// Writes the result of a query to a file.
fn write_query(
    session: &Session,
    ctx: &SessionContext,
    sql: &str,
    path: &Path,
    meter: &mut Meter<'_, '_>,
) -> Result<u64, StageError> {
    let rows = session.query(ctx, sql)?;
    let mut file = ParquetFile::create(path, &rows.schema())?;
    each_batch(rows, meter, |batch, rows_read, meter| {
        file.write(batch)?;
        meter.report(rows_read, batch.num_rows() as u64)
    })?;
    Ok(file.finish()?)
}

/// Hands on all rows, batch after batch, and how many rows of tables were gone through until then. While
/// none come, as during a sort, the meter still asks whether to stop.
fn each_batch(
    mut rows: Rows<'_>,
    meter: &mut Meter<'_, '_>,
    mut take: impl FnMut(&RecordBatch, u64, &mut Meter<'_, '_>) -> Result<(), StageError>,
) -> Result<(), StageError> {
    loop {
        match rows.within(TICK) {
            Waited::Batch(batch) => take(&batch?, rows.rows_read(), meter)?,
            Waited::Nothing => meter.tick()?,
            Waited::End => return Ok(()),
        }
    }
}
