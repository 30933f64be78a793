//! `pack` interrupted and killed at any moment.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::support::{FILES, Folder, Ran, files, golden};

const PACK: &str = "pack games.pgn edge-uci --scheme uci --threads 1 --force";

/// An old pack, and games for a second or more of work.
fn folder() -> Folder {
    let folder = Folder::with("edge-uci");
    let games = fs::read(golden("games.pgn")).unwrap();
    folder.write("games.pgn", games.repeat(60));
    folder
}

/// The work, begun: a temporary file is there.
fn begun(folder: &Folder) -> Child {
    let mut command = folder.tool(PACK.split(' '));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    while files(&folder.path("edge-uci")).len() == FILES.len() {
        assert!(child.try_wait().unwrap().is_none(), "ended early");
        sleep(Duration::from_millis(1));
    }
    child
}

#[test]
fn an_interrupted_pack_leaves_the_folder_as_it_was() {
    let folder = folder();
    let before = files(&folder.path("edge-uci"));
    let child = begun(&folder);
    let id = child.id().to_string();
    let mut kill = Command::new("kill");
    assert!(kill.args(["-INT", &id]).status().unwrap().success());
    let ran = Ran::of(child.wait_with_output().unwrap());
    let text = "chess-tokens: interrupted, the output is as it was\n";
    assert_eq!((ran.code, &*ran.stderr), (Some(130), text));
    assert!(files(&folder.path("edge-uci")) == before);
}

#[test]
fn a_killed_pack_leaves_the_old_one_or_the_new_one() {
    let folder = folder();
    let old = folder.read("edge-uci/meta.json");
    folder.run(&PACK.replace("edge-uci", "new")).succeeded();
    let new = folder.read("new/meta.json");
    for delay in [0, 30, 100, 300] {
        let mut child = begun(&folder);
        sleep(Duration::from_millis(delay));
        child.kill().unwrap();
        child.wait().unwrap();
        folder.run("verify edge-uci").succeeded();
        let found = folder.read("edge-uci/meta.json");
        assert!(found == old || found == new);
    }
    // What was left over goes away.
    folder.run(PACK).succeeded();
    assert!(files(&folder.path("edge-uci")) == files(&folder.path("new")));
}
