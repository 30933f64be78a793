//! What is noted of a search for duplicates.

use std::string::String;
use std::vec::Vec;

/// How far it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// So many records are scattered, and the files are of these lengths.
    Scattered { records: u64, lens: Vec<u64> },
    /// All are scattered to files of these lengths, and the records of so many files chosen.
    Chosen { files: usize, lens: Vec<u64> },
    /// All are chosen, so many records read again, and so many of them written.
    Written { read: u64, written: u64 },
}

impl State {
    pub(super) fn text(&self) -> String {
        let counted = |kind, count: u64, lens: &[u64]| {
            let lens: Vec<_> = lens.iter().map(|len| std::format!("{len}")).collect();
            std::format!("{kind} {count} {}", lens.join(" "))
        };
        match self {
            Self::Scattered { records, lens } => counted("scattered", *records, lens),
            Self::Chosen { files, lens } => counted("chosen", *files as u64, lens),
            Self::Written { read, written } => std::format!("written {read} {written}"),
        }
    }

    /// `None` for what does not belong to a search by so many files.
    pub(super) fn parse(text: &str, files: usize) -> Option<Self> {
        let mut words = text.split(' ');
        let kind = words.next()?;
        let numbers: Vec<u64> = words.map(|word| word.parse().ok()).collect::<Option<_>>()?;
        let (&first, lens) = numbers.split_first()?;
        let all_lens = || (lens.len() == files).then(|| lens.to_vec());
        match (kind, lens) {
            ("scattered", _) => Some(Self::Scattered {
                records: first,
                lens: all_lens()?,
            }),
            ("chosen", _) if first <= files as u64 => Some(Self::Chosen {
                files: first as usize,
                lens: all_lens()?,
            }),
            ("written", &[written]) => Some(Self::Written {
                read: first,
                written,
            }),
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
        let lens = vec![1, 2, 3];
        for state in [
            State::Scattered {
                records: 7,
                lens: lens.clone(),
            },
            State::Chosen { files: 3, lens },
            State::Written {
                read: 9,
                written: 0,
            },
        ] {
            assert_eq!(State::parse(&state.text(), 3), Some(state));
        }
        for text in [
            "",
            "chosen",
            "chosen 4 1 2 3",
            "scattered 7 1 2",
            "scattered 7 1 2 x",
            "written 1",
            "done 1 1",
        ] {
            assert_eq!(State::parse(text, 3), None, "{text}");
        }
    }
}
