//! `chess-nnue datagen`.

use std::fs;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use chess_nnue::chess_records::{MarlinRecord, ViriFile, ViriFilter};
use chess_nnue::selfplay::{AnyEvaluation, ChunkFormat, Datagen, GameStatistics, Starts};
use clap::{Args, ValueEnum, value_parser};

use super::player;
use super::progress;
use crate::interrupt::{self, Interrupted};
use crate::{Outcome, output_file};

/// Play games of a network against itself, to train the next one on.
///
/// Games are numbered, and each is a function of its number, the seed, the network and the options
/// below: a chunk made again, with any number of threads, has the same bytes. Chunk N has the games from N
/// times --games on, in games-NNNNN.viri or .marlin. Chunks that are there already are kept, so that an
/// interrupted command, given once more, goes on; what it was doing is lost up to the last whole chunk.
/// Several processes may fill a folder, each with --chunks of its own. One that is killed leaves a file
/// .games-NNNNN.*.tmp, which may be removed when none is at work.
#[derive(Args)]
#[command(after_help = "Examples:
  chess-nnue datagen hand-written games --chunks 0..20
  chess-nnue datagen gen1.nnue games1 --chunks 0..20 --format marlin --quiet
  chess-nnue train games/*.viri --out runs/gen1")]
pub(crate) struct Arguments {
    /// A network file, builtin for that of the program, or hand-written for the evaluation by rules
    #[arg(value_name = "NETWORK")]
    player: String,
    /// The folder of the chunks
    #[arg(value_name = "OUT")]
    folder: PathBuf,
    /// The numbers of the first chunk and of the one after the last
    #[arg(long, value_name = "A..B", default_value = "0..1", value_parser = range)]
    chunks: (u64, u64),
    /// Games of a chunk
    #[arg(long, value_name = "COUNT", default_value_t = 1_000, value_parser = value_parser!(u64).range(1..=1_000_000))]
    games: u64,
    /// Nodes of a move
    #[arg(long, value_name = "COUNT", default_value_t = 6_000, value_parser = value_parser!(u64).range(1..))]
    nodes: u64,
    /// The seed of all games
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
    /// What chunks hold
    #[arg(long, value_enum, default_value_t = Format::Viri)]
    format: Format,
    /// Of marlin: leave out positions in check and those in which a capture or promotion was played
    #[arg(long)]
    quiet: bool,
    /// Start from the 960 positions of Chess960, not from openings
    #[arg(long)]
    chess960: bool,
    /// Games played at once [default: one a processor]
    #[arg(long, value_name = "COUNT", value_parser = value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Whole games with the score of every move
    Viri,
    /// Positions
    Marlin,
}

fn range(text: &str) -> Result<(u64, u64), String> {
    let parsed = text.split_once("..").and_then(|(first, end)| {
        let (first, end) = (first.parse().ok()?, end.parse().ok()?);
        (first < end && end <= 1 << 32).then_some((first, end))
    });
    parsed.ok_or_else(|| "expected two numbers, like 0..20".into())
}

/// Of more chunks nothing is told together: every position that stood before is kept in mind.
const MOST_COUNTED: u64 = 100;

/// The file that says how the chunks of a folder were made.
const ABOUT: &str = "datagen.txt";

pub(crate) fn run(arguments: &Arguments, out: &mut dyn Write) -> Outcome {
    if arguments.quiet && arguments.format == Format::Viri {
        return Err(
            "--quiet is for --format marlin: viriformat keeps whole games, which are filtered \
                    as they are loaded"
                .into(),
        );
    }
    let player = player::open(&arguments.player)?;
    let about = arguments.about(&player);
    fs::create_dir_all(&arguments.folder)
        .map_err(|error| format!("{}: {error}", arguments.folder.display()))?;
    check_about(&arguments.folder, &about)?;
    interrupt::listen();
    let datagen = arguments.datagen();
    for chunk in arguments.chunks.0..arguments.chunks.1 {
        let name = datagen.file_name(chunk);
        let path = arguments.folder.join(&name);
        if path.exists() {
            arguments.check_kept(&path)?;
            writeln!(out, "{}: is there already", name.display())?;
            out.flush()?;
            continue;
        }
        match arguments.chunk(&datagen, chunk, &player)? {
            Some(statistics) => {
                writeln!(out, "{}: {statistics}", name.display())?;
                out.flush()?;
            }
            None => {
                let text = "interrupted; the same command goes on with this chunk";
                return Err(Interrupted(text.into()).into());
            }
        }
    }
    let chunks = arguments.chunks.1 - arguments.chunks.0;
    if arguments.format == Format::Viri && (2..=MOST_COUNTED).contains(&chunks) {
        writeln!(out, "all chunks: {}", arguments.statistics(&datagen)?)?;
    }
    Ok(())
}

impl Arguments {
    fn datagen(&self) -> Datagen {
        let starts = Starts::new();
        let format = match (self.format, self.quiet) {
            (Format::Viri, _) => ChunkFormat::Viri,
            (Format::Marlin, false) => ChunkFormat::Marlin(ViriFilter::EVERYTHING),
            (Format::Marlin, true) => ChunkFormat::Marlin(ViriFilter {
                in_check: false,
                tactical: false,
                ..ViriFilter::EVERYTHING
            }),
        };
        Datagen::new()
            .seed(self.seed)
            .games_per_chunk(self.games)
            .nodes(self.nodes)
            .starts(if self.chess960 {
                starts.chess960()
            } else {
                starts
            })
            .format(format)
    }

    fn about(&self, player: &AnyEvaluation) -> String {
        let Self {
            games,
            nodes,
            seed,
            quiet,
            chess960,
            ..
        } = self;
        format!(
            "player {}\nversion {}\nseed {seed}\ngames a chunk {games}\nnodes a move {nodes}\nquiet \
             {quiet}\nchess960 {chess960}\n",
            player.identity(),
            env!("CARGO_PKG_VERSION"),
        )
    }

    /// Whether a chunk that is kept can be one of this command: it may have lost its end.
    fn check_kept(&self, path: &Path) -> Outcome {
        let damage = match self.format {
            Format::Viri => {
                let (found, expected) = (ViriFile::read(path)?.games().len(), self.games);
                (found != expected).then(|| format!("has {found} games, expected {expected}"))
            }
            // How many positions there are to be is not known.
            Format::Marlin => {
                let len = fs::metadata(path)?.len();
                let is_whole = len.is_multiple_of(size_of::<MarlinRecord>() as u64);
                (!is_whole).then(|| format!("ends within a position, at byte {len}"))
            }
        };
        match damage {
            None => Ok(()),
            Some(damage) => Err(format!(
                "{}: {damage}; without the file its games are played again",
                path.display()
            )
            .into()),
        }
    }

    /// What the games of all chunks are like, those that were there before too.
    fn statistics(&self, datagen: &Datagen) -> Outcome<GameStatistics> {
        let mut statistics = GameStatistics::default();
        for chunk in self.chunks.0..self.chunks.1 {
            let file = ViriFile::read(self.folder.join(datagen.file_name(chunk)))?;
            statistics.add_file(&file)?;
        }
        Ok(statistics)
    }

    fn chunk(
        &self,
        datagen: &Datagen,
        chunk: u64,
        player: &AnyEvaluation,
    ) -> Outcome<Option<GameStatistics>> {
        let bar = progress::bar(self.games, "games");
        let threads = threads(self.threads);
        let made = datagen.chunk(
            &self.folder,
            chunk,
            threads,
            || player.evaluation(),
            |so_far| {
                bar.set_position(so_far.games);
                if interrupt::was_asked() {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            },
        );
        Ok(made?)
    }
}

/// As many threads as are asked for, or one a processor.
pub(super) fn threads(asked: Option<u16>) -> usize {
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    asked.map_or_else(processors, usize::from)
}

/// Chunks of other games would not fit: the folder says what it holds.
fn check_about(folder: &Path, about: &str) -> Outcome {
    let path = folder.join(ABOUT);
    match fs::read_to_string(&path) {
        Ok(found) if found == about => Ok(()),
        Ok(found) => {
            let differs = found
                .lines()
                .zip(about.lines())
                .find(|(found, asked)| found != asked);
            let (found, asked) = differs.unwrap_or((&found, about));
            Err(format!(
                "{}: chunks there have {found}, asked for {asked}",
                path.display()
            )
            .into())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            output_file::write(&path, about.as_bytes(), false)
        }
        Err(error) => Err(format!("{}: {error}", path.display()).into()),
    }
}
