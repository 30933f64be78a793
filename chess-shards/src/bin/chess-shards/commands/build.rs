//! `build`: a set from games.

use std::ops::Range;
use std::path::PathBuf;

use chess_records::tool_support::Progress;
use chess_shards::build::{BuildError, BuildOptions, BuildPhase, BuildProgress, Source, build};
use chess_shards::{SampleMode, SampleWeighting};
use clap::{Args, ValueEnum};

use crate::failure::Failure;
use crate::games;
use crate::interrupt;
use crate::report::{self, note, print};

/// Builds a set from games in PGN (.pgn, .pgn.zst) or in Parquet files of UCI moves (.parquet).
///
/// The same games, options and seed give the same bytes, whatever the number of workers, the
/// interruptions and the slices. Each shard takes its place when it is whole: the same command after
/// Ctrl-C, or after the process was killed, goes on with those that are missing. Games that are no
/// standard chess from the usual start, have no result or do not parse are left out and counted;
/// build_report.json tells how many, and why.
///
/// With --only, some of the shards are built, by several processes or machines that all have the same
/// games and options; `chess-shards merge` then makes one set of them.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  chess-shards build games.pgn.zst shards -k 4 --num-shards 256 --seed 0
  chess-shards build a.pgn b.pgn shards --min-elo 1800 --sample-mode iid --limit-games 1000000
  chess-shards build games.pgn.zst one --only 0..128 --games 26269077
  chess-shards build games.pgn.zst two --only 128..256 --games 26269077
  chess-shards merge shards one two

The tool reads PGN by shakmaty: as built it is under GPL-3.0-or-later. What it writes is not.")]
pub(crate) struct Build {
    /// The files of games, one after another
    #[arg(required = true, value_name = "GAMES")]
    inputs: Vec<PathBuf>,
    /// The folder of the set
    #[arg(value_name = "OUT")]
    out: PathBuf,
    #[command(flatten)]
    drawn: Drawn,
    /// How many games count, if that is known: saves the pass that counts them
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// Only the shards from A up to, not including, B
    #[arg(long, value_name = "A..B", value_parser = shards)]
    only: Option<Range<u32>>,
    /// The name of the games in meta.json [default: those of the files]
    #[arg(long, value_name = "NAME")]
    source: Option<String>,
    /// How many threads encode; another one reads [default: one a processor]
    #[arg(long, value_name = "N")]
    workers: Option<usize>,
    /// Begin anew where there is a set already, or a part of one
    #[arg(long)]
    overwrite: bool,
}

