//! `filter`, `uci`, `elo-bins` and `pack-corpus`: one stage each.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use chess_tokens::corpus::stages::{CorpusPack, EloBins, Filter, StageDone, StageInput, ToUci};
use chess_tokens::corpus::{Month, Months};
use chess_tokens::tokenizer::{BpeTokenizer, SanTokenizer, UciTokenizer};
use chess_tokens::{Scheme, Tokenizer};
use clap::Args;

use super::observer::Watch;
use super::work::{Anew, Work, all, show};
use crate::failure::Failure;

/// Which games are kept.
#[derive(Args)]
pub(super) struct FilterArgs {
    /// The lowest rating of either player
    #[arg(long, value_name = "ELO", default_value_t = 1800)]
    min_elo: i32,
    /// The highest rating of either player
    #[arg(long, value_name = "ELO")]
    max_elo: Option<i32>,
    /// The least base time, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 180)]
    min_base_seconds: u32,
    /// How games may have ended; may be given more than once
    #[arg(long = "termination", value_name = "HOW", default_values = ["Normal", "Time forfeit"])]
    terminations: Vec<String>,
    /// Keep games of variants
    #[arg(long)]
    keep_variants: bool,
    /// No more than so many games of a month
    #[arg(long, value_name = "GAMES")]
    pub(super) limit: Option<u64>,
}

impl FilterArgs {
    pub(super) fn filter(&self) -> Filter {
        Filter {
            min_elo: self.min_elo,
            max_elo: self.max_elo,
            min_base_seconds: self.min_base_seconds,
            terminations: self.terminations.clone(),
            keep_variants: self.keep_variants,
        }
    }
}

/// Filters months of raw games that lie on this machine.
///
/// RAW has them as the hub does: RAW/year=2025/month=05/*.parquet.
#[derive(Args)]
pub(crate) struct FilterMonths {
    /// The folder with the folders of years
    #[arg(value_name = "RAW")]
    raw: PathBuf,
    /// The folder of the stage
    #[arg(value_name = "OUT")]
    out: PathBuf,
    /// Months, like 2025-05 or 2025-05..2025-07 [default: all]
    #[arg(value_name = "MONTHS")]
    months: Vec<Months>,
    #[command(flatten)]
    filter: FilterArgs,
    #[command(flatten)]
    work: Work,
    #[command(flatten)]
    anew: Anew,
}

impl FilterMonths {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let (filter, limit) = (self.filter.filter(), self.filter.limit);
        if self.anew.dry_run {
            return show(&[filter.sql(limit), filter.counts_sql()]);
        }
        let (session, watch) = (self.work.session()?, Watch::new());
        let stages = self.anew.stages(&session);
        for month in months_of(&self.raw, &self.months)? {
            let raw = StageInput::of_raw_month(&self.raw, month)?;
            let now = &mut |now: &_| watch.working(now);
            let done = filter.month(stages, month, &raw, limit, &self.out, now)?;
            tell(&watch, &done)?;
        }
        Ok(())
    }
}

/// Converts movetext to moves in UCI's notation, of months or of databases of PGN.
///
/// GAMES is the folder of the stage fetch or filter, or with --label one or more files: Parquet in the
/// dataset's columns, or PGN (plain, .zst or a zip that holds one). Games that are illegal, short or long
/// are left out and counted.
#[derive(Args)]
pub(crate) struct Uci {
    /// The folder of a stage, or files
    #[arg(required = true, value_name = "GAMES")]
    games: Vec<PathBuf>,
    /// The folder of the stage
    #[arg(value_name = "OUT")]
    out: PathBuf,
    /// GAMES are files of no one month, and this is what the column month says of them
    #[arg(long, value_name = "LABEL", conflicts_with = "month")]
    label: Option<String>,
    /// GAMES are files of this month
    #[arg(long, value_name = "MONTH")]
    month: Option<Month>,
    /// The fewest plies
    #[arg(long, value_name = "N", default_value_t = 20)]
    min_plies: u32,
    /// The most plies
    #[arg(long, value_name = "N", default_value_t = 300)]
    max_plies: u32,
    #[command(flatten)]
    work: Work,
    #[command(flatten)]
    anew: Anew,
}

