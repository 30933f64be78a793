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
mod tests {
    use std::error::Error;

    use super::*;

    const EXAMPLE: &str = include_str!("../../../examples/pipeline.toml");

    /// The example with its `# option = value` lines too, those of [raw] apart.
    fn with_all_options() -> String {
        let raw = EXAMPLE.find("# [raw]").unwrap();
        let end = raw + EXAMPLE[raw..].find("\n\n").unwrap();
        let text = [&EXAMPLE[..raw], &EXAMPLE[end..]].concat();
        let line = |line: &str| {
            let option = line
                .strip_prefix("# ")
                .filter(|option| option.contains(" = "));
            option.unwrap_or(line).to_owned() + "\n"
        };
        let text: String = text.lines().map(line).collect();
        // What cannot be together with scheme "uci".
        text.replace("scheme = \"uci\"", "scheme = \"bpe\"")
    }

    #[test]
    fn the_example_has_every_option_and_shows_defaults() {
        let config = PipelineConfig::parse(EXAMPLE).unwrap();
        assert_eq!(config.filter, Filter::default());
        assert_eq!(config.uci, ToUci::default());
        assert_eq!(config.bins(), Some(EloBins::default()));
        let fetch = FetchConfig {
            limit: Some(5_000_000),
            ..FetchConfig::default()
        };
        assert_eq!(config.fetch, Some(fetch));
        assert_eq!(config.all_months().len(), 3);
        let all = PipelineConfig::parse(&with_all_options()).unwrap();
        assert_eq!(all.session.threads, Some(8));
        // Every field is written, as there is none without a value.
        let written = serde_json::to_value(&all).unwrap();
        assert_eq!(nulls("", &written), ["raw"]);
        let raw = "folder = 'c'\nmonths = ['2025-05']\n[raw]\nfolder = 'downloads'\nlimit = 7";
        let raw = PipelineConfig::parse(raw).unwrap().raw.unwrap();
        assert_eq!(raw.limit, Some(7));
        assert!(EXAMPLE.contains("# [raw]\n# folder = \"downloads\"\n# limit = "));
    }

    fn nulls(name: &str, value: &serde_json::Value) -> Vec<String> {
        match value {
            serde_json::Value::Null => vec![name.into()],
            serde_json::Value::Object(map) => map
                .iter()
                .flat_map(|(name, value)| nulls(name, value))
                .collect(),
            _ => Vec::new(),
        }
    }

