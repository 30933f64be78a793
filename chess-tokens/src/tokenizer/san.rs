//! The `san` scheme: a token a character.

use std::fmt::Write;
use std::sync::LazyLock;

use chess_records::{Game, UciMove};
use shakmaty::san::SanPlus;
use shakmaty::{Chess, Color, Position};

use super::legal::legal_move;
use super::text::{excerpt, result_of_text, result_text};
use super::vocab_hash::hash_of_names;
use super::{BOS, DecodeError, EOS, EncodeError, Tokenizer};
use crate::Scheme;

/// The characters, each a token; the first is [`FIRST`].
const SYMBOLS: &str = " #+-.0123456789=BKNOQRabcdefghx/";
const SPECIALS: [&str; 3] = ["<pad>", "<bos>", "<eos>"];
const FIRST: u16 = SPECIALS.len() as u16;
const VOCAB_SIZE: usize = SPECIALS.len() + SYMBOLS.len();
/// In the tables of characters and tokens: there is none.
const NONE: u8 = 0;

/// The token of each byte.
static IDS: [u8; 256] = {
    let mut ids = [NONE; 256];
    let mut index = 0;
    while index < SYMBOLS.len() {
        ids[SYMBOLS.as_bytes()[index] as usize] = FIRST as u8 + index as u8;
        index += 1;
    }
    ids
};

/// The tokenizer of the `san` scheme: `<bos>`, the characters of `1.e4 e5 2.Nf3 1-0`, `<eos>`.
///
/// The 35 tokens are fixed. Moves are written as in PGN, with `+` for check and `#` for mate, a
/// number and a full stop before White's, and single spaces between; of a game without moves, the
/// space before the result is there too. Ratings are not written.
///
/// The text depends on which moves are legal, so games must be legal from the first move to the
/// last, and tokens are read by playing the game again. A text that says the same in other words
/// (`2.Ngf3` where only one knight can go, a sign too many) is refused.
///
/// shakmaty knows the rules and is GPL-3.0-or-later: a binary built with the feature `shakmaty` must
/// be distributed under its terms.
///
/// ```
/// use chess_records::{Game, GameResult};
/// use chess_tokens::{Tokenizer, tokenizer::SanTokenizer};
///
/// let game = Game {
///     moves: vec!["f2f3".parse()?, "e7e5".parse()?, "g2g4".parse()?, "d8h4".parse()?],
///     result: GameResult::BlackWon,
///     white_elo: None,
///     black_elo: None,
/// };
/// let mut tokens = Vec::new();
/// let san = SanTokenizer::new();
/// san.encode(&game, &mut tokens)?;
/// let text = &tokens[1..tokens.len() - 1];
/// let text: String = text.iter().filter_map(|&token| san.name(token)).collect();
/// assert_eq!(text, "1.f3 e5 2.g4 Qh4# 0-1");
/// assert_eq!(san.decode(&tokens)?, game);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SanTokenizer;

impl SanTokenizer {
    /// The tokenizer.
    #[must_use]
    pub const fn new() -> Self {
        Self
    }

    /// Appends the tokens of a text as it stands, with [`BOS`] before and [`EOS`] behind. Whether
    /// it is a game is not looked at.
    ///
    /// # Errors
    ///
    /// [`EncodeError::Character`]; `tokens` is then as before.
    pub fn encode_san(&self, text: &str, tokens: &mut Vec<u16>) -> Result<(), EncodeError> {
        let start = tokens.len();
        tokens.reserve(text.len() + 2);
        tokens.push(BOS);
        let ids = text.bytes().map(|byte| IDS[usize::from(byte)]);
        tokens.extend(ids.map(u16::from));
        tokens.push(EOS);
        let of_text = &tokens[start + 1..tokens.len() - 1];
        if let Some(byte_offset) = of_text.iter().position(|&token| token == u16::from(NONE)) {
            tokens.truncate(start);
            // All bytes before are ASCII, so that a character begins here.
            let found = text[byte_offset..].chars().next().unwrap_or_default();
            return Err(EncodeError::Character { byte_offset, found });
        }
        Ok(())
    }
}

impl Tokenizer for SanTokenizer {
    fn scheme(&self) -> Scheme {
        Scheme::San
    }

