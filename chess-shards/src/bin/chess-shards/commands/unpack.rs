//! `unpack`: plain shards of compressed ones.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use chess_records::AtomicFile;
use chess_records::ops::Output;
use chess_records::tool_support::Progress;
use chess_shards::{FlatDataset, Meta, ShardInfo, ShardOptions, ShardSet, unpack_shard};
use clap::Args;

use crate::failure::Failure;
use crate::report::print;

/// Decompresses the shards of a set, .npy.zst, to plain ones, .npy, as memory maps need them.
///
/// Each takes its place when it is whole; shards that are there with the right rows are left alone,
/// so that the same command goes on after an interruption. Into another folder, shards that are plain
/// already and meta.json are copied.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  chess-shards unpack shards
  chess-shards unpack shards /fast/shards")]
pub(crate) struct Unpack {
    /// The folder of the set
    #[arg(value_name = "DIR")]
    input: PathBuf,
    /// The folder for the plain shards [default: that of the set]
    #[arg(value_name = "OUT")]
    out: Option<PathBuf>,
    /// Replace what has the place of a shard and is none
    #[arg(short, long)]
    force: bool,
}

#[derive(Default)]
struct Counts {
    unpacked: u64,
    copied: u64,
    left_alone: u64,
}

const LEFT: &str = "whole shards are kept: the same command goes on with the others";

impl Unpack {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let set = ShardSet::open(&self.input)?;
        let out = self.out.as_deref().unwrap_or(&self.input);
        let progress = Progress::new("rows", Some(set.meta().num_samples));
        let mut counts = Counts::default();
        for shard in &set.meta().shards {
            Failure::if_interrupted(LEFT)?;
            self.unpack(shard, out, &mut counts)?;
            progress.add(shard.num_samples);
        }
        drop(progress);
        self.copy_meta(&set, out)?;
        print(&format!(
            "{} shards unpacked, {} copied, {} were there\n",
            counts.unpacked, counts.copied, counts.left_alone
        ))
    }

    fn unpack(&self, shard: &ShardInfo, out: &Path, counts: &mut Counts) -> Result<(), Failure> {
        let (plain, target) = (self.input.join(&shard.path), out.join(&shard.path));
        if is_whole(&target, shard) {
            counts.left_alone += 1;
            return Ok(());
        }
        if target.exists() && !self.force {
            return Err(Failure::usage(format!(
                "{}: is not the shard that meta.json tells of; --force replaces it",
                target.display()
            )));
        }
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder)?;
        }
        if target != plain && is_whole(&plain, shard) {
            counts.copied += 1;
            return copy(&plain, AtomicFile::create(&target)?);
        }
        let mut zst = plain.into_os_string();
        zst.push(".zst");
        let expected = Some(shard.num_samples);
        unpack_shard(Path::new(&zst), &target, expected, &ShardOptions::new())?;
        counts.unpacked += 1;
        Ok(())
    }

    /// Without it, what was unpacked is no set.
    fn copy_meta(&self, set: &ShardSet, out: &Path) -> Result<(), Failure> {
        let (from, to) = (self.input.join(Meta::FILE_NAME), out.join(Meta::FILE_NAME));
        let is_same = Meta::read(&to).is_ok_and(|meta| meta == *set.meta());
        if is_same {
            return Ok(());
        }
        let output = if self.force {
            Output::replacing(&to)
        } else {
            Output::new(&to)
        };
        copy(&from, output.create([from.as_path()])?)
    }
}

fn copy(from: &Path, mut to: AtomicFile) -> Result<(), Failure> {
    io::copy(&mut fs::File::open(from)?, &mut to)?;
    Ok(to.finish()?)
}

/// Whether the plain shard is there with its rows.
fn is_whole(path: &Path, shard: &ShardInfo) -> bool {
    path.exists()
        && FlatDataset::open([path], &ShardOptions::new())
            .is_ok_and(|rows| rows.len() == shard.num_samples)
}
