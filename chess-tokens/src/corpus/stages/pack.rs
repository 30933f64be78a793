//! The stage `pack`: games to token packs, one to train with and one to validate with.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{Array, AsArray, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, UInt16Type};

use super::error::SettingsError;
use super::progress::{Meter, Progress};
use super::{StageDone, StageError, StageInput, Stages, TABLE};
use crate::corpus::functions::TokenIds;
use crate::corpus::session::{QueryError, Session};
use crate::corpus::tables::row_count;
use crate::corpus::{Counts, Job, StageFolder};
use crate::pack::{PackWriter, source_label};
use crate::tokenizer::Tokenizer;

/// Columns that the stage reads.
const COLUMNS: [&str; 4] = ["uci", "white_elo", "black_elo", "result"];
/// The files of a pack.
const PACK_FILES: [&str; 3] = ["tokens.npy", "starts.npy", "meta.json"];

/// A file of games in UCI's notation, or some of its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PackPart {
    /// The file.
    pub input: StageInput,
    /// The rows, if not all.
    pub rows: Option<Range<u64>>,
}

/// Which games go into which pack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CorpusPack {
    /// Those to train with.
    pub train: Vec<PackPart>,
    /// Those to validate with.
    pub val: Vec<PackPart>,
}

impl CorpusPack {
    /// The name of the stage in manifests.
    pub const NAME: &'static str = "pack";

    /// Whole files to train with: those of the months, and others.
    #[must_use]
    pub fn train(mut self, files: impl IntoIterator<Item = StageInput>) -> Self {
        let whole = |input| PackPart { input, rows: None };
        self.train.extend(files.into_iter().map(whole));
        self
    }

    /// The month to validate with: its first `games`, or all of them for 0. If `train_on_rest`, those after
    /// them are trained with, behind what is there already.
    ///
    /// # Errors
    ///
    /// When a file cannot be read.
    pub fn val(
        mut self,
        month: impl IntoIterator<Item = StageInput>,
        games: u64,
        train_on_rest: bool,
    ) -> Result<Self, StageError> {
        let mut left = if games == 0 { u64::MAX } else { games };
        for input in month {
            let rows = crate::corpus::tables::rows_of(&input.path)?;
            let val = rows.min(left);
            left -= val;
            let part = |rows: Range<u64>, whole| PackPart {
                input: input.clone(),
                rows: (rows != whole).then_some(rows),
            };
            if val > 0 {
                self.val.push(part(0..val, 0..rows));
            }
            if train_on_rest && val < rows {
                self.train.push(part(val..rows, 0..rows));
            }
        }
        Ok(self)
    }

    /// The query that runs over the table `games`, a file of games in UCI's notation: the tokens of
    /// each, or why it has none.
    #[must_use]
    pub fn sql(rows: Option<&Range<u64>>, writes_elos: bool) -> String {
        let limit = rows.map_or(String::new(), |rows| {
            format!("\nLIMIT {} OFFSET {}", rows.end - rows.start, rows.start)
        });
        let elos = if writes_elos {
            "\n  WHEN white_elo IS NULL OR black_elo IS NULL THEN 'rating'"
        } else {
            ""
        };
        format!(
            "\
SELECT tokens, CASE
  WHEN (result IN ('1-0', '0-1', '1/2-1/2')) IS NOT TRUE THEN 'result'{elos}
  WHEN tokens IS NULL THEN 'moves' END AS dropped
FROM (SELECT *, token_ids(uci, white_elo, black_elo, result) AS tokens FROM {TABLE}){limit}"
        )
    }

    /// Packs into the folders `train` and `val` of `folder`, those of them that are to have games.
    ///
    /// Reasons in the counts: `result`, `rating` (with the scheme `uci`) and `moves`. The counts of each
    /// pack stand in the manifest's notes.
    ///
    /// # Errors
    ///
    /// When there is nothing to pack, games cannot be read, none is left, or the folder is that of other
    /// work.
    pub fn run(
        &self,
        stages: Stages<'_>,
        tokenizer: &Arc<dyn Tokenizer>,
        folder: &Path,
        progress: &mut Progress<'_>,
    ) -> Result<StageDone, StageError> {
        if self.train.is_empty() && self.val.is_empty() {
            return Err(SettingsError::NothingToPack.into());
        }
        let job = self.job(&**tokenizer);
        let parts = self.train.iter().chain(&self.val);
        let games: Vec<_> = parts.map(|part| part.input.path.clone()).collect();
        stages.run(folder.to_path_buf(), &job, &games, |folder| {
            let mut packs: Packs = folder.notes().unwrap_or_default();
            for (name, parts) in [("train", &self.train), ("val", &self.val)] {
                let is_done = packs.contains_key(name) && is_whole(folder, name)?;
                if !parts.is_empty() && !is_done {
                    let counts = pack(stages, tokenizer, parts, &folder.file(name), progress)?;
                    packs.insert(name.into(), counts);
                    note(folder, name, &packs)?;
                }
            }
            let counts = &mut folder.manifest_mut().counts;
            packs.values().for_each(|pack| *counts += pack);
            Ok(())
        })
    }

