use std::fs;
use std::string::ToString;
use std::vec::Vec;

use super::*;
use crate::selfplay::HandWritten;

fn players<'a>() -> [Player<'a>; 2] {
    ["one", "two"].map(|name| Player::new(name, HandWritten::new))
}

fn small() -> Match {
    Match::new(4, Effort::Nodes(150)).seed(3)
}

fn files(folder: &Path) -> [Vec<u8>; 2] {
    ["match.log", "games.pgn"].map(|name| fs::read(folder.join(name)).unwrap())
}

#[test]
fn players_of_the_same_strength_share_the_points() {
    let folder = tempfile::tempdir().unwrap();
    let mut told = 0;
    let pairs = small().play(folder.path(), &players(), 2, |pairs| {
        told += 1;
        assert_eq!(pairs.len(), told);
        ControlFlow::Continue(())
    });
    // The same moves with colours changed.
    assert_eq!(pairs.unwrap().counts(), [0, 0, 4, 0, 0]);
    let [_, games] = files(folder.path());
    let games = String::from_utf8(games).unwrap();
    assert_eq!(games.matches("[Round ").count(), 8);
    assert!(games.contains("[White \"one\"]\n[Black \"two\"]"));
    assert!(games.lines().all(|line| line.len() < 256));
}

#[test]
fn an_interrupted_match_goes_on_to_the_same_files() {
    let [whole, broken] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let on = |_: &Pairs| ControlFlow::Continue(());
    small().play(whole.path(), &players(), 1, on).unwrap();
    let expected = files(whole.path());
    let first = small().play(broken.path(), &players(), 2, |_| ControlFlow::Break(()));
    assert_eq!(first.unwrap().len(), 1);
    // Killed in the middle of a pair, and of its line.
    for (name, rest) in [("games.pgn", "[Event \"ma"), ("match.log", "2 99")] {
        let path = broken.path().join(name);
        let torn = [fs::read(&path).unwrap(), rest.into()].concat();
        fs::write(&path, torn).unwrap();
    }
    small().play(broken.path(), &players(), 2, on).unwrap();
    assert!(files(broken.path()) == expected);
    // Once more: there is nothing left to do.
    let again = small().play(broken.path(), &players(), 2, |_| panic!("played again"));
    assert_eq!(again.unwrap().len(), 4);
}

#[test]
fn another_match_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let on = |_: &Pairs| ControlFlow::Continue(());
    Match::new(0, Effort::Nodes(1))
        .play(folder.path(), &players(), 1, on)
        .unwrap();
    let error = small().play(folder.path(), &players(), 1, on).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("match.log: holds another match (one against two, Nodes(1)"),
        "{text}"
    );
    let chess960 = Match::new(0, Effort::Nodes(1)).starts(Starts::new().chess960());
    let error = chess960.play(folder.path(), &players(), 1, on).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("50 openings and 8 random moves"), "{text}");
    assert!(text.contains("960 openings and 8 random moves"), "{text}");
    fs::write(folder.path().join("match.log"), "").unwrap();
    small()
        .play(folder.path(), &players(), 1, |_| ControlFlow::Break(()))
        .unwrap();
    let log = String::from_utf8(files(folder.path())[0].clone()).unwrap();
    fs::write(folder.path().join("match.log"), log + "7 12\n").unwrap();
    let error = small().play(folder.path(), &players(), 1, on).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("line 3 is \"7 12\", expected half points and bytes")
    );
}

/// The error of a match in a folder with these files, which are as they were after it.
fn refused(log: Option<&[u8]>, games: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    if let Some(log) = log {
        fs::write(path("match.log"), log).unwrap();
    }
    fs::write(path("games.pgn"), games).unwrap();
    let on = |_: &Pairs| panic!("played");
    let error = small().play(folder.path(), &players(), 1, on).unwrap_err();
    let after = files(folder.path());
    assert_eq!(after, [log.unwrap_or_default(), games], "{error}");
    let begin = std::format!("{}{}", folder.path().display(), std::path::MAIN_SEPARATOR);
    error.to_string().replace(&begin, "")
}

#[test]
fn what_is_no_match_is_left_as_it_is() {
    let taken = "games.pgn: is there already, take a folder without one";
    assert_eq!(refused(None, b"my games"), taken);
    assert_eq!(refused(Some(b"one against"), b"my games"), taken);
    let other = refused(Some(b"something else"), b"");
    assert!(
        other.starts_with("match.log: holds another match (something else), expected one against"),
        "{other}"
    );
    let folder = tempfile::tempdir().unwrap();
    small()
        .play(folder.path(), &players(), 1, |pairs| match pairs.len() {
            2 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        })
        .unwrap();
    let [log, games] = files(folder.path());
    let short = &games[..games.len() - 9];
    assert_eq!(
        refused(Some(&log), short),
        std::format!(
            "games.pgn: has {} bytes, expected {} or more, as match.log says",
            short.len(),
            games.len()
        )
    );
    let again = [&log[..], b"2 7\n"].concat();
    assert_eq!(
        refused(Some(&again), &games),
        "match.log: line 4 is \"2 7\", expected half points and bytes"
    );
}

#[test]
fn a_name_is_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let players = || ["one\nline", "two"].map(|name| Player::new(name, HandWritten::new));
    let on = |_: &Pairs| ControlFlow::Continue(());
    for pairs in [1, 2] {
        let rules = Match::new(pairs, Effort::Nodes(50));
        let played = rules.play(folder.path(), &players(), 1, on).unwrap();
        assert_eq!(played.len(), pairs);
    }
    let games = String::from_utf8(files(folder.path())[1].clone()).unwrap();
    assert_eq!(games.matches("[White \"one line\"]\n").count(), 2);
}

#[test]
fn a_test_ends_the_match() {
    let folder = tempfile::tempdir().unwrap();
    let stronger = [
        Player::new("strong", HandWritten::new),
        Player::new("blind", || Blind),
    ];
    let pairs = Match::new(100, Effort::Nodes(300))
        .sprt(Sprt::new(0.0, 300.0))
        .play(folder.path(), &stronger, 2, |_| ControlFlow::Continue(()));
    let pairs = pairs.unwrap();
    assert!(pairs.len() < 100 && pairs.score() > 0.9, "{pairs:?}");
}

/// Sees no difference between positions.
struct Blind;

impl Evaluation for Blind {
    fn reset(&mut self, _: &cozy_chess::Board) {}
    fn push(&mut self, _: &cozy_chess::Board, _: cozy_chess::Move) {}
    fn push_null(&mut self) {}
    fn pop(&mut self) {}
    fn evaluate(&mut self, board: &cozy_chess::Board) -> i32 {
        (board.hash() % 100) as i32
    }
}
