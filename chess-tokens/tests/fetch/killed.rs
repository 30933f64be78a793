//! Processes that are killed on the way.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use chess_tokens::corpus::fetch::{Fetch, FetchOptions};

use crate::hub_stand_in::Fault;
use crate::support::{Case, all_kept, files, filter, hub, join, may, names, on, shard};

const ENDPOINT: &str = "CHESS_TOKENS_TEST_ENDPOINT";

const CORPUS: &str = "CHESS_TOKENS_TEST_CORPUS";

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
        .args(["--exact", "killed::helper", "--ignored"])
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
