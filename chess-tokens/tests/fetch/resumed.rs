//! Months that go on where they were.

use std::fs;
use std::ops::ControlFlow;

use chess_tokens::corpus::fetch::{Fetch, FetchError, FetchOptions, FetchPhase, FetchProgress};

use crate::hub_stand_in::Fault;
use crate::support::{Case, SHARDS, all_kept, files, filter, games, hub, join, may, names, shard};

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
