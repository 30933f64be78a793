//! Games to tokens and back.

use std::fmt;

use chess_records::Game;
use thiserror::Error;

use crate::Scheme;

/// Writes games as tokens and reads them back.
///
/// Tokens are 16 bits wide; 0 is padding, 1 begins a game and 2 ends it, in every scheme.
pub trait Tokenizer: Send + Sync {
    /// The scheme, as `meta.json` names it.
    fn scheme(&self) -> Scheme;

    /// How many tokens there are; each is smaller.
    fn vocab_size(&self) -> u32;

    /// The hash that `meta.json` holds, so that a pack is not read with another vocabulary: SHA-256,
    /// as 64 hexadecimal digits.
    fn vocab_hash(&self) -> &str;

    /// Appends the tokens of a whole game.
    ///
    /// # Errors
    ///
    /// When the game cannot be written in this scheme; `tokens` is then as before.
    fn encode(&self, game: &Game, tokens: &mut Vec<u16>) -> Result<(), EncodeError>;

    /// Reads the tokens of a whole game.
    ///
    /// # Errors
    ///
    /// When the tokens are not what [`encode`](Self::encode) gives for some game.
    fn decode(&self, tokens: &[u16]) -> Result<Game, DecodeError>;
}

/// Why a game has no tokens.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// A rating is missing, and the scheme writes ratings.
    #[error("the game has no rating for both sides")]
    NoElo,
}

/// Why tokens are no game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The first token does not begin a game.
    #[error("token 0 does not begin a game")]
    NoStart,
}

impl fmt::Debug for dyn Tokenizer + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tokenizer({})", self.scheme())
    }
}
