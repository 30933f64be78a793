//! Games to tokens and back.
//!
//! | scheme | tokens | a game |
//! |---|---|---|
//! | [`UciTokenizer`] | 2,030 | `<bos> <w1500> <b1400>`, a token a move, the result, `<eos>` |
#![cfg_attr(
    feature = "bpe",
    doc = "| [`BpeTokenizer`] | 4,096 unless trained otherwise | `<bos>`, the moves in UCI's notation without spaces by byte pair encoding, the result, `<eos>` |"
)]
#![cfg_attr(
    feature = "shakmaty",
    doc = "| [`SanTokenizer`] | 35 | `<bos>`, a token a character of `1.e4 e5 2.Nf3 1-0`, `<eos>` |"
)]
//!
//! Only `uci` writes ratings; games of the others come back without.

#[cfg(feature = "bpe")]
mod bpe;
mod error;
#[cfg(feature = "shakmaty")]
mod legal;
mod mask;
mod read_file;
pub(crate) mod replay;
#[cfg(feature = "shakmaty")]
mod san;
mod text;
mod uci;
mod vocab_hash;

use std::fmt;

use chess_records::{Game, GameResult};

use crate::Scheme;
#[cfg(feature = "bpe")]
#[cfg_attr(docsrs, doc(cfg(feature = "bpe")))]
pub use bpe::{BpeError, BpeTokenizer, OpenBpeError, TrainBpeError};
pub use error::{DecodeError, EncodeError};
pub use mask::{NextTokens, NotNextError, Rules, TokenMask};
pub use read_file::ReadFileError;
#[cfg(feature = "shakmaty")]
#[cfg_attr(docsrs, doc(cfg(feature = "shakmaty")))]
pub use san::SanTokenizer;
pub use text::TextGame;
pub use uci::{OpenVocabularyError, UciToken, UciTokenizer, VocabularyError};

/// Padding, in every scheme.
pub const PAD: u16 = 0;
/// What a game begins with, in every scheme.
pub const BOS: u16 = 1;
/// What a game ends with, in every scheme.
pub const EOS: u16 = 2;

/// Writes games as tokens and reads them back.
///
/// Tokens are 16 bits wide; [`PAD`], [`BOS`] and [`EOS`] are the same in every scheme.
pub trait Tokenizer: Send + Sync {
    /// The scheme, as `meta.json` names it.
    fn scheme(&self) -> Scheme;

    /// How many tokens there are; each is smaller.
    fn vocab_size(&self) -> u32;

    /// The hash that `meta.json` holds, so that a pack is not read with another vocabulary: SHA-256,
    /// as 64 hexadecimal digits.
    fn vocab_hash(&self) -> &str;

    /// A token's name, if it is in the vocabulary.
    fn name(&self, token: u16) -> Option<&str>;

    /// The token of this name, if there is one.
    fn token(&self, name: &str) -> Option<u16>;

    /// Appends the tokens of a whole game.
    ///
    /// # Errors
    ///
    /// When the game cannot be written in this scheme; `tokens` is then as before.
    fn encode(&self, game: &Game, tokens: &mut Vec<u16>) -> Result<(), EncodeError>;

    /// Appends the tokens of a whole game whose moves and result are text.
    ///
    /// # Errors
    ///
    /// When the result is none of `1-0`, `0-1` and `1/2-1/2`, when a move cannot be read and the
    /// scheme has no token for that, and when the game cannot be written; `tokens` is then as before.
    fn encode_text(&self, game: &TextGame<'_>, tokens: &mut Vec<u16>) -> Result<(), EncodeError> {
        self.encode(&game.to_game()?, tokens)
    }

    /// Appends the tokens of a game, `max_len` at most: of a longer one the first, without any of
    /// the result and without [`EOS`], so that they say that the game goes on.
    ///
    /// This is for whoever encodes one game; packs hold whole ones.
    ///
    /// # Errors
    ///
    /// When the game cannot be written in this scheme; `tokens` is then as before.
    fn encode_prefix(
        &self,
        game: &Game,
        max_len: usize,
        tokens: &mut Vec<u16>,
    ) -> Result<(), EncodeError> {
        let start = tokens.len();
        self.encode(game, tokens)?;
        let len = tokens.len() - start;
        if len > max_len {
            let without_end = len.saturating_sub(end_len(self.scheme(), game.result));
            tokens.truncate(start + without_end.min(max_len));
        }
        Ok(())
    }

    /// Reads the tokens of a whole game.
    ///
    /// # Errors
    ///
    /// When the tokens are not what [`encode`](Self::encode) gives for some game: the first that is
    /// wrong is named.
    fn decode(&self, tokens: &[u16]) -> Result<Game, DecodeError>;
}

/// How many tokens the result and [`EOS`] take.
fn end_len(scheme: Scheme, result: GameResult) -> usize {
    match scheme {
        // Its text is written with a space before.
        Scheme::San => 1 + text::result_text(result).len() + 1,
        Scheme::Uci | Scheme::Bpe => 2,
    }
}

impl fmt::Debug for dyn Tokenizer + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tokenizer({})", self.scheme())
    }
}
