//! `stats`: what a pack is made of.

use std::io::Write;
use std::path::{Path, PathBuf};

use chess_records::tool_support::Progress;
use chess_records::{AtomicFile, AtomicFileError};
use chess_tokens::pack::TokenPack;
use chess_tokens::stats::{Counts, PackStats, PlotError};
use clap::Args;

use crate::failure::Failure;
use crate::report::{facts, print};
use crate::scheme::check_output;

/// Counts lengths, moves, ratings, results and unknown tokens of a pack.
///
/// Moves are those of either side, and are not counted in packs of the scheme bpe. Ratings are there in
/// the scheme uci alone, by bands of 100.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  chess-tokens stats pack
  chess-tokens stats pack --json
  chess-tokens stats pack --plot pack.svg    (all pictures in one file)
  chess-tokens stats pack --plot plots       (plots/lengths.svg, moves.svg, elos.svg, results.svg)")]
pub(crate) struct Stats {
    /// The folder of the pack
    #[arg(value_name = "PACK")]
    pack: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Draw pictures as well: into one file if the name ends in .svg, otherwise into a folder
    #[arg(long, value_name = "FOLDER|FILE.svg")]
    plot: Option<PathBuf>,
    /// Replace pictures that are there
    #[arg(short, long)]
    force: bool,
}

type Draw = fn(&PackStats) -> Result<String, PlotError>;

/// The pictures of a folder.
const PICTURES: [(&str, Draw); 4] = [
    ("lengths.svg", PackStats::plot_lengths),
    ("moves.svg", PackStats::plot_moves),
    ("elos.svg", PackStats::plot_elos),
    ("results.svg", PackStats::plot_results),
];

impl Stats {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let pictures = self.pictures();
        for (path, _) in &pictures {
            check_output(path, self.force, &[])?;
        }
        let stats = count(&TokenPack::read(&self.pack)?)?;
        for (path, draw) in &pictures {
            self.draw(path, draw(&stats))?;
        }
        print(&match self.json {
            true => format!(
                "{:#}\n",
                serde_json::to_value(&stats).map_err(Failure::data)?
            ),
            false => self.table(&stats),
        })
    }

    /// The files to write.
    fn pictures(&self) -> Vec<(PathBuf, Draw)> {
        match &self.plot {
            None => Vec::new(),
            Some(file) if is_svg(file) => vec![(file.clone(), PackStats::plot as Draw)],
            Some(folder) => PICTURES
                .map(|(name, draw)| (folder.join(name), draw))
                .into(),
        }
    }

    /// What there is nothing to draw of has no picture.
    fn draw(&self, path: &Path, picture: Result<String, PlotError>) -> Result<(), Failure> {
        match picture {
            Ok(svg) => write(path, svg.as_bytes()),
            Err(PlotError::Empty) => Ok(()),
            Err(error) => Err(Failure::Other(error.into())),
        }
    }

    fn table(&self, stats: &PackStats) -> String {
        let results = stats.results;
        let share = |games| share(games, stats.games);
        facts(&[
            ("pack", self.pack.display().to_string()),
            ("scheme", stats.scheme.to_string()),
            ("games", stats.games.to_string()),
            ("tokens", stats.tokens.to_string()),
            ("tokens of a game", spread(&stats.lengths)),
            (
                "moves of a game",
                stats.moves.as_ref().map_or("not counted".into(), spread),
            ),
            ("White's Elo band", bands(&stats.white_elos)),
            ("Black's Elo band", bands(&stats.black_elos)),
            ("White won", share(results.white_won)),
            ("draws", share(results.draws)),
            ("Black won", share(results.black_won)),
            ("unknown result", share(results.unknown)),
            (
                "unknown tokens",
                format!(
                    "{} in {} games",
                    stats.unknown_tokens, stats.games_with_unknown
                ),
            ),
        ])
    }
}

fn is_svg(path: &Path) -> bool {
    let extension = path.extension();
    extension.is_some_and(|extension| extension.eq_ignore_ascii_case("svg"))
}

fn count(pack: &TokenPack) -> Result<PackStats, Failure> {
    let progress = Progress::new("games", Some(pack.len()));
    let mut stats = PackStats::new(pack.meta().scheme);
    for number in 0..pack.len() {
        if number % 1024 == 0 {
            Failure::if_interrupted("nothing was written")?;
            progress.set(number);
        }
        stats.add(pack.game(number)?.unwrap_or_default());
    }
    Ok(stats)
}

/// `21 to 245, median 78, mean 80.2`.
fn spread(counts: &Counts) -> String {
    let (low, high) = (counts.min(), counts.max());
    match (low, high, counts.quantile(0.5), counts.mean()) {
        (Some(low), Some(high), Some(median), Some(mean)) => {
            format!("{low} to {high}, median {median}, mean {mean:.1}")
        }
        _ => "none".into(),
    }
}

/// `600 to 3200, median 1700`, of bands by their lower ends.
fn bands(elos: &Counts) -> String {
    match (elos.min(), elos.max(), elos.quantile(0.5)) {
        (Some(low), Some(high), Some(median)) => format!("{low} to {high}, median {median}"),
        _ => "not told".into(),
    }
}

/// `93 (50.0 %)`.
fn share(games: u64, all: u64) -> String {
    format!(
        "{games} ({:.1} %)",
        100.0 * games as f64 / all.max(1) as f64
    )
}

/// Writes a file, and the folders over it, whole.
fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let error = |source| AtomicFileError::Write {
        path: path.to_path_buf(),
        source,
    };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(error)?;
    }
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes).map_err(error)?;
    Ok(file.finish()?)
}
