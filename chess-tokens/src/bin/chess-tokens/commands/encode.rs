//! `encode`: tokens of games, for pipes.

use std::io::{BufWriter, Write};

use chess_tokens::Tokenizer;
use clap::Args;

use super::{at_line, for_each_line};
use crate::failure::{Failure, chain};
use crate::game_line::GameLine;
use crate::scheme::SchemeArgs;

/// Reads games from standard input, a game a line, and prints the tokens of each.
///
/// A line is a JSON object with uci, result, white_elo and black_elo, such as `decode` prints, or the
/// moves in UCI's notation and the result. The first line that is no game ends the work.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  echo 'e2e4 e7e5 1-0' | chess-tokens encode --scheme uci --missing-elo 1500
  echo '{\"uci\":\"e2e4\",\"result\":\"1-0\",\"white_elo\":1500,\"black_elo\":1600}' |
    chess-tokens encode --scheme uci --names")]
pub(crate) struct Encode {
    #[command(flatten)]
    scheme: SchemeArgs,
    /// Print the names of tokens instead of their numbers
    #[arg(long)]
    names: bool,
    /// Print at most so many tokens of a game; a longer one ends without its result
    #[arg(long, value_name = "N")]
    max_len: Option<usize>,
}

impl Encode {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let tokenizer = self.scheme.tokenizer()?;
        let mut out = BufWriter::new(std::io::stdout().lock());
        let mut tokens = Vec::new();
        for_each_line(|number, line| {
            tokens.clear();
            self.encode(&*tokenizer, line, &mut tokens)
                .map_err(|error| at_line(number, error))?;
            let words: Vec<_> = tokens
                .iter()
                .map(|&token| self.word(&*tokenizer, token))
                .collect();
            Ok(writeln!(out, "{}", words.join(" "))?)
        })?;
        Ok(out.flush()?)
    }

    fn encode(
        &self,
        tokenizer: &dyn Tokenizer,
        line: &str,
        tokens: &mut Vec<u16>,
    ) -> Result<(), String> {
        let line = GameLine::parse(line).map_err(|error| chain(&error))?;
        let game = line.game();
        let encoded = match self.max_len {
            None => tokenizer.encode_text(&game, tokens),
            Some(most) => game
                .to_game()
                .and_then(|game| tokenizer.encode_prefix(&game, most, tokens)),
        };
        encoded.map_err(|error| chain(&error))
    }

    fn word(&self, tokenizer: &dyn Tokenizer, token: u16) -> String {
        match tokenizer.name(token).filter(|_| self.names) {
            // A space is the name of a token of the scheme san.
            Some(" ") => "\u{2423}".into(),
            Some(name) => name.into(),
            None => token.to_string(),
        }
    }
}
