//! `pack`: a pack of games.

use std::path::{Path, PathBuf};

use chess_records::tool_support::Progress;
use chess_tokens::pack::{Meta, is_unfinished, source_label};
use chess_tokens::source::{GameFiles, PackProgress, PackReport, pack_games};
use clap::Args;

use crate::failure::Failure;
use crate::interrupt;
use crate::report::{facts, left_out, print};
use crate::scheme::{SchemeArgs, check_free, inputs_and_output};

/// Packs games of PGN and Parquet files.
///
/// Files are PGN (.pgn, .pgn.zst, or a .zip with one PGN) and Parquet of UCI moves, read one after
/// another; what a file is, its first bytes tell. Games that are no standard chess from the usual start,
/// have no result, do not parse or cannot be written in the scheme are left out and counted.
///
/// The pack takes its place when it is whole: Ctrl-C and crashes leave the folder as it was. Only a crash
/// in the moment in which an old pack is replaced leaves none; the same command makes it anew.
#[derive(Args)]
#[command(
    override_usage = "chess-tokens pack [OPTIONS] --scheme <SCHEME> <GAMES>... <OUT>",
    after_long_help = "\
Examples:
  chess-tokens pack games.pgn.zst pack --scheme uci
  chess-tokens pack 2025-04/games.parquet 2025-05/games.parquet pack --scheme uci
  chess-tokens pack masters.zip pack --scheme san
  chess-tokens pack games.pgn pack --scheme bpe --bpe bpe.json --source-label games.pgn"
)]
pub(crate) struct Pack {
    /// The files of games, one after another, and the folder of the pack
    #[arg(required = true, num_args = 1.., value_name = "GAMES|OUT")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    scheme: SchemeArgs,
    /// The source in meta.json [default: folder and name of each file, joined by +]
    #[arg(long, value_name = "LABEL")]
    source_label: Option<String>,
    /// How many threads make tokens of games; another one reads [default: one a processor]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Replace a pack that is there
    #[arg(short, long)]
    force: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Pack {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let (inputs, out) = inputs_and_output(&self.paths)?;
        let is_left_over = is_unfinished(out);
        for name in ["tokens.npy", "starts.npy", Meta::FILE_NAME] {
            check_free(&out.join(name), self.force || is_left_over)?;
        }
        let tokenizer = self.scheme.tokenizer()?;
        let files = GameFiles::open(inputs)?;
        let files = match self.threads {
            Some(threads) => files.threads(threads),
            None => files,
        };
        let progress = Progress::of_bytes(Some(files.bytes()));
        let mut tell = |now: &PackProgress| {
            progress.set(now.bytes_read);
            progress.tell(format!(", {} games, {} tokens", now.games, now.tokens));
            interrupt::flow()
        };
        let report = pack_games(&files, &tokenizer, out, self.labels(inputs), &mut tell);
        drop(progress);
        self.print(out, &report?)
    }

    fn labels(&self, inputs: &[PathBuf]) -> Vec<String> {
        match &self.source_label {
            Some(label) => vec![label.clone()],
            None => inputs.iter().map(|path| label(path)).collect(),
        }
    }

    fn print(&self, out: &Path, report: &PackReport) -> Result<(), Failure> {
        let PackReport { meta, left_out, .. } = report;
        if self.json {
            let mut value = serde_json::to_value(meta).map_err(Failure::data)?;
            value["left_out"] = left_out_json(left_out);
            return print(&format!("{value:#}\n"));
        }
        let mut rows = vec![
            ("pack", out.display().to_string()),
            ("scheme", meta.scheme.to_string()),
            ("games", meta.n_games.to_string()),
            ("tokens", meta.n_tokens.to_string()),
        ];
        rows.extend(self::left_out(left_out));
        print(&facts(&rows))
    }
}

fn left_out_json(games: &chess_records::LeftOutGames) -> serde_json::Value {
    serde_json::json!({
        "variant": games.variant,
        "start": games.start,
        "result": games.result,
        "missing_elo": games.missing_elo,
        "illegal_move": games.illegal_move,
        "ambiguous_move": games.ambiguous_move,
        "no_move": games.no_move,
        "too_long": games.too_long,
    })
}

fn label(path: &Path) -> String {
    source_label(path, None)
}
