//! The engine as another program sees it.

use std::io::{self, Cursor, Read};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use crate::engine::Engine;
use crate::position::read_fen;
use crate::{Say, speak_uci};

/// Longer than any answer takes, on a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(60);

/// An engine and what it says.
struct Session {
    engine: Engine,
    told: Receiver<String>,
}

fn channel() -> (Say, Receiver<String>) {
    let (sender, told): (Sender<String>, _) = mpsc::channel();
    let say = move |line: &str| sender.send(line.into()).unwrap_or_default();
    (std::sync::Arc::new(say), told)
}

impl Session {
    fn new() -> Self {
        let (say, told) = channel();
        let engine = Engine::new(say);
        Self { engine, told }
    }

    /// Obeys lines; what they are answered at once.
    fn obey(&mut self, lines: &str) -> Vec<String> {
        lines.lines().for_each(|line| self.engine.obey(line));
        self.told.try_iter().collect()
    }

    /// All that is said until a move is told, and the move.
    fn until_move(&self) -> (Vec<String>, String) {
        let mut lines = Vec::new();
        loop {
            let line = self.told.recv_timeout(PATIENCE).expect("a move");
            match line.strip_prefix("bestmove ") {
                Some(best) => return (lines, best.into()),
                None => lines.push(line),
            }
        }
    }

    /// The move after some lines, the last of which is `go`.
    fn best(&mut self, lines: &str) -> String {
        lines.lines().for_each(|line| self.engine.obey(line));
        self.until_move().1
    }

    fn is_silent(&self) -> bool {
        let wait = Duration::from_millis(100);
        self.told.recv_timeout(wait).is_err()
    }
}

/// Waits until something is told, as a program would that then says `stop`.
fn hear(session: &Session) {
    session.told.recv_timeout(PATIENCE).expect("an iteration");
}

const START: &str = "position startpos";

#[test]
fn it_introduces_itself() {
    let told = Session::new().obey("uci\nisready");
    assert!(told[0].starts_with("id name chess-nnue "), "{told:?}");
    let network = "option name EvalFile type string default <builtin>".to_string();
    assert!(told.contains(&network));
    assert_eq!(told[told.len() - 2..], ["uciok", "readyok"]);
}

#[test]
fn what_it_does_not_understand_it_ignores() {
    let mut session = Session::new();
    for line in [
        "",
        "  ",
        "xyzzy go",
        "\u{fffd}\0\u{7f}",
        "setoptionname",
        "register later",
    ] {
        assert_eq!(session.obey(line), [""; 0], "{line:?}");
    }
    assert_eq!(session.obey("stop\nisready\nponderhit"), ["readyok"]);
}

#[test]
fn bytes_that_are_no_text_do_not_end_it() {
    let (say, told) = channel();
    speak_uci(Cursor::new(b"\xff\xfe\x80\nisready\r\nquit\nuci\n"), say);
    assert_eq!(told.try_iter().collect::<Vec<_>>(), ["readyok"]);
}

/// Gives a few lines, waits for the search to run, and ends.
struct GoneAway {
    told: Cursor<&'static [u8]>,
    waits: bool,
}

impl Read for GoneAway {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.told.read(buffer)?;
        if read == 0 && self.waits {
            thread::sleep(Duration::from_millis(50));
        }
        Ok(read)
    }
}

#[test]
fn the_end_of_the_input_and_quit_end_a_search() {
    for lines in [
        "position startpos\ngo infinite\n",
        "go infinite\nquit\n",
        "go infinite",
    ] {
        let (say, told) = channel();
        let told_to = GoneAway {
            told: Cursor::new(lines.as_bytes()),
            waits: true,
        };
        let begun = Instant::now();
        speak_uci(io::BufReader::new(told_to), say);
        assert!(begun.elapsed() < PATIENCE);
        let last = told.try_iter().last().unwrap();
        assert!(last.starts_with("bestmove "), "{last}");
    }
}

#[test]
fn options_out_of_range_are_refused_and_change_nothing() {
    let mut session = Session::new();
    for (line, expected) in [
        ("name Hash value 0", "Hash is 1 to 65536, not \"0\""),
        ("name Hash value 65537", "Hash is 1 to 65536, not \"65537\""),
        ("name Hash value -1", "Hash is 1 to 65536, not \"-1\""),
        ("name Hash value", "Hash is 1 to 65536, not \"\""),
        ("name Hash", "Hash is 1 to 65536, not \"\""),
        ("name Threads value 2", "Threads is 1 to 1, not \"2\""),
        (
            "name Move Overhead value x",
            "Move Overhead is 0 to 5000, not \"x\"",
        ),
        ("name UCI_Chess960 value 1", "UCI_Chess960 is true or false"),
        ("name Contempt value 3", "no option is called \"contempt\""),
        ("", "no option is called \"\""),
    ] {
        let told = session.obey(&format!("setoption {line}"));
        assert_eq!(told, [format!("info string error: {expected}")], "{line}");
    }
    for line in [
        "  name  Hash  value  8 ",
        "name hash value 1",
        "name UCI_Chess960 value TRUE",
    ] {
        assert_eq!(
            session.obey(&format!("setoption {line}")),
            [""; 0],
            "{line}"
        );
    }
    assert_eq!(session.best(&format!("{START}\ngo depth 2")).len(), 4);
}

