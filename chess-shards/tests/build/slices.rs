//! Sets that are built in slices and merged.

use std::fs;
use std::path::Path;

use chess_shards::Meta;
use chess_shards::build::{BuildError, Source, merge};

use crate::build_common::{file, games, golden, run};
use crate::support::{check_golden, options};

#[test]
fn slices_make_the_same_set() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let slice = |out: &str, only| run(&games(), &options().only(Some(only)), &at(out)).unwrap();
    // Two slices in one folder, one elsewhere.
    let summary = slice("first", 0..1);
    assert_eq!((summary.shards, summary.kept_shards), (0..1, 0));
    assert_eq!(
        summary.report.samples,
        Meta::read(golden("flat/meta.json")).unwrap().shards[0].num_samples
    );
    slice("first", 2..4);
    slice("second", 1..2);
    assert!(!at("first").join("meta.json").exists());
    let error = merge(&[at("first")], at("out")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "shard 1 is not there, or not as it was written; it must be built first"
    );
    merge(&[at("first"), at("second")], at("out")).unwrap();
    check_golden(&at("out"), "flat");
    // A single build in the same folder finds everything there.
    let summary = run(&games(), &options(), &at("out")).unwrap();
    assert_eq!(summary.kept_shards, 4);
    let error = run(&games(), &options().only(Some(2..5)), &at("first")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "shards 2..5 are asked for, expected a part of 0..4"
    );
    let error = merge(&[] as &[&Path], at("nowhere")).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("nowhere: no part of a set is there")
    );
}

#[test]
fn slices_of_different_sets_do_not_go_together() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    run(&games(), &options().only(Some(0..2)), &at("one")).unwrap();
    run(&games(), &options().seed(1).only(Some(2..4)), &at("two")).unwrap();
    let error = merge(&[at("one"), at("two")], at("out")).unwrap_err();
    let path = at("two").join("build_manifest_0002_0004.json");
    assert_eq!(
        error.to_string(),
        format!("{}: is of another set, with other options", path.display())
    );
    let edge = Source::pgn([file("edge.pgn")]);
    let error = run(&edge, &options(), &at("one")).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("is of another set, with other games")
    );
}

#[test]
fn a_slice_begun_anew() {
    let out = tempfile::tempdir().unwrap();
    let out = out.path();
    run(&games(), &options(), out).unwrap();
    let slice = options().only(Some(1..3)).overwrite(true);
    let summary = run(&games(), &slice, out).unwrap();
    assert_eq!((summary.shards, summary.kept_shards), (1..3, 0));
    assert!(!out.join("meta.json").exists());
    merge(&[] as &[&Path], out).unwrap();
    check_golden(out, "flat");
}

#[test]
fn a_merge_copies_all_or_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for (name, only) in [("one", 0..3), ("two", 3..4)] {
        run(&games(), &options().only(Some(only)), &at(name)).unwrap();
    }
    merge(&[at("one")], at("out")).unwrap_err();
    assert!(!at("out").exists());
    // What it finds it does not replace, if it does not know of it.
    fs::create_dir(at("out")).unwrap();
    fs::write(at("out").join("shard_0002.npy"), "somebody's").unwrap();
    let error = merge(&[at("one"), at("two")], at("out")).unwrap_err();
    let path = at("out").join("shard_0002.npy");
    assert_eq!(
        error.to_string(),
        format!(
            "{}: there is a set already, whose origin is not known",
            path.display()
        )
    );
    assert_eq!(fs::read(&path).unwrap(), b"somebody's");
    fs::remove_file(&path).unwrap();
    merge(&[at("one"), at("two")], at("out")).unwrap();
    check_golden(&at("out"), "flat");
    // One that was killed as it copied goes on.
    fs::remove_file(at("out").join("meta.json")).unwrap();
    fs::remove_file(&path).unwrap();
    merge(&[at("one"), at("two")], at("out")).unwrap();
    check_golden(&at("out"), "flat");
}

#[test]
fn manifests_name_no_other_files() {
    let folder = tempfile::tempdir().unwrap();
    let (one, out) = (folder.path().join("one"), folder.path().join("out"));
    run(&games(), &options(), &one).unwrap();
    let path = one.join("build_manifest.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::rename(one.join("shard_0002.npy"), folder.path().join("a.npy")).unwrap();
    let elsewhere = text.replace("shard_0002.npy", "../a.npy");
    fs::write(&path, elsewhere).unwrap();
    let error = merge(&[&one], &out).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "{}: shard 2 has the path \"../a.npy\", expected the one that a build gives it",
            path.display()
        )
    );
    // More rows than a file can have are not there.
    let rows = Meta::read(one.join("meta.json")).unwrap().shards[2].num_samples;
    let of_shard = format!("\"num_samples\":{rows},");
    let most = text.replace(&of_shard, &format!("\"num_samples\":{},", u64::MAX));
    assert_ne!(most, text);
    fs::write(&path, most).unwrap();
    let error = merge(&[&one], &out).unwrap_err();
    assert!(matches!(error, BuildError::MissingShard { .. }), "{error}");
}
