//! `meta.json`: what the tokens of a pack mean, how many there are and where they come from.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::Scheme;

/// The contents of `meta.json`: exactly these six keys, in this order.
///
/// A `Meta` that was read has been [checked](Meta::check).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::exhaustive_structs)] // The format's keys; there are no others.
pub struct Meta {
    /// How many games there are.
    pub n_games: u64,
    /// How many tokens they have together.
    pub n_tokens: u64,
    /// How games are written as tokens.
    #[serde(with = "scheme_serde")]
    pub scheme: Scheme,
    /// How many tokens the vocabulary has; each token is smaller.
    pub vocab_size: u32,
    /// The vocabulary's [hash](crate::Tokenizer::vocab_hash).
    pub vocab_hash: String,
    /// Where the games come from: labels joined with `+`.
    pub source: String,
}

/// Why a text is no `meta.json` of a pack.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MetaError {
    /// It is no JSON, a value is of another type, or a key is missing, there twice or none of the six.
    #[error("not the JSON that describes a pack")]
    Json(#[from] serde_json::Error),
    /// It is JSON, but no object.
    #[error("not the JSON that describes a pack: it begins with {found:?}, expected '{{'")]
    NoObject {
        /// The first character.
        found: char,
    },
    /// The vocabulary has more tokens than 16 bits can tell apart, or not even those that begin and
    /// end a game.
    #[error("vocab_size is {found}, expected {} to {}", Meta::VOCAB_SIZES.0, Meta::VOCAB_SIZES.1)]
    VocabSize {
        /// The size.
        found: u32,
    },
    /// The hash is none.
    #[error("vocab_hash is {found:?}, expected 64 digits 0 to 9 and a to f")]
    VocabHash {
        /// The start of what is written there.
        found: String,
    },
    /// So many tokens cannot be so many games.
    #[error("n_games is {n_games} and n_tokens {n_tokens}, expected 2 tokens a game or more")]
    Counts {
        /// The number of games.
        n_games: u64,
        /// The number of tokens.
        n_tokens: u64,
    },
    /// So many tokens fit into no file.
    #[error("n_tokens is {found}, expected at most {}", Meta::MOST_TOKENS)]
    TooManyTokens {
        /// The number of tokens.
        found: u64,
    },
}

/// Why a `meta.json` could not be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MetaReadError {
    /// The file cannot be read.
    #[error("{}: cannot be read", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is far larger than any description of a pack.
    #[error("{}: has over {most} bytes", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// The most that is read.
        most: u64,
    },
    /// The file is no description of a pack.
    #[error("{}", path.display())]
    Meta {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: MetaError,
    },
}

impl Meta {
    /// The name of the file.
    pub const FILE_NAME: &str = "meta.json";
    /// The most tokens that a pack can have: their bytes and a header fit into a file.
    pub const MOST_TOKENS: u64 = 1 << 61;
    /// The least and the most tokens of a vocabulary.
    const VOCAB_SIZES: (u32, u32) = (3, 1 << 16);
    /// The longest file that is read: far over what a list of ten thousand sources needs.
    pub const MOST_BYTES: u64 = 1 << 24;

    /// Checks what can be checked without the other files: that the vocabulary fits into 16 bits,
    /// that the hash looks like one and that the numbers of games and tokens go together.
    ///
    /// # Errors
    ///
    /// A [`MetaError`] for the first thing that is wrong.
    pub fn check(&self) -> Result<(), MetaError> {
        check_vocab_size(self.vocab_size)?;
        if !is_hash(&self.vocab_hash) {
            let found = self.vocab_hash.chars().take(70).collect();
            return Err(MetaError::VocabHash { found });
        }
        let (n_games, n_tokens) = (self.n_games, self.n_tokens);
        if n_tokens > Self::MOST_TOKENS {
            return Err(MetaError::TooManyTokens { found: n_tokens });
        }
        if n_games > n_tokens / 2 || (n_games == 0 && n_tokens > 0) {
            return Err(MetaError::Counts { n_games, n_tokens });
        }
        Ok(())
    }