#[test]
fn a_network_that_does_not_load_plays_nothing() {
    let mut session = Session::new();
    let told = session.obey("setoption name EvalFile value /nowhere/no value  here.nnue");
    let expected = "info string error: EvalFile /nowhere/no value  here.nnue cannot be used: ";
    assert!(told.len() == 1 && told[0].starts_with(expected), "{told:?}");
    session.obey(&format!("ucinewgame\nisready\n{START}\ngo depth 3"));
    let told = session.obey("go depth 3");
    assert!(told[0].starts_with(expected), "{told:?}");
    assert_eq!(told[1..], ["bestmove 0000"]);
    for (value, about) in [
        ("<builtin>", "network "),
        ("<hand-written>", "evaluation by hand"),
    ] {
        let told = session.obey(&format!("setoption name EvalFile value {value}"));
        assert!(
            told[0].starts_with(&format!("info string {about}")),
            "{told:?}"
        );
        assert_eq!(session.best(&format!("{START}\ngo depth 3")).len(), 4);
    }
}

#[test]
fn a_position_that_is_none_plays_nothing() {
    let mut session = Session::new();
    for position in [
        "",
        "fen",
        "startpos e2e4",
        "nowhere",
        "fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "fen 4k3/8/8/8/8/8/8/4K2 w - - 0 1",
        "fen 4k3/8/8/8/8/8/8/4K3 x - - 0 1",
        "fen 4k2R/8/8/8/8/8/8/4K3 w - - 0 1", // Black's king can be taken
        "fen kkkkkkkk/8/8/8/8/8/8/4K3 w - - 0 1",
        "fen P3k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "startpos moves e2e5",
        "startpos moves e2e4 e7e5 e1g1",
        "startpos moves e2e4 x",
    ] {
        let told = session.obey(&format!("{START}\nposition {position}"));
        assert!(
            told.len() == 1 && told[0].starts_with("info string error: "),
            "{told:?}"
        );
        let told = session.obey("go depth 1");
        assert_eq!(told.last().unwrap(), "bestmove 0000", "{position}");
    }
    assert_eq!(session.best(&format!("{START}\ngo depth 1")).len(), 4);
}

#[test]
fn positions_are_read_as_they_are_written() {
    for (fen, expected) in [
        // Clocks are missing or past what the rules know.
        (
            "4k3/8/8/8/8/8/8/4K2R w K -",
            "4k3/8/8/8/8/8/8/4K2R w H - 0 1",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 b - - 140 9",
            "4k3/8/8/8/8/8/8/4K3 b - - 100 9",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 w - - 3 0",
            "4k3/8/8/8/8/8/8/4K3 w - - 3 1",
        ),
        // Chess960 by wing and by file.
        (
            "bqnb1rkr/pppppppp/8/8/8/8/PPPPPPPP/BQNB1RKR w KQkq - 0 1",
            "bqnb1rkr/pppppppp/8/8/8/8/PPPPPPPP/BQNB1RKR w HFhf - 0 1",
        ),
        (
            "bqnb1rkr/pppppppp/8/8/8/8/PPPPPPPP/BQNB1RKR w Fh - 0 1",
            "bqnb1rkr/pppppppp/8/8/8/8/PPPPPPPP/BQNB1RKR w Fh - 0 1",
        ),
        (
            "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
            "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w HAha f6 0 3",
        ),
    ] {
        let board = read_fen(fen).expect(fen);
        assert_eq!(format!("{board:#}"), expected);
    }
}

#[test]
fn a_game_that_is_over_has_no_move() {
    let mut session = Session::new();
    for (fen, score) in [
        ("R3k3/8/4K3/8/8/8/8/8 b - - 0 1", "mate 0"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "cp 0"),
    ] {
        session.obey(&format!("position fen {fen}"));
        session.engine.obey("go infinite");
        hear(&session);
        assert!(session.is_silent(), "infinite waits for stop");
        let told = session.obey("stop");
        assert_eq!(told, ["bestmove 0000"]);
        session.engine.obey("go depth 5");
        let (told, best) = session.until_move();
        assert_eq!(best, "0000");
        assert!(
            told[0].starts_with(&format!("info depth 0 score {score} ")),
            "{told:?}"
        );
        assert!(!told[0].contains("pv"), "{told:?}");
    }
}

