//! The files of a set in the folder of a build: which are there, which are in the way, and which a
//! process that was killed has left.

use std::fs;
use std::path::Path;

use super::builder::read_error;
use super::error::BuildError;
use super::manifest::{is_manifest_name, manifest_name};
use super::options::BuildOptions;
use super::report::BuildReport;
use crate::Meta;

/// Names of what is in a folder.
pub(super) fn names(folder: &Path) -> Result<Vec<String>, BuildError> {
    let error = |source| read_error(folder, source);
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(error)? {
        let name = entry.map_err(error)?.file_name();
        names.extend(name.into_string());
    }
    names.sort();
    Ok(names)
}

/// The number of the shard that a file of this name holds.
fn shard_number(name: &str) -> Option<u32> {
    let number = name.strip_prefix("shard_")?;
    let number = number.strip_suffix(".zst").unwrap_or(number);
    number.strip_suffix(".npy")?.parse().ok()
}

/// What beginning anew removes: a set, or the shards of a slice, what says that the set is whole first.
/// Nothing if nobody asked for it.
pub(super) fn in_the_way(names: &[String], options: &BuildOptions) -> Vec<String> {
    if !options.overwrite {
        return Vec::new();
    }
    let only = options.only.as_ref();
    let is_whole = |name: &str| name == Meta::FILE_NAME || name == BuildReport::FILE_NAME;
    let is_manifest = |name: &str| match only {
        None => is_manifest_name(name),
        Some(_) => name == manifest_name(only),
    };
    let is_shard = |name: &str| {
        shard_number(name).is_some_and(|shard| only.is_none_or(|only| only.contains(&shard)))
    };
    let all = |is: &dyn Fn(&str) -> bool| {
        let names = names.iter().filter(|name| is(name));
        names.cloned().collect::<Vec<_>>()
    };
    [all(&is_whole), all(&is_manifest), all(&is_shard)].concat()
}

/// Removes files of these names.
pub(super) fn remove(folder: &Path, names: &[String]) -> Result<(), BuildError> {
    for name in names {
        let path = folder.join(name);
        fs::remove_file(&path).map_err(|source| read_error(&path, source))?;
    }
    Ok(())
}

/// Refuses a set that no manifest tells of.
pub(super) fn refuse_unknown<'a>(
    folder: &Path,
    names: impl IntoIterator<Item = &'a String>,
) -> Result<(), BuildError> {
    let is_of_set = |name: &&String| *name == Meta::FILE_NAME || shard_number(name).is_some();
    match names.into_iter().find(is_of_set) {
        Some(name) => Err(BuildError::Exists {
            path: folder.join(name),
        }),
        None => Ok(()),
    }
}

/// Removes what a build of these shards that was killed has left. Other slices may be at work in the
/// same folder.
pub(super) fn remove_temporary(
    folder: &Path,
    wanted: &[bool],
    options: &BuildOptions,
) -> Result<(), BuildError> {
    let own = manifest_name(options.only.as_ref());
    let wholes = [Meta::FILE_NAME, BuildReport::FILE_NAME];
    let is_ours = |target: &str| {
        let is_wanted = |shard: u32| wanted.get(shard as usize) == Some(&true);
        target == own
            || options.only.is_none() && wholes.contains(&target)
            || shard_number(target).is_some_and(is_wanted)
    };
    let mut left = names(folder)?;
    left.retain(|name| temporary_for(name).is_some_and(is_ours));
    remove(folder, &left)
}

/// The file that a temporary one was to become, `shard_0000.npy` of `.shard_0000.npy.77-0.tmp`.
fn temporary_for(name: &str) -> Option<&str> {
    let (target, _) = name
        .strip_prefix('.')?
        .strip_suffix(".tmp")?
        .rsplit_once('.')?;
    Some(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_told_by_their_names() {
        assert_eq!(shard_number("shard_0012.npy"), Some(12));
        assert_eq!(shard_number("shard_12345.npy.zst"), Some(12345));
        for none in ["shard_0012", "shard_x.npy", "shard_.npy", "xshard_0.npy"] {
            assert_eq!(shard_number(none), None, "{none}");
        }
        assert_eq!(
            temporary_for(".shard_0001.npy.77-0.tmp"),
            Some("shard_0001.npy")
        );
        for none in ["shard_0001.npy.77-0.tmp", ".a.tmp", ".a.77-0"] {
            assert_eq!(temporary_for(none), None, "{none}");
        }
    }
}
