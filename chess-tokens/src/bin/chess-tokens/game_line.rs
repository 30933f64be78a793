//! Games as lines of text.
//!
//! A line is a JSON object, `{"uci":"e2e4 e7e5","result":"1-0","white_elo":1500,"black_elo":1500}`, whose
//! ratings may be null or left out; or the moves and the result alone, `e2e4 e7e5 1-0`.

use chess_records::{Game, UciMove};
use chess_tokens::tokenizer::TextGame;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why a line is no game.
#[derive(Debug, Error)]
pub(crate) enum LineError {
    /// It begins like JSON.
    #[error("not the JSON of a game")]
    Json(#[from] serde_json::Error),
    /// It has no words.
    #[error("the line is empty, expected moves and a result")]
    Empty,
}

/// A game as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GameLine {
    uci: String,
    result: String,
    #[serde(default)]
    white_elo: Option<i32>,
    #[serde(default)]
    black_elo: Option<i32>,
}

impl GameLine {
    pub(crate) fn parse(line: &str) -> Result<Self, LineError> {
        let line = line.trim_ascii();
        if line.starts_with('{') {
            return Ok(serde_json::from_str(line)?);
        }
        let (moves, result) = match line.rsplit_once(|c: char| c.is_ascii_whitespace()) {
            Some(both) => both,
            None if line.is_empty() => return Err(LineError::Empty),
            None => ("", line),
        };
        Ok(Self {
            uci: moves.into(),
            result: result.into(),
            white_elo: None,
            black_elo: None,
        })
    }

    pub(crate) fn game(&self) -> TextGame<'_> {
        TextGame {
            moves: &self.uci,
            result: &self.result,
            white_elo: self.white_elo,
            black_elo: self.black_elo,
        }
    }

    /// As JSON.
    pub(crate) fn json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }

    /// Without ratings.
    pub(crate) fn plain(&self) -> String {
        format!("{} {}", self.uci, self.result).trim_start().into()
    }
}

impl From<&Game> for GameLine {
    fn from(game: &Game) -> Self {
        Self {
            uci: moves(&game.moves),
            result: game.result.pgn().into(),
            white_elo: game.white_elo,
            black_elo: game.black_elo,
        }
    }
}

/// Moves apart by a space.
pub(crate) fn moves(moves: &[UciMove]) -> String {
    let moves: Vec<_> = moves.iter().map(ToString::to_string).collect();
    moves.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let plain = |line: &str| GameLine::parse(line).unwrap().plain();
        for line in ["e2e4 e7e5 1-0", "1/2-1/2"] {
            assert_eq!(plain(line), line);
        }
        let json = r#"{"uci":"e2e4","result":"1-0","white_elo":1500,"black_elo":null}"#;
        assert_eq!(GameLine::parse(json).unwrap().json().unwrap(), json);
        let short = r#" {"uci":"e2e4","result":"1-0"} "#;
        assert_eq!(plain(short), "e2e4 1-0");
        let error = |line: &str| GameLine::parse(line).err().unwrap().to_string();
        assert_eq!(error(" "), "the line is empty, expected moves and a result");
        assert_eq!(error("{}"), "not the JSON of a game");
    }
}
