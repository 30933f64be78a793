//! A set of shards, or a single one.

use std::path::{Path, PathBuf};

use chess_shards::{
    Compressed, FlatDataset, ShardError, ShardInfo, ShardOptions, ShardSet, ShardSetError,
    SplitName,
};
use clap::ValueEnum;

use crate::failure::Failure;

/// A split, as it is named on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Split {
    Train,
    Val,
    Test,
}

impl From<Split> for SplitName {
    fn from(split: Split) -> Self {
        match split {
            Split::Train => Self::Train,
            Split::Val => Self::Val,
            Split::Test => Self::Test,
        }
    }
}

/// What a path stands for.
pub(crate) enum Shards {
    Set(Box<ShardSet>),
    File(PathBuf),
}

/// Shards are opened one at a time, so that a compressed one may be in memory.
fn options() -> ShardOptions {
    ShardOptions::new().compressed(Compressed::Memory)
}

impl Shards {
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        if path.is_dir() {
            Ok(Self::Set(ShardSet::open(path)?.into()))
        } else {
            Ok(Self::File(path.to_path_buf()))
        }
    }

    /// The shards of a split, or all. A single file has no splits.
    pub(crate) fn parts(&self, split: Option<Split>) -> Result<Vec<Part<'_>>, Failure> {
        match (self, split) {
            (Self::File(path), None) => Ok(vec![Part::File(path)]),
            (Self::File(path), Some(_)) => Err(Failure::usage(format!(
                "{}: is one shard, splits are of sets",
                path.display()
            ))),
            (Self::Set(set), split) => {
                let shards = of_split(set, split).into_iter();
                Ok(shards.map(|shard| Part::OfSet(set, shard)).collect())
            }
        }
    }
}

/// The shards of a split in its order, or all in theirs.
pub(crate) fn of_split(set: &ShardSet, split: Option<Split>) -> Vec<&ShardInfo> {
    let meta = set.meta();
    match split {
        None => meta.shards.iter().collect(),
        Some(split) => {
            let ids = meta.splits.ids(split.into());
            ids.iter().filter_map(|&id| meta.shard(id)).collect()
        }
    }
}

/// One shard.
#[derive(Clone, Copy)]
pub(crate) enum Part<'a> {
    OfSet(&'a ShardSet, &'a ShardInfo),
    File(&'a Path),
}

impl Part<'_> {
    /// How many rows it should have, if that is told.
    pub(crate) const fn rows(&self) -> Option<u64> {
        match self {
            Self::OfSet(_, shard) => Some(shard.num_samples),
            Self::File(_) => None,
        }
    }

    pub(crate) fn open(&self) -> Result<FlatDataset, Failure> {
        match self {
            Self::OfSet(set, shard) => match set.shard(shard, &options()) {
                // It is the set that is at fault, not its name.
                Err(ShardSetError::Shard(error @ ShardError::Missing { .. })) => {
                    Err(Failure::data(error))
                }
                opened => Ok(opened?),
            },
            Self::File(path) => Ok(FlatDataset::open([*path], &options())?),
        }
    }

    pub(crate) fn path(&self) -> PathBuf {
        match self {
            Self::OfSet(set, shard) => set.folder().join(&shard.path),
            Self::File(path) => path.to_path_buf(),
        }
    }
}
