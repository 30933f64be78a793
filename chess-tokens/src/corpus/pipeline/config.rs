//! The description of a pipeline, as TOML.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::ConfigError;
use super::place::{Place, setting};
use crate::Scheme;
use crate::corpus::fetch::FetchOptions;
use crate::corpus::hub::{Hub, HubConfigError};
use crate::corpus::stages::{EloBins, Filter, SettingsError, ToUci, check_limit};
use crate::corpus::{Month, Months, Overwrite, SessionOptions};

/// The description of a pipeline. Paths are relative to the folder of the file; an option that there is
/// not is an error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::exhaustive_structs)] // Its fields are the options of the file.
pub struct PipelineConfig {
    /// The folder of the corpus.
    pub folder: PathBuf,
    /// The months, each alone or as a range.
    #[serde(default)]
    pub months: Vec<Months>,
    /// How queries run.
    #[serde(default)]
    pub session: SessionConfig,
    /// Where months are fetched from.
    pub fetch: Option<FetchConfig>,
    /// Where months lie already.
    pub raw: Option<RawConfig>,
    /// Which games are kept.
    #[serde(default)]
    pub filter: Filter,
    /// Which of them are kept as moves.
    #[serde(default)]
    pub uci: ToUci,
    /// Databases of PGN, which are not filtered.
    #[serde(default, rename = "database")]
    pub databases: Vec<Database>,
    /// Which games are drawn by strength.
    pub elo_bins: Option<BinsConfig>,
    /// What is packed.
    pub pack: Option<PackConfig>,
}

/// How queries run. None of it changes what is made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(clippy::exhaustive_structs)] // Its fields are the options of the file.
pub struct SessionConfig {
    /// How many threads work.
    pub threads: Option<usize>,
    /// The most memory for what queries must keep, in MiB.
    pub memory_mib: Option<u64>,
    /// The folder for what does not fit into memory.
    pub spill: Option<PathBuf>,
    /// How many rows are handled together.
    pub batch_rows: Option<usize>,
}

/// Where months are fetched from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(clippy::exhaustive_structs)] // Its fields are the options of the file.
pub struct FetchConfig {
    /// The dataset.
    pub dataset: String,
    /// A branch, a tag or a commit of it.
    pub revision: String,
    /// The folder of the dataset that has the months' folders.
    pub data_folder: String,
    /// The hub's address, if not that of the environment or the public hub's.
    pub endpoint: Option<String>,
    /// No more than so many games of a month.
    pub limit: Option<u64>,
    /// Whether downloaded files stay.
    pub keep_shards: bool,
    /// How often something is tried.
    pub attempts: u32,
    /// How long is waited after the first attempt, in milliseconds.
    pub first_delay_ms: u64,
    /// How long the server may be silent, in seconds.
    pub timeout_seconds: u64,
}

/// Where months lie already, in the hub's layout: `year=2025/month=05/*.parquet`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::exhaustive_structs)] // Its fields are the options of the file.
pub struct RawConfig {
    /// The folder with the folders of years.
    pub folder: PathBuf,
    /// No more than so many games of a month.
    pub limit: Option<u64>,
}

/// A database of PGN: plain, `.zst` or in a zip.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::exhaustive_structs)] // Its fields are the options of the file.
pub struct Database {
    /// What it is called: letters, digits, `-` and `_`.
    pub name: String,
    /// Its files.
    pub files: Vec<PathBuf>,
}

/// Which games are drawn by strength, of all months and databases.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(clippy::exhaustive_structs)] // Its fields are the options of the file.
pub struct BinsConfig {
    /// How many Elo a bin is wide.
    pub bin_width: Option<u32>,
    /// Where the first bin begins.
    pub min_bin: Option<u32>,
    /// Where the last bin begins.
    pub max_bin: Option<u32>,
    /// The most games of a bin.
    pub n_per_bin: Option<u64>,
    /// The seed of the draw.
    pub seed: Option<u64>,
}

/// What is packed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::exhaustive_structs)] // Its fields are the options of the file.
pub struct PackConfig {
    /// How games are written as tokens: `uci`, `san` or `bpe`.
    pub scheme: String,
    /// The trained tokenizer of the scheme `bpe`.
    pub bpe: Option<PathBuf>,
    /// What is trained on.
    #[serde(default)]
    pub train: TrainOn,
    /// The month to validate with.
    pub val_month: Option<Month>,
    /// How many games of it, its first ones; 0 for all.
    #[serde(default)]
    pub val_games: u64,
    /// Whether the other games of it are trained on.
    #[serde(default = "yes")]
    pub train_on_rest: bool,
    /// More files of games in UCI's notation to train on.
    #[serde(default)]
    pub extra: Vec<PathBuf>,
}

