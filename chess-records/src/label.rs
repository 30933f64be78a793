//! What a position is labelled with: a score and the game's result, both from White's side.

use thiserror::Error;

use crate::Color;

/// How a game ended. The numbers are marlinformat's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GameResult {
    /// 0.
    BlackWon,
    /// 1.
    Draw,
    /// 2.
    WhiteWon,
}

/// A number over 2, which is no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("result {found} is over 2 (0 Black won, 1 draw, 2 White won)")]
pub struct GameResultError {
    /// The number given.
    pub found: u8,
}

impl GameResult {
    /// How many results there are.
    pub const COUNT: usize = 3;
    /// Every result, worst for White first.
    pub const ALL: [Self; Self::COUNT] = [Self::BlackWon, Self::Draw, Self::WhiteWon];

    /// The result with this number (0 Black won, 1 draw, 2 White won), if it is under 3.
    #[must_use]
    pub const fn new(index: u8) -> Option<Self> {
        match index {
            0 => Some(Self::BlackWon),
            1 => Some(Self::Draw),
            2 => Some(Self::WhiteWon),
            _ => None,
        }
    }

    /// The result that PGN writes so: `1-0`, `0-1` or `1/2-1/2`.
    #[must_use]
    pub const fn from_pgn(text: &[u8]) -> Option<Self> {
        match text {
            b"1-0" => Some(Self::WhiteWon),
            b"0-1" => Some(Self::BlackWon),
            b"1/2-1/2" => Some(Self::Draw),
            _ => None,
        }
    }

    /// As PGN writes it: `1-0`, `0-1` or `1/2-1/2`.
    #[must_use]
    pub const fn pgn(self) -> &'static str {
        match self {
            Self::WhiteWon => "1-0",
            Self::BlackWon => "0-1",
            Self::Draw => "1/2-1/2",
        }
    }

    /// The result of a game that `winner` won.
    #[must_use]
    pub const fn won_by(winner: Color) -> Self {
        match winner {
            Color::White => Self::WhiteWon,
            Color::Black => Self::BlackWon,
        }
    }

    /// The result with the sides exchanged.
    #[must_use]
    pub const fn flipped(self) -> Self {
        match self {
            Self::BlackWon => Self::WhiteWon,
            Self::Draw => Self::Draw,
            Self::WhiteWon => Self::BlackWon,
        }
    }

    /// The points `side` got: 0, ½ or 1.
    #[must_use]
    pub const fn points(self, side: Color) -> f32 {
        let for_white = self as u8;
        (match side {
            Color::White => for_white,
            Color::Black => 2 - for_white,
        }) as f32
            / 2.0
    }
}

impl TryFrom<u8> for GameResult {
    type Error = GameResultError;

    fn try_from(index: u8) -> Result<Self, GameResultError> {
        Self::new(index).ok_or(GameResultError { found: index })
    }
}

impl From<GameResult> for u8 {
    fn from(result: GameResult) -> Self {
        result as u8
    }
}

/// What somebody thinks of a position, from White's side: positive is good for White.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Score {
    /// Hundredths of a pawn.
    Centipawns(i16),
    /// The expected points of White, 0 (Black wins) to 1 (White wins).
    Expected(f32),
}

impl Score {
    /// The same score from the other side.
    ///
    /// `i16::MIN` centipawns have no counterpart in an `i16` and become `i16::MAX`.
    #[must_use]
    pub const fn flipped(self) -> Self {
        match self {
            Self::Centipawns(score_cp) => Self::Centipawns(match score_cp.checked_neg() {
                Some(flipped) => flipped,
                None => i16::MAX,
            }),
            Self::Expected(points) => Self::Expected(1.0 - points),
        }
    }

    /// The score as `side` sees it; see [`Score::flipped`].
    #[must_use]
    pub const fn seen_by(self, side: Color) -> Self {
        match side {
            Color::White => self,
            Color::Black => self.flipped(),
        }
    }
}

/// What a record says of its position, as far as its format says it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Label {
    /// The score from White's side.
    pub score: Option<Score>,
    /// The result of the game.
    pub result: Option<GameResult>,
}

impl Label {
    /// A label with the parts that are known.
    #[must_use]
    pub const fn new(score: Option<Score>, result: Option<GameResult>) -> Self {
        Self { score, result }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn points_are_seen_from_the_side_asked_for() {
        for (index, result) in GameResult::ALL.into_iter().enumerate() {
            assert_eq!(GameResult::try_from(index as u8), Ok(result));
            assert_eq!(result.points(Color::White), index as f32 / 2.0);
            assert_eq!(result.points(Color::Black), 1.0 - index as f32 / 2.0);
            assert_eq!(
                result.flipped().points(Color::White),
                result.points(Color::Black)
            );
        }
        assert_eq!(GameResult::won_by(Color::Black).points(Color::Black), 1.0);
        assert_eq!(
            GameResult::try_from(3).unwrap_err().to_string(),
            "result 3 is over 2 (0 Black won, 1 draw, 2 White won)"
        );
    }

    #[test]
    fn scores_turn_round() {
        let score = Score::Centipawns(30);
        assert_eq!(score.seen_by(Color::White), score);
        assert_eq!(score.seen_by(Color::Black), Score::Centipawns(-30));
        assert_eq!(
            Score::Centipawns(i16::MIN).flipped(),
            Score::Centipawns(i16::MAX)
        );
        assert_eq!(Score::Expected(0.75).flipped(), Score::Expected(0.25));
    }
}
