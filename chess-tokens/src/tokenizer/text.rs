//! Games whose moves and result are text.

use chess_records::{Game, GameResult, UciMove};

use super::EncodeError;

/// A game as a row of a table holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // Made by those who bring games of their own.
pub struct TextGame<'a> {
    /// The moves in UCI's notation, with white space between.
    pub moves: &'a str,
    /// `1-0`, `0-1` or `1/2-1/2`.
    pub result: &'a str,
    /// White's rating, if it has one.
    pub white_elo: Option<i32>,
    /// Black's rating, if it has one.
    pub black_elo: Option<i32>,
}

impl TextGame<'_> {
    /// The result.
    pub(super) fn game_result(&self) -> Result<GameResult, EncodeError> {
        result_of_text(self.result).ok_or_else(|| EncodeError::UnknownResult {
            found: excerpt(self.result),
        })
    }

    /// The game, of which every move must be legible.
    ///
    /// # Errors
    ///
    /// When a move or the result is not.
    pub fn to_game(self) -> Result<Game, EncodeError> {
        let words = self.moves.split_ascii_whitespace().zip(1..);
        let moves = words.map(|(word, ply)| {
            UciMove::from_ascii(word.as_bytes()).map_err(|_| EncodeError::IllegibleMove {
                ply,
                found: excerpt(word),
            })
        });
        Ok(Game {
            result: self.game_result()?,
            moves: moves.collect::<Result<_, _>>()?,
            white_elo: self.white_elo,
            black_elo: self.black_elo,
        })
    }
}

/// A result as PGN writes it.
pub(super) const fn result_text(result: GameResult) -> &'static str {
    match result {
        GameResult::WhiteWon => "1-0",
        GameResult::BlackWon => "0-1",
        GameResult::Draw => "1/2-1/2",
    }
}

/// The result that PGN writes like this.
pub(super) fn result_of_text(text: &str) -> Option<GameResult> {
    GameResult::ALL
        .into_iter()
        .find(|&result| result_text(result) == text)
}

/// The beginning of a text, for an error.
pub(super) fn excerpt(text: &str) -> String {
    const MAX_CHARS: usize = 30;
    let mut chars = text.chars();
    let kept: String = chars.by_ref().take(MAX_CHARS).collect();
    match chars.next() {
        None => kept,
        Some(_) => kept + "…",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game<'a>(moves: &'a str, result: &'a str) -> TextGame<'a> {
        TextGame {
            moves,
            result,
            white_elo: Some(1),
            black_elo: None,
        }
    }

    #[test]
    fn texts_of_games() {
        let read = game(" e2e4\te7e5  a7a8q\n", "0-1").to_game().unwrap();
        let moves: Vec<_> = read.moves.iter().map(ToString::to_string).collect();
        assert_eq!(moves, ["e2e4", "e7e5", "a7a8q"]);
        assert_eq!(read.result, GameResult::BlackWon);
        assert_eq!((read.white_elo, read.black_elo), (Some(1), None));
        assert_eq!(game("", "1-0").to_game().unwrap().moves, []);
    }

    #[test]
    fn what_is_no_game() {
        let error = |moves, result| game(moves, result).to_game().unwrap_err().to_string();
        assert_eq!(
            error("e2e4", "*"),
            "result \"*\", expected 1-0, 0-1 or 1/2-1/2"
        );
        assert_eq!(
            error("e2e4", "1/2"),
            "result \"1/2\", expected 1-0, 0-1 or 1/2-1/2"
        );
        assert_eq!(
            error("e2e4 e7e5 Nf3", "1-0"),
            "ply 3 is \"Nf3\", expected a move like e2e4 or e7e8q"
        );
        let long = "é".repeat(40);
        let shown = "é".repeat(30) + "…";
        assert_eq!(
            error(&long, "1-0"),
            format!("ply 1 is {shown:?}, expected a move like e2e4 or e7e8q")
        );
    }
}
