//! What a build keeps beside its shards, so that it can go on: `build_manifest.json`, or
//! `build_manifest_AAAA_BBBB.json` for the slice from shard AAAA up to, not including, BBBB.

use std::fs;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use chess_records::LeftOutGames;
use chess_records::{AtomicFile, AtomicFileError};
use serde::{Deserialize, Serialize};

use super::error::BuildError;
use super::options::DrawnOptions;
use super::pass::shard_name;
use super::shard_file;
use super::source::SourceIdentity;
use crate::ShardInfo;

const VERSION: u32 = 1;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Manifest {
    manifest_version: u32,
    pub(super) build: Identity,
    /// How many games count.
    pub(super) games: u64,
    /// `None` if the source was not read to its end.
    pub(super) left_out: Option<LeftOutGames>,
    /// How many games each block of the source has, if they were counted.
    pub(super) block_games: Vec<u32>,
    pub(super) shards: Vec<FinishedShard>,
    pub(super) seconds: f64,
    pub(super) git_sha: String,
}

/// What must be the same for shards to be of one set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Identity {
    pub(super) options: DrawnOptions,
    pub(super) source: SourceIdentity,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct FinishedShard {
    pub(super) info: ShardInfo,
    pub(super) rows_xxh3_64: u64,
}

impl FinishedShard {
    /// Whether the shard is still there, as it was written.
    pub(super) fn is_in(&self, folder: &Path) -> Result<bool, BuildError> {
        let path = folder.join(&self.info.path);
        let is_shard = shard_file::is_shard(&path, self.info.num_samples, self.rows_xxh3_64);
        is_shard.map_err(|source| BuildError::Read { path, source })
    }
}

impl Manifest {
    pub(super) fn new(build: Identity) -> Self {
        Self {
            manifest_version: VERSION,
            build,
            games: 0,
            left_out: None,
            block_games: Vec::new(),
            shards: Vec::new(),
            seconds: 0.0,
            git_sha: String::new(),
        }
    }

    /// Takes over how many games there are, as another slice of the same set has counted them.
    pub(super) fn adopt_count(&mut self, other: &Self) {
        self.games = other.games;
        self.left_out = other.left_out;
        self.block_games.clone_from(&other.block_games);
    }

    /// What another set is told by, if it is one.
    pub(super) fn difference(&self, other: &Self) -> Option<&'static str> {
        if self.build.source != other.build.source {
            Some("games")
        } else if self.build.options != other.build.options {
            Some("options")
        } else if self.games != other.games {
            Some("numbers of games")
        } else {
            None
        }
    }

    /// The manifests among these files of a folder, each with its path.
    pub(super) fn read_all(
        folder: &Path,
        names: &[String],
    ) -> Result<Vec<(PathBuf, Self)>, BuildError> {
        let names = names.iter().filter(|name| is_manifest_name(name));
        let paths = names.map(|name| folder.join(name));
        let read = |path: PathBuf| Ok((path.clone(), Self::read(path)?));
        paths.map(read).collect()
    }

    fn read(path: PathBuf) -> Result<Self, BuildError> {
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(source) => return Err(BuildError::Read { path, source }),
        };
        match serde_json::from_slice::<Self>(&bytes) {
            Ok(manifest) if manifest.manifest_version == VERSION => manifest.checked(path),
            Ok(manifest) => Err(BuildError::ManifestVersion {
                path,
                found: manifest.manifest_version,
            }),
            Err(source) => Err(BuildError::Manifest { path, source }),
        }
    }

    /// Refuses shards elsewhere than where builds put them: a manifest may come from another machine.
    fn checked(self, path: PathBuf) -> Result<Self, BuildError> {
        for shard in &self.shards {
            let (shard_id, found) = (shard.info.shard_id, &shard.info.path);
            if *found != shard_name(shard_id) {
                let found = found.clone();
                return Err(BuildError::ManifestShard {
                    path,
                    shard_id,
                    found,
                });
            }
        }
        Ok(self)
    }

    pub(super) fn write(&self, path: &Path) -> Result<(), BuildError> {
        let json = serde_json::to_vec(self).map_err(|source| BuildError::Manifest {
            path: path.to_path_buf(),
            source,
        })?;
        Ok(write_file(path, &json)?)
    }
}

/// Writes a file that is there whole or not at all.
pub(super) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), AtomicFileError> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes)
        .map_err(|source| AtomicFileError::Write {
            path: path.to_path_buf(),
            source,
        })?;
    file.finish()
}

/// The name of the manifest of a slice, or of a whole build.
pub(super) fn manifest_name(only: Option<&Range<u32>>) -> String {
    match only {
        None => "build_manifest.json".into(),
        Some(only) => format!("build_manifest_{:04}_{:04}.json", only.start, only.end),
    }
}

pub(super) fn is_manifest_name(name: &str) -> bool {
    name.starts_with("build_manifest") && name.ends_with(".json")
}
