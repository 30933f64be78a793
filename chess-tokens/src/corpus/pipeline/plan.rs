//! What running a pipeline would do.

use std::path::PathBuf;

use serde::Serialize;

use super::{Pipeline, PipelineError};
use crate::Scheme;
use crate::corpus::stages::{CorpusPack, EloBins, ToUci};
use crate::corpus::{Manifest, Month, State};

/// What would be done in a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PlannedStage {
    /// The stage.
    pub stage: String,
    /// The month, if the folder is one of a month.
    pub month: Option<Month>,
    /// The folder.
    pub folder: PathBuf,
    /// Whether it is there.
    pub state: StageState,
    /// The queries that run.
    pub sql: Vec<String>,
}

/// Whether the work in a folder is done. Whether it is the same work, and is not to be overwritten, is
/// told when it is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum StageState {
    /// It is done.
    Finished,
    /// It was begun.
    Unfinished,
    /// It would be begun.
    New,
}

impl Pipeline<'_> {
    /// What [`run`](Self::run) would do, without asking the hub and without writing anything.
    ///
    /// # Errors
    ///
    /// When a manifest that is there cannot be read.
    pub fn plan(&self) -> Result<Vec<PlannedStage>, PipelineError> {
        let (config, mut plan) = (self.config, Vec::new());
        let limit = match (&config.fetch, &config.raw) {
            (Some(fetch), _) => fetch.limit,
            (None, raw) => raw.as_ref().and_then(|raw| raw.limit),
        };
        for month in config.all_months() {
            let folder = |stage| month.folder(self.folder(stage));
            let sql = vec![config.filter.sql(limit), config.filter.counts_sql()];
            let origin = self.origin();
            plan.push(self.planned(origin, Some(month), folder(origin), sql)?);
            let sql = vec![config.uci.sql(&month.to_string())];
            plan.push(self.planned(ToUci::NAME, Some(month), folder(ToUci::NAME), sql)?);
        }
        for database in &config.databases {
            let sql = vec![config.uci.sql(&database.name)];
            let folder = self.database(&database.name);
            plan.push(self.planned(ToUci::NAME, None, folder, sql)?);
        }
        if let Some(bins) = config.bins() {
            let sql = vec![bins.counts_sql(), bins.sql()];
            plan.push(self.planned(EloBins::NAME, None, self.folder(EloBins::NAME), sql)?);
        }
        if let Some(pack) = &config.pack {
            let writes_elos = pack.scheme.parse() == Ok(Scheme::Uci);
            let sql = vec![CorpusPack::sql(None, writes_elos)];
            plan.push(self.planned(CorpusPack::NAME, None, self.folder("packs"), sql)?);
        }
        Ok(plan)
    }

    fn planned(
        &self,
        stage: &'static str,
        month: Option<Month>,
        folder: PathBuf,
        sql: Vec<String>,
    ) -> Result<PlannedStage, PipelineError> {
        let manifest = match Manifest::read(&folder) {
            // It would be begun anew.
            Err(_) if self.overwrite.is_allowed() => None,
            manifest => manifest.map_err(|source| PipelineError::Input { stage, source })?,
        };
        let state = match manifest.map(|manifest| manifest.state) {
            None => StageState::New,
            Some(State::Unfinished) => StageState::Unfinished,
            Some(State::Finished) => StageState::Finished,
        };
        Ok(PlannedStage {
            stage: stage.into(),
            month,
            folder,
            state,
            sql,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::PipelineConfig;
    use super::*;
    use crate::corpus::{Session, SessionOptions};

    #[test]
    fn a_plan_shows_every_folder_and_query() {
        let text = include_str!("../../../examples/pipeline.toml");
        let config = PipelineConfig::parse(text).unwrap();
        let session = Session::new(&SessionOptions::new().threads(1)).unwrap();
        let plan = Pipeline::new(&config, &session, false).plan().unwrap();
        let stages: Vec<_> = plan.iter().map(|planned| &*planned.stage).collect();
        let expected = [
            "fetch", "uci", "fetch", "uci", "fetch", "uci", "uci", "elo-bins", "pack",
        ];
        assert_eq!(stages, expected);
        assert!(plan.iter().all(|planned| planned.state == StageState::New));
        assert_eq!(plan[0].month, Some("2025-05".parse().unwrap()));
        assert!(plan[0].sql[0].contains("\"WhiteElo\" >= 1800"));
        let folder = plan[6].folder.to_str().unwrap().replace('\\', "/");
        assert_eq!(folder, "corpus/databases/elite");
    }
}
