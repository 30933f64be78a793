//! Which positions to keep.

use std::ops::RangeInclusive;

use crate::{Board, GameResult, LabelledPosition, Score};

/// Conditions on a position; all of those that are set must hold. What a position does not tell (an
/// unknown move number, a score that is not in centipawns) fulfils no condition.
///
/// ```
/// use chess_records::LabelledPosition;
/// use chess_records::ops::Filter;
///
/// let mut quiet = Filter::default();
/// quiet.score_cp = Some(-1000..=1000);
/// quiet.in_check = Some(false);
/// let check: LabelledPosition = "4k3/8/8/8/8/8/8/4RK2 b - - 0 1 | 500 | 1.0".parse()?;
/// assert!(!quiet.keeps(&check));
/// # Ok::<(), chess_records::TextError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Filter {
    /// Scores in centipawns from White's side.
    pub score_cp: Option<RangeInclusive<i16>>,
    /// How many men there are, both kings among them.
    pub men: Option<RangeInclusive<u32>>,
    /// Move numbers.
    pub fullmove_number: Option<RangeInclusive<u16>>,
    /// Plies since the start of the game, were it started from move 1: 2·(move − 1), and one more if
    /// Black is to move.
    pub ply: Option<RangeInclusive<u32>>,
    /// Plies since the last capture or pawn move.
    pub halfmove_clock: Option<RangeInclusive<u8>>,
    /// Whether the side to move is in check.
    pub in_check: Option<bool>,
    /// The result.
    pub result: Option<GameResult>,
}

impl Filter {
    /// Whether all conditions hold.
    #[must_use]
    pub fn keeps(&self, labelled: &LabelledPosition) -> bool {
        let position = &labelled.position;
        let score_cp = match labelled.label.score {
            Some(Score::Centipawns(score_cp)) => Some(score_cp),
            _ => None,
        };
        let number = position.fullmove_number().map(u16::from);
        holds(&self.score_cp, score_cp)
            && holds(&self.men, Some(position.placement().men()))
            && holds(&self.fullmove_number, number)
            && holds(&self.ply, number.map(|number| ply(position, number)))
            && holds(&self.halfmove_clock, position.halfmove_clock())
            && (self.result.is_none() || self.result == labelled.label.result)
            && self
                .in_check
                .is_none_or(|wanted| wanted == position.in_check())
    }
}

fn holds<T: PartialOrd>(range: &Option<RangeInclusive<T>>, value: Option<T>) -> bool {
    let Some(range) = range else {
        return true;
    };
    value.is_some_and(|value| range.contains(&value))
}

fn ply(board: &impl Board, fullmove_number: u16) -> u32 {
    2 * (u32::from(fullmove_number) - 1) + board.side_to_move().index() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Label, Position};

    fn position(text: &str) -> LabelledPosition {
        LabelledPosition::from_text(text).unwrap()
    }

    fn keeps(set: impl FnOnce(&mut Filter), text: &str) -> bool {
        let mut filter = Filter::default();
        set(&mut filter);
        filter.keeps(&position(text))
    }

    const QUIET: &str = "4k3/8/8/8/8/8/8/4K2R w - - 7 10 | -50 | 1.0";
    const CHECK: &str = "4k3/8/8/8/8/8/8/4RK2 b - - 0 1 | 500 | 0.5";

    #[test]
    fn each_condition() {
        assert!(keeps(|_| (), QUIET) && keeps(|_| (), CHECK));
        assert!(keeps(|f| f.score_cp = Some(-50..=-50), QUIET));
        assert!(!keeps(|f| f.score_cp = Some(-49..=0), QUIET));
        assert!(keeps(|f| f.men = Some(3..=3), QUIET));
        assert!(!keeps(|f| f.men = Some(4..=32), QUIET));
        assert!(keeps(|f| f.fullmove_number = Some(10..=10), QUIET));
        assert!(!keeps(|f| f.fullmove_number = Some(1..=9), QUIET));
        assert!(keeps(|f| f.ply = Some(18..=18), QUIET));
        assert!(keeps(|f| f.ply = Some(1..=1), CHECK));
        assert!(!keeps(|f| f.halfmove_clock = Some(0..=6), QUIET));
        assert!(keeps(|f| f.result = Some(GameResult::WhiteWon), QUIET));
        assert!(!keeps(|f| f.result = Some(GameResult::WhiteWon), CHECK));
    }

    #[test]
    fn checks_are_seen() {
        assert!(keeps(|f| f.in_check = Some(true), CHECK));
        assert!(!keeps(|f| f.in_check = Some(false), CHECK));
        assert!(keeps(|f| f.in_check = Some(false), QUIET));
        for fen in [
            "4k3/3P4/8/8/8/8/8/4K3 b - -",
            "4k3/8/3N4/8/8/8/8/4K3 b - -",
            "4k3/8/8/1B6/8/8/8/4K3 b - -",
            "4k3/8/8/4Q3/8/8/8/3K4 b - -",
            "4k3/8/8/8/8/8/3p4/4K3 w - -",
        ] {
            assert!(Position::from_fen(fen).unwrap().in_check(), "{fen}");
        }
        let blocked = Position::from_fen("4k3/4p3/8/4Q3/8/8/8/3K4 b - -").unwrap();
        assert!(!blocked.in_check());
    }

    #[test]
    fn the_unknown_fulfils_nothing() {
        let mut unknown = position(QUIET);
        unknown.position = Position::from_fen("4k3/8/8/8/8/8/8/4K3 w - -").unwrap();
        unknown.label = Label::new(Some(Score::Expected(0.5)), None);
        let mut filter = Filter::default();
        assert!(filter.keeps(&unknown));
        filter.score_cp = Some(i16::MIN..=i16::MAX);
        assert!(!filter.keeps(&unknown));
        let filter = Filter {
            fullmove_number: Some(0..=u16::MAX),
            ..Filter::default()
        };
        assert!(!filter.keeps(&unknown));
        let filter = Filter {
            result: Some(GameResult::Draw),
            ..Filter::default()
        };
        assert!(!filter.keeps(&unknown));
    }
}