/// What is trained on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum TrainOn {
    /// Whole months and databases.
    #[default]
    Months,
    /// The games drawn by strength.
    EloBins,
}

const fn yes() -> bool {
    true
}

impl Default for FetchConfig {
    fn default() -> Self {
        Self {
            dataset: "Lichess/standard-chess-games".into(),
            revision: "main".into(),
            data_folder: "data".into(),
            endpoint: None,
            limit: None,
            keep_shards: false,
            attempts: 8,
            first_delay_ms: 500,
            timeout_seconds: 120,
        }
    }
}

impl PipelineConfig {
    /// Reads a file; its paths become those seen from here.
    ///
    /// # Errors
    ///
    /// When it cannot be read, is no such description or makes no sense.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        let path = path.as_ref();
        let text = fs::read_to_string(path).map_err(|source| ConfigError::Read {
            path: path.to_path_buf(),
            source,
        })?;
        let mut config = Self::parse(&text).map_err(|source| ConfigError::File {
            path: path.to_path_buf(),
            source: Box::new(source),
        })?;
        config.move_to(path.parent().unwrap_or(Path::new("")));
        Ok(config)
    }

    /// The description that a text is, with paths as they are written.
    ///
    /// # Errors
    ///
    /// When it is none, or makes no sense.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let config: Self = toml::from_str(text).map_err(|source| ConfigError::Toml {
            source: Box::new(source),
        })?;
        config
            .check()
            .map_err(|(place, error)| place.place(text, error))?;
        Ok(config)
    }

    fn move_to(&mut self, folder: &Path) {
        let join = |path: &mut PathBuf| *path = folder.join(&path);
        join(&mut self.folder);
        self.session.spill.iter_mut().for_each(join);
        self.raw.iter_mut().for_each(|raw| join(&mut raw.folder));
        let databases = self.databases.iter_mut();
        databases.for_each(|database| database.files.iter_mut().for_each(join));
        if let Some(pack) = &mut self.pack {
            pack.bpe.iter_mut().chain(&mut pack.extra).for_each(join);
        }
    }

    fn check(&self) -> Result<(), Fault<'_>> {
        let settings = |table| move |error| at_setting(table, error);
        self.filter.check().map_err(settings("filter"))?;
        self.uci.check().map_err(settings("uci"))?;
        let bins = self.bins().map_or(Ok(()), |bins| bins.check());
        bins.map_err(settings("elo_bins"))?;
        let limit = self.fetch.as_ref().and_then(|fetch| fetch.limit);
        check_limit(limit).map_err(settings("fetch"))?;
        let limit = self.raw.as_ref().and_then(|raw| raw.limit);
        check_limit(limit).map_err(settings("raw"))?;
        self.check_origin()?;
        self.check_databases()?;
        self.pack.as_ref().map_or(Ok(()), |pack| pack.check(self))
    }

    /// Where games come from.
    fn check_origin(&self) -> Result<(), Fault<'_>> {
        let months = self.all_months();
        if let Some(twice) = months.windows(2).find(|pair| pair[0] == pair[1]) {
            let month = twice[0];
            return Err((Place::top("months"), ConfigError::MonthTwice { month }));
        }
        match (months.is_empty(), &self.fetch, &self.raw) {
            (_, Some(_), Some(_)) => Err((Place::top("raw"), ConfigError::TwoOrigins)),
            (false, None, None) => Err((Place::top("months"), ConfigError::NoOrigin)),
            (true, ..) if self.databases.is_empty() => {
                Err((Place::top("months"), ConfigError::NoGames))
            }
            _ => Ok(()),
        }
    }

    fn check_databases(&self) -> Result<(), Fault<'_>> {
        for (index, database) in self.databases.iter().enumerate() {
            let mut before = self.databases[..index].iter();
            let is_twice = before.any(|other| other.name == database.name);
            let place = |option| Place {
                index,
                ..Place::of("database", option)
            };
            let checked = database.check(is_twice);
            checked.map_err(|(option, error)| (place(option), error))?;
        }
        Ok(())
    }

    /// All months, in order.
    #[must_use]
    pub fn all_months(&self) -> Vec<Month> {
        let mut months: Vec<_> = self
            .months
            .iter()
            .flat_map(|months| months.iter())
            .collect();
        months.sort_unstable();
        months
    }

    /// What is drawn by strength, if anything is.
    #[must_use]
    pub fn bins(&self) -> Option<EloBins> {
        let (config, default) = (self.elo_bins.as_ref()?, EloBins::default());
        Some(EloBins {
            bin_width: config.bin_width.unwrap_or(default.bin_width),
            min_bin: config.min_bin.unwrap_or(default.min_bin),
            max_bin: config.max_bin.unwrap_or(default.max_bin),
            n_per_bin: config.n_per_bin.unwrap_or(default.n_per_bin),
            seed: config.seed.unwrap_or(default.seed),
        })
    }

    /// How queries run. What does not fit into memory goes to the corpus' folder.
    #[must_use = "a session is made of it"]
    pub fn session_options(&self) -> SessionOptions {
        let config = &self.session;
        let spill = config
            .spill
            .clone()
            .unwrap_or_else(|| self.folder.join(".spill"));
        let mut options = SessionOptions::new().spill(Some(spill));
        if let Some(threads) = config.threads {
            options = options.threads(threads);
        }
        if let Some(mib) = config.memory_mib {
            options = options.memory_bytes(mib.saturating_mul(1 << 20));
        }
        if let Some(rows) = config.batch_rows {
            options = options.batch_rows(rows);
        }
        options
    }
}

