//! Why a pack cannot be written.

use std::io;
use std::path::PathBuf;

use chess_records::AtomicFileError;
use thiserror::Error;

use crate::pack::MetaError;

/// Why a pack could not be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WritePackError {
    /// The tokenizer cannot be that of a pack: its vocabulary is too large, for example.
    #[error("the tokenizer cannot make a pack")]
    Tokenizer(#[from] MetaError),
    /// Nothing says where the games come from.
    #[error("there are no sources")]
    NoSources,
    /// A label that says nothing.
    #[error("the label of source {index} is empty")]
    EmptyLabel {
        /// The source, counted from 0.
        index: usize,
    },
    /// The folder cannot be made or read.
    #[error("{}: the folder cannot be used", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another writer is at work.
    #[error("{}: another writer is at work in the folder", folder.display())]
    Busy {
        /// The folder.
        folder: PathBuf,
    },
    /// A game without the tokens that every game has.
    #[error("game {game} has {found} tokens, expected <bos> and <eos> at least")]
    TooShort {
        /// The number that the game would have.
        game: u64,
        /// How many tokens.
        found: usize,
    },
    /// The first token does not begin a game.
    #[error("game {game} begins with token {found}, expected 1, <bos>")]
    NoBos {
        /// The number that the game would have.
        game: u64,
        /// The token.
        found: u16,
    },
    /// The last token does not end a game.
    #[error("game {game} ends with token {found}, expected 2, <eos>")]
    NoEos {
        /// The number that the game would have.
        game: u64,
        /// The token.
        found: u16,
    },
    /// A token that the vocabulary does not have.
    #[error(
        "token {index} of game {game} is {found}, expected under {vocab_size}, the size of the vocabulary"
    )]
    Token {
        /// The number that the game would have.
        game: u64,
        /// The token's place in the game.
        index: usize,
        /// The token.
        found: u16,
        /// How many tokens the vocabulary has.
        vocab_size: u32,
    },
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] AtomicFileError),
    /// The old pack's `meta.json` cannot be taken away.
    #[error("{}: cannot be taken away", path.display())]
    Old {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// An earlier game could not be written.
    #[error("an earlier game could not be written")]
    Broken,
}
