//! One set of slices.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use chess_records::AtomicFile;
use serde_json::{Map, Number};

use super::builder::{BuildSummary, read_error};
use super::error::BuildError;
use super::files::{names, refuse_unknown};
use super::manifest::{FinishedShard, Manifest, manifest_name, write_file};
use super::plan::Plan;
use super::report::BuildReport;
use crate::meta::RecordDtype;
use crate::{Action, FlatRecord, Meta, ShardInfo};

/// Makes one set, in the folder `out`, of slices that were built with [`BuildOptions::only`] of the same
/// games with the same options, there and in the folders `pieces`. Shards that are elsewhere are
/// copied. The set is byte for byte what a single build gives.
///
/// # Errors
///
/// When the slices are of different sets, a shard is nowhere as it was written, or `out` has a set that
/// was not built here. Nothing is copied then.
///
/// [`BuildOptions::only`]: super::BuildOptions::only
pub fn merge(
    pieces: &[impl AsRef<Path>],
    out: impl AsRef<Path>,
) -> Result<BuildSummary, BuildError> {
    let out = out.as_ref();
    let pieces = Pieces::read(pieces, out)?;
    let plan = Plan::new(pieces.whole.games, &pieces.whole.build.options);
    let mut whole = pieces.whole.clone();
    let found = (0..plan.shards()).map(|shard| pieces.find(shard));
    let found = found.collect::<Result<Vec<_>, _>>()?;
    whole.shards = found.iter().map(|(_, shard)| shard.clone()).collect();
    fs::create_dir_all(out).map_err(|source| read_error(out, source))?;
    // Before the shards, so that the same call goes on if it is interrupted.
    whole.write(&out.join(manifest_name(None)))?;
    for (folder, shard) in found.iter().filter(|(folder, _)| folder != out) {
        let path = &shard.info.path;
        copy(&folder.join(path), &out.join(path))?;
    }
    let infos: Vec<_> = whole
        .shards
        .iter()
        .map(|shard| shard.info.clone())
        .collect();
    let report = BuildReport::new(whole.games, whole.left_out, &infos);
    write_report(&report, out)?;
    write_meta(meta(&whole, &plan, infos), out)?;
    Ok(BuildSummary {
        shards: 0..plan.shards(),
        kept_shards: plan.shards(),
        report,
    })
}

struct Pieces {
    /// The manifest of the whole, without shards yet.
    whole: Manifest,
    /// Folders and the shards that are there, `out` first.
    shards: Vec<(PathBuf, FinishedShard)>,
}

impl Pieces {
    fn read(pieces: &[impl AsRef<Path>], out: &Path) -> Result<Self, BuildError> {
        let mut whole: Option<Manifest> = None;
        let (mut shards, mut seconds) = (Vec::new(), 0.0_f64);
        let folders = std::iter::once(out).chain(pieces.iter().map(AsRef::as_ref));
        for folder in folders {
            let names = names_if_there(folder)?;
            let manifests = Manifest::read_all(folder, &names)?;
            if folder == out && manifests.is_empty() {
                refuse_unknown(out, &names)?;
            }
            for (path, manifest) in manifests {
                let whole = whole.get_or_insert_with(|| manifest.clone());
                if let Some(what) = whole.difference(&manifest) {
                    return Err(BuildError::OtherBuild { path, what });
                }
                whole.left_out = whole.left_out.or(manifest.left_out);
                if manifest.block_games.len() > whole.block_games.len() {
                    whole.block_games = manifest.block_games;
                }
                // A manifest of the whole has the time of its slices already.
                let is_whole = path
                    .file_name()
                    .is_some_and(|name| *name == *manifest_name(None));
                seconds = if is_whole {
                    manifest.seconds
                } else {
                    seconds + manifest.seconds
                };
                let in_folder = |shard| (folder.to_path_buf(), shard);
                shards.extend(manifest.shards.into_iter().map(in_folder));
            }
        }
        let mut whole = whole.ok_or_else(|| BuildError::NoManifest {
            path: out.to_path_buf(),
        })?;
        whole.shards.clear();
        whole.seconds = seconds;
        Ok(Self { whole, shards })
    }

    /// The shard, and the first folder in which it is as it was written.
    fn find(&self, shard: u32) -> Result<&(PathBuf, FinishedShard), BuildError> {
        let is_this = |(_, found): &&(_, FinishedShard)| found.info.shard_id == u64::from(shard);
        for place in self.shards.iter().filter(is_this) {
            let (folder, found) = place;
            if found.is_in(folder)? {
                return Ok(place);
            }
        }
        Err(BuildError::MissingShard { shard })
    }
}

/// Names of what is in a folder, which need not be there.
fn names_if_there(folder: &Path) -> Result<Vec<String>, BuildError> {
    match names(folder) {
        Err(BuildError::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
            Ok(Vec::new())
        }
        names => names,
    }
}

fn copy(from: &Path, to: &Path) -> Result<(), BuildError> {
    let mut source = File::open(from).map_err(|source| read_error(from, source))?;
    let mut file = AtomicFile::create(to)?;
    io::copy(&mut source, &mut file).map_err(|source| read_error(to, source))?;
    Ok(file.finish()?)
}

fn write_report(report: &BuildReport, out: &Path) -> Result<(), BuildError> {
    let path = out.join(BuildReport::FILE_NAME);
    let json = serde_json::to_vec_pretty(report).map_err(|source| BuildError::Manifest {
        path: path.clone(),
        source,
    })?;
    Ok(write_file(&path, &json)?)
}

fn meta(whole: &Manifest, plan: &Plan, shards: Vec<ShardInfo>) -> Meta {
    let options = &whole.build.options;
    Meta {
        format_version: Meta::FORMAT_VERSION,
        record_dtype: RecordDtype::flat(),
        legal_cap: FlatRecord::LEGAL_CAP as u64,
        pad_action: Action::PAD.into(),
        source_h5: whole.build.source.name().to_owned(),
        source_games: whole.games,
        k: options.k.into(),
        seed: options.seed,
        sample_mode: options.sample_mode,
        sample_weighting: options.sample_weighting,
        skip_opening_plies: options.skip_opening_plies.into(),
        min_elo: options.min_elo,
        max_elo: options.max_elo,
        num_samples: shards.iter().map(|shard| shard.num_samples).sum(),
        splits: plan.splits.clone(),
        shards,
        git_sha: whole.git_sha.clone(),
        build_seconds: seconds(whole.seconds),
        other: Map::new(),
        key_order: Vec::new(),
    }
}

/// Hundredths are enough.
fn seconds(seconds: f64) -> Number {
    let rounded = (seconds * 100.0).round() / 100.0;
    Number::from_f64(rounded).unwrap_or_else(|| 0.into())
}

/// Writes `meta.json`, unless one is there that says the same.
fn write_meta(mut meta: Meta, out: &Path) -> Result<(), BuildError> {
    let path = out.join(Meta::FILE_NAME);
    if let Ok(old) = Meta::read(&path) {
        let new = meta.build_seconds.clone();
        meta.build_seconds = old.build_seconds.clone();
        if meta.to_json() == old.to_json() {
            return Ok(());
        }
        meta.build_seconds = new;
    }
    Ok(meta.write(&path)?)
}
