//! Building a set, or a slice of it, in a folder.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::count::count_games;
use super::error::BuildError;
use super::files::{in_the_way, names, refuse_unknown, remove, remove_temporary};
use super::manifest::{FinishedShard, Identity, Manifest, manifest_name};
use super::merge::merge;
use super::options::BuildOptions;
use super::pass::Pass;
use super::plan::Plan;
use super::progress::{BuildPhase, Meter, Progress};
use super::report::BuildReport;
use super::rounds::Workers;
use super::source::Source;

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
    remove(&folder.path, &folder.in_the_way)?;
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
    /// Names of files to remove before anything is built, and not before all else is found right.
    in_the_way: Vec<String>,
}

impl Folder {
    fn open(path: &Path, options: &BuildOptions, build: Identity) -> Result<Self, BuildError> {
        fs::create_dir_all(path).map_err(|source| read_error(path, source))?;
        let mut names = names(path)?;
        let in_the_way = in_the_way(&names, options);
        names.retain(|name| !in_the_way.contains(name));
        let manifest_path = path.join(manifest_name(options.only.as_ref()));
        let mut folder = Self {
            path: path.to_path_buf(),
            manifest: Manifest::new(build),
            manifest_path,
            others: Vec::new(),
            in_the_way,
        };
        folder.manifest.git_sha.clone_from(&options.git_sha);
        let manifests = Manifest::read_all(path, &names)?;
        if manifests.is_empty() {
            refuse_unknown(path, &names)?;
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
        remove_temporary(&self.path, &wanted, options)?;
        if !wanted.contains(&true) {
            return Ok(());
        }
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
