//! The formats the tool knows. A new one gets a variant, a name, an extension, a line in each of the
//! two macros below, and a [`Unit`](crate::units::Unit).

use std::path::Path;

use clap::ValueEnum;

use crate::failure::Failure;

/// How records are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// marlinformat: 32 bytes a record (.marlin)
    Marlin,
    /// marlinformat with a best move in place of the move number
    MarlinMove,
    /// A line "FEN | score | result" a record (.txt)
    Text,
}

impl Format {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Marlin => "marlin",
            Self::MarlinMove => "marlin-move",
            Self::Text => "text",
        }
    }

    /// The format asked for, or that of the extension.
    pub(crate) fn of(path: &Path, asked: Option<Self>, option: &str) -> Result<Self, Failure> {
        if let Some(format) = asked {
            return Ok(format);
        }
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("marlin") => Ok(Self::Marlin),
            Some("txt") => Ok(Self::Text),
            _ => Err(Failure::usage(format!(
                "{}: the extension does not tell the format, give {option}",
                path.display()
            ))),
        }
    }

    /// The one format of several files.
    pub(crate) fn of_all<'a>(
        paths: impl IntoIterator<Item = &'a Path>,
        asked: Option<Self>,
    ) -> Result<Self, Failure> {
        let mut found: Option<Self> = None;
        for path in paths {
            let format = Self::of(path, asked, "--format")?;
            if found.is_some_and(|found| found != format) {
                return Err(Failure::usage(format!(
                    "{}: is {}, the files before it are not; convert it first",
                    path.display(),
                    format.name()
                )));
            }
            found = Some(format);
        }
        found.ok_or_else(|| Failure::usage("no files given"))
    }
}

/// Runs code for the type that a format's streams are made of.
macro_rules! with_unit {
    ($format:expr, $unit:ident => $code:expr) => {
        match $format {
            $crate::format::Format::Marlin => {
                type $unit = chess_records::MarlinRecord;
                $code
            }
            $crate::format::Format::MarlinMove => {
                type $unit = chess_records::MarlinMoveRecord;
                $code
            }
            $crate::format::Format::Text => {
                type $unit = chess_records::LabelledPosition;
                $code
            }
        }
    };
}
pub(crate) use with_unit;

/// Runs code for the type of a format's fixed-size records, and fails for formats without.
macro_rules! with_fixed {
    ($format:expr, $record:ident => $code:expr) => {
        match $format {
            $crate::format::Format::Marlin => {
                type $record = chess_records::MarlinRecord;
                $code
            }
            $crate::format::Format::MarlinMove => {
                type $record = chess_records::MarlinMoveRecord;
                $code
            }
            $crate::format::Format::Text => Err($crate::failure::Failure::usage(
                "works on fixed-size records alone, convert text to marlin first",
            )),
        }
    };
}
pub(crate) use with_fixed;