    /// Reads and [checks](Meta::check) the text of a `meta.json`.
    ///
    /// # Errors
    ///
    /// A [`MetaError`] for the first thing that is wrong.
    pub fn from_json(text: impl AsRef<[u8]>) -> Result<Self, MetaError> {
        let text = text.as_ref();
        let first = text.iter().find(|byte| !byte.is_ascii_whitespace());
        // An array of six values would do for serde.
        if let Some(&first @ (b'[' | b'"')) = first {
            let found = char::from(first);
            return Err(MetaError::NoObject { found });
        }
        let meta: Self = serde_json::from_slice(text)?;
        meta.check()?;
        Ok(meta)
    }

    /// Reads the file `meta.json`.
    ///
    /// # Errors
    ///
    /// A [`MetaReadError`] that names the file.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, MetaReadError> {
        let path = path.as_ref();
        let file = File::open(path).map_err(|source| MetaReadError::Io {
            path: path.to_path_buf(),
            source,
        })?;
        Self::read_from(&file, path)
    }

    /// Reads a file that was opened.
    pub(super) fn read_from(file: &File, path: &Path) -> Result<Self, MetaReadError> {
        let path = || path.to_path_buf();
        let (mut text, most) = (Vec::new(), Self::MOST_BYTES);
        match file.take(most + 1).read_to_end(&mut text) {
            Err(source) => {
                let path = path();
                Err(MetaReadError::Io { path, source })
            }
            Ok(bytes) if bytes as u64 > most => {
                let path = path();
                Err(MetaReadError::TooLong { path, most })
            }
            Ok(_) => Self::from_json(text).map_err(|source| {
                let path = path();
                MetaReadError::Meta { path, source }
            }),
        }
    }

    /// The text, byte for byte as Python writes it: an indent of 2, ASCII alone, a line feed at the
    /// end.
    #[must_use]
    pub fn to_json(&self) -> String {
        let Self {
            n_games,
            n_tokens,
            scheme,
            vocab_size,
            vocab_hash,
            source,
        } = self;
        let (hash, source) = (python_string(vocab_hash), python_string(source));
        let lines = [
            format!("\"n_games\": {n_games}"),
            format!("\"n_tokens\": {n_tokens}"),
            format!("\"scheme\": \"{scheme}\""),
            format!("\"vocab_size\": {vocab_size}"),
            format!("\"vocab_hash\": {hash}"),
            format!("\"source\": {source}"),
        ];
        format!("{{\n  {}\n}}\n", lines.join(",\n  "))
    }
}

pub(super) const fn check_vocab_size(found: u32) -> Result<(), MetaError> {
    let (least, most) = Meta::VOCAB_SIZES;
    if least <= found && found <= most {
        return Ok(());
    }
    Err(MetaError::VocabSize { found })
}

pub(super) fn is_hash(text: &str) -> bool {
    text.len() == 64
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// A string as Python's `json.dumps` writes it.
fn python_string(text: &str) -> String {
    let mut json = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\n' => json.push_str("\\n"),
            '\r' => json.push_str("\\r"),
            '\t' => json.push_str("\\t"),
            '\u{8}' => json.push_str("\\b"),
            '\u{c}' => json.push_str("\\f"),
            ' '..='~' => json.push(character),
            _ => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    // Writing to a string cannot fail.
                    let _ = write!(json, "\\u{unit:04x}");
                }
            }
        }
    }
    json.push('"');
    json
}

/// Schemes by their names.
pub(crate) mod scheme_serde {
    use serde::de::{Error as _, Unexpected};
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::Scheme;