impl Uci {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let stage = ToUci {
            min_plies: self.min_plies,
            max_plies: self.max_plies,
        };
        if self.anew.dry_run {
            let label = self.month.map(|month| month.to_string());
            let label = label.or(self.label.clone());
            return show(&[stage.sql(label.as_deref().unwrap_or("MONTH"))]);
        }
        let (session, watch) = (self.work.session()?, Watch::new());
        let stages = self.anew.stages(&session);
        let now = &mut |now: &_| watch.working(now);
        if self.label.is_none() && self.month.is_none() {
            let folder = self.one_folder()?;
            for month in months_of(folder, &[])? {
                let games = StageInput::of_month(folder, month)?;
                let done = stage.month(stages, month, &games, &self.out, now)?;
                tell(&watch, &done)?;
            }
            return Ok(());
        }
        let games = self.games.iter().map(StageInput::of_file);
        let games = games.collect::<Result<Vec<_>, _>>()?;
        let done = match (self.month, &self.label) {
            (Some(month), _) => stage.month(stages, month, &games, &self.out, now)?,
            (None, label) => {
                let label = label.as_deref().unwrap_or_default();
                stage.files(stages, label, &games, &self.out, now)?
            }
        };
        tell(&watch, &done)
    }

    fn one_folder(&self) -> Result<&Path, Failure> {
        match &self.games[..] {
            [folder] if folder.is_dir() => Ok(folder),
            _ => Err(Failure::usage(
                "expected the folder of a stage; files need --month or --label",
            )),
        }
    }
}

/// Draws as many games of each strength: those with the smallest hashes of seed and game.
#[derive(Args)]
pub(crate) struct DrawBins {
    /// Folders of the stage uci, of months or of databases
    #[arg(required = true, value_name = "UCI")]
    games: Vec<PathBuf>,
    /// The folder of the stage
    #[arg(value_name = "OUT")]
    out: PathBuf,
    /// How many Elo a bin is wide
    #[arg(long, value_name = "ELO", default_value_t = 100)]
    bin_width: u32,
    /// Where the first bin begins
    #[arg(long, value_name = "ELO", default_value_t = 1800)]
    min_bin: u32,
    /// Where the last bin begins
    #[arg(long, value_name = "ELO", default_value_t = 2700)]
    max_bin: u32,
    /// The most games of a bin
    #[arg(long, value_name = "GAMES", default_value_t = 100_000)]
    n_per_bin: u64,
    /// The seed of the draw
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    work: Work,
    #[command(flatten)]
    anew: Anew,
}

impl DrawBins {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let bins = EloBins {
            bin_width: self.bin_width,
            min_bin: self.min_bin,
            max_bin: self.max_bin,
            n_per_bin: self.n_per_bin,
            seed: self.seed,
        };
        if self.anew.dry_run {
            return show(&[bins.counts_sql(), bins.sql()]);
        }
        let games = games_of(&self.games, &[])?;
        let (session, watch) = (self.work.session()?, Watch::new());
        let stages = self.anew.stages(&session);
        let done = bins.run(stages, &games, &self.out, &mut |now| watch.working(now))?;
        tell(&watch, &done)?;
        for bin in EloBins::bins(&done.manifest) {
            let short = if bin.is_short(self.n_per_bin) {
                ", all there are"
            } else {
                ""
            };
            let (start, drawn, games) = (bin.bin, bin.drawn, bin.games);
            crate::report::print(&format!("  {start}: {drawn} of {games} games{short}\n"))?;
        }
        Ok(())
    }
}

