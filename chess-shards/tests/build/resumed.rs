//! Folders in which something was built, or begun, already.

use std::fs;
use std::ops::ControlFlow;

use chess_shards::build::{BuildError, BuildPhase, Source, build};

use crate::build_common::{games, names, repeated_games, run, set};
use crate::support::{check_golden, options};

#[test]
fn finished_shards_are_kept_if_they_are_as_they_were() {
    let out = tempfile::tempdir().unwrap();
    let out = out.path();
    run(&games(), &options(), out).unwrap();
    let meta = fs::read(out.join("meta.json")).unwrap();
    let summary = run(&games(), &options(), out).unwrap();
    assert_eq!(summary.kept_shards, 4);
    assert_eq!(
        fs::read(out.join("meta.json")).unwrap(),
        meta,
        "nothing was done"
    );
    let path = out.join("shard_0002.npy");
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, &bytes).unwrap();
    fs::remove_file(out.join("shard_0000.npy")).unwrap();
    let summary = run(&games(), &options(), out).unwrap();
    assert_eq!(summary.kept_shards, 2);
    check_golden(out, "flat");
}

#[test]
fn another_set_is_replaced_only_on_request() {
    let out = tempfile::tempdir().unwrap();
    let out = out.path();
    run(&games(), &options().num_shards(6), out).unwrap();
    let error = run(&games(), &options(), out).unwrap_err();
    assert!(matches!(
        error,
        BuildError::OtherBuild {
            what: "options",
            ..
        }
    ));
    run(&games(), &options().overwrite(true), out).unwrap();
    check_golden(out, "flat");
    assert!(!out.join("shard_0005.npy").exists());
    fs::remove_file(out.join("build_manifest.json")).unwrap();
    let error = run(&games(), &options(), out).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with(": there is a set already, whose origin is not known")
    );
    fs::write(out.join("build_manifest.json"), "{}").unwrap();
    let error = run(&games(), &options(), out).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("build_manifest.json: is no manifest")
    );
}

#[test]
fn what_is_left_by_a_killed_build_is_removed() {
    let out = tempfile::tempdir().unwrap();
    let others = [
        ".build_manifest_0001_0002.json.77-0.tmp",
        ".notes.tmp",
        ".shard_0099.npy.77-0.tmp",
    ];
    let ours = [
        ".build_manifest.json.77-0.tmp",
        ".build_report.json.77-1.tmp",
        ".meta.json.77-2.tmp",
        ".shard_0001.npy.77-0.tmp",
    ];
    for name in others.into_iter().chain(ours) {
        fs::write(out.path().join(name), "a part").unwrap();
    }
    run(&games(), &options(), out.path()).unwrap();
    let mut left = names(out.path());
    left.retain(|name| name.starts_with('.'));
    assert_eq!(left, others);
}

#[test]
fn nothing_is_removed_for_a_build_that_cannot_be() {
    let folder = tempfile::tempdir().unwrap();
    let out = &folder.path().join("out");
    run(&games(), &options(), out).unwrap();
    let before = set(out);
    let anew = || options().overwrite(true);
    // A slice with other options, one past the end, and games of which none counts.
    let error = run(&games(), &anew().k(8).only(Some(1..2)), out).unwrap_err();
    assert!(error.to_string().ends_with("with other options"));
    let error = run(&games(), &anew().only(Some(2..9)), out).unwrap_err();
    assert!(error.to_string().ends_with("expected a part of 0..4"));
    let empty = folder.path().join("empty.pgn");
    fs::write(&empty, "").unwrap();
    let error = run(&Source::pgn([&empty]), &anew(), out).unwrap_err();
    assert!(matches!(error, BuildError::NoGames { .. }));
    assert_eq!(set(out), before);
    // Of a set from elsewhere, a slice is not replaced.
    fs::remove_file(out.join("build_manifest.json")).unwrap();
    let error = run(&games(), &anew().only(Some(1..2)), out).unwrap_err();
    assert!(error.to_string().contains("whose origin is not known"));
    assert_eq!(set(out), before);
    // A damaged manifest is no hindrance to beginning anew.
    fs::write(out.join("build_manifest.json"), "{").unwrap();
    run(&games(), &anew(), out).unwrap();
    check_golden(out, "flat");
}

#[test]
fn a_build_that_is_stopped_goes_on() {
    let out = tempfile::tempdir().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let source = Source::pgn([repeated_games(folder.path(), 30)]);
    let options = options().num_shards(9).workers(1);
    let mut phases = Vec::new();
    let stopped = build(&source, &options, out.path(), &mut |progress| {
        phases.push(progress.phase);
        assert!(progress.samples == 0 || progress.samples_per_second() > 0.0);
        assert!(progress.games == 0 || progress.games_per_second() > 0.0);
        let is_halfway = progress.phase == BuildPhase::Building && progress.games > 2000;
        if is_halfway {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    assert_eq!(stopped.unwrap_err().to_string(), "stopped on request");
    assert_eq!(phases.first(), Some(&BuildPhase::Counting));
    assert!(!out.path().join("meta.json").exists());
    let mut phases = Vec::new();
    let summary = build(&source, &options, out.path(), &mut |progress| {
        phases.push(progress.phase);
        ControlFlow::Continue(())
    });
    assert!((1..9).contains(&summary.unwrap().kept_shards));
    assert!(!phases.contains(&BuildPhase::Counting), "that is known");
    let whole = folder.path().join("whole");
    run(&source, &options, &whole).unwrap();
    assert_eq!(set(out.path()), set(&whole));
}