    fn vocab_size(&self) -> u32 {
        VOCAB_SIZE as u32
    }

    fn vocab_hash(&self) -> &str {
        static HASH: LazyLock<String> =
            LazyLock::new(|| hash_of_names((0..VOCAB_SIZE as u16).filter_map(name)));
        &HASH
    }

    fn name(&self, token: u16) -> Option<&str> {
        name(token)
    }

    fn token(&self, text: &str) -> Option<u16> {
        (0..VOCAB_SIZE as u16).find(|&token| name(token) == Some(text))
    }

    fn encode(&self, game: &Game, tokens: &mut Vec<u16>) -> Result<(), EncodeError> {
        self.encode_san(&san_text(game)?, tokens)
    }

    /// Reads the tokens of a whole game. It has no ratings.
    fn decode(&self, tokens: &[u16]) -> Result<Game, DecodeError> {
        read_game(&text(tokens)?)
    }
}

fn name(token: u16) -> Option<&'static str> {
    let index = usize::from(token);
    match index.checked_sub(SPECIALS.len()) {
        None => Some(SPECIALS[index]),
        Some(symbol) => SYMBOLS.get(symbol..symbol + 1),
    }
}

/// The game's text.
fn san_text(game: &Game) -> Result<String, EncodeError> {
    let mut text = String::with_capacity(game.moves.len() * 8 + 8);
    let mut position = Chess::default();
    for (&found, ply) in game.moves.iter().zip(1..) {
        let played = legal_move(&position, found).ok_or(EncodeError::IllegalMove { ply, found })?;
        if ply > 1 {
            text.push(' ');
        }
        write_move(&mut text, &mut position, played);
    }
    text.push(' ');
    text.push_str(result_text(game.result));
    Ok(text)
}

/// Appends a legal move, with its number if it is White's, and plays it.
fn write_move(text: &mut String, position: &mut Chess, played: shakmaty::Move) {
    if position.turn() == Color::White {
        let _ = write!(text, "{}.", position.fullmoves()); // A `String` takes everything.
    }
    SanPlus::from_move_and_play_unchecked(position, played).append_to_string(text);
}

/// The text between `<bos>` and `<eos>`.
fn text(tokens: &[u16]) -> Result<String, DecodeError> {
    let expected = "a character or <eos>";
    let wrong = |index: usize, expected| match tokens.get(index) {
        None => DecodeError::Ended {
            len: tokens.len(),
            expected,
        },
        Some(&found) => wrong_token(index, found, expected),
    };
    if tokens.first() != Some(&BOS) {
        return Err(wrong(0, "<bos>"));
    }
    let is_symbol = |&token: &u16| (FIRST..VOCAB_SIZE as u16).contains(&token);
    let symbols = tokens[1..].iter().take_while(|token| is_symbol(token));
    let text: String = symbols.filter_map(|&token| name(token)).collect();
    let end = 1 + text.len();
    if tokens.get(end) != Some(&EOS) {
        return Err(wrong(end, expected));
    }
    if tokens.len() > end + 1 {
        return Err(DecodeError::Trailing { index: end + 1 });
    }
    Ok(text)
}

#[cold]
fn wrong_token(index: usize, found: u16, expected: &'static str) -> DecodeError {
    match name(found) {
        None => DecodeError::OutOfVocabulary {
            index,
            found,
            vocab_size: VOCAB_SIZE as u32,
        },
        Some(name) => DecodeError::Token {
            index,
            found,
            name: name.to_owned(),
            expected,
        },
    }
}

