//! Months that cannot be fetched, or not at once.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use chess_tokens::corpus::fetch::{Fetch, FetchError, FetchOptions};
use chess_tokens::corpus::{Counts, Month};

use crate::hub_stand_in::{COMMIT, Fault};
use crate::support::{Case, SHARDS, all_kept, files, filter, games, hub, join, may, on, shard};

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
