//! The `uci` scheme: a token a move.

mod token;
mod vocabulary;

use std::path::Path;
use std::sync::LazyLock;

use chess_records::{Color, Game, UciMove};

use super::vocab_hash::hash_of_names;
use super::{BOS, DecodeError, EOS, EncodeError, TextGame, Tokenizer};
use crate::Scheme;
pub use token::UciToken;
use token::{UNK, VOCAB_SIZE, black_elo_id, move_id, result_id, white_elo_id};
pub use vocabulary::{OpenVocabularyError, VocabularyError};

/// The tokenizer of the `uci` scheme: `<bos> <w1500> <b1400>`, a token a move, the result, `<eos>`.
///
/// The 2,030 tokens are fixed; [`UciToken`] says what each stands for. Ratings are written as bands
/// of 100 from 600 to 3200, whatever is below or above in the outermost, and come back as the lower
/// bound of their band. A move that no queen, knight or promoting pawn makes on an empty board is
/// written as `<unk>` and does not come back; whether moves are legal is not looked at.
///
/// ```
/// use chess_records::{Game, GameResult};
/// use chess_tokens::{Tokenizer, tokenizer::UciTokenizer};
///
/// let game = Game {
///     moves: vec!["f2f3".parse()?, "e7e5".parse()?, "g2g4".parse()?, "d8h4".parse()?],
///     result: GameResult::BlackWon,
///     white_elo: Some(623),
///     black_elo: Some(3400),
/// };
/// let mut tokens = Vec::new();
/// let uci = UciTokenizer::new();
/// uci.encode(&game, &mut tokens)?;
/// let names: Vec<_> = tokens.iter().filter_map(|&token| uci.name(token)).collect();
/// assert_eq!(
///     names.join(" "),
///     "<bos> <w0600> <b3200> f2f3 e7e5 g2g4 d8h4 <0-1> <eos>"
/// );
/// let again = uci.decode(&tokens)?;
/// assert_eq!(again.moves, game.moves);
/// assert_eq!(again.elos(), Some((600, 3200)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UciTokenizer {
    missing_elo: Option<i32>,
}

impl UciTokenizer {
    /// A tokenizer that refuses games without both ratings.
    #[must_use]
    pub const fn new() -> Self {
        Self { missing_elo: None }
    }

    /// Writes this rating where a game has none.
    #[must_use]
    pub const fn missing_elo(mut self, elo: i32) -> Self {
        self.missing_elo = Some(elo);
        self
    }

    /// The vocabulary as a file (`vocab.json`) that other programs read.
    #[must_use]
    pub fn vocabulary_json() -> String {
        vocabulary::written()
    }

    /// Checks that the bytes of a `vocab.json` hold the very vocabulary that is built in: the
    /// scheme has no other.
    ///
    /// # Errors
    ///
    /// A [`VocabularyError`] that says what differs.
    pub fn check_vocabulary(json: &[u8]) -> Result<(), VocabularyError> {
        vocabulary::check(json)
    }

    /// [`check_vocabulary`](Self::check_vocabulary) of a file.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or holds another vocabulary.
    pub fn check_vocabulary_file(path: &Path) -> Result<(), OpenVocabularyError> {
        vocabulary::check_file(path)
    }

    fn head(self, white: Option<i32>, black: Option<i32>) -> Result<[u16; 3], EncodeError> {
        let known =
            |elo: Option<i32>, side| elo.or(self.missing_elo).ok_or(EncodeError::NoElo { side });
        let white = known(white, Color::White)?;
        let black = known(black, Color::Black)?;
        Ok([BOS, white_elo_id(white), black_elo_id(black)])
    }
}

/// The token of a word; [`UNK`] if it is no move or there is none.
fn word_id(word: &[u8]) -> u16 {
    UciMove::from_ascii(word).map_or(UNK, move_id)
}

/// Appends the tokens of words with white space between.
fn append_words(text: &str, tokens: &mut Vec<u16>) {
    let mut rest = text.as_bytes();
    loop {
        // Nearly every word is a move of four characters, with one space behind.
        if let [a, b, c, d, b' ', after @ ..] = rest
            && let Ok(played) = UciMove::from_ascii(&[*a, *b, *c, *d])
        {
            tokens.push(move_id(played));
            rest = after;
            continue;
        }
        rest = rest.trim_ascii_start();
        if rest.is_empty() {
            return;
        }
        let end = rest.iter().position(u8::is_ascii_whitespace);
        let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
        tokens.push(word_id(word));
        rest = after;
    }
}

impl Tokenizer for UciTokenizer {
    fn scheme(&self) -> Scheme {
        Scheme::Uci
    }