    // serde asks for a reference.
    #[allow(clippy::trivially_copy_pass_by_ref)]
    pub(crate) fn serialize<S: Serializer>(
        scheme: &Scheme,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(scheme.name())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Scheme, D::Error> {
        let name = String::deserialize(deserializer)?;
        let found = name.parse();
        found.map_err(|_| D::Error::invalid_value(Unexpected::Str(&name), &"uci, san or bpe"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error;

    const UCI: &str = include_str!("../../tests/golden/uci/meta.json");

    fn meta() -> Meta {
        Meta::from_json(UCI).unwrap()
    }

    fn error(from: &str, to: &str) -> String {
        assert!(UCI.contains(from), "{from}");
        let error = Meta::from_json(UCI.replace(from, to)).unwrap_err();
        match error.source() {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        }
    }

    #[test]
    fn what_is_read_is_written_again() {
        let meta = meta();
        assert_eq!((meta.n_games, meta.n_tokens), (186, 14454));
        assert_eq!((meta.scheme, meta.vocab_size), (Scheme::Uci, 2030));
        assert_eq!(meta.source, "games.pgn");
        assert_eq!(meta.to_json(), UCI);
    }

    /// `json.dumps("…\x7f\U0001f600\"\\\n\t\b\f\r\x01")` in Python.
    #[test]
    fn texts_are_escaped_as_python_does() {
        let source = "\u{e9}…\u{7f}\u{1f600}\"\\\n\t\u{8}\u{c}\r\u{1}";
        let meta = Meta {
            source: source.to_owned(),
            ..meta()
        };
        let json = meta.to_json();
        assert!(json.contains(r#""source": "\u00e9\u2026\u007f\ud83d\ude00\"\\\n\t\b\f\r\u0001""#));
        assert_eq!(Meta::from_json(json).unwrap(), meta);
    }

    #[test]
    fn other_keys_are_refused() {
        let json = "not the JSON that describes a pack: ";
        for (from, to, text) in [
            ("n_games", "games", "unknown field `games`, expected one of"),
            ("{", "{\"x\": 1,", "unknown field `x`"),
            ("{", "{\"n_games\": 186,", "duplicate field `n_games`"),
            ("\"n_games\": 186,", "", "missing field `n_games`"),
            (
                ",\n  \"source\": \"games.pgn\"",
                "",
                "missing field `source`",
            ),
            (
                "186",
                "186.0",
                "invalid type: floating point `186.0`, expected u64",
            ),
            ("186", "-1", "invalid value: integer `-1`, expected u64"),
            ("2030", "4294967296", "invalid value: integer `4294967296`"),
            (
                "\"uci\"",
                "\"UCI\"",
                "invalid value: string \"UCI\", expected uci, san or bpe",
            ),
            ("}\n", "}\n{}", "trailing characters"),
            ("}\n", "", "EOF while parsing an object"),
        ] {
            let error = error(from, to);
            let expected = format!("{json}{text}");
            assert!(error.starts_with(&expected), "{error}");
        }
    }

    #[test]
    fn values_that_cannot_be() {
        assert_eq!(
            error("2030", "65537"),
            "vocab_size is 65537, expected 3 to 65536"
        );
        assert_eq!(error("2030", "2"), "vocab_size is 2, expected 3 to 65536");
        assert_eq!(
            error("527c", "527C"),
            "vocab_hash is \"527C5dda224cab570cb84da8f7dcda0f43fe53edaf86822f899568f5dd824b46\", \
             expected 64 digits 0 to 9 and a to f"
        );
        assert!(error("527c", "527").starts_with("vocab_hash is \"5275dda"));
        let few = "n_games is 186 and n_tokens 371, expected 2 tokens a game or more";
        assert_eq!(error("14454", "371"), few);
        assert!(error("186", "0").starts_with("n_games is 0 and n_tokens 14454,"));
        assert_eq!(
            error("14454", "2305843009213693953"),
            "n_tokens is 2305843009213693953, expected at most 2305843009213693952"
        );
        assert!(Meta::from_json(UCI.replace("186", "0").replace("14454", "0")).is_ok());
        assert!(Meta::from_json(UCI.replace("2030", "65536")).is_ok());
    }

    #[test]
    fn an_array_is_no_description() {
        let hash = &meta().vocab_hash;
        let array = format!(" [186, 14454, \"uci\", 2030, \"{hash}\", \"games.pgn\"]");
        assert_eq!(
            Meta::from_json(array).unwrap_err().to_string(),
            "not the JSON that describes a pack: it begins with '[', expected '{'"
        );
        assert!(Meta::from_json("").is_err());
        assert!(Meta::from_json("7").is_err());
    }

    #[test]
    fn files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("meta.json");
        let text = |path: &Path| Meta::read(path).unwrap_err().to_string();
        assert_eq!(text(&path), format!("{}: cannot be read", path.display()));
        std::fs::write(&path, "{}").unwrap();
        assert_eq!(text(&path), path.display().to_string());
        std::fs::write(&path, UCI).unwrap();
        assert_eq!(Meta::read(&path).unwrap(), meta());
        let file = File::create(&path).unwrap();
        file.set_len(Meta::MOST_BYTES + 1).unwrap();
        assert_eq!(
            text(&path),
            format!("{}: has over 16777216 bytes", path.display())
        );
    }
}
