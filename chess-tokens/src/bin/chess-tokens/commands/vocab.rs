//! `vocab`: the tokens of a scheme.

use std::path::PathBuf;

use chess_tokens::tokenizer::UciTokenizer;
use chess_tokens::{Scheme, Tokenizer};
use clap::Args;
use serde_json::json;

use crate::failure::Failure;
use crate::report::print;
use crate::scheme::BpeArgs;

/// Prints the vocabulary of a scheme: numbers and names of its tokens.
///
/// With --json, the vocabulary of uci is printed as its vocab.json.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  chess-tokens vocab uci --json > vocab.json
  chess-tokens vocab uci --check vocab.json
  chess-tokens vocab bpe --bpe bpe.json --hash")]
pub(crate) struct Vocab {
    /// uci, san or bpe
    #[arg(value_name = "SCHEME")]
    scheme: Scheme,
    #[command(flatten)]
    bpe: BpeArgs,
    /// Print JSON
    #[arg(long, group = "what")]
    json: bool,
    /// Print the hash that packs have in their meta.json
    #[arg(long, group = "what")]
    hash: bool,
    /// Check that a vocab.json has the vocabulary of uci
    #[arg(long, group = "what", value_name = "FILE")]
    check: Option<PathBuf>,
}

impl Vocab {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let tokenizer = self.bpe.tokenizer(self.scheme)?;
        if let Some(path) = &self.check {
            return self.check(path);
        }
        print(&if self.hash {
            format!("{}\n", tokenizer.vocab_hash())
        } else if self.json && self.scheme == Scheme::Uci {
            UciTokenizer::vocabulary_json()
        } else if self.json {
            json(&*tokenizer)
        } else {
            lines(&*tokenizer)
        })
    }

    fn check(&self, path: &std::path::Path) -> Result<(), Failure> {
        if self.scheme != Scheme::Uci {
            return Err(Failure::usage("--check is for the scheme uci"));
        }
        UciTokenizer::check_vocabulary_file(path)?;
        print(&format!("{}: the vocabulary of uci\n", path.display()))
    }
}

fn names(tokenizer: &dyn Tokenizer) -> Vec<&str> {
    let size = u16::try_from(tokenizer.vocab_size() - 1).unwrap_or(u16::MAX);
    let names = (0..=size).map(|token| tokenizer.name(token).unwrap_or_default());
    names.collect()
}

fn lines(tokenizer: &dyn Tokenizer) -> String {
    let numbered = names(tokenizer).into_iter().enumerate();
    numbered
        .map(|(token, name)| format!("{token}\t{name}\n"))
        .collect()
}

fn json(tokenizer: &dyn Tokenizer) -> String {
    let value = json!({
        "scheme": tokenizer.scheme().name(),
        "size": tokenizer.vocab_size(),
        "hash": tokenizer.vocab_hash(),
        "tokens": names(tokenizer),
    });
    format!("{value:#}\n")
}
