//! Running a pipeline.

use std::fs::File;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::PipelineError;
use super::config::{Database, FetchConfig, PackConfig, PipelineConfig, TrainOn};
use crate::Scheme;
use crate::corpus::fetch::{Fetch, FetchProgress};
use crate::corpus::hub::Hub;
use crate::corpus::stages::{
    self, CorpusPack, EloBins, Filter, StageDone, StageError, StageInput, StageProgress, Stages,
    ToUci,
};
use crate::corpus::{Manifest, ManifestError, Month, Overwrite, Session};
use crate::tokenizer::{BpeTokenizer, SanTokenizer, Tokenizer, UciTokenizer};

/// What a pipeline tells of.
#[derive(Debug)]
#[non_exhaustive]
pub enum PipelineEvent<'a> {
    /// A month is being fetched.
    Fetching(&'a FetchProgress),
    /// Another stage is at work.
    Working(&'a StageProgress),
    /// A stage is done with a folder.
    Done {
        /// The folder.
        folder: &'a Path,
        /// What is there.
        manifest: &'a Manifest,
        /// It was there already.
        was_finished: bool,
    },
}

/// Whom a pipeline tells; it stops when that one breaks, and can go on later.
pub type Observer<'a> = dyn FnMut(PipelineEvent<'_>) -> ControlFlow<()> + 'a;

/// A pipeline that can be run.
#[derive(Debug)]
pub struct Pipeline<'a> {
    pub(super) config: &'a PipelineConfig,
    pub(super) session: &'a Session,
    pub(super) overwrite: Overwrite,
}

impl<'a> Pipeline<'a> {
    /// A pipeline whose queries run in this session. With `overwrite`, what was made with other settings
    /// or of other files is made anew, and then what was made of it; what is the same stays.
    #[must_use]
    pub const fn new(config: &'a PipelineConfig, session: &'a Session, overwrite: bool) -> Self {
        let overwrite = match overwrite {
            true => Overwrite::Changed,
            false => Overwrite::Nothing,
        };
        Self {
            config,
            session,
            overwrite,
        }
    }

    /// The folder of a stage.
    pub(super) fn folder(&self, stage: &str) -> PathBuf {
        self.config.folder.join(stage)
    }