#[test]
fn infinite_waits_for_stop_and_stop_is_heard() {
    let mut session = Session::new();
    for go in [
        "go infinite",
        "go infinite depth 1",
        "go ponder wtime 10 btime 10",
    ] {
        session.engine.obey(START);
        session.engine.obey(go);
        hear(&session);
        thread::sleep(Duration::from_millis(50));
        let begun = Instant::now();
        let told = session.obey("isready\nstop");
        assert!(
            begun.elapsed() < Duration::from_secs(5),
            "{:?}",
            begun.elapsed()
        );
        assert!(told.contains(&"readyok".to_string()), "{told:?}");
        let moves = told.iter().filter(|line| line.starts_with("bestmove"));
        assert_eq!(moves.count(), 1, "{told:?}");
        assert_eq!(session.obey("stop"), [""; 0]);
    }
}

#[test]
fn options_and_positions_in_mid_search_end_it_first() {
    let mut session = Session::new();
    for line in [
        "setoption name Hash value 2",
        "position startpos moves e2e4",
        "ucinewgame",
        "go depth 1",
    ] {
        session.engine.obey("go infinite");
        hear(&session);
        session.engine.obey(line);
        let (_, best) = session.until_move();
        assert!(best.len() == 4, "{best}");
        session.engine.stop();
        while session.told.try_recv().is_ok() {}
    }
    assert_eq!(session.best(&format!("{START}\ngo depth 2")).len(), 4);
}

#[test]
fn small_clocks_are_kept_and_still_played_on() {
    let mut session = Session::new();
    for go in [
        "go movetime 1",
        "go movetime 0",
        "go wtime 1 winc 0 btime 1 binc 0",
        "go wtime -50 btime -50",
        "go wtime 15 winc 10 movestogo 0",
        "go wtime 0 btime 0 movestogo 99999999999",
    ] {
        // White takes a queen; its first legal move is another.
        session
            .engine
            .obey("position fen 4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1");
        let begun = Instant::now();
        assert_eq!(session.best(go), "e4d5", "{go}");
        assert!(
            begun.elapsed() < Duration::from_secs(1),
            "{go} {:?}",
            begun.elapsed()
        );
    }
}

#[test]
fn of_several_limits_the_first_one_ends_the_search() {
    let mut session = Session::new();
    for go in [
        "go depth 3 movetime 600000 nodes 99999999999999999999999999",
        "go wtime 60000000 btime 60000000 movetime 40",
        "go nodes 2000 depth 4294967296",
        "go nodes 1 wtime 60000000",
        "go depth 0",
        "go nodes 0",
        "go nodes -5",
        "go depth 2 wtime btime",
        "go depth 2 depth",
        "go depth 2 xyzzy 5 7",
    ] {
        let begun = Instant::now();
        assert_eq!(session.best(&format!("{START}\n{go}")).len(), 4, "{go}");
        assert!(begun.elapsed() < Duration::from_secs(30), "{go}");
    }
}

#[test]
fn a_mate_that_was_asked_for_ends_the_search() {
    let mut session = Session::new();
    session.obey("position fen kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1");
    assert_eq!(session.best("go mate 2"), "a1a6");
    assert_eq!(session.best("go mate 1 nodes 20000"), "a1a6");
}

#[test]
fn only_the_moves_that_were_asked_for() {
    let mut session = Session::new();
    session.obey("position fen 4k3/8/8/3q4/4P3/8/8/4K2R w K - 0 1");
    assert_eq!(session.best("go searchmoves e1g1 h1h2 depth 1"), "e1g1");
    assert_eq!(session.best("go depth 4 searchmoves a1a2 h1h2"), "h1h2");
    session.engine.obey("go searchmoves a1a2 depth 4");
    let (told, best) = session.until_move();
    assert_eq!(best, "e4d5");
    assert_eq!(
        told[0],
        "info string go: not understood: searchmoves without a legal move"
    );
}

#[test]
fn castling_is_said_as_the_other_program_does() {
    let mut session = Session::new();
    let usual = "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    let shuffled = "position fen 4k3/8/8/8/8/8/8/5KR1 w K - 0 1";
    let castle = "\ngo depth 1 searchmoves ";
    assert_eq!(session.best(&format!("{usual}{castle}e1g1")), "e1g1");
    session.obey("setoption name UCI_Chess960 value true");
    assert_eq!(session.best(&format!("{usual}{castle}e1h1")), "e1h1");
    assert_eq!(session.best(&format!("{shuffled}{castle}f1g1")), "f1g1");
    let told = session.obey(&format!("{shuffled} moves f1g1 e8e7"));
    assert_eq!(told, [""; 0]);
}
