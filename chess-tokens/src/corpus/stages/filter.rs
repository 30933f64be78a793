//! The stage `filter`: games by ratings, time control, how they ended and what they were played in.

use std::path::{Path, PathBuf};

use datafusion::arrow::array::AsArray;
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Int64Type};
use serde::{Deserialize, Serialize};

use super::error::SettingsError;
use super::input::{files, paths};
use super::progress::{Meter, Progress, StageProgress};
use super::{GAMES, StageDone, StageError, StageInput, Stages, TABLE, sql_text, write_query};
use crate::corpus::session::Session;
use crate::corpus::tables::row_count;
use crate::corpus::{Counts, Job, Month};

/// Which games of a Lichess month are kept.
///
/// Reasons in the counts: `elo`, `time_control`, `termination`, `variant`, each of games that pass
/// those before, and `limit`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(clippy::exhaustive_structs)] // Its fields are the settings of the stage, by name.
pub struct Filter {
    /// The lowest rating of either player.
    pub min_elo: i32,
    /// The highest rating of either player, if there is one.
    pub max_elo: Option<i32>,
    /// The least base time: what stands before the `+` of the time control. Games by correspondence
    /// have none.
    pub min_base_seconds: u32,
    /// How games may have ended.
    pub terminations: Vec<String>,
    /// Whether games of variants are kept: those in whose event the word is.
    pub keep_variants: bool,
}

impl Default for Filter {
    /// Both players rated 1800 or more, 180 seconds or more, ended normally or by time, no variants.
    fn default() -> Self {
        Self {
            min_elo: 1800,
            max_elo: None,
            min_base_seconds: 180,
            terminations: vec!["Normal".into(), "Time forfeit".into()],
            keep_variants: false,
        }
    }
}

/// Columns that the filter looks at.
const COLUMNS: [&str; 5] = [
    "WhiteElo",
    "BlackElo",
    "TimeControl",
    "Termination",
    "Event",
];

impl Filter {
    /// The name of the stage in manifests.
    pub const NAME: &'static str = "filter";

    /// The condition for each reason, in the order in which they count.
    fn conditions(&self) -> Vec<(&'static str, String)> {
        let bounds = |column: &str| match self.max_elo {
            None => format!("\"{column}\" >= {}", self.min_elo),
            Some(max) => format!("\"{column}\" BETWEEN {} AND {max}", self.min_elo),
        };
        let elo = format!("{} AND {}", bounds("WhiteElo"), bounds("BlackElo"));
        let base = "TRY_CAST(split_part(\"TimeControl\", '+', 1) AS INT)";
        let ended = format!("\"Termination\" IN {}", sql_text::list(&self.terminations));
        let mut conditions = vec![
            ("elo", elo),
            (
                "time_control",
                format!("{base} >= {}", self.min_base_seconds),
            ),
            ("termination", ended),
        ];
        if !self.keep_variants {
            conditions.push(("variant", "\"Event\" NOT ILIKE '%variant%'".into()));
        }
        conditions
    }

    /// The query that runs, over the table `games` of raw games.
    #[must_use]
    pub fn sql(&self, limit: Option<u64>) -> String {
        let conditions = self.conditions().into_iter();
        let conditions: Vec<_> = conditions.map(|(_, condition)| condition).collect();
        let limit = limit.map_or(String::new(), |games| format!("\nLIMIT {games}"));
        format!(
            "SELECT * FROM {TABLE}\nWHERE {}{limit}",
            conditions.join("\n  AND ")
        )
    }

    /// The query that counts games by reason.
    #[must_use]
    pub fn counts_sql(&self) -> String {
        let conditions = self.conditions().into_iter();
        let whens = conditions.map(|(reason, condition)| {
            format!("  WHEN ({condition}) IS NOT TRUE THEN '{reason}'\n")
        });
        let whens: String = whens.collect();
        format!(
            "SELECT CASE\n{whens}  ELSE 'kept' END AS reason, count(*) AS games\nFROM {TABLE} GROUP BY reason"
        )
    }

