//! Files of samples, as a configuration names them.

use std::fmt;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::de::{self, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Deserializer, Serialize};

use crate::Outcome;

/// How records are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename = "format")]
pub(crate) enum Format {
    /// marlinformat, 32 bytes a record (.marlin)
    Marlin,
    /// marlinformat with a best move in place of the move number (no extension)
    MarlinMove,
    /// bulletformat, 32 bytes a record (.bullet)
    Bullet,
    /// viriformat, whole games (.viri)
    Viri,
    /// Stoofvlees' compressed records (.zdat)
    Zdat,
    /// A line "FEN | score | result" a record (.txt)
    Text,
}

/// What the score of a `.zdat` record, a number without a unit, is from the mover's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename = "score")]
pub(crate) enum ZdatScore {
    /// Nothing that is learnt from: the result counts alone
    None,
    /// From -1, the mover loses, to 1, the mover wins
    Expected,
    /// Hundredths of a pawn
    Centipawns,
    /// Pawns
    Pawns,
}

/// How a `.zdat` file numbers ranks, if its records do not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename = "layout")]
pub(crate) enum ZdatLayout {
    /// Rank 1 first
    Rank1,
    /// Rank 8 first
    Rank8,
}

/// A file of samples. In a configuration a path alone will do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) weight: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) format: Option<Format>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) score: Option<ZdatScore>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) layout: Option<ZdatLayout>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename = "file")]
struct Fields {
    path: PathBuf,
    weight: Option<u64>,
    format: Option<Format>,
    score: Option<ZdatScore>,
    layout: Option<ZdatLayout>,
}

impl Source {
    pub(crate) fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            weight: None,
            format: None,
            score: None,
            layout: None,
        }
    }

    /// `FILE` or `FILE:WEIGHT`. Where there is a file of the whole name, that is meant.
    pub(crate) fn parse(argument: &str) -> Self {
        let weighted = argument.rsplit_once(':').and_then(|(path, weight)| {
            let weight = weight.parse().ok()?;
            let mut source = Self::new(path);
            source.weight = Some(weight);
            (!path.is_empty() && !Path::new(argument).exists()).then_some(source)
        });
        weighted.unwrap_or_else(|| Self::new(argument))
    }

    /// The format named, or that of the extension.
    pub(crate) fn format(&self) -> Outcome<Format> {
        let extension = self.path.extension().and_then(|text| text.to_str());
        let told = match extension {
            Some("marlin") => Some(Format::Marlin),
            Some("bullet") => Some(Format::Bullet),
            Some("viri") => Some(Format::Viri),
            Some("zdat") => Some(Format::Zdat),
            Some("txt") => Some(Format::Text),
            _ => None,
        };
        self.format.or(told).ok_or_else(|| {
            let path = self.path.display();
            format!("{path}: the extension does not tell the format, name it").into()
        })
    }

    /// This file, its path relative to `folder` unless absolute.
    pub(crate) fn within(mut self, folder: &Path) -> Self {
        self.path = folder.join(self.path);
        self
    }
}

impl<'de> Deserialize<'de> for Source {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PathOrTable;

        impl<'de> Visitor<'de> for PathOrTable {
            type Value = Source;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a path, or a table with a path")
            }

            fn visit_str<E: de::Error>(self, path: &str) -> Result<Source, E> {
                Ok(Source::new(path))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Source, A::Error> {
                let fields = Fields::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Source {
                    path: fields.path,
                    weight: fields.weight,
                    format: fields.format,
                    score: fields.score,
                    layout: fields.layout,
                })
            }
        }

        deserializer.deserialize_any(PathOrTable)
    }
}

/// What is not trained on but judged by.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum HeldOut {
    /// The last games of each file, as a share of its games.
    Share(f64),
    /// Files of their own.
    Files(Vec<Source>),
}

impl Default for HeldOut {
    fn default() -> Self {
        Self::Share(0.05)
    }
}

impl HeldOut {
    /// The files, if it is files.
    pub(crate) fn files(&self) -> &[Source] {
        match self {
            Self::Share(_) => &[],
            Self::Files(files) => files,
        }
    }

    /// A share, or files.
    pub(crate) fn parse(arguments: &[String]) -> Self {
        match arguments {
            [share] if share.parse::<f64>().is_ok() => {
                Self::Share(share.parse().unwrap_or(f64::NAN))
            }
            files => Self::Files(files.iter().map(Source::new).collect()),
        }
    }
}

impl<'de> Deserialize<'de> for HeldOut {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ShareOrFiles;

        impl<'de> Visitor<'de> for ShareOrFiles {
            type Value = HeldOut;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a share of the games over 0 and under 1, a path or a list of files")
            }

            fn visit_f64<E: de::Error>(self, share: f64) -> Result<HeldOut, E> {
                Ok(HeldOut::Share(share))
            }

            fn visit_str<E: de::Error>(self, path: &str) -> Result<HeldOut, E> {
                Ok(HeldOut::Files(vec![Source::new(path)]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<HeldOut, A::Error> {
                let mut files = Vec::new();
                while let Some(file) = list.next_element()? {
                    files.push(file);
                }
                Ok(HeldOut::Files(files))
            }
        }

        deserializer.deserialize_any(ShareOrFiles)
    }
}

/// What is held out whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename = "held_out_by")]
pub(crate) enum HeldOutBy {
    /// Games: none is on both sides
    #[default]
    Games,
    /// Records, for files that do not tell their games: the loss held out will look better than it is
    Records,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_stands_behind_a_colon() {
        let mut weighted = Source::new("b.viri");
        weighted.weight = Some(2);
        assert_eq!(Source::parse("b.viri:2"), weighted);
        for path in ["b.viri", "C:\\b.viri", "b.viri:", ":2", "b:two"] {
            assert_eq!(Source::parse(path), Source::new(path));
        }
    }

    #[test]
    fn formats_are_told_or_named() {
        assert_eq!(Source::new("a.zdat").format().unwrap(), Format::Zdat);
        let mut named = Source::new("a.marlin");
        named.format = Some(Format::MarlinMove);
        assert_eq!(named.format().unwrap(), Format::MarlinMove);
        let text = Source::new("a.bin").format().unwrap_err().to_string();
        assert_eq!(
            text,
            "a.bin: the extension does not tell the format, name it"
        );
    }

    #[test]
    fn held_out_is_a_share_or_files() {
        let parse = |arguments: &[&str]| {
            let arguments: Vec<String> = arguments.iter().map(|&text| text.into()).collect();
            HeldOut::parse(&arguments)
        };
        assert_eq!(parse(&["0.1"]), HeldOut::Share(0.1));
        let files = |paths: &[&str]| HeldOut::Files(paths.iter().map(Source::new).collect());
        assert_eq!(parse(&["a.viri"]), files(&["a.viri"]));
        assert_eq!(parse(&["0.1", "b"]), files(&["0.1", "b"]));
    }
}
