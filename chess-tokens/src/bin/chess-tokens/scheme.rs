//! Which tokenizer a command is about.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use chess_records::ops::Output;
use chess_tokens::tokenizer::{BpeTokenizer, UciTokenizer};
use chess_tokens::{Scheme, Tokenizer};
use clap::Args;

use crate::failure::Failure;

/// A tokenizer, named on the command line.
#[derive(Args)]
pub(crate) struct SchemeArgs {
    /// How games are written as tokens: uci, san or bpe
    #[arg(long, value_name = "SCHEME")]
    scheme: Scheme,
    #[command(flatten)]
    bpe: BpeArgs,
    /// The rating that the scheme uci writes where a game has none
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    missing_elo: Option<i32>,
}

/// The file of a tokenizer that was trained.
#[derive(Args)]
pub(crate) struct BpeArgs {
    /// The trained tokenizer of the scheme bpe
    #[arg(long, value_name = "FILE")]
    bpe: Option<PathBuf>,
}

impl SchemeArgs {
    pub(crate) fn tokenizer(&self) -> Result<Arc<dyn Tokenizer>, Failure> {
        match (self.scheme, self.missing_elo) {
            (Scheme::Uci, Some(elo)) => Ok(Arc::new(UciTokenizer::new().missing_elo(elo))),
            (_, Some(_)) => Err(Failure::usage(format!(
                "--missing-elo is for the scheme uci; {} writes no ratings",
                self.scheme
            ))),
            (scheme, None) => self.bpe.tokenizer(scheme),
        }
    }
}

impl BpeArgs {
    /// The tokenizer of a scheme.
    pub(crate) fn tokenizer(&self, scheme: Scheme) -> Result<Arc<dyn Tokenizer>, Failure> {
        match (scheme, &self.bpe) {
            (Scheme::Bpe, Some(path)) => Ok(Arc::new(BpeTokenizer::open(path)?)),
            (Scheme::Bpe, None) => Err(Failure::usage(
                "the scheme bpe needs the file of a trained tokenizer: --bpe FILE",
            )),
            (_, Some(path)) => Err(Failure::usage(format!(
                "--bpe {} is for the scheme bpe, and this is {scheme}",
                path.display()
            ))),
            (Scheme::Uci, None) => Ok(Arc::new(UciTokenizer::new())),
            (Scheme::San, None) => san(),
            (other, None) => Err(Failure::usage(format!("the scheme {other} is not known"))),
        }
    }

    /// The tokenizer of a pack, if there is what it needs.
    pub(crate) fn of_pack(&self, scheme: Scheme) -> Result<Option<Arc<dyn Tokenizer>>, Failure> {
        let is_missing = match scheme {
            Scheme::Bpe => self.bpe.is_none(),
            Scheme::San => self.bpe.is_none() && cfg!(not(feature = "shakmaty")),
            _ => false,
        };
        match is_missing {
            true => Ok(None),
            false => self.tokenizer(scheme).map(Some),
        }
    }
}

#[cfg(feature = "shakmaty")]
fn san() -> Result<Arc<dyn Tokenizer>, Failure> {
    Ok(Arc::new(chess_tokens::tokenizer::SanTokenizer::new()))
}

#[cfg(not(feature = "shakmaty"))]
fn san() -> Result<Arc<dyn Tokenizer>, Failure> {
    Err(Failure::usage(
        "the scheme san needs shakmaty (GPL-3.0-or-later), and this tool was built without",
    ))
}

/// Refuses to replace what is there, unless told otherwise.
pub(crate) fn check_free(path: &Path, force: bool) -> Result<(), Failure> {
    match !force && path.exists() {
        true => Err(Failure::usage(format!(
            "{}: is there already; --force replaces it",
            path.display()
        ))),
        false => Ok(()),
    }
}

/// Refuses besides what is no place for a file, and what is an input as well.
pub(crate) fn check_output(path: &Path, force: bool, inputs: &[PathBuf]) -> Result<(), Failure> {
    check_free(path, force)?;
    let checked = Output::replacing(path).check(inputs.iter().map(PathBuf::as_path));
    checked.map_err(|error| Failure::Other(error.into()))
}

/// What is read, and what is written: the last path. They are one list for clap so that options may
/// stand between them.
pub(crate) fn inputs_and_output(paths: &[PathBuf]) -> Result<(&[PathBuf], &Path), Failure> {
    match paths.split_last() {
        Some((out, inputs @ [_, ..])) => Ok((inputs, out)),
        _ => Err(Failure::usage(
            "there is one path only, expected <GAMES>... <OUT>",
        )),
    }
}
