//! One month, from its first shard to the joined parts.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use super::notes::{Notes, is_part_name, part_name};
use super::progress::{FetchPhase, Meter};
use super::shards::Shards;
use super::{Fetch, FetchError, Fetched, FilterShard, JoinParts, Progress, ShardState, plan};
use crate::corpus::hub::{Hub, HubFile};
use crate::corpus::{Counts, FileHash, InputFile, Manifest, Month, Opened, StageFolder};

/// A month that is being fetched, or that is there.
pub(super) struct MonthFetch<'a> {
    fetch: &'a Fetch<'a>,
    month: Month,
    shards: Shards,
    opened: Opened,
}

/// A month that is being fetched.
struct Unfinished<'a> {
    fetch: &'a Fetch<'a>,
    month: Month,
    shards: Shards,
    folder: StageFolder,
    notes: Notes,
    hub: Hub,
}

impl<'a> MonthFetch<'a> {
    pub(super) fn open(fetch: &'a Fetch<'a>, month: Month) -> Result<Self, FetchError> {
        let folder = month.folder(&fetch.stage);
        let opened = StageFolder::open(folder, &fetch.job(month), fetch.options.overwrite);
        Ok(Self {
            fetch,
            month,
            shards: fetch.shards(),
            opened: opened.map_err(FetchError::folder(month))?,
        })
    }

    pub(super) fn run(
        self,
        filter: &mut FilterShard<'_>,
        join: &mut JoinParts<'_>,
        progress: &mut Progress<'_>,
    ) -> Result<Fetched, FetchError> {
        let (fetch, month) = (self.fetch, self.month);
        let folder = match self.opened {
            Opened::Finished(manifest) => {
                remove_parts(&month.folder(&fetch.stage))?;
                return Ok(Fetched {
                    manifest,
                    was_finished: true,
                    downloaded_bytes: 0,
                });
            }
            Opened::Unfinished(folder) => folder,
        };
        let notes = Notes::of(folder.manifest());
        let mut unfinished = Unfinished {
            fetch,
            month,
            shards: self.shards,
            hub: fetch.hub.pinned_to(notes.commit.as_deref()),
            folder,
            notes,
        };
        let mut meter = Meter::new(month, fetch.options.limit, progress);
        unfinished.keep_whole_parts()?;
        unfinished.filter_shards(filter, &mut meter)?;
        let downloaded_bytes = meter.now.bytes;
        let manifest = unfinished.finish(join, &mut meter)?;
        Ok(Fetched {
            manifest,
            was_finished: false,
            downloaded_bytes,
        })
    }
}