    /// Whether the settings make sense.
    ///
    /// # Errors
    ///
    /// When no game can pass.
    pub fn check(&self) -> Result<(), SettingsError> {
        if let Some(max) = self.max_elo.filter(|&max| max < self.min_elo) {
            let min = self.min_elo;
            return Err(SettingsError::Elo { min, max });
        }
        if self.terminations.is_empty() {
            return Err(SettingsError::NoTerminations);
        }
        Ok(())
    }

    /// Filters files of raw games, one after the other, into one; no more than `limit` games.
    ///
    /// # Errors
    ///
    /// When the files cannot be read or lack columns, or the file cannot be written.
    pub fn run(
        &self,
        session: &Session,
        raw: &[PathBuf],
        out: &Path,
        limit: Option<u64>,
    ) -> Result<Counts, StageError> {
        let mut silent = |_: &StageProgress| std::ops::ControlFlow::Continue(());
        let mut meter = Meter::begin(Self::NAME, None, None, &mut silent)?;
        self.filter(session, raw, out, limit, &mut meter)
    }

    fn filter(
        &self,
        session: &Session,
        raw: &[PathBuf],
        out: &Path,
        limit: Option<u64>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Counts, StageError> {
        self.check()?;
        check_limit(limit)?;
        let ctx = session.ordered();
        session.register_with(&ctx, TABLE, raw, &COLUMNS)?;
        let kept = write_query(session, &ctx, &self.sql(limit), out, meter)?;
        let mut counts = self.count(session, raw)?;
        // What a limit leaves out passed all conditions.
        let passed = std::mem::replace(&mut counts.kept, kept);
        if passed > kept {
            counts.leave_out("limit", passed - kept);
        }
        Ok(counts)
    }

    /// Counts games by reason; `kept` are those that pass all conditions.
    fn count(&self, session: &Session, raw: &[PathBuf]) -> Result<Counts, StageError> {
        let ctx = session.parallel();
        session.register_files(&ctx, TABLE, raw)?;
        let mut counts = Counts::default();
        for batch in session.query(&ctx, &self.counts_sql())? {
            let batch = batch?;
            let reasons = cast(batch.column(0), &DataType::Utf8View);
            let games = cast(batch.column(1), &DataType::Int64);
            let (Ok(reasons), Ok(games)) = (reasons, games) else {
                continue;
            };
            let games = games.as_primitive::<Int64Type>();
            for (row, reason) in reasons.as_string_view().iter().enumerate() {
                let games = games.value(row) as u64;
                counts.read += games;
                match reason {
                    Some("kept") => counts.kept += games,
                    Some(reason) => counts.leave_out(reason, games),
                    None => {}
                }
            }
        }
        Ok(counts)
    }

    /// Filters a month's raw games, `limit` at most, into the folder of the month in the stage's
    /// folder.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run), when no game is left, and when the folder is that of other work.
    pub fn month(
        &self,
        stages: Stages<'_>,
        month: Month,
        raw: &[StageInput],
        limit: Option<u64>,
        stage: &Path,
        progress: &mut Progress<'_>,
    ) -> Result<StageDone, StageError> {
        self.check()?;
        check_limit(limit)?;
        let (job, raw) = (self.job(month, limit).inputs(files(raw)), paths(raw));
        stages.run(month.folder(stage), &job, &raw, |folder| {
            let mut meter = Meter::begin(Self::NAME, Some(month), row_count(&raw), progress)?;
            let out = folder.file(GAMES);
            let counts = self.filter(stages.session, &raw, &out, limit, &mut meter)?;
            super::take_games(folder, counts)
        })
    }

    /// The settings as manifests have them.
    #[must_use]
    pub fn settings(&self) -> serde_json::Map<String, serde_json::Value> {
        super::settings_of(self)
    }

    /// What is to be done with a month, its inputs apart.
    pub(in crate::corpus) fn job(&self, month: Month, limit: Option<u64>) -> Job {
        Job::new(Self::NAME)
            .month(month)
            .settings(self.settings())
            .setting("limit", limit)
    }
}

/// A limit leaves something to keep.
pub(in crate::corpus) const fn check_limit(limit: Option<u64>) -> Result<(), SettingsError> {
    match limit {
        Some(0) => Err(SettingsError::NoLimit),
        _ => Ok(()),
    }
}
