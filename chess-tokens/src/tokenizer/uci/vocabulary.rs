//! The vocabulary as a file, `vocab.json`.
//!
//! Keys, in this order: `version` (1), `size` (2030), `specials` (the first eight names), `elo_bins`
//! (`min` 600, `max` 3200, `step` 100) and `tokens` (all names); a line for each value, without
//! indentation, and a newline at the end.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::ser::PrettyFormatter;
use thiserror::Error;

use super::super::read_file::{ReadFileError, read_file};
use super::super::text::excerpt;
use super::token::{SPECIALS, UciToken, VOCAB_SIZE, name};

/// The most bytes that are read; the file has under 17,000.
const MAX_BYTES: u64 = 1 << 20;
const VERSION: u64 = 1;
const MIN_ELO: u16 = UciToken::MIN_ELO;
const MAX_ELO: u16 = UciToken::MAX_ELO;
const ELO_STEP: u16 = UciToken::ELO_STEP;

/// Why the bytes of a `vocab.json` are not the vocabulary of the `uci` scheme.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum VocabularyError {
    /// There are more bytes than such a file has.
    #[error("over {max} bytes")]
    TooLarge {
        /// The most that are read.
        max: u64,
    },
    /// The bytes are no JSON, or lack a key, or have another or one of the wrong kind.
    #[error("not a vocabulary")]
    Json(#[from] serde_json::Error),
    /// The version is another.
    #[error("version {found}, expected {VERSION}")]
    Version {
        /// The version.
        found: u64,
    },
    /// The size is another, or is not the number of tokens.
    #[error("size {found} with {tokens} tokens, expected {VOCAB_SIZE}")]
    Size {
        /// What the file says.
        found: u64,
        /// How many tokens it lists.
        tokens: usize,
    },
    /// The bands of ratings are others.
    #[error(
        "elo_bins from {min} to {max} by {step}, expected {MIN_ELO} to {MAX_ELO} by {ELO_STEP}"
    )]
    EloBins {
        /// The lowest.
        min: i64,
        /// The highest.
        max: i64,
        /// How wide each is.
        step: i64,
    },
    /// The special tokens are others or more or fewer.
    #[error("{found} specials, expected 8")]
    SpecialsCount {
        /// How many.
        found: usize,
    },
    /// A special token is another.
    #[error("special {index} is {found:?}, expected {expected:?}")]
    Special {
        /// Which.
        index: usize,
        /// Its name, or the beginning.
        found: String,
        /// What must be there.
        expected: &'static str,
    },
    /// A name is there twice.
    #[error("token {index} is {found:?} again, which token {first} is")]
    Repeated {
        /// The later of both.
        index: usize,
        /// The earlier.
        first: usize,
        /// The name.
        found: String,
    },
    /// A token is another.
    #[error("token {index} is {found:?}, expected {expected:?}")]
    Token {
        /// Which.
        index: usize,
        /// Its name, or the beginning.
        found: String,
        /// What must be there.
        expected: &'static str,
    },
}

/// Why a file is not the vocabulary of the `uci` scheme.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OpenVocabularyError {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadFileError),
    /// It holds something else.
    #[error("{}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: VocabularyError,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Vocabulary<Name> {
    version: u64,
    size: u64,
    specials: Vec<Name>,
    elo_bins: EloBins,
    tokens: Vec<Name>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EloBins {
    min: i64,
    max: i64,
    step: i64,
}

const ELO_BINS: EloBins = EloBins {
    min: MIN_ELO as i64,
    max: MAX_ELO as i64,
    step: ELO_STEP as i64,
};

pub(super) fn written() -> String {
    let vocabulary = Vocabulary {
        version: VERSION,
        size: VOCAB_SIZE as u64,
        specials: SPECIALS.to_vec(),
        elo_bins: ELO_BINS,
        tokens: (0..VOCAB_SIZE as u16).filter_map(name).collect(),
    };
    let mut json = Vec::new();
    let lines = PrettyFormatter::with_indent(b"");
    let mut writer = serde_json::Serializer::with_formatter(&mut json, lines);
    // A `Vec` takes everything, and nothing here refuses to be written.
    let _ = vocabulary.serialize(&mut writer);
    json.push(b'\n');
    String::from_utf8(json).unwrap_or_default()
}

pub(super) fn check_file(path: &Path) -> Result<(), OpenVocabularyError> {
    let json = read_file(path, MAX_BYTES)?;
    check(&json).map_err(|source| OpenVocabularyError::Content {
        path: path.to_owned(),
        source,
    })
}

pub(super) fn check(json: &[u8]) -> Result<(), VocabularyError> {
    if json.len() as u64 > MAX_BYTES {
        return Err(VocabularyError::TooLarge { max: MAX_BYTES });
    }
    let read: Vocabulary<String> = serde_json::from_slice(json)?;
    check_version(read.version)?;
    check_size(read.size, read.tokens.len())?;
    check_specials(&read.specials)?;
    check_elo_bins(&read.elo_bins)?;
    check_tokens(&read.tokens)
}

