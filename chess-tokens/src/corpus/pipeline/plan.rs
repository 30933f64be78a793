//! What running a pipeline would do.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::config::{Database, PackConfig, TrainOn};
use super::run::{database_files, input_error, stage_error, tokenizer};
use super::{Pipeline, PipelineError};
use crate::Scheme;
use crate::corpus::stages::{CorpusPack, EloBins, Filter, StageInput, ToUci, files};
use crate::corpus::{Job, Manifest, Month, StageFolder, State};

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

/// Whether the work in a folder is done. Whether it was of the same games is not told before the stages
/// that give them are finished.
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

impl StageState {
    fn of(found: Option<&Manifest>) -> Self {
        match found.map(|manifest| manifest.state) {
            None => Self::New,
            Some(State::Unfinished) => Self::Unfinished,
            Some(State::Finished) => Self::Finished,
        }
    }
}

impl PlannedStage {
    fn is_finished(&self) -> bool {
        self.state == StageState::Finished
    }
}

impl Pipeline<'_> {
    /// What [`run`](Self::run) would do, without asking the hub and without writing anything. Files that
    /// something was made of are read through, to tell whether they are the same.
    ///
    /// # Errors
    ///
    /// What [`run`](Self::run) would refuse: a folder that was made with other settings, or of other games
    /// where those are there already, or whose manifest cannot be read.
    pub fn plan(&self) -> Result<Vec<PlannedStage>, PipelineError> {
        let mut plan = Vec::new();
        for month in self.config.all_months() {
            let raw = self.plan_raw_month(month)?;
            let uci = self.plan_uci_month(month, raw.is_finished())?;
            plan.extend([raw, uci]);
        }
        for database in &self.config.databases {
            plan.push(self.plan_database(database)?);
        }
        let games_are_there = plan.iter().all(PlannedStage::is_finished);
        if let Some(bins) = self.config.bins() {
            plan.push(self.plan_draw(&bins, games_are_there)?);
        }
        if let Some(pack) = &self.config.pack {
            let are_there = match pack.train {
                TrainOn::Months => games_are_there,
                TrainOn::EloBins => plan.iter().all(PlannedStage::is_finished),
            };
            plan.push(self.plan_pack(pack, are_there)?);
        }
        Ok(plan)
    }

    fn plan_raw_month(&self, month: Month) -> Result<PlannedStage, PipelineError> {
        let (config, origin) = (self.config, self.origin());
        let folder = month.folder(self.folder(origin));
        let (limit, state) = match (&config.fetch, &config.raw) {
            (Some(fetch), _) => {
                let found = self.fetch_from(fetch, &fetch.hub()?).peek(month)?;
                (fetch.limit, StageState::of(found.as_ref()))
            }
            (None, raw) => {
                let limit = raw.as_ref().and_then(|raw| raw.limit);
                let job = config.filter.job(month, limit);
                let state = self.state(Filter::NAME, &folder, &job, || {
                    let inputs = raw.as_ref().map(|raw| {
                        let inputs = StageInput::of_raw_month(&raw.folder, month);
                        inputs.map_err(input_error(Filter::NAME))
                    });
                    Ok(inputs.transpose()?.map(|inputs| of(&job, &inputs)))
                })?;
                (limit, state)
            }
        };
        Ok(PlannedStage {
            stage: origin.into(),
            month: Some(month),
            folder,
            state,
            sql: vec![config.filter.sql(limit), config.filter.counts_sql()],
        })
    }

    fn plan_uci_month(
        &self,
        month: Month,
        raw_is_there: bool,
    ) -> Result<PlannedStage, PipelineError> {
        let uci = &self.config.uci;
        let folder = month.folder(self.folder(ToUci::NAME));
        let job = uci.month_job(month);
        let state = self.state(ToUci::NAME, &folder, &job, || {
            let raw =
                raw_is_there.then(|| StageInput::of_month(&self.folder(self.origin()), month));
            let raw = raw.transpose().map_err(input_error(ToUci::NAME))?;
            Ok(raw.map(|raw| of(&job, &raw)))
        })?;
        Ok(PlannedStage {
            stage: ToUci::NAME.into(),
            month: Some(month),
            folder,
            state,
            sql: vec![uci.sql(&month.to_string())],
        })
    }

    fn plan_database(&self, database: &Database) -> Result<PlannedStage, PipelineError> {
        let folder = self.database(&database.name);
        let job = self.config.uci.job(&database.name);
        let state = self.state(ToUci::NAME, &folder, &job, || {
            Ok(Some(of(&job, &database_files(database)?)))
        })?;
        let sql = vec![self.config.uci.sql(&database.name)];
        Ok(planned(ToUci::NAME, folder, state, sql))
    }

    fn plan_draw(
        &self,
        bins: &EloBins,
        games_are_there: bool,
    ) -> Result<PlannedStage, PipelineError> {
        let (folder, job) = (self.folder(EloBins::NAME), bins.job());
        let state = self.state(EloBins::NAME, &folder, &job, || {
            let games = games_are_there.then(|| self.games(EloBins::NAME, self.train_months()));
            Ok(games.transpose()?.map(|games| of(&job, &games)))
        })?;
        let sql = vec![bins.counts_sql(), bins.sql()];
        Ok(planned(EloBins::NAME, folder, state, sql))
    }

    fn plan_pack(
        &self,
        config: &PackConfig,
        games_are_there: bool,
    ) -> Result<PlannedStage, PipelineError> {
        let (folder, tokenizer) = (self.folder("packs"), tokenizer(config)?);
        let job = CorpusPack::job_without_games(&*tokenizer).in_part();
        let state = self.state(CorpusPack::NAME, &folder, &job, || {
            let pack = games_are_there.then(|| self.what_is_packed(config));
            Ok(pack.transpose()?.map(|pack| pack.job(&*tokenizer)))
        })?;
        let writes_elos = tokenizer.scheme() == Scheme::Uci;
        let sql = vec![CorpusPack::sql(None, writes_elos)];
        Ok(planned(CorpusPack::NAME, folder, state, sql))
    }

    /// How far the work in a folder is. `known` is what is known of it without its inputs; `whole` is all
    /// of it, if the inputs are there, and is asked only where something was done already.
    fn state(
        &self,
        stage: &'static str,
        folder: &Path,
        known: &Job,
        whole: impl FnOnce() -> Result<Option<Job>, PipelineError>,
    ) -> Result<StageState, PipelineError> {
        let peek = |job: &Job| {
            let found = StageFolder::peek(folder, job, self.overwrite);
            found.map_err(|source| stage_error(stage)(source.into()))
        };
        let mut found = peek(known)?;
        if found.is_some()
            && let Some(whole) = whole()?
        {
            found = peek(&whole)?;
        }
        Ok(StageState::of(found.as_ref()))
    }
}

