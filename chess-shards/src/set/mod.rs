//! A folder of shards with its `meta.json`.

use std::path::{Path, PathBuf};

use thiserror::Error;

#[cfg(feature = "mmap")]
use crate::Regime;
use crate::dataset::Expected;
use crate::{FlatDataset, Meta, MetaReadError, ShardError, ShardInfo, ShardOptions, SplitName};

/// A folder with a `meta.json` and the shards that it names.
///
/// Opening reads the description alone. The files of a split are looked at when that split is asked
/// for, so that of a set of 256 shards the four to judge by will do.
#[derive(Clone, Debug)]
pub struct ShardSet {
    folder: PathBuf,
    meta: Meta,
}

/// Why a set, or a split of it, could not be opened.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ShardSetError {
    /// The description cannot be read.
    #[error(transparent)]
    Meta(#[from] MetaReadError),
    /// A shard cannot be opened.
    #[error(transparent)]
    Shard(#[from] ShardError),
}

impl ShardSet {
    /// Reads the description of the set in a folder.
    ///
    /// # Errors
    ///
    /// When `meta.json` is missing or is not what it should be.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Self, ShardSetError> {
        let folder = folder.into();
        let meta = Meta::read(folder.join(Meta::FILE_NAME))?;
        Ok(Self { folder, meta })
    }

    /// What `meta.json` says.
    #[must_use]
    pub const fn meta(&self) -> &Meta {
        &self.meta
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The rows of a split, in the order in which `meta.json` names its shards; see
    /// [`FlatDataset::open`].
    ///
    /// # Errors
    ///
    /// A [`ShardError`] for the first file that is missing, is no shard, or has not as many rows as
    /// `meta.json` says.
    pub fn split(
        &self,
        split: SplitName,
        options: &ShardOptions,
    ) -> Result<FlatDataset, ShardSetError> {
        let files = self.files(self.meta.splits.ids(split));
        Ok(FlatDataset::open_expected(files, options)?)
    }

    /// The rows of all shards, whether or not a split names them, in the order of `meta.json`.
    ///
    /// # Errors
    ///
    /// As [`ShardSet::split`].
    pub fn all(&self, options: &ShardOptions) -> Result<FlatDataset, ShardSetError> {
        Ok(FlatDataset::open_expected(self.all_files(), options)?)
    }

    /// The rows of one shard, which [`meta`](Self::meta) has.
    ///
    /// # Errors
    ///
    /// As [`ShardSet::split`].
    pub fn shard(
        &self,
        shard: &ShardInfo,
        options: &ShardOptions,
    ) -> Result<FlatDataset, ShardSetError> {
        let file = (self.folder.join(&shard.path), Some(shard.num_samples));
        Ok(FlatDataset::open_expected([file], options)?)
    }

    /// As [`ShardSet::split`], as memory maps; see [`FlatDataset::map`].
    ///
    /// # Safety
    ///
    /// No file of the split may be changed or shortened while the dataset exists, as
    /// [`FlatDataset::map`] explains.
    ///
    /// # Errors
    ///
    /// As [`ShardSet::split`].
    #[cfg(feature = "mmap")]
    #[allow(unsafe_code)]
    pub unsafe fn map_split(
        &self,
        split: SplitName,
        options: &ShardOptions,
        regime: Regime,
    ) -> Result<FlatDataset, ShardSetError> {
        let files = self.files(self.meta.splits.ids(split));
        // SAFETY: the caller promises the same.
        let mapped = unsafe { FlatDataset::map_expected(files, options, regime) };
        Ok(mapped?)
    }

    /// As [`ShardSet::all`], as memory maps; see [`FlatDataset::map`].
    ///
    /// # Safety
    ///
    /// No file of the set may be changed or shortened while the dataset exists, as
    /// [`FlatDataset::map`] explains.
    ///
    /// # Errors
    ///
    /// As [`ShardSet::split`].
    #[cfg(feature = "mmap")]
    #[allow(unsafe_code)]
    pub unsafe fn map_all(
        &self,
        options: &ShardOptions,
        regime: Regime,
    ) -> Result<FlatDataset, ShardSetError> {
        // SAFETY: the caller promises the same.
        let mapped = unsafe { FlatDataset::map_expected(self.all_files(), options, regime) };
        Ok(mapped?)
    }

    fn all_files(&self) -> impl Iterator<Item = Expected> {
        let shards = self.meta.shards.iter();
        shards.map(|shard| (self.folder.join(&shard.path), Some(shard.num_samples)))
    }

    /// The files of these shards. Ids that `meta.json` does not have were refused when it was read.
    fn files(&self, ids: &[u64]) -> impl Iterator<Item = Expected> {
        let shards = ids.iter().filter_map(|&id| self.meta.shard(id));
        shards.map(|shard| (self.folder.join(&shard.path), Some(shard.num_samples)))
    }
}
