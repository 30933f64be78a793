//! Months, and where the stages of a corpus keep them.
//!
//! A stage is a folder with a folder for each month, so that any reader of partitioned Parquet finds
//! `year` and `month` as columns:
//!
//! ```text
//! STAGE/year=2025/month=05/games.parquet
//!                          manifest.json
//! ```

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

/// A month of the calendar, written `2025-05`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month {
    year: u16,
    /// From 1.
    month: u8,
}

/// Months that follow each other, the last one among them: `2025-05..2025-07`, or a single one,
/// `2025-05`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Months {
    first: Month,
    last: Month,
}

/// Why a text or a pair of numbers names no month or months.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MonthError {
    /// The year does not have four digits.
    #[error("year {found}, expected 1000 to 9999")]
    Year {
        /// The year.
        found: u16,
    },
    /// There is no such month in a year.
    #[error("month {found}, expected 1 to 12")]
    Month {
        /// The month.
        found: u8,
    },
    /// The text is not like `2025-05`.
    #[error("month {found:?}, expected four digits, a hyphen and two digits, like 2025-05")]
    Text {
        /// The text, as far as it is worth showing.
        found: String,
    },
    /// A range that ends before it begins.
    #[error("months {first}..{last} end before they begin")]
    Backwards {
        /// The first month.
        first: Month,
        /// The last one.
        last: Month,
    },
}

impl Month {
    /// The file of a stage's month that holds its games.
    pub const GAMES: &str = "games.parquet";

    /// A month of a year, both as people count.
    ///
    /// # Errors
    ///
    /// When the year does not have four digits, or the month is not one of 1 to 12.
    pub const fn new(year: u16, month: u8) -> Result<Self, MonthError> {
        if year < 1000 || year > 9999 {
            return Err(MonthError::Year { found: year });
        }
        if month < 1 || month > 12 {
            return Err(MonthError::Month { found: month });
        }
        Ok(Self { year, month })
    }

    /// The year.
    #[must_use]
    pub const fn year(self) -> u16 {
        self.year
    }

    /// The month in its year, from 1.
    #[must_use]
    pub const fn month(self) -> u8 {
        self.month
    }

    /// The month after this one, unless that is in the year 10000.
    #[must_use]
    pub const fn next(self) -> Option<Self> {
        match self {
            Self {
                year: 9999,
                month: 12,
            } => None,
            Self { year, month: 12 } => Some(Self {
                year: year + 1,
                month: 1,
            }),
            Self { year, month } => Some(Self {
                year,
                month: month + 1,
            }),
        }
    }

    /// The folder of the month below that of a stage, with slashes on every system:
    /// `year=2025/month=05`.
    #[must_use]
    pub fn partition(self) -> String {
        format!("year={:04}/month={:02}", self.year, self.month)
    }

    /// The folder of the month in a stage.
    #[must_use]
    pub fn folder(self, stage: impl AsRef<Path>) -> PathBuf {
        let stage = stage.as_ref();
        stage
            .join(format!("year={:04}", self.year))
            .join(format!("month={:02}", self.month))
    }

    /// The file of the month's games in a stage.
    #[must_use]
    pub fn games(self, stage: impl AsRef<Path>) -> PathBuf {
        self.folder(stage).join(Self::GAMES)
    }

    /// The months that have a folder in a stage, in order. What is named otherwise is passed over, and
    /// a stage that is not there has none.
    ///
    /// # Errors
    ///
    /// When a folder cannot be read.
    pub fn all_in(stage: impl AsRef<Path>) -> io::Result<Vec<Self>> {
        let mut months = Vec::new();
        for (year, folder) in numbered(stage.as_ref(), "year=", 4)? {
            for (month, _) in numbered(&folder, "month=", 2)? {
                months.extend(Self::new(year, month as u8));
            }
        }
        months.sort_unstable();
        Ok(months)
    }
}

/// The folders of a folder that are named by a prefix and a number of so many digits.
fn numbered(folder: &Path, prefix: &str, digits: usize) -> io::Result<Vec<(u16, PathBuf)>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let number = name.and_then(|name| number(name.strip_prefix(prefix)?, digits));
        if let Some(number) = number.filter(|_| path.is_dir()) {
            found.push((number, path));
        }
    }
    Ok(found)
}

/// A number of exactly so many digits.
fn number(text: &str, digits: usize) -> Option<u16> {
    let is_number = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// As in `2025-05`.
impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.year, self.month)
    }
}

impl FromStr for Month {
    type Err = MonthError;

    fn from_str(text: &str) -> Result<Self, MonthError> {
        let numbers = text
            .split_once('-')
            .and_then(|(year, month)| Some((number(year, 4)?, number(month, 2)?)));
        match numbers {
            Some((year, month)) => Self::new(year, month as u8),
            None => Err(MonthError::Text {
                found: text.chars().take(40).collect(),
            }),
        }
    }
}