/// The game of a text, whose first character is token 1.
fn read_game(text: &str) -> Result<Game, DecodeError> {
    let (moves, end) = text.rsplit_once(' ').unwrap_or(("", text));
    let mut game = Game {
        moves: Vec::with_capacity(moves.len() / 5),
        // A placeholder until the end has been read, so that the first that is wrong is named.
        result: chess_records::GameResult::Draw,
        white_elo: None,
        black_elo: None,
    };
    let mut position = Chess::default();
    let mut expected = String::new();
    let words = if moves.is_empty() { None } else { Some(moves) };
    let mut index = 1;
    for (word, ply) in words.into_iter().flat_map(|text| text.split(' ')).zip(1..) {
        let illegal = || DecodeError::IllegalMove {
            index,
            ply,
            found: excerpt(word),
        };
        let played = san_move(&position, word).ok_or_else(illegal)?;
        game.moves.extend(UciMove::from_shakmaty(played));
        expected.clear();
        write_move(&mut expected, &mut position, played);
        if word != expected {
            return Err(DecodeError::Spelling {
                index,
                ply,
                found: excerpt(word),
                expected,
            });
        }
        index += word.len() + 1;
    }
    // Without moves there is the space all the same.
    let result = result_of_text(end).filter(|_| text.len() > end.len());
    game.result = result.ok_or_else(|| DecodeError::Result {
        index: 1 + text.len() - end.len(),
        found: excerpt(end),
    })?;
    Ok(game)
}

/// The move that a word names, whatever number is before it.
fn san_move(position: &Chess, word: &str) -> Option<shakmaty::Move> {
    let (_, san) = word.split_once('.').unwrap_or(("", word));
    let san = SanPlus::from_ascii(san.as_bytes()).ok()?;
    san.san.to_move(position).ok()
}

#[cfg(test)]
mod tests {
    use chess_records::GameResult;

    use super::*;

    fn game(moves: &str, result: GameResult) -> Game {
        let moves = moves.split_whitespace().map(|text| text.parse().unwrap());
        Game {
            moves: moves.collect(),
            result,
            white_elo: None,
            black_elo: None,
        }
    }

    fn tokens_of(text: &str) -> Vec<u16> {
        let mut tokens = Vec::new();
        SanTokenizer::new().encode_san(text, &mut tokens).unwrap();
        tokens
    }

    #[track_caller]
    fn both_ways(moves: &str, result: GameResult, text: &str) {
        let game = game(moves, result);
        assert_eq!(san_text(&game).unwrap(), text);
        let mut tokens = vec![9];
        SanTokenizer::new().encode(&game, &mut tokens).unwrap();
        assert_eq!(tokens[1..], tokens_of(text));
        assert_eq!(SanTokenizer::new().decode(&tokens[1..]), Ok(game));
    }

    #[test]
    fn names_both_ways() {
        let san = SanTokenizer::new();
        for token in 0..35 {
            assert_eq!(san.token(san.name(token).unwrap()), Some(token));
        }
        assert_eq!(
            (san.name(3), san.name(34), san.name(35)),
            (Some(" "), Some("/"), None)
        );
        assert_eq!((san.token("<unk>"), san.token("")), (None, None));
    }

    #[test]
    fn texts_of_games() {
        both_ways("", GameResult::BlackWon, " 0-1");
        both_ways("e2e4", GameResult::Draw, "1.e4 1/2-1/2");
        both_ways(
            "f2f3 e7e5 g2g4 d8h4",
            GameResult::BlackWon,
            "1.f3 e5 2.g4 Qh4# 0-1",
        );
        // Castling, check, and which of two knights.
        both_ways(
            "g1f3 d7d5 g2g3 c7c5 f1g2 g8f6 e1g1 b8c6 d2d3 c8g4 b1d2 d8a5 d2b3 a5b4 f3d4",
            GameResult::WhiteWon,
            "1.Nf3 d5 2.g3 c5 3.Bg2 Nf6 4.O-O Nc6 5.d3 Bg4 6.Nbd2 Qa5 7.Nb3 Qb4 8.Nfd4 1-0",
        );
        // En passant and promotion.
        both_ways(
            "e2e4 a7a6 e4e5 d7d5 e5d6 a6a5 d6c7 a5a4 c7b8q a8b8",
            GameResult::Draw,
            "1.e4 a6 2.e5 d5 3.exd6 a5 4.dxc7 a4 5.cxb8=Q Rxb8 1/2-1/2",
        );
    }

    #[test]
    fn a_long_game() {
        let long = game(&"g1f3 g8f6 f3g1 f6g8 ".repeat(2500), GameResult::Draw);
        let mut tokens = Vec::new();
        SanTokenizer::new().encode(&long, &mut tokens).unwrap();
        assert_eq!(SanTokenizer::new().decode(&tokens), Ok(long));
    }