fn check_version(found: u64) -> Result<(), VocabularyError> {
    if found != VERSION {
        return Err(VocabularyError::Version { found });
    }
    Ok(())
}

fn check_size(found: u64, tokens: usize) -> Result<(), VocabularyError> {
    if found != VOCAB_SIZE as u64 || tokens != VOCAB_SIZE {
        return Err(VocabularyError::Size { found, tokens });
    }
    Ok(())
}

fn check_specials(specials: &[String]) -> Result<(), VocabularyError> {
    let differs = specials.iter().zip(SPECIALS).position(|(a, b)| a != b);
    if let Some(index) = differs {
        return Err(VocabularyError::Special {
            index,
            found: excerpt(&specials[index]),
            expected: SPECIALS[index],
        });
    }
    if specials.len() != SPECIALS.len() {
        let found = specials.len();
        return Err(VocabularyError::SpecialsCount { found });
    }
    Ok(())
}

fn check_elo_bins(&EloBins { min, max, step }: &EloBins) -> Result<(), VocabularyError> {
    if (min, max, step) != (ELO_BINS.min, ELO_BINS.max, ELO_BINS.step) {
        return Err(VocabularyError::EloBins { min, max, step });
    }
    Ok(())
}

fn check_tokens(tokens: &[String]) -> Result<(), VocabularyError> {
    let expected = |index: usize| name(index as u16).unwrap_or_default();
    let differs = |&index: &usize| tokens[index] != expected(index);
    let Some(index) = (0..tokens.len()).find(differs) else {
        return Ok(());
    };
    let found = excerpt(&tokens[index]);
    // All before are right, so that a name of theirs is there twice.
    let known = UciToken::from_name(&tokens[index]).and_then(UciToken::id);
    match known.map(usize::from).filter(|&first| first < index) {
        Some(first) => Err(VocabularyError::Repeated {
            index,
            first,
            found,
        }),
        None => Err(VocabularyError::Token {
            index,
            found,
            expected: expected(index),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokenizer::error::chain;

    /// What is wrong with the vocabulary once `from` is `to`.
    fn error(from: &str, to: &str) -> String {
        let json = written();
        let changed = json.replacen(from, to, 1);
        assert_ne!(changed, json, "{from} is not there");
        chain(&check(changed.as_bytes()).unwrap_err())
    }

    #[test]
    fn its_own_is_right() {
        check(written().as_bytes()).unwrap();
        // However it is laid out.
        let value: serde_json::Value = serde_json::from_str(&written()).unwrap();
        check(value.to_string().as_bytes()).unwrap();
    }

    #[test]
    fn what_differs() {
        assert_eq!(
            error("\"version\": 1", "\"version\": 2"),
            "version 2, expected 1"
        );
        assert_eq!(
            error("\"size\": 2030", "\"size\": 2031"),
            "size 2031 with 2030 tokens, expected 2030"
        );
        assert_eq!(
            error("\"g1h3\",\n", ""),
            "size 2030 with 2029 tokens, expected 2030"
        );
        assert_eq!(
            error("\"min\": 600", "\"min\": 0"),
            "elo_bins from 0 to 3200 by 100, expected 600 to 3200 by 100"
        );
        assert_eq!(
            error("\"<eos>\"", "\"<end>\""),
            "special 2 is \"<end>\", expected \"<eos>\""
        );
        assert_eq!(
            error("\"<1/2>\"\n", "\"<1/2>\",\n\"<*>\"\n"),
            "9 specials, expected 8"
        );
        assert_eq!(
            error("\"<w0700>\"", "\"<w0600>\""),
            "token 9 is \"<w0600>\" again, which token 8 is"
        );
        assert_eq!(
            error("\"<w0700>\"", "\"<w0800>\""),
            "token 9 is \"<w0800>\", expected \"<w0700>\""
        );
    }

    #[test]
    fn what_is_no_vocabulary() {
        let json = error("\"version\": 1,", "");
        assert_eq!(
            json,
            "not a vocabulary: missing field `version` at line 2051 column 1"
        );
        let json = error("\"version\": 1", "\"version\": 1, \"more\": 1");
        assert!(json.contains("unknown field `more`"), "{json}");
        let json = error("\"version\": 1", "\"version\": 1, \"version\": 1");
        assert!(json.contains("duplicate field `version`"), "{json}");
        let json = error("}\n", "}\n1");
        assert!(json.contains("line"), "{json}");
        let large = written() + &" ".repeat(1 << 20);
        assert_eq!(
            check(large.as_bytes()).unwrap_err().to_string(),
            "over 1048576 bytes"
        );
    }

    #[test]
    fn files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vocab.json");
        let error = || {
            let text = chain(&check_file(&path).unwrap_err());
            text.replace(&path.display().to_string(), "PATH")
        };
        assert!(error().starts_with("PATH: "));
        std::fs::write(&path, "{").unwrap();
        assert!(error().starts_with("PATH: not a vocabulary: "));
        std::fs::write(&path, " ".repeat((1 << 20) + 1)).unwrap();
        assert_eq!(error(), "PATH: over 1048576 bytes");
        std::fs::write(&path, written()).unwrap();
        check_file(&path).unwrap();
    }
}
