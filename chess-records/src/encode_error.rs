//! Why a label cannot be written.

use thiserror::Error;

use crate::{GameResult, Label, LabelledPosition, Score};

/// Why a labelled position cannot be written in a format that needs a score in centipawns and a
/// result.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The label has no score.
    #[error("the label has no score, expected centipawns")]
    NoScore,
    /// The score is in another unit. Turning it into centipawns needs a scale that only the caller
    /// knows.
    #[error("the score is {found} expected points, expected centipawns")]
    NotCentipawns {
        /// The score, White's expected points.
        found: f32,
    },
    /// The label has no result.
    #[error("the label has no result, expected one")]
    NoResult,
}

/// The parts of a label that marlinformat and text lines hold: White's centipawns and the result.
pub(crate) fn centipawns_and_result(
    labelled: &LabelledPosition,
) -> Result<(i16, GameResult), EncodeError> {
    let Label { score, result } = labelled.label;
    let score_cp = match score {
        Some(Score::Centipawns(score_cp)) => score_cp,
        Some(Score::Expected(found)) => return Err(EncodeError::NotCentipawns { found }),
        None => return Err(EncodeError::NoScore),
    };
    let result = result.ok_or(EncodeError::NoResult)?;
    Ok((score_cp, result))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Position;
    use std::string::ToString;

    #[test]
    fn labels_that_lack_something() {
        let position: Position = "4k3/8/8/8/8/8/8/4K3 w - -".parse().unwrap();
        let label = |score, result| {
            let label = Label::new(score, result);
            centipawns_and_result(&LabelledPosition { position, label })
        };
        let draw = Some(GameResult::Draw);
        assert_eq!(
            label(Some(Score::Centipawns(i16::MIN)), draw),
            Ok((i16::MIN, GameResult::Draw))
        );
        let text = |score, result| label(score, result).unwrap_err().to_string();
        assert_eq!(
            text(None, draw),
            "the label has no score, expected centipawns"
        );
        assert_eq!(
            text(Some(Score::Expected(0.25)), draw),
            "the score is 0.25 expected points, expected centipawns"
        );
        assert_eq!(
            text(Some(Score::Centipawns(1)), None),
            "the label has no result, expected one"
        );
    }
}