    fn vocab_size(&self) -> u32 {
        VOCAB_SIZE as u32
    }

    fn vocab_hash(&self) -> &str {
        static HASH: LazyLock<String> =
            LazyLock::new(|| hash_of_names((0..VOCAB_SIZE as u16).filter_map(token::name)));
        &HASH
    }

    fn name(&self, token: u16) -> Option<&str> {
        token::name(token)
    }

    fn token(&self, name: &str) -> Option<u16> {
        UciToken::from_name(name)?.id()
    }

    fn encode(&self, game: &Game, tokens: &mut Vec<u16>) -> Result<(), EncodeError> {
        let head = self.head(game.white_elo, game.black_elo)?;
        tokens.reserve(game.moves.len() + 5);
        tokens.extend(head);
        tokens.extend(game.moves.iter().map(|&played| move_id(played)));
        tokens.extend([result_id(game.result), EOS]);
        Ok(())
    }

    /// Appends the tokens of a whole game whose moves and result are text. A word that is no move
    /// is written as `<unk>`.
    fn encode_text(&self, game: &TextGame<'_>, tokens: &mut Vec<u16>) -> Result<(), EncodeError> {
        let head = self.head(game.white_elo, game.black_elo)?;
        let result = game.game_result()?;
        tokens.reserve(game.moves.len() / 5 + 6); // Moves are four characters at least.
        tokens.extend(head);
        append_words(game.moves, tokens);
        tokens.extend([result_id(result), EOS]);
        Ok(())
    }

    fn encode_prefix(
        &self,
        game: &Game,
        max_len: usize,
        tokens: &mut Vec<u16>,
    ) -> Result<(), EncodeError> {
        let head = self.head(game.white_elo, game.black_elo)?;
        if game.moves.len() + 5 <= max_len {
            return self.encode(game, tokens);
        }
        let moves = game.moves.iter().map(|&played| move_id(played));
        tokens.extend(head.into_iter().chain(moves).take(max_len));
        Ok(())
    }

    /// Reads the tokens of a whole game. Ratings are the lower bounds of their bands.
    fn decode(&self, tokens: &[u16]) -> Result<Game, DecodeError> {
        const MOVE_OR_RESULT: &str = "a move or a result";
        let mut reader = Reader { tokens, index: 0 };
        reader.next("<bos>", |token| (token == UciToken::Bos).then_some(()))?;
        let white_elo = reader.next("White's rating", |token| match token {
            UciToken::WhiteElo(elo) => Some(i32::from(elo)),
            _ => None,
        })?;
        let black_elo = reader.next("Black's rating", |token| match token {
            UciToken::BlackElo(elo) => Some(i32::from(elo)),
            _ => None,
        })?;
        let mut moves = Vec::with_capacity(tokens.len().saturating_sub(5));
        let result = loop {
            let token = reader.next(MOVE_OR_RESULT, |token| match token {
                UciToken::Move(_) | UciToken::Result(_) => Some(token),
                _ => None,
            })?;
            match token {
                UciToken::Move(played) => moves.push(played),
                UciToken::Result(result) => break result,
                _ => {}
            }
        };
        reader.next("<eos>", |token| (token == UciToken::Eos).then_some(()))?;
        reader.finish()?;
        Ok(Game {
            moves,
            result,
            white_elo: Some(white_elo),
            black_elo: Some(black_elo),
        })
    }
}

/// Tokens one after the other.
struct Reader<'a> {
    tokens: &'a [u16],
    index: usize,
}

impl Reader<'_> {
    /// The next token, as what it is taken for.
    fn next<T>(
        &mut self,
        expected: &'static str,
        take: impl FnOnce(UciToken) -> Option<T>,
    ) -> Result<T, DecodeError> {
        let index = self.index;
        let Some(&found) = self.tokens.get(index) else {
            return Err(DecodeError::Ended {
                len: self.tokens.len(),
                expected,
            });
        };
        let token = UciToken::from_id(found).ok_or(DecodeError::OutOfVocabulary {
            index,
            found,
            vocab_size: VOCAB_SIZE as u32,
        })?;
        self.index += 1;
        take(token).ok_or_else(|| wrong(index, token, expected))
    }

    fn finish(self) -> Result<(), DecodeError> {
        if self.index < self.tokens.len() {
            return Err(DecodeError::Trailing { index: self.index });
        }
        Ok(())
    }
}

#[cold]
fn wrong(index: usize, token: UciToken, expected: &'static str) -> DecodeError {
    match token.id() {
        None | Some(UNK) => DecodeError::Unknown { index },
        Some(found) => DecodeError::Token {
            index,
            found,
            name: token.name().to_owned(),
            expected,
        },
    }
}

#[cfg(test)]
mod tests;
