//! Why a pack cannot be opened, and what can be wrong inside.

use std::io;
use std::path::PathBuf;

use chess_records::npy::HeaderError;
use thiserror::Error;

use super::MetaReadError;
use crate::Scheme;

/// Why a pack could not be opened.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OpenPackError {
    /// There is no `meta.json`, which is written last: there is no pack, or an unfinished one.
    #[error("{}: is no pack, or an unfinished one: it has no meta.json", folder.display())]
    NoMeta {
        /// The pack's folder.
        folder: PathBuf,
    },
    /// There is no `meta.json`, and one that was taken away: a [`PackWriter`](super::PackWriter) is
    /// replacing the pack, was killed while it did, which [`recover`](super::recover) puts right, or
    /// failed.
    #[error(
        "{}: the pack is half replaced: its writer is at work, was killed or failed",
        folder.display()
    )]
    HalfReplaced {
        /// The pack's folder.
        folder: PathBuf,
    },
    /// `meta.json` is not what it should be.
    #[error(transparent)]
    Meta(#[from] MetaReadError),
    /// A file cannot be read.
    #[error("{}: cannot be read", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file is no array of numbers of the right type.
    #[error("{}", path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// What is wrong with its header.
        source: HeaderError,
    },
    /// A file has another number of rows than `meta.json` says.
    #[error("{}: has {found} rows, expected {expected} as in meta.json", path.display())]
    Count {
        /// The file.
        path: PathBuf,
        /// How many rows its header says.
        found: u64,
        /// How many `meta.json` says.
        expected: u64,
    },
    /// A file ends before its last row, or goes on after it.
    #[error("{}: has {found} bytes, expected {expected} for its {rows} rows", path.display())]
    Length {
        /// The file.
        path: PathBuf,
        /// How many rows the header says.
        rows: u64,
        /// How many bytes there are.
        found: u64,
        /// How many there should be.
        expected: u64,
    },
    /// The first or the last game does not start where it can.
    #[error(transparent)]
    Start(#[from] PackFault),
    /// The pack was replaced while it was opened, again and again.
    #[error("{}: was replaced {times} times while it was opened", folder.display())]
    Replaced {
        /// The pack's folder.
        folder: PathBuf,
        /// How often opening was tried.
        times: u32,
    },
}

/// Something in a pack that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}: row {index} at byte {byte_offset}", path.display())]
#[non_exhaustive]
pub struct PackFault {
    /// The file: `starts.npy` or `tokens.npy`.
    pub path: PathBuf,
    /// The number of the row: of `starts.npy` the game's, of `tokens.npy` the token's.
    pub index: u64,
    /// Where the row starts in the file, in bytes.
    pub byte_offset: u64,
    /// What is wrong.
    #[source]
    pub kind: PackFaultKind,
}

/// What is wrong with a row of a pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PackFaultKind {
    /// There are tokens before the first game.
    #[error("the first game starts at token {found}, expected 0")]
    FirstStart {
        /// Where it starts.
        found: i64,
    },
    /// A game starts where the one before it does, or before.
    #[error("the game starts at token {found}, expected one after {previous}, the start before")]
    NotAscending {
        /// Where it starts.
        found: i64,
        /// Where the game before it starts.
        previous: i64,
    },
    /// A game starts after the last token, or before the first.
    #[error("the game starts at token {found} of {n_tokens}")]
    StartOutside {
        /// Where it starts.
        found: i64,
        /// How many tokens there are.
        n_tokens: u64,
    },
    /// A token that the vocabulary does not have.
    #[error("the token is {found}, expected under {vocab_size}, the size of the vocabulary")]
    Token {
        /// The token.
        found: u16,
        /// How many tokens the vocabulary has.
        vocab_size: u32,
    },
    /// The first token of a game does not begin one.
    #[error("game {game} begins with token {found}, expected 1, <bos>")]
    NoBos {
        /// The game's number.
        game: u64,
        /// Its first token.
        found: u16,
    },
    /// The last token of a game does not end it.
    #[error("game {game} ends with token {found}, expected 2, <eos>")]
    NoEos {
        /// The game's number.
        game: u64,
        /// Its last token.
        found: u16,
    },
}

/// Why a tokenizer is not the one that a pack was made with.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TokenizerMismatch {
    /// Another scheme.
    #[error("{}: has scheme {found}, the tokenizer is {expected}", folder.display())]
    Scheme {
        /// The pack's folder.
        folder: PathBuf,
        /// The pack's.
        found: Scheme,
        /// The tokenizer's.
        expected: Scheme,
    },
    /// A vocabulary of another size.
    #[error(
        "{}: has a vocabulary of {found} tokens, the tokenizer one of {expected}",
        folder.display()
    )]
    VocabSize {
        /// The pack's folder.
        folder: PathBuf,
        /// The pack's.
        found: u32,
        /// The tokenizer's.
        expected: u32,
    },
    /// Another vocabulary.
    #[error("{}: has a vocabulary of hash {found}, the tokenizer one of {expected}", folder.display())]
    VocabHash {
        /// The pack's folder.
        folder: PathBuf,
        /// The pack's.
        found: String,
        /// The tokenizer's.
        expected: String,
    },
}
