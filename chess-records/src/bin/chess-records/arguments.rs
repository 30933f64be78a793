//! Arguments that several commands share.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

use chess_records::ops::Output;
use chess_records::zdat::{Layout, RankOrder};
use clap::{Args, ValueEnum};

use crate::failure::Failure;
use crate::format::Format;
use crate::streams::{is_pipe, target};

/// Where the result goes.
#[derive(Args)]
pub(crate) struct OutputOptions {
    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Replace the output if it exists
    #[arg(short, long)]
    pub(crate) force: bool,
}

impl OutputOptions {
    /// For commands that write files alone.
    pub(crate) fn file(&self) -> Result<Output, Failure> {
        if is_pipe(&self.output) {
            return Err(Failure::usage("the output must be a file"));
        }
        Ok(target(&self.output, self.force))
    }
}

/// What the inputs are.
#[derive(Args)]
pub(crate) struct InputOptions {
    /// The files to read, one after another
    #[arg(required = true, value_name = "FILE")]
    pub(crate) inputs: Vec<PathBuf>,
    /// The files' format, if their extensions do not tell
    #[arg(long)]
    pub(crate) format: Option<Format>,
}

impl InputOptions {
    pub(crate) fn format(&self) -> Result<Format, Failure> {
        Format::of_all(self.inputs.iter().map(PathBuf::as_path), self.format)
    }
}

/// How `.zdat` files number ranks.
#[derive(Args)]
pub(crate) struct LayoutOptions {
    /// How a .zdat file numbers ranks, if its records do not tell
    #[arg(long)]
    layout: Option<LayoutName>,
}

#[derive(Clone, Copy, ValueEnum)]
enum LayoutName {
    /// Rank 1 first, policy from a1
    Rank1,
    /// Rank 1 first, policy from a8
    Rank1PolicyA8,
    /// Rank 8 first, policy from a1
    Rank8PolicyA1,
    /// Rank 8 first, policy from a8
    Rank8,
}

impl LayoutOptions {
    /// The layout asked for, which only `.zdat` has.
    pub(crate) fn of(&self, format: Format) -> Result<Option<Layout>, Failure> {
        use RankOrder::{Rank1First, Rank8First};
        if self.layout.is_some() && format != Format::Zdat {
            return Err(Failure::usage("--layout is for zdat files alone"));
        }
        Ok(self.layout.map(|name| match name {
            LayoutName::Rank1 => Layout::new(Rank1First, Rank1First),
            LayoutName::Rank1PolicyA8 => Layout::new(Rank1First, Rank8First),
            LayoutName::Rank8PolicyA1 => Layout::new(Rank8First, Rank1First),
            LayoutName::Rank8 => Layout::new(Rank8First, Rank8First),
        }))
    }
}

/// A number of bytes: 1000000, 64K, 256M, 4G.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    let (digits, shift) = match text.as_bytes().last().map(u8::to_ascii_uppercase) {
        Some(b'K') => (&text[..text.len() - 1], 10),
        Some(b'M') => (&text[..text.len() - 1], 20),
        Some(b'G') => (&text[..text.len() - 1], 30),
        Some(b'T') => (&text[..text.len() - 1], 40),
        _ => (text, 0),
    };
    let number: u64 = digits.parse().map_err(|_| expected_bytes(text))?;
    number
        .checked_mul(1 << shift)
        .ok_or_else(|| expected_bytes(text))
}

fn expected_bytes(text: &str) -> String {
    format!("{text} is no number of bytes, expected one such as 256M or 4G")
}

/// A range LOW..HIGH, both ends in it; either may be left out.
pub(crate) fn range<T>(text: &str) -> Result<RangeInclusive<T>, String>
where
    T: FromStr + Copy + PartialOrd + Bounds,
{
    let expected = || format!("{text} is no range, expected LOW..HIGH, LOW.. or ..HIGH");
    let (low, high) = text.split_once("..").ok_or_else(expected)?;
    let end = |text: &str, open: T| {
        if text.is_empty() {
            Ok(open)
        } else {
            text.parse().map_err(|_| expected())
        }
    };
    let range = end(low, T::LOWEST)?..=end(high, T::HIGHEST)?;
    if range.is_empty() {
        return Err(format!("{text} holds nothing: the low end stands first"));
    }
    Ok(range)
}

/// Numbers with a lowest and a highest.
pub(crate) trait Bounds {
    const LOWEST: Self;
    const HIGHEST: Self;
}

macro_rules! bounds {
    ($($number:ident),*) => {$(
        impl Bounds for $number {
            const LOWEST: Self = $number::MIN;
            const HIGHEST: Self = $number::MAX;
        }
    )*};
}

bounds!(i16, u8, u16, u32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_with_units() {
        assert_eq!(bytes("17"), Ok(17));
        assert_eq!(bytes("64k"), Ok(64 << 10));
        assert_eq!(bytes("256M"), Ok(256 << 20));
        assert_eq!(bytes("4G"), Ok(4 << 30));
        for text in ["", "G", "-1", "1.5G", "99999999999T"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn ranges_with_and_without_ends() {
        assert_eq!(range("-300..300"), Ok(-300i16..=300));
        assert_eq!(range("..7"), Ok(0u8..=7));
        assert_eq!(range("9.."), Ok(9u32..=u32::MAX));
        for text in ["", "5", "a..b", "3..1", "1..99999"] {
            assert!(range::<u16>(text).is_err(), "{text}");
        }
    }
}
