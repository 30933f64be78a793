//! `build` interrupted and killed at any moment.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::support::{Folder, Ran};

const BUILD: &str = "build games.pgn out -k 8 --num-shards 40 --workers 1";

/// Games for a second or more of work.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write_games(150);
    folder
}

/// The build, begun; some shards are there, and more are to come.
fn begun(folder: &Folder, build: &str) -> Child {
    let mut command = folder.tool(build.split(' '));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    while !folder.path("out/shard_0001.npy").exists() {
        assert!(
            child.try_wait().unwrap().is_none(),
            "ended before there were shards"
        );
        sleep(Duration::from_millis(1));
    }
    child
}

/// The set of an undisturbed build.
fn undisturbed(folder: &Folder) -> std::collections::BTreeMap<String, Vec<u8>> {
    folder.run(BUILD).succeeded();
    let set = folder.set("out");
    fs::remove_dir_all(folder.path("out")).unwrap();
    set
}

fn kept(ran: &Ran) -> u32 {
    let kept = ran.fact("shards").strip_prefix("40 (0..40), ").unwrap();
    kept.strip_suffix(" of them were there")
        .unwrap()
        .parse()
        .unwrap()
}

/// What the tool did when Ctrl-C was pressed.
fn interrupted(child: Child) -> Ran {
    let id = child.id().to_string();
    let mut kill = Command::new("kill");
    assert!(kill.args(["-INT", &id]).status().unwrap().success());
    Ran::of(child.wait_with_output().unwrap())
}

#[test]
fn what_begins_anew_does_not_go_on() {
    let folder = folder();
    let ran = interrupted(begun(&folder, &format!("{BUILD} --overwrite")));
    let text = "without --overwrite, the same command goes on with those that are missing";
    ran.failed(130, text);
    let again = folder.run(BUILD).succeeded();
    assert!((1..40).contains(&kept(&again)), "{again:?}");
}

#[test]
fn an_interrupted_build_goes_on() {
    let folder = folder();
    let expected = undisturbed(&folder);
    let ran = interrupted(begun(&folder, BUILD));
    let text = "chess-shards: interrupted, finished shards are kept: \
                the same command goes on with those that are missing\n";
    assert_eq!((ran.code, &*ran.stderr), (Some(130), text));
    assert!(!folder.path("out/meta.json").exists());
    let again = folder.run(BUILD).succeeded();
    assert!((1..40).contains(&kept(&again)), "{again:?}");
    assert!(folder.set("out") == expected);
}

#[test]
fn a_killed_build_goes_on() {
    let folder = folder();
    let expected = undisturbed(&folder);
    for wait in [0, 20, 70] {
        let mut child = begun(&folder, BUILD);
        sleep(Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!folder.path("out/meta.json").exists());
        let again = folder.run(BUILD).succeeded();
        assert!((1..40).contains(&kept(&again)), "{again:?}");
        assert!(folder.set("out") == expected);
        let names = folder.names("out");
        assert!(
            names.iter().all(|name| !name.ends_with(".tmp")),
            "{names:?}"
        );
        fs::remove_dir_all(folder.path("out")).unwrap();
    }
}