impl Unfinished<'_> {
    /// Takes up the parts that are there as they were written; the first that is not, and those after
    /// it, are made anew.
    fn keep_whole_parts(&mut self) -> Result<(), FetchError> {
        let manifest = self.folder.manifest();
        let noted = self.notes.parts.len().min(manifest.inputs.len());
        let mut whole = 0;
        for (number, file) in manifest.files.iter().enumerate().take(noted) {
            let is_whole = file
                .is_whole(self.folder.path())
                .map_err(FetchError::folder(self.month))?;
            if file.name != part_name(number) || !is_whole {
                break;
            }
            whole += 1;
        }
        self.notes.parts.truncate(whole);
        let manifest = self.folder.manifest_mut();
        manifest.files.truncate(whole);
        manifest.inputs.truncate(whole);
        // It may have been killed before it could.
        if let Some(last) = manifest.inputs.last() {
            self.shards.done_with(&last.label)?;
        }
        self.save()
    }

    fn filter_shards(
        &mut self,
        filter: &mut FilterShard<'_>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<(), FetchError> {
        let games = self.notes.counts().kept;
        (meter.now.games, meter.now.games_before) = (games, games);
        meter.now.shards_done = self.notes.parts.len();
        if self.notes.is_complete(self.fetch.options.limit) {
            return Ok(());
        }
        let listed = self.list(meter)?;
        meter.now.shards = listed.len();
        let to_come = listed.iter().skip(self.notes.parts.len());
        meter.now.bytes_in_all = to_come.map(|file| self.missing_bytes(file)).sum();
        while !self.notes.is_complete(self.fetch.options.limit) {
            let shard = &listed[self.notes.parts.len()];
            let path = self.download(shard, meter)?;
            meter.begin(FetchPhase::Filtering)?;
            self.filter(shard, &path, filter)?;
            meter.now.games = self.notes.counts().kept;
            meter.now.shards_done = self.notes.parts.len();
            self.shards.done_with(&shard.path)?;
        }
        Ok(())
    }

    /// The shards at the commit of the month's beginning, which is pinned if it was not.
    fn list(&mut self, meter: &mut Meter<'_, '_>) -> Result<Vec<HubFile>, FetchError> {
        let month = self.month;
        meter.begin(FetchPhase::Listing)?;
        let mut listed = plan::list(self.fetch, &self.hub, month, meter)?;
        if self.hub.commit().is_none() {
            let pinned = self
                .hub
                .pin(&listed[0].path, &mut |event| meter.event(event));
            // The list may be older than the commit.
            if pinned.map_err(FetchError::hub(month))?.is_some() {
                listed = plan::list(self.fetch, &self.hub, month, meter)?;
            }
        }
        self.check_same(&listed)?;
        self.notes.commit = self.hub.commit();
        self.notes.shards = Some(listed.len());
        self.save()?;
        Ok(listed)
    }

    /// Refuses to go on with other shards than those that were filtered.
    fn check_same(&self, listed: &[HubFile]) -> Result<(), FetchError> {
        for (number, input) in self.folder.manifest().inputs.iter().enumerate() {
            let is_same = listed.get(number).is_some_and(|file| {
                let hash = file.sha256.unwrap_or(input.sha256);
                (&*file.path, file.size, hash) == (&*input.label, input.bytes, input.sha256)
            });
            if !is_same {
                return Err(FetchError::Changed {
                    month: self.month,
                    shard: input.label.clone(),
                });
            }
        }
        Ok(())
    }

    fn missing_bytes(&self, shard: &HubFile) -> u64 {
        match self.shards.state(shard) {
            ShardState::Begun { bytes } => shard.size - bytes,
            ShardState::Missing => shard.size,
            _ => 0,
        }
    }

    fn download(&self, shard: &HubFile, meter: &mut Meter<'_, '_>) -> Result<PathBuf, FetchError> {
        let path = self.shards.path(&shard.path);
        self.shards.make_folder_of(&path)?;
        meter.begin_shard(shard.size)?;
        let downloaded = self
            .hub
            .download(shard, &path, &mut |event| meter.event(event));
        downloaded.map_err(FetchError::hub(self.month))?;
        Ok(path)
    }

    /// Makes a part of a shard, and notes both.
    fn filter(
        &mut self,
        shard: &HubFile,
        path: &Path,
        filter: &mut FilterShard<'_>,
    ) -> Result<(), FetchError> {
        let limit_left = self.notes.limit_left(self.fetch.options.limit);
        let part = part_name(self.notes.parts.len());
        let temporary = self.temporary(&part);
        let filtered = filter(path, &temporary, limit_left);
        let counts = filtered.map_err(|source| FetchError::Filter {
            path: path.into(),
            source,
        })?;
        check_limit(path, &counts, limit_left)?;
        self.put_in_place(&temporary, &part)?;
        let sha256 = match shard.sha256 {
            Some(sha256) => sha256,
            None => FileHash::of_file(path).map_err(FetchError::file(path))?.0,
        };
        self.folder
            .add_input(InputFile::new(&*shard.path, shard.size, sha256));
        self.add_file(&part, counts.kept)?;
        self.notes.parts.push(counts);
        self.save()
    }

    /// Joins the parts, and removes them.
    fn finish(
        mut self,
        join: &mut JoinParts<'_>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Manifest, FetchError> {
        let (month, counts) = (self.month, self.notes.counts());
        if counts.kept == 0 {
            let read = counts.read;
            return Err(FetchError::NoGames { month, read });
        }
        meter.begin(FetchPhase::Joining)?;
        let names = (0..self.notes.parts.len()).map(part_name);
        let parts: Vec<PathBuf> = names.map(|name| self.folder.file(&name)).collect();
        let temporary = self.temporary(Month::GAMES);
        join(&parts, &temporary).map_err(|source| FetchError::Join { month, source })?;
        self.put_in_place(&temporary, Month::GAMES)?;
        self.folder.manifest_mut().files.clear();
        self.add_file(Month::GAMES, counts.kept)?;
        let notes = self.notes.finished();
        self.folder.set_notes(&notes);
        let path = self.folder.path().to_path_buf();
        let finished = self.folder.finish_with_notes();
        let manifest = finished.map_err(FetchError::folder(month))?;
        remove_parts(&path)?;
        Ok(manifest)
    }

    /// Where the caller's functions write; what is left of it goes when the month is opened again.
    fn temporary(&self, name: &str) -> PathBuf {
        self.folder.file(&format!(".{name}.tmp"))
    }

    fn put_in_place(&self, temporary: &Path, name: &str) -> Result<(), FetchError> {
        let opened = OpenOptions::new().append(true).open(temporary);
        let synced = opened.and_then(|file| file.sync_all());
        let to = self.folder.file(name);
        let renamed = synced.and_then(|()| fs::rename(temporary, &to));
        renamed.map_err(FetchError::file(to))
    }

    fn add_file(&mut self, name: &str, rows: u64) -> Result<(), FetchError> {
        let added = self.folder.add_file(name, Some(rows));
        added.map_err(FetchError::folder(self.month))
    }

    fn save(&mut self) -> Result<(), FetchError> {
        self.folder.set_notes(&self.notes);
        self.folder.manifest_mut().counts = self.notes.counts();
        self.folder.save().map_err(FetchError::folder(self.month))
    }
}

fn check_limit(path: &Path, counts: &Counts, limit: Option<u64>) -> Result<(), FetchError> {
    match limit {
        Some(limit) if counts.kept > limit => Err(FetchError::TooMany {
            path: path.into(),
            kept: counts.kept,
            limit,
        }),
        _ => Ok(()),
    }
}

/// Removes the parts of a finished month; it may have been killed before it could.
fn remove_parts(folder: &Path) -> Result<(), FetchError> {
    let entries = fs::read_dir(folder).map_err(FetchError::file(folder))?;
    for entry in entries {
        let path = entry.map_err(FetchError::file(folder))?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        if name.is_some_and(is_part_name) {
            fs::remove_file(&path).map_err(FetchError::file(&path))?;
        }
    }
    Ok(())
}
