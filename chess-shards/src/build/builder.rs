//! Building a set, or a slice of it, in a folder.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::count::count_games;
use super::error::BuildError;
use super::manifest::{FinishedShard, Identity, Manifest, manifest_name};
use super::merge::merge;
use super::options::BuildOptions;
use super::pass::{Pass, remove_temporary};
use super::plan::Plan;
use super::progress::{BuildPhase, Meter, Progress};
use super::report::BuildReport;
use super::rounds::Workers;
use super::source::Source;
use crate::Meta;

/// What was built.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BuildSummary {
    /// The shards that are there now: all, or those of the slice.
    pub shards: Range<u32>,
    /// How many of them were there already.
    pub kept_shards: u32,
    /// What became of the games. Of a slice, shards' counts are those of the slice.
    pub report: BuildReport,
}

/// Builds a set of flat shards in the folder `out`: the shards, `meta.json` and `build_report.json`.
///
/// The games are gone through twice, once to count them ([`BuildOptions::games`] saves that) and once to
/// build. Each shard takes its place when it is whole, and is noted in `build_manifest.json`: the same call
/// after an interruption keeps finished shards that are as they were written. `meta.json` is written
/// last.
///
/// With [`BuildOptions::only`] a slice of the shards is built, and no `meta.json`; [`merge`] makes one
/// set of slices. Several processes may build slices in one folder, but not the same shards at once.
///
/// The bytes are those of the reference for the same games and options. Beside the workers, one thread
/// reads; memory is some MiB for each worker.
///
/// # Errors
///
/// A [`BuildError`]; what is finished stays.
pub fn build(
    source: &Source<'_>,
    options: &BuildOptions,
    out: impl AsRef<Path>,
    progress: &mut Progress<'_>,
) -> Result<BuildSummary, BuildError> {
    options.check()?;
    let build = Identity {
        options: options.drawn.clone(),
        source: source.identity()?,
    };
    let mut folder = Folder::open(out.as_ref(), options, build)?;
    let workers = Workers::new(options.workers)?;
    let mut meter = Meter::new(progress);
    folder.count(source, options, &workers, &mut meter)?;
    let plan = folder.plan()?;
    let shards = slice(options.only.clone(), &plan)?;
    let wanted = folder.wanted(&plan, shards.clone())?;
    folder.build(source, options, &plan, wanted.clone(), &workers, &mut meter)?;
    let built = wanted.iter().filter(|&&wanted| wanted).count() as u32;
    let kept_shards = shards.len() as u32 - built;
    if options.only.is_none() {
        let merged = merge(&[] as &[&Path], out)?;
        return Ok(BuildSummary {
            kept_shards,
            ..merged
        });
    }
    Ok(BuildSummary {
        report: folder.report(shards.clone()),
        shards,
        kept_shards,
    })
}

fn slice(only: Option<Range<u32>>, plan: &Plan) -> Result<Range<u32>, BuildError> {
    let shards = plan.shards();
    match only {
        None => Ok(0..shards),
        Some(only) if only.is_empty() || only.end > shards => {
            Err(BuildError::Only { only, shards })
        }
        Some(only) => Ok(only),
    }
}

/// A folder with a part of a set, or with nothing yet.
struct Folder {
    path: PathBuf,
    manifest: Manifest,
    manifest_path: PathBuf,
    /// Shards that other slices have finished.
    others: Vec<FinishedShard>,
}

impl Folder {
    fn open(path: &Path, options: &BuildOptions, build: Identity) -> Result<Self, BuildError> {
        fs::create_dir_all(path).map_err(|source| read_error(path, source))?;
        if options.overwrite {
            clear(path, options.only.as_ref())?;
        }
        let manifest_path = path.join(manifest_name(options.only.as_ref()));
        let mut folder = Self {
            path: path.to_path_buf(),
            manifest: Manifest::new(build),
            manifest_path,
            others: Vec::new(),
        };
        folder.manifest.git_sha.clone_from(&options.git_sha);
        let manifests = Manifest::read_all(path)?;
        if manifests.is_empty() {
            refuse_unknown(path)?;
        }
        for (path, found) in manifests {
            folder.adopt(path, found)?;
        }
        Ok(folder)
    }

    /// Takes over what another call has done.
    fn adopt(&mut self, path: PathBuf, found: Manifest) -> Result<(), BuildError> {
        if self.manifest.games == 0 {
            self.manifest.adopt_count(&found);
        }
        if let Some(what) = self.manifest.difference(&found) {
            return Err(BuildError::OtherBuild { path, what });
        }
        if path == self.manifest_path {
            self.manifest.shards = found.shards;
            self.manifest.seconds = found.seconds;
        } else {
            self.others.extend(found.shards);
        }
        Ok(())
    }

    fn count(
        &mut self,
        source: &Source<'_>,
        options: &BuildOptions,
        workers: &Workers,
        meter: &mut Meter<'_, '_>,
    ) -> Result<(), BuildError> {
        let limit = options.drawn.limit_games.unwrap_or(u64::MAX);
        let told = options.games.map(|games| games.min(limit));
        if self.manifest.games > 0 {
            return match told {
                Some(told) if told != self.manifest.games => Err(BuildError::OtherBuild {
                    path: self.manifest_path.clone(),
                    what: "numbers of games",
                }),
                _ => Ok(()),
            };
        }
        match told {
            Some(told) => self.manifest.games = told,
            None => {
                meter.begin(BuildPhase::Counting, options.drawn.limit_games)?;
                count_games(source, workers, &mut self.manifest, meter)?;
            }
        }
        Ok(())
    }