impl FetchConfig {
    /// The client.
    ///
    /// # Errors
    ///
    /// When the dataset, the revision, the endpoint or the token cannot be right.
    pub fn hub(&self) -> Result<Hub, HubConfigError> {
        let builder = Hub::builder(&self.dataset)
            .revision(&self.revision)
            .attempts(self.attempts)
            .first_delay(Duration::from_millis(self.first_delay_ms))
            .timeout(Duration::from_secs(self.timeout_seconds));
        match &self.endpoint {
            Some(endpoint) => builder.endpoint(endpoint).build(),
            None => builder.build(),
        }
    }

    /// What is fetched of each month.
    #[must_use = "fetching is made of it"]
    pub fn options(&self, filter: &Filter, overwrite: impl Into<Overwrite>) -> FetchOptions {
        FetchOptions::new()
            .folder(&self.data_folder)
            .limit(self.limit)
            .settings(filter.settings())
            .keep_shards(self.keep_shards)
            .overwrite(overwrite)
    }
}

impl Database {
    /// Which option is at fault, and why.
    fn check(&self, is_twice: bool) -> Result<(), (&'static str, ConfigError)> {
        let name = || self.name.clone();
        let is_plain = |letter: u8| letter.is_ascii_alphanumeric() || b"-_".contains(&letter);
        if self.name.is_empty() || !self.name.bytes().all(is_plain) {
            return Err(("name", ConfigError::DatabaseName { found: name() }));
        }
        if is_twice {
            return Err(("name", ConfigError::DatabaseTwice { name: name() }));
        }
        if self.files.is_empty() {
            return Err(("files", ConfigError::NoFiles { name: name() }));
        }
        Ok(())
    }
}

impl PackConfig {
    fn check(&self, config: &PipelineConfig) -> Result<(), Fault<'_>> {
        let place = |option| Place::of("pack", option);
        let scheme = self.scheme.parse::<Scheme>();
        let scheme = scheme.map_err(|error| (place("scheme"), error.into()))?;
        if (scheme == Scheme::Bpe) != self.bpe.is_some() {
            return Err((place("scheme"), ConfigError::Bpe { scheme }));
        }
        if let Some(month) = self
            .val_month
            .filter(|month| !config.all_months().contains(month))
        {
            return Err((place("val_month"), ConfigError::ValMonth { month }));
        }
        if self.val_month.is_none() && self.val_games > 0 {
            return Err((place("val_games"), ConfigError::ValGames));
        }
        if let Some(month) = self.val_month
            && config.elo_bins.is_some()
            && config.databases.is_empty()
            && config.all_months() == [month]
        {
            return Err((place("val_month"), ConfigError::NothingToDraw { month }));
        }
        if self.train == TrainOn::EloBins && config.elo_bins.is_none() {
            return Err((place("train"), ConfigError::NoBins));
        }
        Ok(())
    }
}

/// What makes no sense, and which option of the file it is.
type Fault<'a> = (Place<'a>, ConfigError);

fn at_setting(table: &'static str, error: SettingsError) -> Fault<'static> {
    (Place::of(table, setting(&error)), error.into())
}

#[cfg(test)]
mod tests;
