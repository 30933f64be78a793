//! The ways of writing a game as tokens.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A way of writing a game as tokens, as `meta.json` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scheme {
    /// `uci`: a token a move, and tokens for the ratings and the result.
    Uci,
    /// `san`: a token a character of the game's text.
    San,
    /// `bpe`: byte pair encoding of the moves in UCI's notation.
    Bpe,
}

/// Why a text names no scheme.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("scheme {found:?}, expected uci, san or bpe")]
#[non_exhaustive]
pub struct SchemeError {
    /// The text, as far as it is worth showing.
    pub found: String,
}

impl Scheme {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Uci, Self::San, Self::Bpe];

    /// The name in `meta.json`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uci => "uci",
            Self::San => "san",
            Self::Bpe => "bpe",
        }
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Scheme {
    type Err = SchemeError;

    fn from_str(text: &str) -> Result<Self, SchemeError> {
        let named = Self::ALL.into_iter().find(|scheme| scheme.name() == text);
        named.ok_or_else(|| SchemeError {
            found: text.chars().take(40).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for scheme in Scheme::ALL {
            assert_eq!(scheme.to_string().parse(), Ok(scheme));
        }
        let error = "UCI".parse::<Scheme>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "scheme \"UCI\", expected uci, san or bpe"
        );
    }
}