    /// The stage that gives raw games by month.
    pub(super) fn origin(&self) -> &'static str {
        match self.config.fetch {
            Some(_) => Fetch::NAME,
            None => Filter::NAME,
        }
    }

    fn stages(&self) -> Stages<'a> {
        Stages::new(self.session).overwrite(self.overwrite)
    }

    /// Does everything that is not done, stage after stage.
    ///
    /// # Errors
    ///
    /// A [`PipelineError`]; what is finished stays.
    pub fn run(&self, observer: &mut Observer<'_>) -> Result<(), PipelineError> {
        self.check_files()?;
        for month in self.config.all_months() {
            self.raw_month(month, observer)?;
            self.uci_month(month, observer)?;
        }
        self.databases(observer)?;
        if let Some(bins) = self.config.bins() {
            self.draw(&bins, observer)?;
        }
        match &self.config.pack {
            Some(pack) => self.pack(pack, observer),
            None => Ok(()),
        }
    }

    /// Whether what is needed last is there, before anything that takes long.
    fn check_files(&self) -> Result<(), PipelineError> {
        let check = |stage, path: &PathBuf| {
            let opened = File::open(path).map_err(|source| ManifestError::Read {
                path: path.clone(),
                source,
            });
            opened.map(drop).map_err(input_error(stage))
        };
        if let Some(raw) = &self.config.raw {
            let mut months = self.config.all_months().into_iter();
            months.try_for_each(|month| check(Filter::NAME, &month.folder(&raw.folder)))?;
        }
        let mut databases = self.config.databases.iter();
        databases.try_for_each(|database| {
            let mut files = database.files.iter();
            files.try_for_each(|file| check(ToUci::NAME, file))
        })?;
        let Some(pack) = &self.config.pack else {
            return Ok(());
        };
        let mut extra = pack.extra.iter();
        extra.try_for_each(|file| check(CorpusPack::NAME, file))?;
        tokenizer(pack).map(drop)
    }

    /// A month fetched, or filtered from files that lie here.
    fn raw_month(&self, month: Month, observer: &mut Observer<'_>) -> Result<(), PipelineError> {
        if let Some(config) = &self.config.fetch {
            return self.fetch(&self.fetch_from(config, &config.hub()?), month, observer);
        }
        let Some(raw) = &self.config.raw else {
            return Ok(());
        };
        let inputs = StageInput::of_raw_month(&raw.folder, month);
        let inputs = inputs.map_err(input_error(Filter::NAME))?;
        let (filter, out) = (&self.config.filter, self.folder(Filter::NAME));
        let done = filter.month(self.stages(), month, &inputs, raw.limit, &out, &mut |now| {
            observer(PipelineEvent::Working(now))
        });
        tell(done.map_err(stage_error(Filter::NAME))?, observer)
    }

    pub(super) fn fetch_from<'b>(&self, config: &FetchConfig, hub: &'b Hub) -> Fetch<'b> {
        let options = config.options(&self.config.filter, self.overwrite);
        Fetch::new(hub, self.folder(Fetch::NAME), options)
    }

    fn fetch(
        &self,
        fetch: &Fetch<'_>,
        month: Month,
        observer: &mut Observer<'_>,
    ) -> Result<(), PipelineError> {
        let (session, filter) = (self.session, &self.config.filter);
        let fetched = fetch.month(
            month,
            &mut |shard, part, limit| {
                Ok(filter.run(session, &[shard.to_path_buf()], part, limit)?)
            },
            &mut |parts, games| Ok(stages::join(session, parts, games)?),
            &mut |now| observer(PipelineEvent::Fetching(now)),
        )?;
        let event = PipelineEvent::Done {
            folder: &month.folder(self.folder(Fetch::NAME)),
            manifest: &fetched.manifest,
            was_finished: fetched.was_finished,
        };
        flow(observer(event))
    }

    fn uci_month(&self, month: Month, observer: &mut Observer<'_>) -> Result<(), PipelineError> {
        let raw = StageInput::of_month(&self.folder(self.origin()), month);
        let raw = raw.map_err(input_error(ToUci::NAME))?;
        let out = self.folder(ToUci::NAME);
        let done = self
            .config
            .uci
            .month(self.stages(), month, &raw, &out, &mut |now| {
                observer(PipelineEvent::Working(now))
            });
        tell(done.map_err(stage_error(ToUci::NAME))?, observer)
    }

    fn databases(&self, observer: &mut Observer<'_>) -> Result<(), PipelineError> {
        for database in &self.config.databases {
            let raw = database_files(database)?;
            let (name, folder) = (&*database.name, self.database(&database.name));
            let done = self
                .config
                .uci
                .files(self.stages(), name, &raw, &folder, &mut |now| {
                    observer(PipelineEvent::Working(now))
                });
            tell(done.map_err(stage_error(ToUci::NAME))?, observer)?;
        }
        Ok(())
    }

    pub(super) fn database(&self, name: &str) -> PathBuf {
        self.folder("databases").join(name)
    }

    /// The games of some months and of all databases in UCI's notation.
    pub(super) fn games(
        &self,
        stage: &'static str,
        months: impl IntoIterator<Item = Month>,
    ) -> Result<Vec<StageInput>, PipelineError> {
        let mut games = Vec::new();
        for month in months {
            let month = StageInput::of_month(&self.folder(ToUci::NAME), month);
            games.extend(month.map_err(input_error(stage))?);
        }
        for database in &self.config.databases {
            let database = StageInput::of_stage(&self.database(&database.name));
            games.extend(database.map_err(input_error(stage))?);
        }
        Ok(games)
    }

    /// The months that are not to validate with.
    pub(super) fn train_months(&self) -> Vec<Month> {
        let mut months = self.config.all_months();
        let val = self.config.pack.as_ref().and_then(|pack| pack.val_month);
        months.retain(|&month| Some(month) != val);
        months
    }

    fn draw(&self, bins: &EloBins, observer: &mut Observer<'_>) -> Result<(), PipelineError> {
        let games = self.games(EloBins::NAME, self.train_months())?;
        let folder = self.folder(EloBins::NAME);
        let done = bins.run(self.stages(), &games, &folder, &mut |now| {
            observer(PipelineEvent::Working(now))
        });
        tell(done.map_err(stage_error(EloBins::NAME))?, observer)
    }

    fn pack(&self, config: &PackConfig, observer: &mut Observer<'_>) -> Result<(), PipelineError> {
        let pack = self.what_is_packed(config)?;
        let (tokenizer, folder) = (tokenizer(config)?, self.folder("packs"));
        let done = pack.run(self.stages(), &tokenizer, &folder, &mut |now| {
            observer(PipelineEvent::Working(now))
        });
        tell(done.map_err(stage_error(CorpusPack::NAME))?, observer)
    }

    pub(super) fn what_is_packed(&self, config: &PackConfig) -> Result<CorpusPack, PipelineError> {
        let error = input_error(CorpusPack::NAME);
        let train = match config.train {
            TrainOn::Months => self.games(CorpusPack::NAME, self.train_months())?,
            TrainOn::EloBins => {
                StageInput::of_stage(&self.folder(EloBins::NAME)).map_err(&error)?
            }
        };
        let mut pack = CorpusPack::default().train(train);
        if let Some(month) = config.val_month {
            let val = StageInput::of_month(&self.folder(ToUci::NAME), month).map_err(&error)?;
            let rest = config.train_on_rest && config.train == TrainOn::Months;
            let with_val = pack.val(val, config.val_games, rest);
            pack = with_val.map_err(stage_error(CorpusPack::NAME))?;
        }
        let extra = config.extra.iter().map(StageInput::of_file);
        Ok(pack.train(extra.collect::<Result<Vec<_>, _>>().map_err(&error)?))
    }
}

/// The files of a database, which are read through for their hashes.
pub(super) fn database_files(database: &Database) -> Result<Vec<StageInput>, PipelineError> {
    let files = database.files.iter().map(StageInput::of_file);
    let files = files.collect::<Result<Vec<_>, _>>();
    files.map_err(input_error(ToUci::NAME))
}

pub(super) fn tokenizer(config: &PackConfig) -> Result<Arc<dyn Tokenizer>, PipelineError> {
    if let Some(path) = &config.bpe {
        return Ok(Arc::new(BpeTokenizer::open(path)?));
    }
    Ok(match config.scheme.parse() {
        Ok(Scheme::San) => Arc::new(SanTokenizer::new()),
        _ => Arc::new(UciTokenizer::new()),
    })
}

fn tell(done: StageDone, observer: &mut Observer<'_>) -> Result<(), PipelineError> {
    flow(observer(PipelineEvent::Done {
        folder: &done.folder,
        manifest: &done.manifest,
        was_finished: done.was_finished,
    }))
}

const fn flow(flow: ControlFlow<()>) -> Result<(), PipelineError> {
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(PipelineError::Cancelled),
    }
}

pub(super) fn stage_error(stage: &'static str) -> impl Fn(StageError) -> PipelineError {
    move |source| PipelineError::Stage { stage, source }
}

pub(super) fn input_error(stage: &'static str) -> impl Fn(ManifestError) -> PipelineError {
    move |source| PipelineError::Input { stage, source }
}