    #[test]
    fn games_that_are_not_legal() {
        let error = |moves| {
            let mut tokens = vec![9];
            let game = game(moves, GameResult::Draw);
            let error = SanTokenizer::new().encode(&game, &mut tokens).unwrap_err();
            assert_eq!(tokens, [9]);
            error.to_string()
        };
        assert_eq!(error("e2e4 e7e5 e4e5"), "ply 3, e4e5, is not legal");
        // After mate, none is.
        assert_eq!(
            error("f2f3 e7e5 g2g4 d8h4 a2a3"),
            "ply 5, a2a3, is not legal"
        );
        // Castling as Chess960 writes it.
        let castling = "e2e4 e7e5 g1f3 g8f6 f1e2 f8e7 e1h1";
        assert_eq!(error(castling), "ply 7, e1h1, is not legal");
    }

    #[test]
    fn characters_outside() {
        let error = |text| {
            let mut tokens = vec![9];
            let error = SanTokenizer::new().encode_san(text, &mut tokens);
            assert_eq!(tokens, [9]);
            error.unwrap_err().to_string()
        };
        assert_eq!(
            error("1.e4 é5 1-0"),
            "character 'é' at byte 5 is not in the vocabulary"
        );
        assert_eq!(
            error("e4!"),
            "character '!' at byte 2 is not in the vocabulary"
        );
        assert_eq!(
            error("\0"),
            "character '\\0' at byte 0 is not in the vocabulary"
        );
    }

    #[test]
    fn texts_that_are_no_game() {
        let error = |text| {
            let error = SanTokenizer::new().decode(&tokens_of(text));
            error.unwrap_err().to_string()
        };
        let spelling = |index, ply, found: &str, expected: &str| {
            format!("ply {ply} from token {index} is {found:?}, expected {expected:?}")
        };
        assert_eq!(error("e4 1-0"), spelling(1, 1, "e4", "1.e4"));
        assert_eq!(error("2.e4 1-0"), spelling(1, 1, "2.e4", "1.e4"));
        assert_eq!(error("1.e4+ 1-0"), spelling(1, 1, "1.e4+", "1.e4"));
        assert_eq!(error("1.Ngf3 1-0"), spelling(1, 1, "1.Ngf3", "1.Nf3"));
        assert_eq!(error("1.e4 1.e5 1-0"), spelling(6, 2, "1.e5", "e5"));
        let illegal = |index, ply, found: &str| {
            format!("ply {ply} from token {index} is {found:?}, which is no legal move")
        };
        assert_eq!(error("1.e4 e4 1-0"), illegal(6, 2, "e4"));
        assert_eq!(error("1.e4  e5 1-0"), illegal(6, 2, ""));
        assert_eq!(error(" 1.e4 1-0"), illegal(1, 1, ""));
        assert_eq!(error("1.f3 e5 2.g4 Qh4# 3.a3 0-1"), illegal(19, 5, "3.a3"));
        let result = |index, found: &str| {
            format!(
                "the game ends with {found:?} from token {index}, expected a space and 1-0, 0-1 or \
                 1/2-1/2"
            )
        };
        assert_eq!(error(""), result(1, ""));
        assert_eq!(error("1-0"), result(1, "1-0"));
        assert_eq!(error("1.e4 e5"), result(6, "e5"));
        assert_eq!(error("1.e4 1-0 "), illegal(6, 2, "1-0"));
        assert_eq!(error("1.e4 "), result(6, ""));
    }

    #[test]
    fn tokens_that_are_no_text() {
        let error = |tokens: &[u16]| SanTokenizer::new().decode(tokens).unwrap_err().to_string();
        assert_eq!(error(&[]), "the tokens end after 0, expected <bos>");
        assert_eq!(error(&[2]), "token 0 is <eos> (2), expected <bos>");
        let symbols = "a character or <eos>";
        assert_eq!(
            error(&[1]),
            format!("the tokens end after 1, expected {symbols}")
        );
        assert_eq!(
            error(&[1, 3, 0]),
            format!("token 2 is <pad> (0), expected {symbols}")
        );
        assert_eq!(error(&[1, 35]), "token 1 is 35, and the vocabulary has 35");
        let mut trailing = tokens_of(" 1-0");
        trailing.push(2);
        assert_eq!(error(&trailing), "token 6 follows the game's end");
    }
}