/// The options on which the bytes depend.
#[derive(Args)]
struct Drawn {
    /// Samples a game
    #[arg(short = 'k', long, value_name = "K", default_value_t = 4)]
    positions_per_game: u32,
    /// Shards, or as many as there are games if those are fewer
    #[arg(long, value_name = "N", default_value_t = 256)]
    num_shards: u32,
    /// Shards to validate with
    #[arg(long, value_name = "N", default_value_t = 2)]
    val_shards: u32,
    /// Shards to test with
    #[arg(long, value_name = "N", default_value_t = 2)]
    test_shards: u32,
    /// The seed of all draws
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
    /// Whether a position of a game may be drawn twice: never (unique) or by chance (iid)
    #[arg(long, value_enum, default_value_t = Mode::Unique)]
    sample_mode: Mode,
    /// How likely each ply is: those of the middlegame more, or all alike
    #[arg(long, value_enum, default_value_t = Weighting::Middlegame)]
    sample_weighting: Weighting,
    /// Plies at the start of a game that are not drawn
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip_opening_plies: u32,
    /// The lowest mean Elo of both players; games without Elos are left out then
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    min_elo: Option<i64>,
    /// The highest mean Elo of both players; games without Elos are left out then
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    max_elo: Option<i64>,
    /// Only the first N games of those that count
    #[arg(long, value_name = "N")]
    limit_games: Option<u64>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Mode {
    Unique,
    Iid,
}

#[derive(Clone, Copy, ValueEnum)]
enum Weighting {
    Middlegame,
    Uniform,
}

/// A range A..B of shards.
fn shards(text: &str) -> Result<Range<u32>, String> {
    let numbers = text.split_once("..").and_then(|(start, end)| {
        let (start, end) = (start.parse().ok()?, end.parse().ok()?);
        Some(start..end)
    });
    let expected = || format!("{text} is no range of shards, expected one such as 0..128");
    numbers
        .filter(|range| !range.is_empty())
        .ok_or_else(expected)
}

impl Drawn {
    fn options(&self) -> BuildOptions {
        BuildOptions::new()
            .positions_per_game(self.positions_per_game)
            .num_shards(self.num_shards)
            .val_shards(self.val_shards)
            .test_shards(self.test_shards)
            .seed(self.seed)
            .sample_mode(match self.sample_mode {
                Mode::Unique => SampleMode::Unique,
                Mode::Iid => SampleMode::Iid,
            })
            .sample_weighting(match self.sample_weighting {
                Weighting::Middlegame => SampleWeighting::Middlegame,
                Weighting::Uniform => SampleWeighting::Uniform,
            })
            .skip_opening_plies(self.skip_opening_plies)
            .min_elo(self.min_elo)
            .max_elo(self.max_elo)
            .limit_games(self.limit_games)
    }
}

impl Build {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let (source, options) = (self.source()?, self.options());
        let progress = Progress::new("games", None);
        let mut phase = None;
        let built = build(&source, &options, &self.out, &mut |now| {
            tell(now, &mut phase, &progress);
            interrupt::flow()
        });
        drop(progress);
        let summary = built.map_err(|error| self.failure(error))?;
        print(&report::built(&summary))?;
        match &self.only {
            Some(_) => {
                note("this is a part of a set: `chess-shards merge OUT PIECES...` joins them")
            }
            None => Ok(()),
        }
    }

    fn failure(&self, error: BuildError) -> Failure {
        match error {
            BuildError::Cancelled => Failure::Interrupted(match self.overwrite {
                true => {
                    "finished shards are kept: without --overwrite, the same command goes on with \
                     those that are missing"
                }
                false => {
                    "finished shards are kept: the same command goes on with those that are missing"
                }
            }),
            BuildError::Exists { .. } | BuildError::OtherBuild { .. } => {
                let hint = match self.overwrite {
                    // Of a slice, only that slice.
                    true => "--overwrite without --only begins anew",
                    false => "--overwrite begins anew",
                };
                Failure::usage(format!("{}; {hint}", crate::failure::chain(&error)))
            }
            error => error.into(),
        }
    }

    fn source(&self) -> Result<Source<'static>, Failure> {
        let source = games::source(&self.inputs)?;
        Ok(match &self.source {
            Some(name) => source.named(name),
            None => source,
        })
    }

    fn options(&self) -> BuildOptions {
        let options = self
            .drawn
            .options()
            .games(self.games)
            .only(self.only.clone())
            .overwrite(self.overwrite)
            .git_sha(concat!("chess-shards ", env!("CARGO_PKG_VERSION")));
        match self.workers {
            Some(workers) => options.workers(workers),
            None => options,
        }
    }
}

/// Shows how far a build is.
fn tell(now: &BuildProgress, phase: &mut Option<BuildPhase>, progress: &Progress) {
    if phase.replace(now.phase) != Some(now.phase) {
        let what = match now.phase {
            BuildPhase::Counting => "counting",
            _ => "building",
        };
        progress.begin(what, "games", now.games_in_all);
    }
    progress.set(now.games);
    if now.phase == BuildPhase::Building {
        progress.tell(format!(", {:.0} samples/s", now.samples_per_second()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_shards() {
        assert_eq!(shards("0..128"), Ok(0..128));
        for text in [
            "",
            "5",
            "a..b",
            "3..1",
            "3..3",
            "1..",
            "-1..4",
            "0..99999999999",
        ] {
            let expected = format!("{text} is no range of shards, expected one such as 0..128");
            assert_eq!(shards(text), Err(expected));
        }
    }
}