/// Packs months of games in UCI's notation as tokens: OUT/train and OUT/val.
///
/// Trained on are all months but that of validation, the games of that one behind its first ones, and
/// databases.
#[derive(Args)]
pub(crate) struct PackMonths {
    /// Folders of the stages uci or elo-bins, of months or of none
    #[arg(required = true, value_name = "UCI")]
    games: Vec<PathBuf>,
    /// The folder of the packs
    #[arg(value_name = "OUT")]
    out: PathBuf,
    /// How games are written as tokens: uci, san or bpe
    #[arg(long, value_name = "SCHEME", default_value = "uci")]
    scheme: Scheme,
    /// The trained tokenizer of the scheme bpe
    #[arg(long, value_name = "FILE", required_if_eq("scheme", "bpe"))]
    bpe: Option<PathBuf>,
    /// The month to validate with
    #[arg(long, value_name = "MONTH")]
    val_month: Option<Month>,
    /// How many games of it, its first ones; 0 for all
    #[arg(
        long,
        value_name = "GAMES",
        default_value_t = 0,
        requires = "val_month"
    )]
    val_games: u64,
    /// Do not train on the other games of the month to validate with
    #[arg(long)]
    no_rest: bool,
    /// More files of games in UCI's notation to train on
    #[arg(long, value_name = "FILE")]
    extra: Vec<PathBuf>,
    #[command(flatten)]
    work: Work,
    #[command(flatten)]
    anew: Anew,
}

impl PackMonths {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        if self.anew.dry_run {
            return show(&[CorpusPack::sql(None, self.scheme == Scheme::Uci)]);
        }
        let tokenizer = self.tokenizer()?;
        let val: Vec<_> = self.val_month.into_iter().collect();
        let mut pack = CorpusPack::default().train(games_of(&self.games, &val)?);
        if let Some(month) = self.val_month {
            pack = pack.val(self.val_inputs(month)?, self.val_games, !self.no_rest)?;
        }
        let extra = self.extra.iter().map(StageInput::of_file);
        pack = pack.train(extra.collect::<Result<Vec<_>, _>>()?);
        let (session, watch) = (self.work.session()?, Watch::new());
        let stages = self.anew.stages(&session);
        let done = pack.run(stages, &tokenizer, &self.out, &mut |now| watch.working(now))?;
        tell(&watch, &done)
    }

    fn val_inputs(&self, month: Month) -> Result<Vec<StageInput>, Failure> {
        let has_it = |folder: &&PathBuf| month.folder(folder).is_dir();
        match self.games.iter().find(has_it) {
            Some(folder) => Ok(StageInput::of_month(folder, month)?),
            None => Err(Failure::usage(format!("no folder has the month {month}"))),
        }
    }

    fn tokenizer(&self) -> Result<Arc<dyn Tokenizer>, Failure> {
        Ok(match (self.scheme, &self.bpe) {
            (Scheme::Bpe, Some(path)) => {
                let bpe = BpeTokenizer::open(path);
                Arc::new(bpe.map_err(|error| Failure::Other(error.into()))?)
            }
            (Scheme::San, None) => Arc::new(SanTokenizer::new()),
            (Scheme::Uci, None) => Arc::new(UciTokenizer::new()),
            _ => return Err(Failure::usage("--bpe FILE is for the scheme bpe")),
        })
    }
}

/// The months that are asked for, or all there are.
fn months_of(folder: &Path, asked: &[Months]) -> Result<Vec<Month>, Failure> {
    let months = match asked {
        [] => Month::all_in(folder)?,
        asked => all(asked),
    };
    match months.is_empty() {
        true => Err(Failure::usage(format!(
            "{}: has no months",
            folder.display()
        ))),
        false => Ok(months),
    }
}

/// The games of stages by month, some months apart, and of stages without months.
fn games_of(folders: &[PathBuf], without: &[Month]) -> Result<Vec<StageInput>, Failure> {
    let mut games = Vec::new();
    for folder in folders {
        let months = Month::all_in(folder)?;
        if months.is_empty() {
            games.extend(StageInput::of_stage(folder)?);
        }
        for month in months.into_iter().filter(|month| !without.contains(month)) {
            games.extend(StageInput::of_month(folder, month)?);
        }
    }
    Ok(games)
}

fn tell(watch: &Watch, done: &StageDone) -> Result<(), Failure> {
    watch.done(&done.folder, &done.manifest, done.was_finished)
}
