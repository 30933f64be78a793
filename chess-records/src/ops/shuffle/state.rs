//! What is noted of a shuffle's progress.

use std::string::String;
use std::vec::Vec;

/// How far a shuffle is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// So many records are scattered, and the files are of these lengths.
    Scattered { records: u64, lens: Vec<u64> },
    /// All are scattered, and so many stretches are written.
    Gathered { stretches: usize },
}

impl State {
    pub(super) fn text(&self) -> String {
        match self {
            Self::Scattered { records, lens } => {
                let lens: Vec<_> = lens.iter().map(|len| std::format!("{len}")).collect();
                std::format!("scattered {records} {}", lens.join(" "))
            }
            Self::Gathered { stretches } => std::format!("gathered {stretches}"),
        }
    }

    /// `None` for what does not belong to a shuffle of so many stretches.
    pub(super) fn parse(text: &str, stretches: usize) -> Option<Self> {
        let mut words = text.split(' ');
        let kind = words.next()?;
        let numbers: Vec<u64> = words.map(|word| word.parse().ok()).collect::<Option<_>>()?;
        match (kind, &numbers[..]) {
            ("scattered", [records, lens @ ..]) if lens.len() == stretches => {
                let (records, lens) = (*records, lens.to_vec());
                Some(Self::Scattered { records, lens })
            }
            ("gathered", &[done]) if done <= stretches as u64 => {
                let stretches = done as usize;
                Some(Self::Gathered { stretches })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;

    #[test]
    fn states_as_text() {
        for state in [
            State::Scattered {
                records: 7,
                lens: vec![1, 2, 3],
            },
            State::Gathered { stretches: 2 },
        ] {
            assert_eq!(State::parse(&state.text(), 3), Some(state));
        }
        for text in [
            "",
            "gathered",
            "gathered 4",
            "scattered 7 1 2",
            "scattered 7 1 2 x",
            "done 1",
        ] {
            assert_eq!(State::parse(text, 3), None, "{text}");
        }
    }
}
