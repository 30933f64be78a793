//! Shards on this machine.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{FetchError, FetchOptions, ShardState};
use crate::corpus::hub::HubFile;
use crate::corpus::manifest::is_below;

/// The folder of shards, in the hub's layout.
pub(super) struct Shards {
    folder: PathBuf,
    keep: bool,
}

impl Shards {
    pub(super) fn new(stage: &Path, options: &FetchOptions) -> Self {
        let beside = || {
            let mut name = stage.file_name().map_or_else(OsString::new, Into::into);
            name.push("-shards");
            stage.with_file_name(name)
        };
        Self {
            folder: options.shards.clone().unwrap_or_else(beside),
            keep: options.keep_shards,
        }
    }

    pub(super) fn path(&self, path_in_dataset: &str) -> PathBuf {
        self.folder.join(path_in_dataset)
    }

    /// How much of a shard is there, by its length.
    pub(super) fn state(&self, shard: &HubFile) -> ShardState {
        let path = self.path(&shard.path);
        let len = |path: &Path| fs::metadata(path).map_or(0, |metadata| metadata.len());
        let mut partial = path.clone().into_os_string();
        partial.push(".partial");
        match len(Path::new(&partial)) {
            _ if len(&path) == shard.size => ShardState::Downloaded,
            0 => ShardState::Missing,
            bytes => ShardState::Begun {
                bytes: bytes.min(shard.size),
            },
        }
    }

    pub(super) fn make_folder_of(&self, shard: &Path) -> Result<(), FetchError> {
        let folder = shard.parent().unwrap_or(&self.folder);
        fs::create_dir_all(folder).map_err(FetchError::file(folder))
    }

    /// Removes a shard that was filtered, unless it is to be kept, and folders that are empty then.
    pub(super) fn done_with(&self, path_in_dataset: &str) -> Result<(), FetchError> {
        let path = self.path(path_in_dataset);
        // What a manifest names may come from another machine.
        if self.keep || !is_below(path_in_dataset) {
            return Ok(());
        }
        match fs::remove_file(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            removed => removed.map_err(FetchError::file(&path))?,
        }
        let folders = path.ancestors().skip(1);
        for folder in folders.take_while(|folder| folder.starts_with(&self.folder)) {
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
        Ok(())
    }
}
