//! Months that are fetched, planned and told of.

use std::error::Error;
use std::ops::ControlFlow;
use std::time::Duration;

use chess_tokens::corpus::Manifest;
use chess_tokens::corpus::fetch::{
    Fetch, FetchOptions, FetchPhase, FetchProgress, PlanState, ShardState,
};
use serde_json::{Map, Value};

use crate::hub_stand_in::{COMMIT, Fault};
use crate::support::{
    Case, SHARDS, all_kept, files, filter, games, hub, join, may, names, on, shard,
};

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