/// A job with its inputs.
fn of(job: &Job, inputs: &[StageInput]) -> Job {
    job.clone().inputs(files(inputs))
}

/// A stage of no one month.
fn planned(
    stage: &'static str,
    folder: PathBuf,
    state: StageState,
    sql: Vec<String>,
) -> PlannedStage {
    PlannedStage {
        stage: stage.into(),
        month: None,
        folder,
        state,
        sql,
    }
}

#[cfg(test)]
mod tests {
    use super::super::PipelineConfig;
    use super::*;
    use crate::corpus::{Opened, Session, SessionOptions};

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

    /// Leaves a folder as if a stage had done this job there.
    fn finish(folder: PathBuf, job: &Job) {
        let Opened::Unfinished(mut stage) = StageFolder::open(folder, job, false).unwrap() else {
            panic!("it is finished");
        };
        std::fs::write(stage.file(Month::GAMES), "games").unwrap();
        stage.add_file(Month::GAMES, Some(1)).unwrap();
        stage.finish().unwrap();
    }

    #[test]
    fn what_a_run_would_refuse_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let text = "folder = 'corpus'\nmonths = ['2025-05']\n[raw]\nfolder = 'raw'\n\
            [elo_bins]\n[pack]\nscheme = 'uci'\n";
        let mut config = PipelineConfig::parse(text).unwrap();
        config.folder = folder.path().join("corpus");
        let (raw, month) = (folder.path().join("raw"), config.all_months()[0]);
        config.raw.as_mut().unwrap().folder.clone_from(&raw);
        let raw_month = month.folder(&raw);
        std::fs::create_dir_all(&raw_month).unwrap();
        std::fs::write(raw_month.join("games.parquet"), "raw").unwrap();
        let session = Session::new(&SessionOptions::new().threads(1)).unwrap();
        let states = |config: &PipelineConfig, overwrite| {
            let plan = Pipeline::new(config, &session, overwrite).plan()?;
            Ok(plan.iter().map(|planned| planned.state).collect::<Vec<_>>())
        };
        let refused = |config: &PipelineConfig| {
            let error: PipelineError = states(config, false).unwrap_err();
            let mut error: &dyn std::error::Error = &error;
            while let Some(source) = error.source() {
                error = source;
            }
            error.to_string()
        };
        let (new, finished) = (StageState::New, StageState::Finished);
        assert_eq!(states(&config, false).unwrap(), [new; 4]);

