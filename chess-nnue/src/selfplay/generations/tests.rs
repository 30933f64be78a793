use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::string::{String, ToString};
use std::vec::Vec;

use super::*;
use crate::Network;

fn small() -> Plan {
    Plan {
        generations: 2,
        seed: 3,
        hidden: 16,
        chunks: 3,
        games: 8,
        nodes: 80,
        epochs: 2,
        batch: 256,
        pairs: 2,
    }
}

fn whole(folder: &Path, threads: usize) -> Report {
    let generations = Generations::open(folder, small).unwrap();
    let report = generations.run(threads, |_| ControlFlow::Continue(()));
    report.unwrap().unwrap()
}

/// What is in a folder, apart from checkpoints, of which an interrupted run has others.
fn contents(folder: &Path, within: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder.join(within)).unwrap() {
        let name = within.join(entry.unwrap().file_name());
        let path = folder.join(&name);
        if path.is_dir() {
            contents(folder, &name, found);
        } else if path.extension().is_none_or(|extension| extension != "ckpt") {
            found.insert(name.display().to_string(), fs::read(path).unwrap());
        }
    }
}

fn all(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    contents(folder, Path::new(""), &mut found);
    found
}

#[test]
fn two_generations() {
    let folder = tempfile::tempdir().unwrap();
    let report = whole(folder.path(), 2);
    assert_eq!(report.generations.len(), 2);
    let [first, second] = &report.generations[..] else {
        unreachable!()
    };
    assert_eq!((first.games.games, first.losses.len()), (24, 2));
    assert_eq!(first.meetings.len(), 1);
    let against: Vec<u64> = second.meetings.iter().map(|met| met.against).collect();
    assert_eq!(against, [1, 0]);
    assert!(second.meetings.iter().all(|met| met.pairs.len() == 2));
    let network = Network::load(folder.path().join("gen2.nnue")).unwrap();
    assert_eq!(network.architecture().hidden(), 16);
    let files = all(folder.path());
    assert!(files.contains_key("gen2/games/games-00005.viri"));
    assert!(files.contains_key("gen2/match-hand-written/games.pgn"));
    assert_eq!(files["gen1/run/last.nnue"], files["gen1.nnue"]);
    let page = String::from_utf8(files["report.md"].clone()).unwrap();
    assert_eq!(page, report.to_string());
    for text in [
        "| gen1 | hand-written | 4 | ",
        "| gen2 | gen1 | 4 | ",
        "Games: 24 games, White won ",
        "| 2 | 0.",
        "    hidden 16\n",
        "Mean loss over ",
    ] {
        assert!(page.contains(text), "{text} in {page}");
    }
}

#[test]
fn broken_off_anywhere_and_gone_on_with_it_is_the_same() {
    let once = tempfile::tempdir().unwrap();
    whole(once.path(), 1);
    let often = tempfile::tempdir().unwrap();
    let mut rounds = 0;
    loop {
        rounds += 1;
        let plan = || {
            assert_eq!(rounds, 1, "the plan is made once");
            small()
        };
        let generations = Generations::open(often.path(), plan).unwrap();
        // Nine events further each time, but for steps that are done at once the next time.
        let mut left = 9 * rounds;
        let report = generations.run(2, |_| {
            left -= 1;
            match left {
                0 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        });
        if report.unwrap().is_some() {
            break;
        }
    }
    assert!(rounds > 3, "{rounds}");
    let (once, often) = (all(once.path()), all(often.path()));
    assert!(once.keys().eq(often.keys()), "{:?}", often.keys());
    for (name, bytes) in &once {
        assert!(often[name] == *bytes, "{name}");
    }
}

#[test]
fn a_finished_folder_is_only_reported() {
    let folder = tempfile::tempdir().unwrap();
    let first = whole(folder.path(), 2).to_string();
    let before = all(folder.path());
    let generations = Generations::open(folder.path(), || unreachable!()).unwrap();
    let again = generations.run(1, |progress| {
        let works = matches!(
            progress,
            Progress::Pair { .. }
                | Progress::Training {
                    event: Event::Step { .. },
                    ..
                }
        );
        assert!(!works, "{progress:?}");
        ControlFlow::Continue(())
    });
    assert_eq!(again.unwrap().unwrap().to_string(), first);
    assert!(all(folder.path()) == before);
}

#[test]
fn folders_that_will_not_do() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Generations::open(folder.path(), small).map_err(|error| error.to_string());
    let busy = open().unwrap();
    let path = folder.path().display();
    let expected = std::format!("{path}: another process is working in this folder");
    assert_eq!(open().unwrap_err(), expected);
    drop(busy);
    let plan = folder.path().join("plan.txt");
    fs::write(&plan, "chess-nnue 0.0.1\nmore").unwrap();
    let expected = std::format!(
        "{}: begun by chess-nnue 0.0.1, this is {VERSION}",
        plan.display()
    );
    assert_eq!(open().unwrap_err(), expected);
    fs::write(&plan, std::format!("{VERSION}\nmore")).unwrap();
    assert!(matches!(
        Generations::open(folder.path(), small),
        Err(GenerationsError::PlanFile { .. })
    ));
    let other = tempfile::tempdir().unwrap();
    let none = Plan {
        games: 0,
        ..small()
    };
    let error = Generations::open(other.path(), || none).unwrap_err();
    assert!(matches!(error, GenerationsError::Plan(_)), "{error}");
    assert!(!other.path().join("plan.txt").exists());
}

