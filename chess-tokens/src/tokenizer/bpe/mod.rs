//! The `bpe` scheme: the moves in UCI's notation, joined and cut again where cuts are rare, by the
//! `tokenizers` library.

mod error;
mod file;
mod train;

use std::fmt::Write;
use std::path::Path;

use chess_records::{Game, GameResult, UciMove};
use tokenizers::Model;

use super::read_file::read_file;
use super::text::excerpt;
use super::vocab_hash::sha256;
use super::{BOS, DecodeError, EOS, EncodeError, Tokenizer, replay};
use crate::Scheme;
pub use error::{BpeError, OpenBpeError, TrainBpeError};
use file::{BpeFile, MAX_BYTES, SPECIALS};

const UNK: u16 = 4;

/// A tokenizer of the `bpe` scheme: `<bos>`, the moves in UCI's notation without spaces by byte pair
/// encoding, the result, `<eos>`.
///
/// Its vocabulary comes from a file (`bpe.json`) that the
/// [tokenizers](https://github.com/huggingface/tokenizers) library saves, in Rust or in Python, or
/// from training; that library makes the tokens. Of its options the scheme has none: a model with
/// the eight special tokens first, over a pre-tokenizer that splits at white space. Ratings are not
/// written.
///
/// The joined text alone does not say whether the `b` of `a7a8b…` is a bishop or begins the next
/// move, so tokens are read by playing the game again: it must be legal. To write a game, it need
/// not be.
#[derive(Clone, Debug)]
pub struct BpeTokenizer {
    library: tokenizers::Tokenizer,
    names: Vec<String>,
    hash: String,
}

impl BpeTokenizer {
    /// How many tokens a vocabulary has when nobody says otherwise.
    pub const DEFAULT_VOCAB_SIZE: usize = 4096;

    /// The tokenizer of the bytes of a `bpe.json`.
    ///
    /// # Errors
    ///
    /// A [`BpeError`] that says what does not belong to the scheme.
    pub fn from_json(json: &[u8]) -> Result<Self, BpeError> {
        let file = BpeFile::from_json(json)?;
        let library = file.library()?;
        Ok(Self {
            hash: sha256(&serde_json::to_string(&library)?),
            library,
            names: file.names,
        })
    }

    /// The tokenizer of a file, `bpe.json`.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or holds something else.
    pub fn open(path: &Path) -> Result<Self, OpenBpeError> {
        let json = read_file(path, MAX_BYTES)?;
        Self::from_json(&json).map_err(|source| OpenBpeError::Content {
            path: path.to_owned(),
            source,
        })
    }

    /// The tokenizer as a file (`bpe.json`), byte for byte as the library saves it.
    #[must_use]
    pub fn to_json(&self) -> String {
        let json = self.library.to_string(true);
        json.expect("it was written once, for its hash")
    }
}

impl Tokenizer for BpeTokenizer {
    fn scheme(&self) -> Scheme {
        Scheme::Bpe
    }

    fn vocab_size(&self) -> u32 {
        self.names.len() as u32
    }

    /// The hash that `meta.json` holds: SHA-256 of the file as the library writes it on one line.
    fn vocab_hash(&self) -> &str {
        &self.hash
    }

    fn name(&self, token: u16) -> Option<&str> {
        self.names.get(usize::from(token)).map(String::as_str)
    }

    fn token(&self, name: &str) -> Option<u16> {
        let id = self.library.get_model().token_to_id(name)?;
        u16::try_from(id).ok()
    }

    fn encode(&self, game: &Game, tokens: &mut Vec<u16>) -> Result<(), EncodeError> {
        // The moves are one word without special tokens: the model alone cuts it.
        let cut = self.library.get_model().tokenize(&joined_moves(game));
        let cut = cut.expect("the vocabulary has <unk>, all that the model can lack");
        tokens.push(BOS);
        tokens.extend(cut.iter().map(|token| token.id as u16));
        tokens.extend([result_token(game.result), EOS]);
        Ok(())
    }

    /// Reads the tokens of a whole game. It has no ratings.
    ///
    /// Tokens that cut the same text elsewhere than encoding does are read too.
    fn decode(&self, tokens: &[u16]) -> Result<Game, DecodeError> {
        let (text, result) = self.text(tokens)?;
        let moves = read_moves(&text).map_err(|Illegal { ply, offset }| {
            let rest = &text[offset..text.len().min(offset + 5)];
            DecodeError::IllegalMove {
                index: self.index_of(tokens, offset),
                ply,
                found: excerpt(&String::from_utf8_lossy(rest)),
            }
        })?;
        Ok(Game {
            moves,
            result,
            white_elo: None,
            black_elo: None,
        })
    }
}