        let inputs = StageInput::of_raw_month(&raw, month).unwrap();
        let filtered = config.folder.join(Filter::NAME);
        let job = config.filter.job(month, None).inputs(files(&inputs));
        finish(month.folder(&filtered), &job);
        let converted = config.folder.join(ToUci::NAME);
        let inputs = StageInput::of_month(&filtered, month).unwrap();
        let job = config.uci.month_job(month).inputs(files(&inputs));
        finish(month.folder(&converted), &job);
        let inputs = StageInput::of_month(&converted, month).unwrap();
        let job = config.bins().unwrap().job().inputs(files(&inputs));
        finish(config.folder.join(EloBins::NAME), &job);
        let tokenizer = tokenizer(config.pack.as_ref().unwrap()).unwrap();
        let pack = CorpusPack::default().train(inputs);
        finish(config.folder.join("packs"), &pack.job(&*tokenizer));
        assert_eq!(states(&config, false).unwrap(), [finished; 4]);

        let changed = |change: fn(&mut PipelineConfig)| {
            let mut config = config.clone();
            change(&mut config);
            config
        };
        let elo = changed(|config| config.filter.min_elo = 1900);
        assert!(refused(&elo).ends_with("min_elo was 1800, is now 1900"));
        assert_eq!(states(&elo, true).unwrap()[0], new);
        let plies = changed(|config| config.uci.min_plies = 21);
        assert!(refused(&plies).ends_with("min_plies was 20, is now 21"));
        let seed = changed(|config| config.elo_bins.as_mut().unwrap().seed = Some(1));
        assert!(refused(&seed).ends_with("seed was 0, is now 1"));
        let san = changed(|config| config.pack.as_mut().unwrap().scheme = "san".into());
        let text = refused(&san);
        assert!(
            text.ends_with("scheme was \"uci\", is now \"san\""),
            "{text}"
        );
        let drawn = changed(|config| config.pack.as_mut().unwrap().train = TrainOn::EloBins);
        let text = refused(&drawn);
        assert!(
            text.contains("train was [\"month=05/games.parquet"),
            "{text}"
        );

        // Other games are refused too, where they are known.
        std::fs::write(raw_month.join("games.parquet"), "others").unwrap();
        let text = refused(&config);
        let expected = "input \"month=05/games.parquet\" has other bytes";
        assert!(text.ends_with(expected), "{text}");
        std::fs::remove_dir_all(&filtered).unwrap();
        let unknown = [new, finished, finished, finished];
        assert_eq!(states(&config, false).unwrap(), unknown);
        assert!(refused(&san).ends_with("is now \"san\""));
    }
}