    /// What is to be done, as far as it does not depend on the games.
    pub(in crate::corpus) fn job_without_games(tokenizer: &dyn Tokenizer) -> Job {
        Job::new(Self::NAME)
            .setting("scheme", tokenizer.scheme().name())
            .setting("vocab_hash", tokenizer.vocab_hash())
    }

    pub(in crate::corpus) fn job(&self, tokenizer: &dyn Tokenizer) -> Job {
        let parts = self.train.iter().chain(&self.val);
        Self::job_without_games(tokenizer)
            .setting("train", labels(&self.train))
            .setting("val", labels(&self.val))
            .inputs(parts.map(|part| part.input.file.clone()))
    }
}

/// The counts of packs that are done, by their names.
type Packs = BTreeMap<String, Counts>;

/// Whether a pack is there as it was written.
fn is_whole(folder: &StageFolder, name: &str) -> Result<bool, StageError> {
    for file in PACK_FILES {
        let noted = folder.manifest().file(&format!("{name}/{file}"));
        match noted {
            Some(file) if file.is_whole(folder.path())? => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}

/// Notes that a pack is done, so that another run goes on behind it.
fn note(folder: &mut StageFolder, name: &str, packs: &Packs) -> Result<(), StageError> {
    for file in PACK_FILES {
        folder.add_file(&format!("{name}/{file}"), None)?;
    }
    folder.set_notes(packs);
    Ok(folder.save()?)
}

/// Where the games of a pack come from, as its `meta.json` says.
fn labels(parts: &[PackPart]) -> Vec<String> {
    let label = |part: &PackPart| source_label(&part.input.path, part.rows.clone());
    parts.iter().map(label).collect()
}

fn pack(
    stages: Stages<'_>,
    tokenizer: &Arc<dyn Tokenizer>,
    parts: &[PackPart],
    folder: &Path,
    progress: &mut Progress<'_>,
) -> Result<Counts, StageError> {
    let total = parts.iter().map(PackPart::rows).sum();
    let mut meter = Meter::begin(CorpusPack::NAME, None, total, progress)?;
    let mut writer = PackWriter::create(folder, &**tokenizer, labels(parts))?;
    let mut counts = Counts::default();
    for part in parts {
        let session = stages.session;
        push_part(
            session,
            tokenizer,
            part,
            &mut writer,
            &mut counts,
            &mut meter,
        )?;
    }
    if counts.kept == 0 {
        return Err(StageError::NoGames {
            folder: folder.to_path_buf(),
            read: counts.read,
        });
    }
    writer.finish()?;
    Ok(counts)
}

impl PackPart {
    fn rows(&self) -> Option<u64> {
        match &self.rows {
            Some(rows) => Some(rows.end - rows.start),
            None => row_count(std::slice::from_ref(&self.input.path)),
        }
    }
}

fn push_part(
    session: &Session,
    tokenizer: &Arc<dyn Tokenizer>,
    part: &PackPart,
    writer: &mut PackWriter,
    counts: &mut Counts,
    meter: &mut Meter<'_, '_>,
) -> Result<(), StageError> {
    let ctx = session.ordered();
    ctx.register_udf(TokenIds::new(Arc::clone(tokenizer)).into());
    let file = std::slice::from_ref(&part.input.path);
    session.register_with(&ctx, TABLE, file, &COLUMNS)?;
    let writes_elos = tokenizer.scheme() == crate::Scheme::Uci;
    let sql = CorpusPack::sql(part.rows.as_ref(), writes_elos);
    let rows = session.query(&ctx, &sql)?;
    super::each_batch(rows, meter, |batch, _, meter| {
        let before = counts.kept;
        push_games(batch, writer, counts)?;
        meter.report(counts.read, counts.kept - before)
    })
}

fn push_games(
    batch: &RecordBatch,
    writer: &mut PackWriter,
    counts: &mut Counts,
) -> Result<(), StageError> {
    let reasons = cast(batch.column(1), &DataType::Utf8View);
    let reasons = reasons.map_err(|source| QueryError::run(source.into()))?;
    let reasons = reasons.as_string_view();
    let games = batch.column(0).as_list::<i32>();
    counts.read += batch.num_rows() as u64;
    for row in 0..batch.num_rows() {
        if reasons.is_valid(row) {
            counts.leave_out(reasons.value(row), 1);
        } else {
            let tokens = games.value(row);
            writer.push(tokens.as_primitive::<UInt16Type>().values())?;
            counts.kept += 1;
        }
    }
    Ok(())
}
