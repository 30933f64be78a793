//! `train-bpe`: a tokenizer of the scheme bpe.

use std::io::Write;
use std::path::{Path, PathBuf};

use chess_records::{AtomicFile, AtomicFileError, Game};
use chess_tokens::Tokenizer;
use chess_tokens::source::{GameFiles, Games, SourceError};
use chess_tokens::tokenizer::BpeTokenizer;
use clap::Args;

use crate::failure::Failure;
use crate::interrupt;
use crate::report::{facts, left_out, print};
use crate::scheme::{check_output, inputs_and_output};

/// Trains the tokenizer of the scheme bpe on games.
///
/// All games are held in memory, some 20 kilobytes each: a sample of a corpus is enough. The same games
/// make the same tokenizer.
#[derive(Args)]
#[command(
    override_usage = "chess-tokens train-bpe [OPTIONS] <GAMES>... <OUT>",
    after_long_help = "\
Examples:
  chess-tokens train-bpe games.pgn.zst bpe.json --limit-games 100000"
)]
pub(crate) struct TrainBpe {
    /// The files of games, one after another, and the file of the tokenizer
    #[arg(required = true, num_args = 1.., value_name = "GAMES|OUT")]
    paths: Vec<PathBuf>,
    /// How many tokens the vocabulary has at most
    #[arg(long, value_name = "N", default_value_t = BpeTokenizer::DEFAULT_VOCAB_SIZE)]
    vocab_size: usize,
    /// Only the first N games
    #[arg(long, value_name = "N", default_value_t = usize::MAX, hide_default_value = true)]
    limit_games: usize,
    /// Replace a file that is there
    #[arg(short, long)]
    force: bool,
}

impl TrainBpe {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let (inputs, out) = inputs_and_output(&self.paths)?;
        check_output(out, self.force, inputs)?;
        let mut games = Training {
            games: GameFiles::open(inputs)?.games()?,
            left: self.limit_games,
            error: None,
        };
        let trained = BpeTokenizer::train(&mut games, self.vocab_size);
        Failure::if_interrupted("nothing was written")?;
        if let Some(error) = games.error {
            return Err(error.into());
        }
        let tokenizer = trained.map_err(|error| Failure::Other(error.into()))?;
        if games.left == self.limit_games {
            return Err(Failure::data("there are no games to train on"));
        }
        write(out, tokenizer.to_json().as_bytes())?;
        let mut rows = vec![
            ("tokenizer", out.display().to_string()),
            ("tokens", tokenizer.vocab_size().to_string()),
            ("hash", tokenizer.vocab_hash().to_string()),
            ("games", (self.limit_games - games.left).to_string()),
        ];
        rows.extend(left_out(games.games.left_out()));
        print(&facts(&rows))
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), AtomicFileError> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes)
        .map_err(|source| AtomicFileError::Write {
            path: path.to_path_buf(),
            source,
        })?;
    file.finish()
}

/// The games to train on, up to an error or Ctrl-C.
struct Training {
    games: Games,
    left: usize,
    error: Option<SourceError>,
}

impl Iterator for Training {
    type Item = Game;

    fn next(&mut self) -> Option<Game> {
        if self.left == 0 || interrupt::was_asked() {
            return None;
        }
        match self.games.next()? {
            Ok(game) => {
                self.left -= 1;
                Some(game)
            }
            Err(error) => {
                self.error = Some(error);
                None
            }
        }
    }
}
