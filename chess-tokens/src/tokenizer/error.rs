//! Why a game has no tokens, and tokens are no game.

use chess_records::{Color, UciMove};
use thiserror::Error;

/// Why a game has no tokens. Plies count from 1, White's first move.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// A rating is missing, and the scheme writes ratings.
    #[error("{side} has no rating, and the scheme writes ratings")]
    NoElo {
        /// Whose rating, White's if both are missing.
        side: Color,
    },
    /// The text of a result is none.
    #[error("result {found:?}, expected 1-0, 0-1 or 1/2-1/2")]
    UnknownResult {
        /// The text, or its beginning.
        found: String,
    },
    /// A word is no move in UCI's notation, and the scheme has no token for that.
    #[error("ply {ply} is {found:?}, expected a move like e2e4 or e7e8q")]
    IllegibleMove {
        /// Which ply.
        ply: usize,
        /// The word, or its beginning.
        found: String,
    },
    /// A move is not legal, and the scheme writes legal moves only.
    #[error("ply {ply}, {found}, is not legal")]
    IllegalMove {
        /// Which ply.
        ply: usize,
        /// The move.
        found: UciMove,
    },
    /// A text holds a character that the scheme has no token for.
    #[error("character {found:?} at byte {byte_offset} is not in the vocabulary")]
    Character {
        /// Where, in bytes from the text's start.
        byte_offset: usize,
        /// The character.
        found: char,
    },
}

/// Why tokens are no game. Tokens count from 0, the one that begins the game; plies from 1, White's
/// first move.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// A token is not what must be there.
    #[error("token {index} is {name} ({found}), expected {expected}")]
    Token {
        /// Which token.
        index: usize,
        /// The token.
        found: u16,
        /// Its name.
        name: String,
        /// What must be there.
        expected: &'static str,
    },
    /// A token stands for something that the vocabulary lacks: what the game held is lost.
    #[error("token {index} is <unk> (4): the vocabulary has no name for what the game held")]
    Unknown {
        /// Which token.
        index: usize,
    },
    /// A token is not in the vocabulary.
    #[error("token {index} is {found}, and the vocabulary has {vocab_size}")]
    OutOfVocabulary {
        /// Which token.
        index: usize,
        /// The token.
        found: u16,
        /// How many tokens there are.
        vocab_size: u32,
    },
    /// The tokens end within the game.
    #[error("the tokens end after {len}, expected {expected}")]
    Ended {
        /// How many tokens there are.
        len: usize,
        /// What must follow.
        expected: &'static str,
    },
    /// A move is none, or not legal where it is.
    #[error("ply {ply} from token {index} is {found:?}, which is no legal move")]
    IllegalMove {
        /// The token that it begins in.
        index: usize,
        /// Which ply.
        ply: usize,
        /// Its text, or the beginning.
        found: String,
    },
    /// A legal move is not written as the scheme writes it.
    #[error("ply {ply} from token {index} is {found:?}, expected {expected:?}")]
    Spelling {
        /// The token that it begins in.
        index: usize,
        /// Which ply.
        ply: usize,
        /// Its text, or the beginning.
        found: String,
        /// What the scheme writes.
        expected: String,
    },
    /// What follows the moves is no result.
    #[error(
        "the game ends with {found:?} from token {index}, expected a space and 1-0, 0-1 or 1/2-1/2"
    )]
    Result {
        /// The token that it begins in.
        index: usize,
        /// The text, or its beginning.
        found: String,
    },
    /// Something follows the game's end.
    #[error("token {index} follows the game's end")]
    Trailing {
        /// Which token, the first after the end.
        index: usize,
    },
}

/// An error and what it came from.
#[cfg(test)]
pub(super) fn chain(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", chain(source)),
        None => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoding() {
        let text = |error: EncodeError| error.to_string();
        assert_eq!(
            text(EncodeError::NoElo { side: Color::Black }),
            "Black has no rating, and the scheme writes ratings"
        );
        let found = "e2e5".parse().unwrap();
        assert_eq!(
            text(EncodeError::IllegalMove { ply: 3, found }),
            "ply 3, e2e5, is not legal"
        );
        let (byte_offset, found) = (4, 'é');
        assert_eq!(
            text(EncodeError::Character { byte_offset, found }),
            "character 'é' at byte 4 is not in the vocabulary"
        );
        // The others where they arise.
    }

    #[test]
    fn decoding() {
        let text = |error: DecodeError| error.to_string();
        assert_eq!(
            text(DecodeError::Token {
                index: 3,
                found: 2,
                name: "<eos>".to_owned(),
                expected: "a move or a result"
            }),
            "token 3 is <eos> (2), expected a move or a result"
        );
        assert_eq!(
            text(DecodeError::Unknown { index: 3 }),
            "token 3 is <unk> (4): the vocabulary has no name for what the game held"
        );
        assert_eq!(
            text(DecodeError::OutOfVocabulary {
                index: 3,
                found: 2030,
                vocab_size: 2030
            }),
            "token 3 is 2030, and the vocabulary has 2030"
        );
        assert_eq!(
            text(DecodeError::Ended {
                len: 0,
                expected: "<bos>"
            }),
            "the tokens end after 0, expected <bos>"
        );
        assert_eq!(
            text(DecodeError::Trailing { index: 9 }),
            "token 9 follows the game's end"
        );
    }
}
