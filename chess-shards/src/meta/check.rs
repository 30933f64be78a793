//! What must hold between the values.

use std::collections::HashMap;
use std::fmt::Debug;
use std::path::{Component, Path};

use super::{LEGAL_CAP, Meta, MetaError, PAD_ACTION, RecordDtype, ShardInfo, SplitName};

impl Meta {
    /// Checks what can be checked without the shards: the version, the numbers that the format fixes,
    /// that every split names shards that there are and no two splits the same, that paths stay in the
    /// set's folder and are all different, and that the rows add up.
    ///
    /// # Errors
    ///
    /// A [`MetaError`] for the first thing that is wrong.
    pub fn check(&self) -> Result<(), MetaError> {
        if self.format_version != Self::FORMAT_VERSION {
            let found = self.format_version.to_string();
            return Err(MetaError::Version { found });
        }
        self.record_dtype.check()?;
        fixed("legal_cap", self.legal_cap, LEGAL_CAP)?;
        fixed("pad_action", self.pad_action, PAD_ACTION)?;
        let (mut split_of, mut shard_of) = (HashMap::new(), HashMap::new());
        for shard in &self.shards {
            shard.check()?;
            let shard_id = shard.shard_id;
            if split_of.insert(shard_id, None).is_some() {
                return Err(MetaError::DuplicateShard { shard_id });
            }
            // Paths, as `a//b` is `a/b`.
            if let Some(first) = shard_of.insert(Path::new(&shard.path), shard_id) {
                return Err(MetaError::SharedPath {
                    first,
                    second: shard_id,
                    path: shard.path.clone(),
                });
            }
        }
        self.check_splits(split_of)?;
        self.check_samples()
    }

    fn check_splits(&self, mut split_of: HashMap<u64, Option<SplitName>>) -> Result<(), MetaError> {
        for split in SplitName::ALL {
            for &shard_id in self.splits.ids(split) {
                let unknown = MetaError::UnknownShard { split, shard_id };
                let place = split_of.get_mut(&shard_id).ok_or(unknown)?;
                if let Some(first) = place.replace(split) {
                    return Err(MetaError::SharedShard {
                        shard_id,
                        first,
                        second: split,
                    });
                }
            }
        }
        Ok(())
    }

    fn check_samples(&self) -> Result<(), MetaError> {
        let counts = self.shards.iter().map(|shard| shard.num_samples);
        let sum = counts.fold(0, u64::saturating_add);
        match self.num_samples {
            found if found == sum => Ok(()),
            found => Err(MetaError::SampleCount { found, sum }),
        }
    }
}

impl RecordDtype {
    /// Types are not compared: writers have several ways to name them, and each shard's own header
    /// says what they are.
    fn check(&self) -> Result<(), MetaError> {
        let flat = Self::flat();
        same("names", &self.names, &flat.names)?;
        same("offsets", &self.offsets, &flat.offsets)?;
        same("itemsize", &self.itemsize, &flat.itemsize)
    }
}

fn same<T: PartialEq + Debug>(
    what: &'static str,
    found: &T,
    expected: &T,
) -> Result<(), MetaError> {
    if found == expected {
        return Ok(());
    }
    Err(MetaError::Dtype {
        what,
        found: format!("{found:?}"),
        expected: format!("{expected:?}"),
    })
}

const fn fixed(key: &'static str, found: u64, expected: u64) -> Result<(), MetaError> {
    if found == expected {
        return Ok(());
    }
    Err(MetaError::Fixed {
        key,
        found,
        expected,
    })
}

impl ShardInfo {
    fn check(&self) -> Result<(), MetaError> {
        let (shard_id, start, end) = (self.shard_id, self.game_start, self.game_end);
        if start > end {
            return Err(MetaError::Games {
                shard_id,
                start,
                end,
            });
        }
        // Backslashes and drives are Windows' own, but a file from there may be read here.
        let is_below = !self.path.contains(['\\', ':'])
            && !self.path.is_empty()
            && Path::new(&self.path)
                .components()
                .all(|part| matches!(part, Component::Normal(_)));
        if is_below {
            return Ok(());
        }
        let path = self.path.clone();
        Err(MetaError::Path { shard_id, path })
    }
}