/// Runs until an event is the one, breaks off, and says whether it was told of others after it.
fn break_off_at(folder: &Path, is_it: impl Fn(&Progress<'_>) -> bool) {
    let generations = Generations::open(folder, small).unwrap();
    let mut broken = false;
    let report = generations.run(2, |progress| {
        assert!(!broken, "told of {progress:?} after it was broken off");
        broken = is_it(progress);
        match broken {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    });
    assert!(report.unwrap().is_none());
    assert!(broken, "never told of");
}

#[test]
fn the_last_event_of_a_step_breaks_off_too() {
    let folder = tempfile::tempdir().unwrap();
    let last_step = |progress: &Progress<'_>| {
        let Progress::Training { event, .. } = progress else {
            return false;
        };
        matches!(event, Event::Step { step, steps, .. } if step == steps)
    };
    break_off_at(folder.path(), last_step);
    // The run is over now, and told of once more.
    break_off_at(folder.path(), |progress| {
        matches!(progress, Progress::Training { .. })
    });
    break_off_at(
        folder.path(),
        |progress| matches!(progress, Progress::Pair { pairs, of, .. } if pairs.len() == *of),
    );
    break_off_at(folder.path(), |progress| {
        matches!(progress, Progress::Finished(_))
    });
    let once = tempfile::tempdir().unwrap();
    whole(once.path(), 2);
    whole(folder.path(), 2);
    assert!(all(once.path()) == all(folder.path()));
}

/// The error of a run in the folder, without the folder's name.
fn refused(folder: &Path) -> String {
    let run = Generations::open(folder, small)
        .and_then(|generations| generations.run(1, |_| ControlFlow::Continue(())));
    let path = std::format!("{}{}", folder.display(), std::path::MAIN_SEPARATOR);
    run.unwrap_err().to_string().replace(&path, "")
}

#[test]
fn damaged_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    whole(folder, 2);
    let chunk = folder.join("gen1/games/games-00001.viri");
    let bytes = fs::read(&chunk).unwrap();
    // A move from and to the same square; and, cut between two games, a game less.
    let mut flipped = bytes.clone();
    flipped[32..34].fill(0xff);
    fs::write(&chunk, flipped).unwrap();
    assert_eq!(refused(folder), "gen1/games/games-00001.viri");
    let games = chess_records::ViriGames::new(&bytes).unwrap();
    let last = games.get(7).unwrap().byte_offset() as usize;
    fs::write(&chunk, &bytes[..last]).unwrap();
    assert_eq!(
        refused(folder),
        "gen1/games/games-00001.viri: has 7 games, expected 8; without the file they are played again"
    );
    fs::remove_file(&chunk).unwrap();
    whole(folder, 2);
    assert!(fs::read(&chunk).unwrap() == bytes);
    fs::remove_file(folder.join("gen1/run/losses.csv")).unwrap();
    assert_eq!(
        refused(folder),
        "gen1/run/losses.csv: line 2 is \"\", expected an epoch and two losses"
    );
    fs::remove_file(folder.join("plan.txt")).unwrap();
    assert_eq!(
        refused(folder),
        "gen1: is there, but no plan.txt beside it says how it was made"
    );
}

#[test]
fn what_a_killed_process_left_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    whole(folder, 2);
    let before = all(folder);
    for left in [
        ".plan.txt.7-0.tmp",
        ".report.md.7-0.tmp",
        ".gen1.nnue.7-0.tmp",
        ".ladder.svg.7-0.tmp",
        ".losses-gen1.svg.7-0.tmp",
        "gen1/games/.games-00000.viri.7-0.tmp",
        "gen1/run/.losses.csv.7-0.tmp",
        "gen1/run/.last.nnue.7-0.tmp",
    ] {
        fs::write(folder.join(left), "half").unwrap();
    }
    whole(folder, 2);
    assert!(all(folder).keys().eq(before.keys()));
}

#[test]
fn losses_that_are_none_are_named() {
    let folder = tempfile::tempdir().unwrap();
    whole(folder.path(), 2);
    let path = folder.path().join("gen1/run/losses.csv");
    fs::write(&path, "epoch,training,held_out\n1,0.1,0.1\n2,0.1\n").unwrap();
    let generations = Generations::open(folder.path(), small).unwrap();
    let error = generations.run(1, |_| ControlFlow::Continue(()));
    let expected = std::format!(
        "{}: line 3 is \"2,0.1\", expected an epoch and two losses",
        path.display()
    );
    assert_eq!(error.unwrap_err().to_string(), expected);
    drop(generations);
    fs::write(&path, "epoch,training,held_out\n1,0.1,0.1\n3,0.1,0.1\n").unwrap();
    let error = refused(folder.path());
    assert!(error.contains("line 3 is \"3,0.1,0.1\""), "{error}");
}
