//! The stage `uci`: movetext to moves in UCI's notation.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use datafusion::arrow::array::{Array, AsArray, BooleanArray, RecordBatch};
use datafusion::arrow::compute::{cast, filter_record_batch};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::arrow::error::ArrowError;
use serde::{Deserialize, Serialize};

use super::error::SettingsError;
use super::input::{files, paths};
use super::progress::{Meter, Progress};
use super::{GAMES, StageDone, StageError, StageInput, Stages, TABLE, sql_text};
use crate::corpus::parquet_file::ParquetFile;
use crate::corpus::session::{QueryError, Session};
use crate::corpus::tables::row_count;
use crate::corpus::{Counts, Job, Month};

/// Which games are kept as moves in UCI's notation.
///
/// Reasons in the counts: `illegal` (a move is not legal, the text is no movetext or the result is none
/// of the three), `short` and `long`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(clippy::exhaustive_structs)] // Its fields are the settings of the stage, by name.
pub struct ToUci {
    /// The fewest plies.
    pub min_plies: u32,
    /// The most plies.
    pub max_plies: u32,
}

impl Default for ToUci {
    /// 20 to 300 plies.
    fn default() -> Self {
        Self {
            min_plies: 20,
            max_plies: 300,
        }
    }
}

/// Columns of raw games that the stage reads.
const COLUMNS: [&str; 8] = [
    "Site",
    "movetext",
    "WhiteElo",
    "BlackElo",
    "Result",
    "TimeControl",
    "UTCDate",
    "ECO",
];

/// The columns that the stage writes.
#[must_use]
pub(in crate::corpus) fn columns() -> Schema {
    let field = |(name, of)| Field::new(name, of, true);
    Schema::new(
        [
            ("game_id", DataType::Int64),
            ("uci", DataType::Utf8),
            ("n_plies", DataType::Int16),
            ("white_elo", DataType::Int16),
            ("black_elo", DataType::Int16),
            ("result", DataType::Utf8),
            ("time_control", DataType::Utf8),
            ("utc_date", DataType::Date32),
            ("eco", DataType::Utf8),
            ("month", DataType::Utf8),
        ]
        .map(field)
        .to_vec(),
    )
}

impl ToUci {
    /// The name of the stage in manifests.
    pub const NAME: &'static str = "uci";
    /// The most plies that the column `n_plies` can tell.
    pub const MOST_PLIES: u32 = i16::MAX as u32;

    fn plies(&self) -> RangeInclusive<u32> {
        self.min_plies..=self.max_plies
    }

    /// The query that runs, over the table `games` of raw games: all of them, `dropped` with the reason
    /// why a game is left out. `label` is what `month` says of each.
    #[must_use]
    pub fn sql(&self, label: &str) -> String {
        self.sql_for(label, false)
    }