/// As text.
impl Serialize for Month {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Month {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

impl Months {
    /// The months from the first to the last, both among them.
    ///
    /// # Errors
    ///
    /// When the last one is before the first.
    pub fn new(first: Month, last: Month) -> Result<Self, MonthError> {
        if last < first {
            return Err(MonthError::Backwards { first, last });
        }
        Ok(Self { first, last })
    }

    /// The first month.
    #[must_use]
    pub const fn first(self) -> Month {
        self.first
    }

    /// The last month.
    #[must_use]
    pub const fn last(self) -> Month {
        self.last
    }

    /// The months in order.
    pub fn iter(self) -> impl Iterator<Item = Month> {
        let to_last = move |month: &Month| month.next().filter(|&next| next <= self.last);
        std::iter::successors(Some(self.first), to_last)
    }
}

impl From<Month> for Months {
    fn from(month: Month) -> Self {
        Self {
            first: month,
            last: month,
        }
    }
}

/// As in `2025-05..2025-07`, or `2025-05` of a single month.
impl fmt::Display for Months {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last {
            self.first.fmt(f)
        } else {
            write!(f, "{}..{}", self.first, self.last)
        }
    }
}

impl FromStr for Months {
    type Err = MonthError;

    fn from_str(text: &str) -> Result<Self, MonthError> {
        match text.split_once("..") {
            None => Ok(text.parse::<Month>()?.into()),
            Some((first, last)) => Self::new(first.parse()?, last.parse()?),
        }
    }
}

/// As text.
impl Serialize for Months {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Months {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn month(text: &str) -> Month {
        text.parse().unwrap()
    }

    #[test]
    fn months_as_text_and_as_folders() {
        let may = Month::new(2025, 5).unwrap();
        assert_eq!((may.year(), may.month()), (2025, 5));
        assert_eq!(may.to_string(), "2025-05");
        assert_eq!(month("2025-05"), may);
        assert_eq!(may.partition(), "year=2025/month=05");
        let games = Path::new("stage/year=2025/month=05/games.parquet");
        assert_eq!(may.games("stage"), games);
        assert_eq!(may.next(), Some(month("2025-06")));
        assert_eq!(month("2025-12").next(), Some(month("2026-01")));
        assert_eq!(month("9999-12").next(), None);
        assert_eq!(serde_json::to_string(&may).unwrap(), "\"2025-05\"");
        assert_eq!(serde_json::from_str::<Month>("\"2025-05\"").unwrap(), may);
    }

    #[test]
    fn ranges() {
        let months: Months = "2024-11..2025-02".parse().unwrap();
        assert_eq!(
            (months.first(), months.last()),
            (month("2024-11"), month("2025-02"))
        );
        let listed: Vec<_> = months.iter().map(|month| month.to_string()).collect();
        assert_eq!(listed, ["2024-11", "2024-12", "2025-01", "2025-02"]);
        assert_eq!(months.to_string(), "2024-11..2025-02");
        let single: Months = "2025-05".parse().unwrap();
        assert_eq!(single, month("2025-05").into());
        assert_eq!(
            (single.iter().count(), &*single.to_string()),
            (1, "2025-05")
        );
        let to_the_end: Months = "9999-11..9999-12".parse().unwrap();
        assert_eq!(to_the_end.iter().count(), 2);
        let json = serde_json::to_string(&months).unwrap();
        assert_eq!(serde_json::from_str::<Months>(&json).unwrap(), months);
    }

    #[test]
    fn what_names_no_months() {
        let error = |text: &str| text.parse::<Months>().unwrap_err().to_string();
        assert_eq!(error("2025-13"), "month 13, expected 1 to 12");
        assert_eq!(error("2025-00"), "month 0, expected 1 to 12");
        assert_eq!(error("0999-01"), "year 999, expected 1000 to 9999");
        assert_eq!(
            error("2025-07..2025-05"),
            "months 2025-07..2025-05 end before they begin"
        );
        for text in [
            "",
            "2025",
            "2025-5",
            "25-05",
            "2025-05-01",
            "+202-05",
            "2025-+5",
        ] {
            let expected = format!(
                "month {text:?}, expected four digits, a hyphen and two digits, like 2025-05"
            );
            assert_eq!(error(text), expected);
        }
        assert!(error("2025-05..").starts_with("month \"\""));
        assert!(serde_json::from_str::<Month>("\"May\"").is_err());
    }

    #[test]
    fn months_on_disk() {
        let folder = tempfile::tempdir().unwrap();
        let stage = folder.path();
        assert_eq!(Month::all_in(stage.join("missing")).unwrap(), []);
        for text in ["2025-06", "2024-12", "2025-05"] {
            fs::create_dir_all(month(text).folder(stage)).unwrap();
        }
        for other in [
            "year=2025/month=13",
            "year=2025/month=5",
            "year=25/month=01",
        ] {
            fs::create_dir_all(stage.join(other)).unwrap();
        }
        fs::write(stage.join("year=2023"), "a file").unwrap();
        let found: Vec<_> = Month::all_in(stage).unwrap();
        assert_eq!(found, ["2024-12", "2025-05", "2025-06"].map(month));
    }
}
