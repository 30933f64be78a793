//! The stage `elo-bins`: the same number of games of each strength.

use std::collections::BTreeMap;
use std::path::Path;

use datafusion::arrow::array::AsArray;
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Int64Type};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::error::SettingsError;
use super::input::{files, paths};
use super::progress::{Meter, Progress};
use super::uci::columns;
use super::{GAMES, StageDone, StageError, StageInput, Stages, TABLE, write_query};
use crate::corpus::session::{QueryError, Session};
use crate::corpus::tables::row_count;
use crate::corpus::{Counts, Job, Manifest};

/// Which games are drawn: as many of each bin of mean ratings, those with the smallest
/// [`sample_hash`](crate::corpus::functions::sample_hash).
///
/// Games come by bin, then by hash. Reasons in the counts: `outside` the bins, and `quota`. The counts
/// of each bin stand in the manifest's notes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(clippy::exhaustive_structs)] // Its fields are the settings of the stage, by name.
pub struct EloBins {
    /// How many Elo a bin is wide.
    pub bin_width: u32,
    /// Where the first bin begins: a multiple of the width.
    pub min_bin: u32,
    /// Where the last bin begins: a multiple of the width.
    pub max_bin: u32,
    /// The most games of a bin.
    pub n_per_bin: u64,
    /// The seed of the draw.
    pub seed: u64,
}

impl Default for EloBins {
    /// Up to 100,000 games for each 100 Elo from 1800 to 2799, seed 0.
    fn default() -> Self {
        Self {
            bin_width: 100,
            min_bin: 1800,
            max_bin: 2700,
            n_per_bin: 100_000,
            seed: 0,
        }
    }
}

/// What became of a bin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BinCount {
    /// Where it begins.
    pub bin: u32,
    /// How many games there are.
    pub games: u64,
    /// How many were drawn.
    pub drawn: u64,
}

impl BinCount {
    /// Whether there are fewer games than were asked for.
    #[must_use]
    pub const fn is_short(&self, n_per_bin: u64) -> bool {
        self.drawn < n_per_bin
    }
}

impl EloBins {
    /// The name of the stage in manifests.
    pub const NAME: &'static str = "elo-bins";
    /// The highest rating that there can be.
    pub const MOST_ELO: u32 = i16::MAX as u32;

    /// The games of the bins, each with its bin and its hash.
    fn binned(&self) -> String {
        let Self {
            bin_width, seed, ..
        } = self;
        // Sums are positive, so that division rounds down.
        let sum = "CAST(white_elo AS INT) + CAST(black_elo AS INT)";
        let (low, high) = (2 * self.min_bin, 2 * (self.max_bin + bin_width) - 1);
        format!(
            "\
SELECT *, ({sum}) / 2 / {bin_width} * {bin_width} AS elo_bin,
    sample_hash({seed}, game_id) AS hash
  FROM {TABLE} WHERE {sum} BETWEEN {low} AND {high}"
        )
    }

    /// The query that counts the games of each bin.
    #[must_use]
    pub fn counts_sql(&self) -> String {
        format!(
            "SELECT elo_bin, count(*) AS games FROM (\n{})\nGROUP BY elo_bin ORDER BY elo_bin",
            self.binned()
        )
    }