impl BpeTokenizer {
    /// The text of the moves, and the result.
    fn text(&self, tokens: &[u16]) -> Result<(Vec<u8>, GameResult), DecodeError> {
        const EXPECTED: &str = "a part of a move or a result";
        self.expect(tokens, 0, BOS, "<bos>")?;
        let mut text = Vec::with_capacity(tokens.len() * 4);
        let mut index = 1;
        let result = loop {
            let Some(&token) = tokens.get(index) else {
                return Err(self.wrong(tokens, index, EXPECTED));
            };
            match (result_of_token(token), self.name(token)) {
                (Some(result), _) => break result,
                (None, Some(name)) if usize::from(token) >= SPECIALS.len() => {
                    text.extend(name.as_bytes());
                }
                _ => return Err(self.wrong(tokens, index, EXPECTED)),
            }
            index += 1;
        };
        self.expect(tokens, index + 1, EOS, "<eos>")?;
        match tokens.len() > index + 2 {
            true => Err(DecodeError::Trailing { index: index + 2 }),
            false => Ok((text, result)),
        }
    }

    fn expect(
        &self,
        tokens: &[u16],
        index: usize,
        token: u16,
        expected: &'static str,
    ) -> Result<(), DecodeError> {
        if tokens.get(index) != Some(&token) {
            return Err(self.wrong(tokens, index, expected));
        }
        Ok(())
    }

    #[cold]
    fn wrong(&self, tokens: &[u16], index: usize, expected: &'static str) -> DecodeError {
        let Some(&found) = tokens.get(index) else {
            return DecodeError::Ended {
                len: tokens.len(),
                expected,
            };
        };
        match self.name(found) {
            None => DecodeError::OutOfVocabulary {
                index,
                found,
                vocab_size: self.vocab_size(),
            },
            Some(_) if found == UNK => DecodeError::Unknown { index },
            Some(name) => DecodeError::Token {
                index,
                found,
                name: excerpt(name),
                expected,
            },
        }
    }

    /// The token that holds a byte of the text.
    fn index_of(&self, tokens: &[u16], offset: usize) -> usize {
        let mut end = 0;
        let ends = tokens[1..].iter().map(|&token| {
            end += self.name(token).map_or(0, str::len);
            end
        });
        1 + ends.take_while(|&end| end <= offset).count()
    }
}

/// The moves without spaces.
fn joined_moves(game: &Game) -> String {
    let mut text = String::with_capacity(game.moves.len() * 5);
    for played in &game.moves {
        let _ = write!(text, "{played}"); // A `String` takes everything.
    }
    text
}

const fn result_token(result: GameResult) -> u16 {
    match result {
        GameResult::WhiteWon => 5,
        GameResult::BlackWon => 6,
        GameResult::Draw => 7,
    }
}

const fn result_of_token(token: u16) -> Option<GameResult> {
    match token {
        5 => Some(GameResult::WhiteWon),
        6 => Some(GameResult::BlackWon),
        7 => Some(GameResult::Draw),
        _ => None,
    }
}

/// A move that is none, or not legal.
struct Illegal {
    ply: usize,
    /// Where in the text.
    offset: usize,
}

/// The moves of a joined text, played as they are read.
fn read_moves(text: &[u8]) -> Result<Vec<UciMove>, Illegal> {
    let mut moves = Vec::with_capacity(text.len() / 4);
    let mut position = replay::start();
    let mut offset = 0;
    while offset < text.len() {
        let ply = moves.len() + 1;
        let illegal = || Illegal { ply, offset };
        let read = |len| {
            let word = text.get(offset..offset + len)?;
            UciMove::from_ascii(word).ok()
        };
        let mut played = read(4).ok_or_else(illegal)?;
        if replay::promotes(&position, played) {
            played = read(5).ok_or_else(illegal)?;
        }
        position = replay::after(&position, played).ok_or_else(illegal)?;
        offset += if played.promotion.is_some() { 5 } else { 4 };
        moves.push(played);
    }
    Ok(moves)
}

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(super) use tests::tokenizer as small_tokenizer;
