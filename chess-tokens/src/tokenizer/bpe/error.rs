//! Why there is no `bpe` tokenizer.

use std::path::PathBuf;

use thiserror::Error;

use super::super::read_file::ReadFileError;

/// Why the bytes of a `bpe.json` make no tokenizer of the `bpe` scheme.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BpeError {
    /// There are more bytes than such a file has.
    #[error("over {max} bytes")]
    TooLarge {
        /// The most that are read.
        max: u64,
    },
    /// The bytes are no JSON.
    #[error("not JSON")]
    Json(#[from] serde_json::Error),
    /// A field is not what the scheme has.
    #[error("{field} is {found}, expected {expected}")]
    Field {
        /// Which.
        field: String,
        /// The value as JSON, or its beginning.
        found: String,
        /// What must be there.
        expected: String,
    },
    /// There are more tokens than 16 bits can tell apart.
    #[error("{found} tokens, expected at most 65536")]
    VocabSize {
        /// How many.
        found: usize,
    },
    /// The number of a token is another's too, or leaves a gap, or is none.
    #[error("the token {name:?} has the id {found}, expected one of its own under {vocab_size}")]
    Id {
        /// The token, or the beginning of its name.
        name: String,
        /// The id as JSON, or its beginning.
        found: String,
        /// How many tokens there are.
        vocab_size: usize,
    },
    /// A special token is another.
    #[error("token {index} is {found:?}, expected {expected:?}")]
    Special {
        /// Which.
        index: usize,
        /// Its name, or the beginning.
        found: String,
        /// What must be there.
        expected: &'static str,
    },
    /// A merge is not two names.
    #[error("merge {index} is {found}, expected two names")]
    Merge {
        /// Which, counted from 0.
        index: usize,
        /// The merge as JSON, or its beginning.
        found: String,
    },
    /// Two tokens are merged twice.
    #[error("merge {index} is there already")]
    RepeatedMerge {
        /// The later of both, counted from 0.
        index: usize,
    },
    /// The library refuses the merges: one needs a token that there is not.
    #[error("the merges do not fit the vocabulary")]
    Library(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Why a file makes no tokenizer of the `bpe` scheme.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OpenBpeError {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadFileError),
    /// It holds something else.
    #[error("{}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: BpeError,
    },
}

/// Why no tokenizer of the `bpe` scheme could be trained.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TrainBpeError {
    /// The vocabulary asked for has no room for the special tokens, or more tokens than 16 bits can
    /// tell apart.
    #[error("a vocabulary of {found} tokens, expected 8 to 65536")]
    VocabSize {
        /// How many were asked for.
        found: usize,
    },
    /// The library failed, or made something that is not of the scheme.
    #[error("training failed")]
    Library(#[source] Box<dyn std::error::Error + Send + Sync>),
}
