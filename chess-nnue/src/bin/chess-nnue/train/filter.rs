//! Which samples are left out.

use chess_records::GameResult;
use chess_records::ops;
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

/// Conditions on samples; all that are set must hold, in training and among those held out. What a
/// sample does not tell fulfils none.
#[derive(Clone, Debug, Default, PartialEq, Args, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "filter")]
#[command(next_help_heading = "Which samples count")]
pub(crate) struct Filter {
    /// No score beyond ± this
    #[arg(long, value_name = "CP")]
    #[serde(skip_serializing_if = "Option::is_none")]
    max_score_cp: Option<i16>,
    /// Only positions where the side to move is in check, or with false only those where it is not
    #[arg(long, value_name = "TRUTH")]
    #[serde(skip_serializing_if = "Option::is_none")]
    in_check: Option<bool>,
    /// At least so many men, both kings among them
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    min_men: Option<u32>,
    /// At most so many men
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    max_men: Option<u32>,
    /// At least so many plies since the start of the game
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    min_ply: Option<u32>,
    /// At most so many plies since the start of the game
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    max_ply: Option<u32>,
    /// At most so many plies since the last capture or pawn move
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    max_halfmove_clock: Option<u8>,
    /// Only games with this result
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<ResultName>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename = "result")]
enum ResultName {
    /// White won
    White,
    /// Nobody won
    Draw,
    /// Black won
    Black,
}

impl Filter {
    /// As the library knows it; nothing if there is no condition.
    pub(crate) fn library(&self) -> Option<ops::Filter> {
        if *self == Self::default() {
            return None;
        }
        let mut filter = ops::Filter::default();
        filter.score_cp = self.max_score_cp.map(|max| -max.max(0)..=max);
        filter.in_check = self.in_check;
        filter.men = range(self.min_men, self.max_men);
        filter.ply = range(self.min_ply, self.max_ply);
        filter.halfmove_clock = self.max_halfmove_clock.map(|max| 0..=max);
        filter.result = self.result.map(|result| match result {
            ResultName::White => GameResult::WhiteWon,
            ResultName::Draw => GameResult::Draw,
            ResultName::Black => GameResult::BlackWon,
        });
        Some(filter)
    }

    /// These conditions with those of `other` in their place where it has any.
    pub(crate) fn overridden_by(&self, other: &Self) -> Self {
        Self {
            max_score_cp: other.max_score_cp.or(self.max_score_cp),
            in_check: other.in_check.or(self.in_check),
            min_men: other.min_men.or(self.min_men),
            max_men: other.max_men.or(self.max_men),
            min_ply: other.min_ply.or(self.min_ply),
            max_ply: other.max_ply.or(self.max_ply),
            max_halfmove_clock: other.max_halfmove_clock.or(self.max_halfmove_clock),
            result: other.result.or(self.result),
        }
    }

    /// The conditions for people, those that are set.
    pub(crate) fn text(&self) -> String {
        let text = toml::to_string(self).unwrap_or_default();
        text.lines().collect::<Vec<_>>().join(", ")
    }
}

fn range(low: Option<u32>, high: Option<u32>) -> Option<std::ops::RangeInclusive<u32>> {
    let is_set = low.is_some() || high.is_some();
    is_set.then(|| low.unwrap_or(0)..=high.unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_become_the_librarys() {
        assert_eq!(Filter::default().library(), None);
        let filter: Filter = toml::from_str(
            "max_score_cp = 2000\nin_check = false\nmin_men = 8\nmin_ply = 16\nmax_ply = 200\n\
             max_halfmove_clock = 20\nresult = \"draw\"",
        )
        .unwrap();
        let mut expected = ops::Filter::default();
        expected.score_cp = Some(-2000..=2000);
        expected.in_check = Some(false);
        expected.men = Some(8..=u32::MAX);
        expected.ply = Some(16..=200);
        expected.halfmove_clock = Some(0..=20);
        expected.result = Some(GameResult::Draw);
        assert_eq!(filter.library(), Some(expected));
        let flags = Filter {
            min_men: Some(5),
            ..Filter::default()
        };
        let both = filter.overridden_by(&flags);
        assert_eq!((both.min_men, both.min_ply), (Some(5), Some(16)));
        assert_eq!(flags.text(), "min_men = 5");
    }
}
