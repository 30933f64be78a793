//! `decode`: games of tokens, for pipes.

use std::io::{BufWriter, Write};

use chess_tokens::Tokenizer;
use clap::Args;

use super::{at_line, for_each_line};
use crate::failure::{Failure, chain};
use crate::game_line::GameLine;
use crate::scheme::SchemeArgs;

/// Reads tokens from standard input, a game a line, and prints each game as JSON.
///
/// Tokens are numbers, or names as `encode --names` prints them: a line that begins with a name, such as
/// <bos>, is one of names.
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
    let begins_with_name = words.clone().next().is_some_and(|word| !is_number(word));
    let tokens: Result<Vec<_>, _> = words
        .map(|word| token(tokenizer, word, begins_with_name))
        .collect();
    let game = tokenizer.decode(&tokens?).map_err(|error| chain(&error))?;
    Ok(GameLine::from(&game))
}

fn is_number(word: &str) -> bool {
    word.parse::<u16>().is_ok()
}

/// The token of a number or a name. The names of some tokens of the scheme san are digits, so that it
/// matters which of them is preferred.
fn token(tokenizer: &dyn Tokenizer, word: &str, prefers_name: bool) -> Result<u16, String> {
    let name = if word == "\u{2423}" { " " } else { word };
    let named = || tokenizer.token(name);
    let numbered = || word.parse().ok();
    let token = match prefers_name {
        true => named().or_else(numbered),
        false => numbered().or_else(named),
    };
    token.ok_or_else(|| format!("{word:?} is no token"))
}
