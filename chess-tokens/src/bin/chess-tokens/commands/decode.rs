//! `decode`: games of tokens, for pipes.

use std::io::{BufWriter, Write};

use chess_tokens::Tokenizer;
use clap::Args;

use super::{at_line, for_each_line};
use crate::failure::{Failure, chain};
use crate::game_line::GameLine;
use crate::scheme::SchemeArgs;

/// Reads tokens from standard input, the numbers (or names, as `encode --names` prints them) of a game a
/// line, and prints each game as JSON.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  echo '1 17 45 997 5 2' | chess-tokens decode --scheme uci
  chess-tokens decode --scheme uci --plain < tokens.txt")]
pub(crate) struct Decode {
    #[command(flatten)]
    scheme: SchemeArgs,
    /// Print moves and result alone
    #[arg(long)]
    plain: bool,
}

impl Decode {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let tokenizer = self.scheme.tokenizer()?;
        let mut out = BufWriter::new(std::io::stdout().lock());
        for_each_line(|number, line| {
            let game = decode(&*tokenizer, line).map_err(|error| at_line(number, error))?;
            let text = match self.plain {
                true => game.plain(),
                false => game.json().map_err(Failure::data)?,
            };
            Ok(writeln!(out, "{text}")?)
        })?;
        Ok(out.flush()?)
    }
}

fn decode(tokenizer: &dyn Tokenizer, line: &str) -> Result<GameLine, String> {
    let words = line.split_ascii_whitespace();
    let tokens: Result<Vec<_>, _> = words.map(|word| token(tokenizer, word)).collect();
    let game = tokenizer.decode(&tokens?).map_err(|error| chain(&error))?;
    Ok(GameLine::from(&game))
}

/// The token of a number, or of a name.
fn token(tokenizer: &dyn Tokenizer, word: &str) -> Result<u16, String> {
    let name = if word == "\u{2423}" { " " } else { word };
    // The names of some tokens of the scheme san are digits, and so are numbers.
    let number = word.parse().ok();
    number
        .or_else(|| tokenizer.token(name))
        .ok_or_else(|| format!("{word:?} is no token"))
}
