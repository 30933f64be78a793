//! Text records: a line `FEN | score | result` each.
//!
//! ```text
//! rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 | 17 | 1.0
//! FEN, see Position::from_fen                              | score | result
//! ```
//!
//! | field | unit | accepted |
//! |---|---|---|
//! | score | centipawns from White's side | a whole number that fits an `i16` |
//! | result | White's points | `1.0`, `0.5`, `0.0`, the same in brackets (`[1.0]`), `1`, `1/2`, `0` |
//!
//! Fields are separated by `|`; spaces around them do not count. Results are written as `1.0`, `0.5`
//! and `0.0`.

#[cfg(feature = "std")]
mod reader;

#[cfg(feature = "std")]
pub use reader::{TextReadError, TextReader};

use core::fmt;
use core::str::FromStr;

use thiserror::Error;

use crate::encode_error::centipawns_and_result;
use crate::{EncodeError, Excerpt, FenError, GameResult, Label, LabelledPosition, Position, Score};

/// Why a line is no text record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TextError {
    /// The line has not three fields.
    #[error("the line has {found} fields, expected 3: FEN | score | result")]
    Fields {
        /// How many it has.
        found: usize,
    },
    /// The first field is no FEN.
    #[error("the FEN cannot be read")]
    Fen(#[from] FenError),
    /// The score is no whole number of centipawns.
    #[error("the score is {found}, expected centipawns from -32768 to 32767")]
    Score {
        /// What stands there.
        found: Excerpt,
    },
    /// The result is none.
    #[error("the result is {found}, expected 1.0, 0.5 or 0.0")]
    Result {
        /// What stands there.
        found: Excerpt,
    },
}

/// A labelled position as a line of text, without line end; see [`LabelledPosition::text`].
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    position: &'a Position,
    score_cp: i16,
    result: GameResult,
}

impl LabelledPosition {
    /// Reads a line `FEN | score | result` without its line end: the score in centipawns from
    /// White's side, the result White's points (`1.0`, `0.5` or `0.0`; also `[1.0]`, `1`, `1/2`,
    /// `0`).
    ///
    /// # Errors
    ///
    /// A [`TextError`] that names the field and what was found there.
    pub fn from_text(line: &str) -> Result<Self, TextError> {
        let mut fields = line.split('|').map(|field| field.trim_matches(' '));
        let (Some(fen), Some(score), Some(result), None) =
            (fields.next(), fields.next(), fields.next(), fields.next())
        else {
            let found = line.split('|').count();
            return Err(TextError::Fields { found });
        };
        let position = Position::from_fen(fen)?;
        let score = Score::Centipawns(read_score(score)?);
        let label = Label::new(Some(score), Some(read_result(result)?));
        Ok(Self { position, label })
    }

    /// This position and label as a line `FEN | score | result`, without line end. What is unknown
    /// of the clocks is written as [`Position::fen`] does.
    ///
    /// # Errors
    ///
    /// When the label has not both a score in centipawns and a result.
    pub fn text(&self) -> Result<Text<'_>, EncodeError> {
        let (score_cp, result) = centipawns_and_result(self)?;
        Ok(Text {
            position: &self.position,
            score_cp,
            result,
        })
    }
}

impl FromStr for LabelledPosition {
    type Err = TextError;

    fn from_str(line: &str) -> Result<Self, TextError> {
        Self::from_text(line)
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let result = match self.result {
            GameResult::WhiteWon => "1.0",
            GameResult::Draw => "0.5",
            GameResult::BlackWon => "0.0",
        };
        write!(f, "{} | {} | {result}", self.position.fen(), self.score_cp)
    }
}

fn read_score(text: &str) -> Result<i16, TextError> {
    text.parse().map_err(|_| TextError::Score {
        found: Excerpt::of(text),
    })
}

fn read_result(text: &str) -> Result<GameResult, TextError> {
    match text {
        "1.0" | "[1.0]" | "1" => Ok(GameResult::WhiteWon),
        "0.5" | "[0.5]" | "1/2" => Ok(GameResult::Draw),
        "0.0" | "[0.0]" | "0" => Ok(GameResult::BlackWon),
        _ => Err(TextError::Result {
            found: Excerpt::of(text),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::error::Error;
    use std::string::{String, ToString};

    const LINE: &str = "4k3/8/8/8/3pP3/8/8/4K3 b - e3 7 30 | -12 | 0.5";

    #[test]
    fn a_line_comes_back() {
        let labelled: LabelledPosition = LINE.parse().unwrap();
        assert_eq!(labelled.label.score, Some(Score::Centipawns(-12)));
        assert_eq!(labelled.label.result, Some(GameResult::Draw));
        assert_eq!(labelled.text().unwrap().to_string(), LINE);
    }

    #[test]
    fn every_way_to_write_a_result() {
        for (texts, result) in [
            (["1.0", "[1.0]", "1"], GameResult::WhiteWon),
            (["0.5", "[0.5]", "1/2"], GameResult::Draw),
            (["0.0", "[0.0]", "0"], GameResult::BlackWon),
        ] {
            for text in texts {
                let line = std::format!("4k3/8/8/8/8/8/8/4K3 w - -|+3|{text}  ");
                let labelled = LabelledPosition::from_text(&line).unwrap();
                assert_eq!(labelled.label.result, Some(result), "{text}");
                assert_eq!(labelled.label.score, Some(Score::Centipawns(3)));
            }
        }
    }

    #[test]
    fn lines_that_are_no_records() {
        let error = |line: &str| LabelledPosition::from_text(line).unwrap_err();
        let with = |rest: &str| -> String {
            error(&std::format!("4k3/8/8/8/8/8/8/4K3 w - -{rest}")).to_string()
        };
        let fields = "fields, expected 3: FEN | score | result";
        assert_eq!(with(""), std::format!("the line has 1 {fields}"));
        assert_eq!(with("|1|0|"), std::format!("the line has 4 {fields}"));
        assert_eq!(
            with(" | 32768 | 0"),
            "the score is \"32768\", expected centipawns from -32768 to 32767"
        );
        assert_eq!(
            with(" | 0.3 | 0"),
            "the score is \"0.3\", expected centipawns from -32768 to 32767"
        );
        assert_eq!(
            with(" | 3 | 0-1"),
            "the result is \"0-1\", expected 1.0, 0.5 or 0.0"
        );
        let fen = error("| 3 | 0");
        assert_eq!(fen.to_string(), "the FEN cannot be read");
        assert_eq!(
            fen.source().unwrap().to_string(),
            "the placement field is missing"
        );
    }

    #[test]
    fn labels_must_be_whole() {
        let mut labelled: LabelledPosition = LINE.parse().unwrap();
        labelled.label.score = None;
        assert_eq!(labelled.text().unwrap_err(), EncodeError::NoScore);
    }
}
