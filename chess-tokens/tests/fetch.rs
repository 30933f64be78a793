//! Months fetched from a stand-in that makes mistakes, stopped and killed on the way.
#![cfg(feature = "hub")]
#![allow(clippy::unwrap_used, missing_docs)]

mod hub_stand_in;

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use chess_tokens::corpus::fetch::{
    BoxError, Fetch, FetchError, FetchOptions, FetchPhase, FetchProgress, Fetched, PlanState,
    ShardState,
};
use chess_tokens::corpus::hub::Hub;
use chess_tokens::corpus::{Counts, Manifest, Month};
use hub_stand_in::{COMMIT, Fault, REPO, StandIn};
use serde_json::{Map, Value};

const ENDPOINT: &str = "CHESS_TOKENS_TEST_ENDPOINT";
const CORPUS: &str = "CHESS_TOKENS_TEST_CORPUS";
const SHARDS: usize = 6;

fn may() -> Month {
    "2025-05".parse().unwrap()
}

fn shard(number: usize) -> String {
    format!("data/{}/train-{number:05}.parquet", may().partition())
}

/// Games, a line each, of which every other is kept; none of the shard 2.
fn games(number: usize) -> String {
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

fn filter(shard: &Path, part: &Path, limit: Option<u64>) -> Result<Counts, BoxError> {
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

fn join(parts: &[PathBuf], games: &Path) -> Result<(), BoxError> {
    let mut joined = String::new();
    for part in parts {
        joined += &fs::read_to_string(part)?;
    }
    Ok(fs::write(games, joined)?)
}

fn on(_: &FetchProgress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

struct Case {
    temporary: tempfile::TempDir,
    stand_in: StandIn,
}

impl Case {
    fn new() -> Self {
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

    fn path(&self, name: &str) -> PathBuf {
        self.temporary.path().join(name)
    }

    fn stage(&self) -> PathBuf {
        self.path("corpus/fetch")
    }

    fn fetch(&self, options: FetchOptions) -> Result<Fetched, FetchError> {
        let hub = hub(&self.stand_in.endpoint());
        Fetch::new(&hub, self.stage(), options).month(may(), &mut filter, &mut join, &mut on)
    }

    fn fail(&self, options: FetchOptions) -> String {
        self.fetch(options).unwrap_err().to_string()
    }

    fn games(&self) -> String {
        fs::read_to_string(may().games(self.stage())).unwrap()
    }

    /// Of the shards that were asked for, those at this place.
    fn downloads(&self, number: usize) -> usize {
        let seen = self.stand_in.seen_by(false);
        let is_it = |request: &&hub_stand_in::Request| request.decoded.contains(&shard(number));
        seen.iter().filter(is_it).count()
    }
}

fn hub(endpoint: &str) -> Hub {
    Hub::builder(REPO)
        .environment(|_| None)
        .endpoint(endpoint)
        .first_delay(Duration::from_millis(1))
        .build()
        .unwrap()
}

/// What is kept of all shards.
fn all_kept() -> Vec<String> {
    let lines =
        (0..SHARDS).flat_map(|number| games(number).lines().map(String::from).collect::<Vec<_>>());
    lines.filter(|line| line.starts_with("2000")).collect()
}

/// The names of the files below a folder, in order. They may come and go meanwhile.
fn names(folder: &Path) -> Vec<String> {
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
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let read = |name: String| {
        let bytes = fs::read(folder.join(&name)).unwrap();
        (name, bytes)
    };
    names(folder).into_iter().map(read).collect()
}

#[test]
fn a_month_is_fetched_once() {
    let case = Case::new();
    let fetched = case.fetch(FetchOptions::new()).unwrap();
    let manifest = fetched.manifest;
    assert!(!fetched.was_finished);
    let bytes: usize = (0..SHARDS).map(|number| games(number).len()).sum();
    assert_eq!(fetched.downloaded_bytes, bytes as u64);
    assert!(case.games().lines().eq(all_kept()));
    let expected = [
        "fetch/year=2025/month=05/games.parquet",
        "fetch/year=2025/month=05/manifest.json",
    ];
    assert_eq!(names(&case.path("corpus")), expected);
    assert_eq!(
        manifest,
        Manifest::finished(may().folder(case.stage())).unwrap()
    );
    manifest.verify(may().folder(case.stage())).unwrap();
    let kept = all_kept().len() as u64;
    assert_eq!((manifest.counts.read, manifest.counts.kept), (12_015, kept));
    assert_eq!(manifest.counts.left_out["elo"], 12_015 - kept);
    assert_eq!(manifest.file("games.parquet").unwrap().rows, Some(kept));
    let shards: Vec<_> = manifest
        .inputs
        .iter()
        .map(|input| input.label.clone())
        .collect();
    assert_eq!(shards, (0..SHARDS).map(shard).collect::<Vec<_>>());
    assert_eq!(
        manifest.notes.to_string(),
        format!("{{\"commit\":\"{COMMIT}\"}}")
    );
    // The second time the hub is not even asked.
    case.stand_in.forget_seen();
    let again = case.fetch(FetchOptions::new()).unwrap();
    assert!(again.was_finished && again.manifest == manifest);
    assert!(case.stand_in.seen().is_empty());
}

#[test]
fn the_first_games_up_to_a_limit() {
    let case = Case::new();
    let manifest = case
        .fetch(FetchOptions::new().limit(Some(2500)))
        .unwrap()
        .manifest;
    assert!(case.games().lines().eq(&all_kept()[..2500]));
    // 1,000 of each of the first two, none of the third and the rest of the fourth.
    assert_eq!(manifest.inputs.len(), 4);
    assert_eq!(case.downloads(4), 0);
    assert_eq!(manifest.settings["limit"], 2500);
    // Just enough of the first two.
    let exactly = FetchOptions::new().limit(Some(2001)).overwrite(true);
    let manifest = case.fetch(exactly).unwrap().manifest;
    assert_eq!((manifest.inputs.len(), manifest.counts.kept), (2, 2001));
    // More than there are.
    let all = FetchOptions::new().limit(Some(1_000_000)).overwrite(true);
    case.fetch(all).unwrap();
    assert!(case.games().lines().eq(all_kept()));
}

#[test]
fn other_settings_are_refused() {
    let case = Case::new();
    case.fetch(FetchOptions::new().limit(Some(10))).unwrap();
    let error = case.fetch(FetchOptions::new()).unwrap_err();
    assert_eq!(error.to_string(), "2025-05: the folder cannot be used");
    let text = error.source().unwrap().to_string();
    assert!(
        text.ends_with("was made with other settings: limit was 10, is now null"),
        "{text}"
    );
    let settings: Map<String, Value> = [("min_elo".into(), 1800.into())].into_iter().collect();
    let options = FetchOptions::new().limit(Some(10)).settings(settings);
    let text = case
        .fetch(options.clone())
        .unwrap_err()
        .source()
        .unwrap()
        .to_string();
    assert!(text.ends_with("min_elo was not set, is now 1800"), "{text}");
    let manifest = case.fetch(options.overwrite(true)).unwrap().manifest;
    assert_eq!(manifest.settings["min_elo"], 1800);
}

#[test]
fn shards_can_be_kept_and_used_again() {
    let case = Case::new();
    case.fetch(FetchOptions::new().keep_shards(true)).unwrap();
    let kept = files(&case.path("corpus/fetch-shards"));
    assert_eq!(
        kept.keys().cloned().collect::<Vec<_>>(),
        (0..SHARDS).map(shard).collect::<Vec<_>>()
    );
    assert_eq!(kept[&shard(3)], games(3).into_bytes());
    // A month that is there is left alone, and what was kept for it.
    case.fetch(FetchOptions::new()).unwrap();
    assert_eq!(names(&case.path("corpus/fetch-shards")).len(), SHARDS);
    case.stand_in.forget_seen();
    let fetched = case.fetch(FetchOptions::new().overwrite(true)).unwrap();
    assert_eq!(fetched.downloaded_bytes, 0);
    assert!(case.stand_in.seen_by(false).is_empty());
    assert!(!case.path("corpus/fetch-shards").exists());
    // Elsewhere.
    let elsewhere = FetchOptions::new()
        .shards(case.path("else"))
        .keep_shards(true)
        .overwrite(true);
    case.fetch(elsewhere).unwrap();
    assert_eq!(names(&case.path("else")).len(), SHARDS);
}

#[test]
fn plans() {
    let case = Case::new();
    let hub = hub(&case.stand_in.endpoint());
    let plan = |options: FetchOptions| {
        Fetch::new(&hub, case.stage(), options)
            .plan(may(), &mut on)
            .unwrap()
    };
    let new = plan(FetchOptions::new());
    let bytes: usize = (0..SHARDS).map(|number| games(number).len()).sum();
    assert_eq!(
        (new.state, new.shards.len(), new.bytes()),
        (PlanState::New, SHARDS, bytes as u64)
    );
    assert_eq!(
        (new.bytes_to_download(), &*new.access),
        (bytes as u64, "without a token")
    );
    assert!(!case.path("corpus").exists());
    assert!(case.stand_in.seen_by(false).is_empty());

    let raw = format!("/raw/{}", shard(2));
    case.stand_in.fault(&raw, 1, Fault::DropAfter(1000));
    case.stand_in
        .fault(&raw, 1, Fault::Status(404, Vec::new(), "gone"));
    case.fetch(FetchOptions::new()).unwrap_err();
    let begun = plan(FetchOptions::new());
    assert_eq!((begun.state, begun.games), (PlanState::Unfinished, 2001));
    assert_eq!(begun.commit.as_deref(), Some(COMMIT));
    let states: Vec<_> = begun.shards.iter().map(|shard| shard.state).collect();
    let expected = [
        ShardState::Filtered,
        ShardState::Filtered,
        ShardState::Begun { bytes: 1000 },
        ShardState::Missing,
        ShardState::Missing,
        ShardState::Missing,
    ];
    assert_eq!(states, expected);
    let missing: usize = (2..SHARDS).map(|number| games(number).len()).sum();
    assert_eq!(begun.bytes_to_download(), missing as u64 - 1000);
    let json = serde_json::to_value(&begun).unwrap();
    assert_eq!(json["shards"][2]["state"], "begun");
    assert_eq!(json["shards"][2]["bytes"], 1000);
    assert_eq!(
        plan(FetchOptions::new().overwrite(true)).state,
        PlanState::New
    );

    case.fetch(FetchOptions::new()).unwrap();
    case.stand_in.forget_seen();
    let finished = plan(FetchOptions::new());
    assert_eq!(
        (finished.state, finished.bytes_to_download()),
        (PlanState::Finished, 0)
    );
    assert!(case.stand_in.seen().is_empty());
}

#[test]
fn months_without_games() {
    let case = Case::new();
    let hub = hub(&case.stand_in.endpoint());
    let fetch = Fetch::new(&hub, case.stage(), FetchOptions::new());
    let mut none = |_: &Path, part: &Path, _: Option<u64>| {
        fs::write(part, "")?;
        Ok(Counts {
            read: 5,
            ..Counts::default()
        })
    };
    let error = fetch
        .month(may(), &mut none, &mut join, &mut on)
        .unwrap_err();
    assert_eq!(error.to_string(), "2025-05: none of 30 games is kept");
    assert!(!may().games(case.stage()).exists());
    // It is known without asking again.
    case.stand_in.forget_seen();
    let error = fetch
        .month(may(), &mut none, &mut join, &mut on)
        .unwrap_err();
    assert!(matches!(error, FetchError::NoGames { read: 30, .. }));
    assert!(case.stand_in.seen().is_empty());
    assert_eq!(
        case.fail(FetchOptions::new().limit(Some(0))),
        "limit is 0, expected at least 1 game"
    );

    let june = "2025-06".parse::<Month>().unwrap();
    let error = fetch
        .month(june, &mut filter, &mut join, &mut on)
        .unwrap_err();
    assert_eq!(error.to_string(), "2025-06: cannot be got from the hub");
    let empty = case.path("served/data/year=2025/month=06");
    fs::create_dir_all(&empty).unwrap();
    fs::write(empty.join("README.md"), "nothing").unwrap();
    let error = fetch
        .month(june, &mut filter, &mut join, &mut on)
        .unwrap_err();
    let expected = "2025-06: the dataset has no Parquet files in data/year=2025/month=06";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn functions_that_fail() {
    let case = Case::new();
    let hub = hub(&case.stand_in.endpoint());
    let fetch = |limit| Fetch::new(&hub, case.stage(), FetchOptions::new().limit(limit));
    let shown = case.path("corpus/fetch-shards").join(shard(0));
    let mut fail = |_: &Path, _: &Path, _: Option<u64>| Err("no Parquet".into());
    let error = fetch(Some(5))
        .month(may(), &mut fail, &mut join, &mut on)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("{}: cannot be filtered", shown.display())
    );
    assert_eq!(error.source().unwrap().to_string(), "no Parquet");
    let mut greedy = |shard: &Path, part: &Path, _: Option<u64>| filter(shard, part, None);
    let error = fetch(Some(5))
        .month(may(), &mut greedy, &mut join, &mut on)
        .unwrap_err();
    let expected = format!(
        "{}: 1000 games were kept, expected at most 5",
        shown.display()
    );
    assert_eq!(error.to_string(), expected);
    let mut fail = |_: &[PathBuf], games: &Path| {
        fs::write(games, "half of it")?;
        assert!(!may().games(case.stage()).exists());
        Err("disk full".into())
    };
    let error = fetch(Some(5))
        .month(may(), &mut filter, &mut fail, &mut on)
        .unwrap_err();
    assert_eq!(error.to_string(), "2025-05: the parts cannot be joined");
    assert_eq!(error.source().unwrap().to_string(), "disk full");
    assert!(!may().games(case.stage()).exists());
    // Only what failed is done again.
    case.stand_in.forget_seen();
    fetch(Some(5))
        .month(may(), &mut filter, &mut join, &mut on)
        .unwrap();
    assert!(case.stand_in.seen().is_empty());
    assert!(case.games().lines().eq(&all_kept()[..5]));
}

#[test]
fn stopped_months_go_on() {
    let case = Case::new();
    let undisturbed = {
        let case = Case::new();
        case.fetch(FetchOptions::new()).unwrap();
        files(&case.stage())
    };
    let hub = hub(&case.stand_in.endpoint());
    let fetch = Fetch::new(&hub, case.stage(), FetchOptions::new());
    let phases = [
        FetchPhase::Listing,
        FetchPhase::Downloading,
        FetchPhase::Checking,
        FetchPhase::Filtering,
    ];
    for shards in 0..SHARDS {
        for phase in &phases {
            let mut stop = |now: &FetchProgress| {
                let is_there = now.shards_done == shards || *phase == FetchPhase::Listing;
                match is_there && now.phase == *phase {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            };
            let fetched = fetch.month(may(), &mut filter, &mut join, &mut stop);
            assert!(
                matches!(fetched, Err(FetchError::Cancelled)),
                "{phase:?} {shards}"
            );
        }
    }
    let mut stop = |now: &FetchProgress| match now.phase {
        FetchPhase::Joining => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    let error = fetch
        .month(may(), &mut filter, &mut join, &mut stop)
        .unwrap_err();
    assert_eq!(error.to_string(), "stopped on request");
    case.fetch(FetchOptions::new()).unwrap();
    assert_eq!(files(&case.stage()), undisturbed);
    // No shard came twice.
    assert!((0..SHARDS).all(|number| case.downloads(number) <= 2));
}

#[test]
fn parts_that_were_damaged_are_made_anew() {
    let case = Case::new();
    case.stand_in
        .fault(&shard(4), 1, Fault::Status(404, Vec::new(), "gone"));
    case.fetch(FetchOptions::new()).unwrap_err();
    let part = |number| {
        may()
            .folder(case.stage())
            .join(format!("part-{number:05}.parquet"))
    };
    let mut bytes = fs::read(part(1)).unwrap();
    bytes[0] ^= 1;
    fs::write(part(1), bytes).unwrap();
    case.stand_in.forget_seen();
    case.fetch(FetchOptions::new()).unwrap();
    let downloads: Vec<_> = (0..SHARDS).map(|number| case.downloads(number)).collect();
    assert_eq!(downloads, [0, 1, 1, 1, 1, 1]);
    assert!(case.games().lines().eq(all_kept()));
}

#[test]
fn what_a_kill_left_behind_goes() {
    let case = Case::new();
    case.stand_in
        .fault(&shard(1), 1, Fault::Status(404, Vec::new(), "gone"));
    case.fetch(FetchOptions::new()).unwrap_err();
    // Killed after it was noted that the shard is filtered, and before the shard was removed.
    let left = case.path("corpus/fetch-shards").join(shard(0));
    fs::create_dir_all(left.parent().unwrap()).unwrap();
    fs::write(&left, games(0)).unwrap();
    case.fetch(FetchOptions::new()).unwrap();
    assert!(!case.path("corpus/fetch-shards").exists());
    // Killed after the month was finished, and before the parts were removed.
    let folder = may().folder(case.stage());
    fs::write(folder.join("part-00000.parquet"), "a part").unwrap();
    assert!(case.fetch(FetchOptions::new()).unwrap().was_finished);
    assert_eq!(names(&folder), ["games.parquet", "manifest.json"]);
}

#[test]
fn datasets_that_change_on_the_way() {
    let case = Case::new();
    case.stand_in
        .fault(&shard(1), 1, Fault::Status(404, Vec::new(), "gone"));
    case.fetch(FetchOptions::new()).unwrap_err();
    // The commit stays that of the beginning.
    case.stand_in.forget_seen();
    let other = "76543210abcdef0123456789abcdef0123456789";
    case.stand_in.fault("/resolve/", 1, Fault::Commit(other));
    let error = case.fetch(FetchOptions::new()).unwrap_err();
    let text = error.source().unwrap().source().unwrap().to_string();
    assert_eq!(
        text,
        format!("the dataset is now at commit {other}, expected {COMMIT}")
    );
    assert!(
        case.stand_in
            .seen_by(true)
            .iter()
            .all(|request| request.target.contains(COMMIT))
    );
    // A hub that names no commits.
    let case = Case::new();
    case.stand_in.name_the_commit(false, false);
    case.stand_in
        .fault(&shard(1), 1, Fault::Status(404, Vec::new(), "gone"));
    case.fetch(FetchOptions::new()).unwrap_err();
    fs::write(case.path("served").join(shard(0)), games(7)).unwrap();
    let expected = format!(
        "2025-05: the dataset has changed since shard {} was filtered",
        shard(0)
    );
    assert_eq!(case.fail(FetchOptions::new()), expected);
    fs::write(case.path("served").join(shard(0)), games(0)).unwrap();
    let manifest = case.fetch(FetchOptions::new()).unwrap().manifest;
    assert_eq!(manifest.notes.to_string(), "{\"commit\":null}");
}

#[test]
fn a_month_full_of_mistakes() {
    let case = Case::new();
    let wait = vec![("Retry-After", "0".into())];
    case.stand_in.page_items(2);
    case.stand_in
        .fault("cursor", 1, Fault::Status(429, wait.clone(), "slow"));
    case.stand_in
        .fault(&shard(0), 1, Fault::Status(503, Vec::new(), "down"));
    case.stand_in
        .fault(&shard(1), 2, Fault::Status(429, wait, "slow"));
    for part in [format!("/raw/{}", shard(2)), format!("/raw/{}", shard(4))] {
        case.stand_in.fault(&part, 3, Fault::DropAfter(5000));
    }
    case.stand_in
        .fault(&format!("/raw/{}", shard(3)), 1, Fault::WrongByte);
    case.stand_in
        .fault(&format!("/raw/{}", shard(4)), 1, Fault::WrongPart);
    let manifest = case.fetch(FetchOptions::new()).unwrap().manifest;
    assert!(case.games().lines().eq(all_kept()));
    assert_eq!(manifest.inputs.len(), SHARDS);
    let undisturbed = Case::new();
    undisturbed.fetch(FetchOptions::new()).unwrap();
    assert_eq!(files(&case.stage()), files(&undisturbed.stage()));
}

#[test]
fn progress_tells_rates_and_games() {
    let case = Case::new();
    let mut last = None;
    let mut phases = Vec::new();
    let mut watch = |now: &FetchProgress| {
        assert!(now.bytes <= now.bytes_in_all);
        if phases.last() != Some(&now.phase) {
            phases.push(now.phase.clone());
        }
        last = Some(now.clone());
        ControlFlow::Continue(())
    };
    let hub = hub(&case.stand_in.endpoint());
    let fetch = Fetch::new(&hub, case.stage(), FetchOptions::new());
    fetch
        .month(may(), &mut filter, &mut join, &mut watch)
        .unwrap();
    let last = last.unwrap();
    assert_eq!(
        (last.shards_done, last.shards, last.games),
        (SHARDS, SHARDS, all_kept().len() as u64)
    );
    assert_eq!(last.bytes, last.bytes_in_all);
    assert!(last.bytes_per_second() > 0.0);
    assert_eq!(last.eta(), Some(Duration::ZERO));
    let of_shard = [
        FetchPhase::Downloading,
        FetchPhase::Checking,
        FetchPhase::Filtering,
    ];
    let mut expected = vec![FetchPhase::Listing];
    expected.extend(of_shard.iter().cycle().take(3 * SHARDS).cloned());
    expected.push(FetchPhase::Joining);
    assert_eq!(phases, expected);
}

/// Fetches in a process of its own, slowly.
#[test]
#[ignore = "run by the other tests"]
fn helper() {
    let variable = |name| std::env::var(name).unwrap();
    let hub = hub(&variable(ENDPOINT));
    let stage = Path::new(&variable(CORPUS)).join("fetch");
    let mut slow_filter = |shard: &Path, part: &Path, limit: Option<u64>| {
        let games = fs::read(shard)?;
        fs::write(part, &games[..games.len() / 2])?;
        thread::sleep(Duration::from_millis(50));
        filter(shard, part, limit)
    };
    let mut slow_join = |parts: &[PathBuf], games: &Path| {
        fs::write(games, "half of it")?;
        thread::sleep(Duration::from_millis(200));
        join(parts, games)
    };
    let fetch = Fetch::new(&hub, stage, FetchOptions::new().limit(Some(4500)));
    fetch
        .month(may(), &mut slow_filter, &mut slow_join, &mut on)
        .unwrap();
}

fn start(case: &Case) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "helper", "--ignored"])
        .env(ENDPOINT, case.stand_in.endpoint())
        .env(CORPUS, case.path("corpus"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Kills a fetch at the moment that a file with this ending is there; whether that moment came.
fn kill_when(case: &Case, ending: &str) -> bool {
    let mut child = start(case);
    let started = Instant::now();
    let is_there = || {
        let names = names(&case.path("corpus"));
        names.iter().any(|name| name.ends_with(ending))
    };
    while !is_there() {
        assert!(started.elapsed() < Duration::from_secs(120));
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success());
            return false;
        }
        thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    true
}

#[test]
fn killed_months_go_on_to_the_same_bytes() {
    let undisturbed = Case::new();
    assert!(start(&undisturbed).wait().unwrap().success());
    let expected = files(&undisturbed.path("corpus"));
    assert_eq!(expected.len(), 2);

    let case = Case::new();
    case.stand_in.bytes_per_second(400_000);
    case.stand_in
        .fault(&format!("/raw/{}", shard(3)), 1, Fault::DropAfter(20_000));
    let mut moments = Vec::new();
    for number in 0..4 {
        moments.push(format!("{}.partial", shard(number)));
        moments.push(format!("/.part-{number:05}.parquet.tmp"));
        moments.push(format!("/part-{number:05}.parquet"));
    }
    moments.push("/.games.parquet.tmp".into());
    let kills = moments.iter().filter(|ending| kill_when(&case, ending));
    // A busy machine may miss one, and then those before the next part.
    assert!(kills.count() > 6);
    assert!(start(&case).wait().unwrap().success());
    assert_eq!(files(&case.path("corpus")), expected);
    let games = &expected["fetch/year=2025/month=05/games.parquet"];
    assert!(
        String::from_utf8_lossy(games)
            .lines()
            .eq(&all_kept()[..4500])
    );
}
