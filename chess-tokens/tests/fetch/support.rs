//! Months on a stand-in for the hub, with games of a line each.

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chess_tokens::corpus::fetch::{
    BoxError, Fetch, FetchError, FetchOptions, FetchProgress, Fetched,
};
use chess_tokens::corpus::hub::Hub;
use chess_tokens::corpus::{Counts, Month};

use crate::hub_stand_in::{REPO, Request, StandIn};

pub(crate) const SHARDS: usize = 6;

pub(crate) fn may() -> Month {
    "2025-05".parse().unwrap()
}

pub(crate) fn shard(number: usize) -> String {
    format!("data/{}/train-{number:05}.parquet", may().partition())
}

/// Games, a line each, of which every other is kept; none of the shard 2.
pub(crate) fn games(number: usize) -> String {
    let elo = |game: usize| {
        if game.is_multiple_of(2) && number != 2 {
            2000
        } else {
            1000
        }
    };
    let line = |game| format!("{} game {game} of shard {number}\n", elo(game));
    (0..2000 + number).map(line).collect()
}

pub(crate) fn filter(shard: &Path, part: &Path, limit: Option<u64>) -> Result<Counts, BoxError> {
    let mut counts = Counts::default();
    let mut kept = String::new();
    for line in fs::read_to_string(shard)?.lines() {
        if Some(counts.kept) == limit {
            break;
        }
        counts.read += 1;
        if line.starts_with("2000") {
            counts.kept += 1;
            kept += &format!("{line}\n");
        } else {
            counts.leave_out("elo", 1);
        }
    }
    fs::write(part, kept)?;
    Ok(counts)
}

pub(crate) fn join(parts: &[PathBuf], games: &Path) -> Result<(), BoxError> {
    let mut joined = String::new();
    for part in parts {
        joined += &fs::read_to_string(part)?;
    }
    Ok(fs::write(games, joined)?)
}

pub(crate) fn on(_: &FetchProgress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

pub(crate) struct Case {
    pub(crate) temporary: tempfile::TempDir,
    pub(crate) stand_in: StandIn,
}

impl Case {
    pub(crate) fn new() -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let served = temporary.path().join("served");
        fs::create_dir_all(served.join(shard(0)).parent().unwrap()).unwrap();
        for number in 0..SHARDS {
            fs::write(served.join(shard(number)), games(number)).unwrap();
        }
        fs::write(
            served.join(format!("data/{}/README.md", may().partition())),
            "no",
        )
        .unwrap();
        Self {
            stand_in: StandIn::start(&served),
            temporary,
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.temporary.path().join(name)
    }

    pub(crate) fn stage(&self) -> PathBuf {
        self.path("corpus/fetch")
    }

    pub(crate) fn fetch(&self, options: FetchOptions) -> Result<Fetched, FetchError> {
        let hub = hub(&self.stand_in.endpoint());
        Fetch::new(&hub, self.stage(), options).month(may(), &mut filter, &mut join, &mut on)
    }

    pub(crate) fn fail(&self, options: FetchOptions) -> String {
        self.fetch(options).unwrap_err().to_string()
    }

    pub(crate) fn games(&self) -> String {
        fs::read_to_string(may().games(self.stage())).unwrap()
    }

    /// Of the shards that were asked for, those at this place.
    pub(crate) fn downloads(&self, number: usize) -> usize {
        let seen = self.stand_in.seen_by(false);
        let is_it = |request: &&Request| request.decoded.contains(&shard(number));
        seen.iter().filter(is_it).count()
    }
}

pub(crate) fn hub(endpoint: &str) -> Hub {
    Hub::builder(REPO)
        .environment(|_| None)
        .endpoint(endpoint)
        .first_delay(Duration::from_millis(1))
        .build()
        .unwrap()
}

/// What is kept of all shards.
pub(crate) fn all_kept() -> Vec<String> {
    let lines =
        (0..SHARDS).flat_map(|number| games(number).lines().map(String::from).collect::<Vec<_>>());
    lines.filter(|line| line.starts_with("2000")).collect()
}

/// The names of the files below a folder, in order. They may come and go meanwhile.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap();
                found.push(name.replace('\\', "/"));
            }
        }
    }
    found.sort();
    found
}

/// The files below a folder.
pub(crate) fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let read = |name: String| {
        let bytes = fs::read(folder.join(&name)).unwrap();
        (name, bytes)
    };
    names(folder).into_iter().map(read).collect()
}