    #[test]
    fn paths_are_those_seen_from_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipeline.toml");
        fs::write(&path, with_all_options()).unwrap();
        let config = PipelineConfig::read(&path).unwrap();
        assert_eq!(config.folder, folder.path().join("corpus"));
        assert_eq!(
            config.databases[0].files[1],
            folder.path().join("elite/lichess_elite_2025-06.zip")
        );
        assert_eq!(
            config.pack.unwrap().bpe,
            Some(folder.path().join("bpe.json"))
        );
        assert_eq!(
            config.session.spill,
            Some(folder.path().join("corpus/.spill"))
        );
        let missing = folder.path().join("missing.toml");
        let error = PipelineConfig::read(&missing).unwrap_err().to_string();
        assert_eq!(error, format!("{}: cannot be read", missing.display()));
    }

    #[test]
    fn descriptions_that_make_no_sense() {
        let error = |text: &str| {
            let text = format!("folder = 'c'\n{text}");
            match PipelineConfig::parse(&text).unwrap_err() {
                ConfigError::At { source, .. } => source.to_string(),
                error => error.to_string(),
            }
        };
        assert_eq!(
            error("months = ['2025-13']"),
            "is no description of a pipeline"
        );
        for unknown in [
            "x = 1",
            "[fetch]\nlimits = 1",
            "[filter]\nmin_elos = 1",
            "[uci]\nx = 1",
            "[elo_bins]\nx = 1",
            "[session]\nmemory = 1",
        ] {
            assert_eq!(
                error(unknown),
                "is no description of a pipeline",
                "{unknown}"
            );
        }
        assert_eq!(error("[uci]\nmin_plies = 400"), "settings make no sense");
        assert_eq!(
            error("[elo_bins]\nseed = 1\nbin_width = 0"),
            "settings make no sense"
        );
        assert_eq!(
            error("months = ['2025-05', '2025-04..2025-06']"),
            "month 2025-05 is there twice"
        );
        assert_eq!(
            error("months = ['2025-05']\n[fetch]\n[raw]\nfolder = 'r'"),
            "there are [fetch] and [raw], expected one of them"
        );
        assert_eq!(
            error("months = ['2025-05']"),
            "there are months and neither [fetch] nor [raw], expected one of them"
        );
        assert_eq!(
            error("[fetch]"),
            "there are no months and no [[database]], expected some"
        );
        let database =
            |name: &str, files: &str| format!("[[database]]\nname = '{name}'\nfiles = [{files}]\n");
        assert_eq!(
            error(&database("../x", "'a'")),
            "database \"../x\", expected letters, digits, - and _"
        );
        assert_eq!(error(&database("x", "")), "database x has no files");
        let good = database("x", "'a'");
        assert_eq!(error(&format!("{good}{good}")), "database x is there twice");
        let pack = |text: &str| error(&format!("{good}[pack]\n{text}"));
        assert_eq!(pack("scheme = 'xml'"), "the scheme is none");
        let bpe = "bpe is a trained tokenizer for the scheme bpe, and for no other";
        assert_eq!(pack("scheme = 'bpe'"), format!("scheme bpe: {bpe}"));
        assert_eq!(
            pack("scheme = 'uci'\nbpe = 'x'"),
            format!("scheme uci: {bpe}")
        );
        assert_eq!(
            pack("scheme = 'uci'\nval_month = '2025-05'"),
            "val_month 2025-05 is not among the months"
        );
        assert_eq!(
            pack("scheme = 'uci'\nval_games = 5"),
            "there are val_games and no val_month"
        );
        let months = "months = ['2025-05']\n[fetch]\n[elo_bins]\n[pack]\n";
        assert_eq!(
            error(&format!("{months}scheme = 'uci'\nval_month = '2025-05'")),
            "there are no games to draw: those of 2025-05 are to validate with"
        );
        assert_eq!(
            pack("scheme = 'uci'\ntrain = 'elo-bins'"),
            "train is elo-bins, and there is no [elo_bins]"
        );
        PipelineConfig::parse(&format!("folder = 'c'\n{good}[pack]\nscheme = 'san'")).unwrap();
    }

    #[test]
    fn errors_tell_line_and_option() {
        let place = |text: &str| match PipelineConfig::parse(text).unwrap_err() {
            ConfigError::At { line, option, .. } => format!("{line} {option}"),
            error => error.to_string(),
        };
        let months = "folder = 'c'\nmonths = [\n  '2025-05',\n]\n[raw]\nfolder = 'r'\n";
        let with = |text: &str| place(&format!("{months}{text}"));
        assert_eq!(
            with("[uci]\nmax_plies = 40\nmin_plies = 41"),
            "9 uci.min_plies"
        );
        assert_eq!(with("limit = 0"), "7 raw.limit");
        assert_eq!(with("[filter]\nmax_elo = 1"), "8 filter.max_elo");
        assert_eq!(
            with("[elo_bins]\n\nseed = 1\nn_per_bin = 0"),
            "10 elo_bins.n_per_bin"
        );
        // The limit at fault is that of the default.
        assert_eq!(with("[elo_bins]\nmax_bin = 100"), "7 elo_bins.min_bin");
        let inline = "folder = 'c'\nuci = { min_plies = 400 }";
        assert_eq!(place(inline), "2 uci.min_plies");
        let database = "[[database]]\nname = 'x'\nfiles = ['a']\n";
        let twice = with(&format!("{database}{database}"));
        assert_eq!(twice, "11 database.name");
        assert_eq!(with("[pack]\nscheme = 'xml'"), "8 pack.scheme");
        assert_eq!(
            with("[pack]\nscheme = 'san'\nval_games = 2"),
            "9 pack.val_games"
        );
        assert_eq!(with("[fetch]"), "5 raw");
        assert_eq!(place("folder = 'c'\nmonths = ['2025-05']"), "2 months");
        // There is no option to be pointed at.
        let none = "there are no months and no [[database]], expected some";
        assert_eq!(place("folder = 'c'"), none);
    }

    #[test]
    fn errors_of_a_file_name_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipeline.toml");
        let error = |text: &str| {
            fs::write(&path, text).unwrap();
            let error = PipelineConfig::read(&path).unwrap_err();
            assert_eq!(error.to_string(), path.display().to_string());
            let mut source = error.source();
            let mut said = Vec::new();
            while let Some(error) = source {
                said.push(error.to_string());
                source = error.source();
            }
            said
        };
        assert_eq!(
            error("folder = 'c'\nmonths = ['2025-05']"),
            [
                "line 2, months",
                "there are months and neither [fetch] nor [raw], expected one of them"
            ]
        );
        let said = error("folder = 'c'\n[uci]\nx = 1");
        assert_eq!(said[0], "is no description of a pipeline");
        assert!(said[1].starts_with("TOML parse error at line 3, column 1\n"));
    }
}