    fn sql_for(&self, label: &str, date_is_text: bool) -> String {
        let date = match date_is_text {
            true => "TRY_CAST(replace(\"UTCDate\", '.', '-') AS DATE)",
            false => "TRY_CAST(\"UTCDate\" AS DATE)",
        };
        let (min, max, label) = (self.min_plies, self.max_plies, sql_text::text(label));
        format!(
            "\
SELECT game_id(\"Site\") AS game_id, uci, TRY_CAST(plies AS SMALLINT) AS n_plies,
  TRY_CAST(\"WhiteElo\" AS SMALLINT) AS white_elo, TRY_CAST(\"BlackElo\" AS SMALLINT) AS black_elo,
  \"Result\" AS result, \"TimeControl\" AS time_control, {date} AS utc_date,
  \"ECO\" AS eco, {label} AS month, CASE
    WHEN uci IS NULL OR (\"Result\" IN ('1-0', '0-1', '1/2-1/2')) IS NOT TRUE THEN 'illegal'
    WHEN plies < {min} THEN 'short'
    WHEN plies > {max} THEN 'long' END AS dropped
FROM (SELECT *, n_plies(uci) AS plies
  FROM (SELECT *, uci_moves(movetext) AS uci FROM {TABLE}))"
        )
    }

    /// Whether the settings make sense.
    ///
    /// # Errors
    ///
    /// When no game can pass, or more plies than can be told of.
    pub fn check(&self) -> Result<(), SettingsError> {
        let (min, max) = (self.min_plies, self.max_plies);
        if self.plies().is_empty() {
            return Err(SettingsError::Plies { min, max });
        }
        if max > Self::MOST_PLIES {
            return Err(SettingsError::MostPlies { max });
        }
        Ok(())
    }

    /// Converts files of raw games, one after the other, into one; `label` is what `month` says of each
    /// game.
    fn convert(
        &self,
        session: &Session,
        raw: &[PathBuf],
        label: &str,
        out: &Path,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Counts, StageError> {
        let ctx = session.ordered();
        let columns_found = session.register_games_with(&ctx, TABLE, raw, &COLUMNS)?;
        let date = columns_found.field_with_name("UTCDate");
        let date_is_text = date.is_ok_and(|date| !date.data_type().is_temporal());
        let rows = session.query(&ctx, &self.sql_for(label, date_is_text))?;
        let mut file = ParquetFile::create(out, &columns())?;
        let mut counts = Counts::default();
        super::each_batch(rows, meter, |batch, _, meter| {
            let kept = split(batch, &mut counts);
            let kept = kept.map_err(|source| QueryError::run(source.into()))?;
            file.write(&kept)?;
            meter.report(counts.read, kept.num_rows() as u64)
        })?;
        counts.kept = file.finish()?;
        Ok(counts)
    }

    /// Converts a month's games into the folder of the month in the stage's folder.
    ///
    /// # Errors
    ///
    /// When games cannot be read, none is left, or the folder is that of other work.
    pub fn month(
        &self,
        stages: Stages<'_>,
        month: Month,
        raw: &[StageInput],
        stage: &Path,
        progress: &mut Progress<'_>,
    ) -> Result<StageDone, StageError> {
        let job = self.month_job(month).inputs(files(raw));
        let folder = month.folder(stage);
        self.run(
            stages,
            job,
            (&month.to_string(), Some(month)),
            raw,
            folder,
            progress,
        )
    }

    /// Converts games of no one month (an elite or masters' database) into a folder; `label` is what
    /// `month` says of each.
    ///
    /// # Errors
    ///
    /// As [`month`](Self::month).
    pub fn files(
        &self,
        stages: Stages<'_>,
        label: &str,
        raw: &[StageInput],
        folder: &Path,
        progress: &mut Progress<'_>,
    ) -> Result<StageDone, StageError> {
        let job = self.job(label).inputs(files(raw));
        self.run(
            stages,
            job,
            (label, None),
            raw,
            folder.to_path_buf(),
            progress,
        )
    }

    fn run(
        &self,
        stages: Stages<'_>,
        job: Job,
        (label, month): (&str, Option<Month>),
        raw: &[StageInput],
        folder: PathBuf,
        progress: &mut Progress<'_>,
    ) -> Result<StageDone, StageError> {
        self.check()?;
        let raw = paths(raw);
        stages.run(folder, &job, &raw, |folder| {
            let mut meter = Meter::begin(Self::NAME, month, row_count(&raw), progress)?;
            let out = folder.file(GAMES);
            let counts = self.convert(stages.session, &raw, label, &out, &mut meter)?;
            super::take_games(folder, counts)
        })
    }

    /// What is to be done with a month, its inputs apart.
    pub(in crate::corpus) fn month_job(&self, month: Month) -> Job {
        self.job(&month.to_string()).month(month)
    }

    /// What is to be done with games of no one month, its inputs apart.
    pub(in crate::corpus) fn job(&self, label: &str) -> Job {
        Job::new(Self::NAME)
            .settings(super::settings_of(self))
            .setting("label", label)
    }
}

/// Counts the games by reason, and gives those without one.
fn split(batch: &RecordBatch, counts: &mut Counts) -> Result<RecordBatch, ArrowError> {
    let last = batch.num_columns() - 1;
    let reasons = cast(batch.column(last), &DataType::Utf8View)?;
    let reasons = reasons.as_string_view();
    for reason in reasons.iter().flatten() {
        counts.leave_out(reason, 1);
    }
    counts.read += batch.num_rows() as u64;
    let kept: BooleanArray = (0..reasons.len())
        .map(|row| Some(reasons.is_null(row)))
        .collect();
    let columns: Vec<_> = (0..last).collect();
    filter_record_batch(&batch.project(&columns)?, &kept)
}
