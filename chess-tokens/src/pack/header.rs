//! What the first and last tokens of a game tell.

use chess_records::GameResult;

use crate::Scheme;
use crate::tokenizer::{BOS, EOS, UciToken};

/// The ratings and the result of a game, as far as its tokens tell them without being decoded.
///
/// | scheme | ratings | result |
/// |---|---|---|
/// | `uci` | bands of 100 | yes |
/// | `san` | no | yes |
/// | `bpe` | no | yes |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct GameHeader {
    /// The band of White's rating: its lower end, 600, 700 and so on up to 3200. The first band holds
    /// everything under 700 and the last one everything from 3200 on.
    pub white_elo: Option<u16>,
    /// The band of Black's rating.
    pub black_elo: Option<u16>,
    /// How the game ended.
    pub result: Option<GameResult>,
}

/// The tokens of `san`'s results with the space before them: ` 1-0`, ` 0-1` and ` 1/2-1/2`.
const SAN_RESULTS: [(&[u16], GameResult); 3] = [
    (&[3, 9, 6, 8], GameResult::WhiteWon),
    (&[3, 8, 6, 9], GameResult::BlackWon),
    (&[3, 9, 34, 10, 6, 9, 34, 10], GameResult::Draw),
];

impl GameHeader {
    /// Looks at the first and the last tokens of a whole game.
    #[must_use]
    pub fn new(scheme: Scheme, tokens: &[u16]) -> Self {
        let [BOS, inner @ .., EOS] = tokens else {
            return Self::default();
        };
        match scheme {
            Scheme::Uci => Self::of_uci(inner),
            Scheme::San => Self {
                result: san_result(inner),
                ..Self::default()
            },
            Scheme::Bpe => Self {
                result: inner.last().and_then(|&last| result(last)),
                ..Self::default()
            },
        }
    }

    fn of_uci(inner: &[u16]) -> Self {
        let &[white, black, .., last] = inner else {
            return Self::default();
        };
        Self {
            white_elo: match UciToken::from_id(white) {
                Some(UciToken::WhiteElo(elo)) => Some(elo),
                _ => None,
            },
            black_elo: match UciToken::from_id(black) {
                Some(UciToken::BlackElo(elo)) => Some(elo),
                _ => None,
            },
            result: result(last),
        }
    }
}

/// The result of a token; `bpe` has the special tokens of `uci`.
const fn result(token: u16) -> Option<GameResult> {
    match UciToken::from_id(token) {
        Some(UciToken::Result(result)) => Some(result),
        _ => None,
    }
}

fn san_result(inner: &[u16]) -> Option<GameResult> {
    let found = SAN_RESULTS.iter().find(|(text, _)| inner.ends_with(text));
    found.map(|&(_, result)| result)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(scheme: Scheme, tokens: &[u16]) -> (Option<u16>, Option<u16>, Option<GameResult>) {
        let header = GameHeader::new(scheme, tokens);
        (header.white_elo, header.black_elo, header.result)
    }

    #[test]
    fn of_uci() {
        let uci = |tokens: &[u16]| header(Scheme::Uci, tokens);
        let won = Some(GameResult::WhiteWon);
        assert_eq!(uci(&[1, 8, 61, 99, 5, 2]), (Some(600), Some(3200), won));
        assert_eq!(uci(&[1, 34, 35, 5, 2]), (Some(3200), Some(600), won));
        assert_eq!(uci(&[1, 35, 34, 4, 2]), (None, None, None));
        assert_eq!(uci(&[1, 7, 62, 6, 2]).2, Some(GameResult::BlackWon));
        assert_eq!(uci(&[1, 7, 62, 7, 2]), (None, None, Some(GameResult::Draw)));
    }

    #[test]
    fn of_others() {
        let bpe = |tokens: &[u16]| header(Scheme::Bpe, tokens);
        assert_eq!(bpe(&[1, 9, 9, 7, 2]), (None, None, Some(GameResult::Draw)));
        assert_eq!(bpe(&[1, 5, 2]).2, Some(GameResult::WhiteWon));
        let san = |tokens: &[u16]| header(Scheme::San, tokens);
        assert_eq!(san(&[1, 3, 9, 6, 8, 2]).2, Some(GameResult::WhiteWon));
        assert_eq!(san(&[1, 3, 8, 6, 9, 2]).2, Some(GameResult::BlackWon));
        assert_eq!(san(&[1, 9, 6, 8, 2]).2, None);
        let draw = [1, 33, 3, 9, 34, 10, 6, 9, 34, 10, 2];
        assert_eq!(san(&draw).2, Some(GameResult::Draw));
    }

    #[test]
    fn what_is_no_game_tells_nothing() {
        for scheme in Scheme::ALL {
            for tokens in [&[][..], &[1], &[1, 2], &[2, 5, 2], &[1, 8, 35, 5], &[5]] {
                assert_eq!(header(scheme, tokens), (None, None, None));
            }
        }
    }
}
