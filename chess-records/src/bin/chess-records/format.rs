//! The formats the tool knows. A new one gets a variant, a line in each function and macro here, and a
//! [`Unit`](crate::units::Unit) if its records stream.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use clap::ValueEnum;

use crate::failure::Failure;
use crate::report::note;

/// How records are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// marlinformat: 32 bytes a record (.marlin)
    Marlin,
    /// marlinformat with a best move in place of the move number (no extension)
    MarlinMove,
    /// bulletformat: 32 bytes a record, seen from the side to move (.bullet)
    Bullet,
    /// viriformat: whole games (.viri)
    Viri,
    /// Stoofvlees' compressed records, seen from the side to move (.zdat)
    Zdat,
    /// A line "FEN | score | result" a record (.txt)
    Text,
}

impl Format {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Marlin => "marlin",
            Self::MarlinMove => "marlin-move",
            Self::Bullet => "bullet",
            Self::Viri => "viri",
            Self::Zdat => "zdat",
            Self::Text => "text",
        }
    }

    /// As the library knows it.
    pub(crate) const fn library(self) -> chess_records::Format {
        match self {
            Self::Marlin => chess_records::Format::Marlin,
            Self::MarlinMove => chess_records::Format::MarlinMove,
            Self::Bullet => chess_records::Format::Bullet,
            Self::Viri => chess_records::Format::Viri,
            Self::Zdat => chess_records::Format::Zdat,
            Self::Text => chess_records::Format::Text,
        }
    }

    fn of_extension(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "marlin" => Some(Self::Marlin),
            "bullet" => Some(Self::Bullet),
            "viri" => Some(Self::Viri),
            "zdat" => Some(Self::Zdat),
            "txt" => Some(Self::Text),
            _ => None,
        }
    }

    /// The format asked for, or that of the extension. Says so if they differ.
    pub(crate) fn of(path: &Path, asked: Option<Self>, option: &str) -> Result<Self, Failure> {
        let (path_shown, told) = (path.display(), Self::of_extension(path));
        let Some(format) = asked.or(told) else {
            return Err(Failure::usage(format!(
                "{path_shown}: the extension does not tell the format, give {option}"
            )));
        };
        match told {
            // There is no extension of its own for it.
            Some(Self::Marlin) if format == Self::MarlinMove => {}
            Some(told) if told != format => note(&format!(
                "{path_shown}: taken as {}, though its name says {}",
                format.name(),
                told.name()
            ))?,
            _ => {}
        }
        Ok(format)
    }

    /// The same of a file to be read, whose first bytes must not say that it is something else.
    pub(crate) fn of_input(
        path: &Path,
        asked: Option<Self>,
        option: &str,
    ) -> Result<Self, Failure> {
        let format = Self::of(path, asked, option)?;
        if format != Self::Zdat && begins_as_zdat(path) {
            return Err(Failure::usage(format!(
                "{}: is not {}, it begins as .zdat files do",
                path.display(),
                format.name()
            )));
        }
        Ok(format)
    }

    /// The one format of several files.
    pub(crate) fn of_all<'a>(
        paths: impl IntoIterator<Item = &'a Path>,
        asked: Option<Self>,
    ) -> Result<Self, Failure> {
        let mut found: Option<Self> = None;
        for path in paths {
            let format = Self::of_input(path, asked, "--format")?;
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

    /// Why a command does not work on files of this format.
    pub(crate) fn refused(self) -> Failure {
        Failure::usage(match self {
            Self::Viri => {
                "viri files hold whole games, which this command would tear apart; \
                 convert them to marlin first"
            }
            Self::Zdat => {
                "zdat files hold compressed groups, which this command cannot rewrite; \
                 convert them to marlin first"
            }
            _ => "this command works on fixed-size records alone, convert text to marlin first",
        })
    }
}

/// Whether a regular file has the magic of `.zdat`. What cannot be read is told by those who read it.
fn begins_as_zdat(path: &Path) -> bool {
    let mut magic = [0; 8];
    path.is_file()
        && File::open(path)
            .and_then(|mut file| file.read_exact(&mut magic))
            .is_ok()
        && magic == *b"SJNGDAT1"
}

/// Runs code for the type that a format's streams are made of, and fails for formats without.
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
            $crate::format::Format::Bullet => {
                type $unit = chess_records::BulletRecord;
                $code
            }
            $crate::format::Format::Text => {
                type $unit = chess_records::LabelledPosition;
                $code
            }
            other @ ($crate::format::Format::Viri | $crate::format::Format::Zdat) => {
                Err(other.refused())
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
            $crate::format::Format::Bullet => {
                type $record = chess_records::BulletRecord;
                $code
            }
            other => Err(other.refused()),
        }
    };
}
pub(crate) use with_fixed;