    fn plan(&self) -> Result<Plan, BuildError> {
        if self.manifest.games == 0 {
            let left_out = self
                .manifest
                .left_out
                .map_or(0, |left_out| left_out.total());
            return Err(BuildError::NoGames { left_out });
        }
        Ok(Plan::new(self.manifest.games, &self.manifest.build.options))
    }

    /// For each shard whether it is to be built: it is in the slice, and not there as it was written.
    fn wanted(&mut self, plan: &Plan, shards: Range<u32>) -> Result<Vec<bool>, BuildError> {
        let in_slice =
            |shard: u64| u64::from(shards.start) <= shard && shard < u64::from(shards.end);
        let mut wanted: Vec<_> = (0..plan.shards())
            .map(|shard| in_slice(shard.into()))
            .collect();
        let own = std::mem::take(&mut self.manifest.shards);
        for finished in own.into_iter().chain(self.others.iter().cloned()) {
            let shard = finished.info.shard_id;
            let Some(wanted) = wanted.get_mut(shard as usize).filter(|wanted| **wanted) else {
                continue;
            };
            if finished.is_in(&self.path)? {
                *wanted = false;
                self.manifest.shards.push(finished);
            }
        }
        Ok(wanted)
    }

    fn build(
        &mut self,
        source: &Source<'_>,
        options: &BuildOptions,
        plan: &Plan,
        wanted: Vec<bool>,
        workers: &Workers,
        meter: &mut Meter<'_, '_>,
    ) -> Result<(), BuildError> {
        if !wanted.contains(&true) {
            return Ok(());
        }
        remove_temporary(&self.path, &wanted)?;
        self.manifest.write(&self.manifest_path)?;
        meter.begin(BuildPhase::Building, Some(self.manifest.games))?;
        let told = self.manifest.block_games.is_empty() && options.games.is_some();
        let (folder, manifest_path) = (self.path.clone(), self.manifest_path.clone());
        let manifest = &mut self.manifest;
        let mut pass = Pass::new(plan, manifest, wanted, told, folder, manifest_path);
        workers.read(source, |rounds| pass.run(rounds, workers, meter))
    }

    fn report(&self, shards: Range<u32>) -> BuildReport {
        let shards = u64::from(shards.start)..u64::from(shards.end);
        let own = self.manifest.shards.iter().map(|finished| &finished.info);
        let own = own.filter(|info| shards.contains(&info.shard_id));
        BuildReport::new(self.manifest.games, self.manifest.left_out, own)
    }
}

pub(super) fn read_error(path: &Path, source: io::Error) -> BuildError {
    let path = path.to_path_buf();
    BuildError::Read { path, source }
}

/// Names of what is in a folder.
fn names(folder: &Path) -> Result<Vec<String>, BuildError> {
    let error = |source| read_error(folder, source);
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(error)? {
        let name = entry.map_err(error)?.file_name();
        names.extend(name.into_string());
    }
    Ok(names)
}

/// The number of the shard that a file of this name holds.
fn shard_number(name: &str) -> Option<u32> {
    let number = name.strip_prefix("shard_")?;
    let number = number.strip_suffix(".zst").unwrap_or(number);
    number.strip_suffix(".npy")?.parse().ok()
}

/// Removes a set, or the shards of a slice, what says that the set is whole first.
fn clear(folder: &Path, only: Option<&Range<u32>>) -> Result<(), BuildError> {
    let names = names(folder)?;
    let is_manifest = |name: &str| match only {
        None => name.starts_with("build_manifest") && name.ends_with(".json"),
        Some(_) => name == manifest_name(only),
    };
    let is_shard = |name: &str| {
        shard_number(name).is_some_and(|shard| only.is_none_or(|only| only.contains(&shard)))
    };
    let wholes = [Meta::FILE_NAME, BuildReport::FILE_NAME];
    let wholes = wholes
        .into_iter()
        .filter(|&whole| names.iter().any(|name| name == whole));
    let manifests = names
        .iter()
        .map(String::as_str)
        .filter(|name| is_manifest(name));
    let shards = names
        .iter()
        .map(String::as_str)
        .filter(|name| is_shard(name));
    for name in wholes.chain(manifests).chain(shards) {
        let path = folder.join(name);
        fs::remove_file(&path).map_err(|source| read_error(&path, source))?;
    }
    Ok(())
}

/// Refuses a set that no manifest tells of.
fn refuse_unknown(folder: &Path) -> Result<(), BuildError> {
    let names = names(folder)?;
    let is_of_set = |name: &&String| *name == Meta::FILE_NAME || shard_number(name).is_some();
    match names.iter().find(is_of_set) {
        Some(name) => Err(BuildError::Exists {
            path: folder.join(name),
        }),
        None => Ok(()),
    }
}