    /// The query that draws games, over the table `games` of games in UCI's notation.
    ///
    /// Where the last game of each bin stands is worked out from numbers alone, so that moves are sorted
    /// of drawn games only.
    #[must_use]
    pub fn sql(&self) -> String {
        let (binned, n) = (self.binned(), self.n_per_bin);
        let schema = columns();
        let names = schema.fields().iter().map(|field| field.name().as_str());
        let names = names.collect::<Vec<_>>().join(", ");
        // Games with one id (databases whose sites are towns) still come in one order.
        let ties = "game_id(uci), month, utc_date, white_elo, black_elo, result, time_control, eco";
        format!(
            "\
WITH binned AS (
  {binned}),
cuts AS (
  SELECT elo_bin, hash, game_id FROM (
    SELECT elo_bin, hash, game_id, row_number() OVER (
      PARTITION BY elo_bin ORDER BY hash, game_id) AS place FROM binned)
  WHERE place = {n}),
ranked AS (
  SELECT binned.*, row_number() OVER (
    PARTITION BY binned.elo_bin ORDER BY binned.hash, binned.game_id, {ties}) AS place
  FROM binned LEFT JOIN cuts ON binned.elo_bin = cuts.elo_bin
  WHERE cuts.hash IS NULL OR binned.hash < cuts.hash
    OR binned.hash = cuts.hash AND binned.game_id <= cuts.game_id)
SELECT {names} FROM ranked
WHERE place <= {n}
ORDER BY elo_bin, place",
            ties = ties.replace("game_id(uci)", "game_id(binned.uci)")
        )
    }

    /// Whether the settings make sense.
    ///
    /// # Errors
    ///
    /// When there are no bins, or no games are to be drawn.
    pub fn check(&self) -> Result<(), SettingsError> {
        let bin_width = self.bin_width;
        if bin_width == 0 {
            return Err(SettingsError::BinWidth);
        }
        if self.max_bin > Self::MOST_ELO {
            return Err(SettingsError::MostElo { max: self.max_bin });
        }
        for (name, found) in [("min_bin", self.min_bin), ("max_bin", self.max_bin)] {
            if found % bin_width != 0 {
                return Err(SettingsError::BinStart {
                    name,
                    found,
                    bin_width,
                });
            }
        }
        if self.min_bin > self.max_bin {
            let (min, max) = (self.min_bin, self.max_bin);
            return Err(SettingsError::Bins { min, max });
        }
        if self.n_per_bin == 0 {
            return Err(SettingsError::NoQuota);
        }
        Ok(())
    }

    /// What became of each bin, as the manifest of the stage tells it.
    #[must_use]
    pub fn bins(manifest: &Manifest) -> Vec<BinCount> {
        let bins = manifest.notes.get("bins").cloned().unwrap_or_default();
        serde_json::from_value(bins).unwrap_or_default()
    }

    /// Draws games into a folder.
    ///
    /// # Errors
    ///
    /// When games cannot be read, none is left, or the folder is that of other work.
    pub fn run(
        &self,
        stages: Stages<'_>,
        games: &[StageInput],
        folder: &Path,
        progress: &mut Progress<'_>,
    ) -> Result<StageDone, StageError> {
        self.check()?;
        let job = self.job().inputs(files(games));
        let games = paths(games);
        stages.run(folder.to_path_buf(), &job, &games, |folder| {
            let read = row_count(&games);
            // Each game is looked at twice.
            let looked_at = read.map(|games| 2 * games);
            let mut meter = Meter::begin(Self::NAME, None, looked_at, progress)?;
            let ctx = stages.session.parallel();
            let names = columns();
            let names = names.fields().iter().map(|field| field.name().as_str());
            let names: Vec<_> = names.collect();
            stages.session.register_with(&ctx, TABLE, &games, &names)?;
            let bins = self.count(stages.session, &ctx)?;
            let out = folder.file(GAMES);
            let kept = write_query(stages.session, &ctx, &self.sql(), &out, &mut meter)?;
            let counts = counts(read.unwrap_or(0), kept, &bins);
            folder.set_notes(&json!({ "bins": bins }));
            super::take_games(folder, counts)
        })
    }

    /// What is to be done, its inputs apart.
    pub(in crate::corpus) fn job(&self) -> Job {
        Job::new(Self::NAME).settings(super::settings_of(self))
    }

    /// How many games each bin has, those without any among them.
    fn count(
        &self,
        session: &Session,
        ctx: &datafusion::prelude::SessionContext,
    ) -> Result<Vec<BinCount>, StageError> {
        let starts = (self.min_bin..=self.max_bin).step_by(self.bin_width as usize);
        let mut bins: BTreeMap<i64, u64> = starts.map(|bin| (i64::from(bin), 0)).collect();
        for batch in session.query(ctx, &self.counts_sql())? {
            let batch = batch?;
            let column = |column: usize| {
                let numbers = cast(batch.column(column), &DataType::Int64);
                numbers.map_err(|source| QueryError::run(source.into()))
            };
            let (found, games) = (column(0)?, column(1)?);
            let found = found.as_primitive::<Int64Type>().values().iter();
            let games = games.as_primitive::<Int64Type>().values().iter();
            bins.extend(found.zip(games).map(|(&bin, &games)| (bin, games as u64)));
        }
        let count = |(bin, games): (i64, u64)| BinCount {
            bin: bin as u32,
            games,
            drawn: games.min(self.n_per_bin),
        };
        Ok(bins.into_iter().map(count).collect())
    }
}

fn counts(read: u64, kept: u64, bins: &[BinCount]) -> Counts {
    let mut counts = Counts {
        read,
        kept,
        ..Counts::default()
    };
    let inside: u64 = bins.iter().map(|bin| bin.games).sum();
    for (reason, games) in [
        ("outside", read.saturating_sub(inside)),
        ("quota", inside - kept),
    ] {
        if games > 0 {
            counts.leave_out(reason, games);
        }
    }
    counts
}
