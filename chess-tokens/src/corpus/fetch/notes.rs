//! What the stage keeps in a month's manifest for itself.

use serde::{Deserialize, Serialize};

use crate::corpus::{Counts, Manifest};

/// How far a month is. The shard of each part is the input of its number, the part the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Notes {
    /// The dataset's commit, once the hub has named it.
    pub(super) commit: Option<String>,
    /// How many shards the month has, once they were listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) shards: Option<usize>,
    /// What became of the games of each part.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) parts: Vec<Counts>,
}

impl Notes {
    /// Those of a manifest, whatever it is.
    pub(super) fn of(manifest: &Manifest) -> Self {
        serde_json::from_value(manifest.notes.clone()).unwrap_or_default()
    }

    pub(super) fn counts(&self) -> Counts {
        let mut sum = Counts::default();
        for part in &self.parts {
            sum += part;
        }
        sum
    }

    /// How many games may still be kept.
    pub(super) fn limit_left(&self, limit: Option<u64>) -> Option<u64> {
        Some(limit?.saturating_sub(self.counts().kept))
    }

    /// Whether all that is wanted is filtered, as far as that is known.
    pub(super) fn is_complete(&self, limit: Option<u64>) -> bool {
        self.limit_left(limit) == Some(0) || self.shards == Some(self.parts.len())
    }

    /// What stays when the month is finished.
    pub(super) fn finished(self) -> Self {
        Self {
            commit: self.commit,
            ..Self::default()
        }
    }
}

/// The name of a part.
pub(super) fn part_name(number: usize) -> String {
    format!("part-{number:05}.parquet")
}

/// Whether a file is a part, of any number.
pub(super) fn is_part_name(name: &str) -> bool {
    let number = name.strip_prefix("part-");
    let number = number.and_then(|rest| rest.strip_suffix(".parquet"));
    number
        .is_some_and(|number| number.len() >= 5 && number.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notes(kept: &[u64]) -> Notes {
        let part = |&kept: &u64| Counts {
            read: 10,
            kept,
            ..Counts::default()
        };
        Notes {
            parts: kept.iter().map(part).collect(),
            ..Notes::default()
        }
    }

    #[test]
    fn months_are_complete_by_shards_or_by_games() {
        let mut notes = notes(&[3, 4]);
        assert_eq!((notes.counts().read, notes.counts().kept), (20, 7));
        assert_eq!(notes.limit_left(Some(10)), Some(3));
        assert_eq!(notes.limit_left(None), None);
        assert!(!notes.is_complete(None) && !notes.is_complete(Some(8)));
        assert!(notes.is_complete(Some(7)));
        notes.shards = Some(3);
        assert!(!notes.is_complete(None));
        notes.shards = Some(2);
        assert!(notes.is_complete(None));
    }

    #[test]
    fn names_of_parts() {
        assert_eq!(part_name(7), "part-00007.parquet");
        assert!(is_part_name(&part_name(7)) && is_part_name(&part_name(123_456)));
        for name in [
            "part-7.parquet",
            "part-0000x.parquet",
            "part-00007",
            "games.parquet",
        ] {
            assert!(!is_part_name(name), "{name}");
        }
    }
}
