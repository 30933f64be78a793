use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use super::*;
use crate::{GameResult, LeftOut, UciMove};

fn read_game(text: &str) -> Result<PgnReplay, LeftOut> {
    PgnText::new(text.as_bytes()).replay()
}

fn moves(text: &str) -> Result<String, LeftOut> {
    let replay = read_game(text)?;
    let uci = |played: &shakmaty::Move| played.to_uci(shakmaty::CastlingMode::Standard).to_string();
    let moves = replay.moves.iter().map(uci).collect::<Vec<_>>().join(" ");
    let game = PgnText::new(text.as_bytes()).game()?;
    assert_eq!(shown(&game.moves), moves);
    Ok(moves)
}

fn shown(moves: &[UciMove]) -> String {
    let moves: Vec<_> = moves.iter().map(ToString::to_string).collect();
    moves.join(" ")
}

/// The moves of a game that White won.
fn won(movetext: &str) -> Result<String, LeftOut> {
    moves(&format!("[Result \"1-0\"]\n\n{movetext}\n"))
}

#[test]
fn moves_among_other_things() {
    let expected = "e2e4 e7e5 g1f3 b8c6";
    for text in [
        "1. e4 e5 2. Nf3 Nc6 1-0",
        "1.e4 e5 2.Nf3! Nc6?? $1 1-0",
        "1. e4 { [%clk 0:03:00] } 1... e5 {} 2. Nf3 {a\n\n[B \"c\"]\n} Nc6",
        "1. e4 ; e5 {\n% d5\ne5 2. Ng1f3 b8c6 *",
        "1. e4 (1. d4 d5 (1... Nf6 2. c4) 2. c4) 1... e5 (c5 Nf3 (Nc3 {(} Nc6)) Nf3 Nc6",
        "1. e4 e5 (1... -- 2. d4 (2. -- d5)) 2. Nf3 Nc6",
        ") 1. e4 e5 )) 2. Nf3 Nc6",
        "( 1. e4 ) e5 2. Nf3 Nc6",
        "1. e2-e4 e7e5 2. N1f3 Nb8-c6+",
    ] {
        assert_eq!(won(text).as_deref(), Ok(expected), "{text}");
    }
    assert_eq!(won("").as_deref(), Ok(""));
}

#[test]
fn every_kind_of_move() {
    assert_eq!(
        won(
            "1. e4 d5 2. e5 f5 3. exf6 Nc6 4. fxg7 Be6 5. gxh8=N Qd7 6. Nf3 O-O-O 7. Be2 a6 8. O-O"
        )
        .unwrap(),
        "e2e4 d7d5 e4e5 f7f5 e5f6 b8c6 f6g7 c8e6 g7h8n d8d7 g1f3 e8c8 f1e2 a7a6 e1g1"
    );
    assert_eq!(
        won("1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. 0-0 e8g8")
            .unwrap()
            .split(' ')
            .count(),
        8
    );
}

#[test]
fn movetext_that_does_not_parse() {
    for (text, reason) in [
        ("1. e4 e5 2. Ke3", LeftOut::IllegalMove),
        ("1. e4 d5 2. d5", LeftOut::IllegalMove),
        ("1. O-O", LeftOut::IllegalMove),
        (
            "1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. Kg1",
            LeftOut::IllegalMove,
        ),
        (
            "1. e4 d5 2. exd5 c6 3. dxc6 a6 4. cxb7 a5 5. bxa8",
            LeftOut::IllegalMove,
        ),
        ("1. e4 (1. e5) e5", LeftOut::IllegalMove),
        ("1. d4 d5 2. Nf3 Nf6 3. Nd2", LeftOut::AmbiguousMove),
        ("1. -- e5", LeftOut::NoMove),
        ("1. e4 N@e5", LeftOut::NoMove),
        ("1. e4 (1. d4 1-0) e5", LeftOut::NoMove),
        // Nothing but a blank line ends a game.
        (
            "1. e4 e5 1-0\n[Event \"next\"]\n1. e4 e5",
            LeftOut::IllegalMove,
        ),
    ] {
        assert_eq!(won(text), Err(reason), "{text}");
    }
    let deep = |depth: usize| won(&format!("1. e4 {}", "(1. d4 ".repeat(depth)));
    assert_eq!(deep(64).as_deref(), Ok("e2e4"));
    assert_eq!(deep(65), Err(LeftOut::TooLong));
}

#[test]
fn a_game_that_is_too_long() {
    let knights = "Nf3 Nf6 Ng1 Ng8 ";
    let longest = won(&knights.repeat(1 << 14)).unwrap();
    assert_eq!(longest.split(' ').count(), 1 << 16);
    let longer = format!("{} Nf3", knights.repeat(1 << 14));
    assert_eq!(won(&longer), Err(LeftOut::TooLong));
}

#[test]
fn results() {
    let result = |text: &str| read_game(text).map(|replay| replay.result);
    assert_eq!(
        result("[Result \"0-1\"]\n\n1. e4 1-0"),
        Ok(GameResult::BlackWon)
    );
    assert_eq!(result("1. e4 1/2-1/2 1-0"), Ok(GameResult::Draw));
    assert_eq!(
        result("[Result \"*\"]\n\n1. e4 1-0"),
        Ok(GameResult::WhiteWon)
    );
    assert_eq!(
        result("[Result \"*\"]\n\n1. e4 * 1-0"),
        Ok(GameResult::WhiteWon)
    );
    assert_eq!(result("[Result \"?\"]\n\n1. e4 1-0"), Err(LeftOut::Result));
    assert_eq!(result("1. e4 *"), Err(LeftOut::Result));
    assert_eq!(result("1. e4"), Err(LeftOut::Result));
}

#[test]
fn elos_are_asked_for_where_they_must_be_there() {
    let text =
        "\u{feff}[WhiteElo \"1500\"]\r\n[BlackElo \"?\"]\r\n[Result \"1-0\"]\r\n\r\n1. e4\r\n";
    let replay = read_game(text).unwrap();
    assert_eq!((replay.white_elo, replay.black_elo), (Some(1500), None));
    assert_eq!(replay.moves.len(), 1);
    let rated = |text: &str| PgnText::new(text.as_bytes()).replay_rated();
    assert_eq!(rated(text).unwrap_err(), LeftOut::MissingElo);
    let both = "[WhiteElo \"1500\"]\n[BlackElo \"1700\"]\n[Result \"1-0\"]\n\n1. e4\n";
    assert_eq!(rated(both).unwrap().black_elo, Some(1700));
}

#[test]
fn movetext_alone() {
    let read = |text: &str| movetext_moves(text.as_bytes()).map(|moves| shown(&moves));
    for text in [
        "1. e4 e5 2. Nf3 Nc6 1-0",
        "1. e4 $1 e5 (1... c5 2. Nf3 (2. c3 {Alapin ( :) } d5) d6) 2. Nf3!? { [%eval #-3] } Nc6?! ?? *",
        // Nothing in variations is looked at but comments and parentheses.
        "1. e4 (1. e5 Ke4 -- N@e5 1-0 ; )\n {)} ) e5 ((((O-O)))) 2. Nf3 Nc6",
        "1. e4\r\n\r\ne5 {\n\n} 2. Nf3 ) Nc6 (2... ",
        "( 1. e4 ) e5 2. Nf3 Nc6",
    ] {
        assert_eq!(read(text).as_deref(), Ok("e2e4 e7e5 g1f3 b8c6"), "{text}");
    }
    for (text, reason) in [
        ("1. e4 e5 2. Ke3", LeftOut::IllegalMove),
        ("1. d4 d5 2. Nf3 Nf6 3. Nd2", LeftOut::AmbiguousMove),
        ("1. -- e5", LeftOut::NoMove),
        ("1. e4 N@e5", LeftOut::NoMove),
    ] {
        assert_eq!(read(text), Err(reason), "{text}");
    }
    assert_eq!(read("").as_deref(), Ok(""));
    let deep = format!("1. e4 {}", "(1. d4 ".repeat(100_000));
    assert_eq!(read(&deep).as_deref(), Ok("e2e4"));
    assert_eq!(
        read(&"Nf3 Nf6 Ng1 Ng8 ".repeat(1 << 14)).unwrap().len(),
        (1 << 16) * 5 - 1
    );
    assert_eq!(
        read(&"Nf3 Nf6 Ng1 Ng8 ".repeat((1 << 14) + 1)),
        Err(LeftOut::TooLong)
    );
}

fn blocks(text: &[u8]) -> Vec<PgnBlock> {
    let mut reader = PgnBlocks::new(text);
    std::iter::from_fn(|| reader.next_block().unwrap()).collect()
}

#[test]
fn blocks_are_whole_games() {
    let game = "[Result \"1-0\"]\r\n\r\n1. e4 {comment} 1-0\r\n\r\n";
    let text = game.repeat(60_000);
    let blocks = blocks(text.as_bytes());
    assert!(blocks.len() > 2);
    let games = blocks.iter().flat_map(PgnBlock::games);
    let games: Vec<_> = games.map(|game| game.as_bytes()).collect();
    assert_eq!(games.len(), 60_000);
    assert_eq!(blocks.iter().map(PgnBlock::len).sum::<usize>(), 60_000);
    assert_eq!(games.concat(), text.as_bytes());
    assert!(games.iter().all(|&found| found == game.as_bytes()));
}

#[test]
fn the_last_game_needs_no_blank_line() {
    let count = |text: &str| {
        blocks(text.as_bytes())
            .iter()
            .flat_map(PgnBlock::games)
            .count()
    };
    assert_eq!(count("1. e4"), 1);
    assert_eq!(count("1. e4\n\n\n1. d4 {"), 2);
    assert_eq!(count("\n\n"), 0);
    assert_eq!(count(""), 0);
}

#[test]
fn a_game_without_an_end() {
    let text = format!("1. e4\n\n1. e4 {{ {}", "\n\n".repeat(9 << 20));
    let mut reader = PgnBlocks::new(text.as_bytes());
    assert_eq!(reader.next_block().unwrap().unwrap().games().count(), 1);
    assert_eq!(
        reader.next_block().err().unwrap().to_string(),
        "the game at byte 7 of the text does not end within 16 MiB, is a comment open?"
    );
}

#[test]
fn a_stream_that_breaks_off() {
    struct Broken;
    impl std::io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("gone"))
        }
    }
    let text = &b"1. e4 1-0\n\n"[..];
    let mut reader = PgnBlocks::new(std::io::Read::chain(text, Broken));
    assert_eq!(
        reader.next_block().err().unwrap().to_string(),
        "cannot be read after 11 bytes of text"
    );
}

#[test]
fn games_of_a_stream() {
    let text = "[Result \"1-0\"]\n[WhiteElo \"1500\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. O-O\n\n1. e5\n\n1. d4 *";
    let games: Vec<_> = PgnGames::new(text.as_bytes()).map(Result::unwrap).collect();
    let game = games[0].game().unwrap();
    assert_eq!(shown(&game.moves), "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 e1g1");
    assert_eq!((game.white_elo, game.black_elo), (Some(1500), None));
    assert_eq!(games[0].tags().get("WhiteElo").as_deref(), Some("1500"));
    let reasons: Vec<_> = games[1..]
        .iter()
        .map(|game| game.game().unwrap_err())
        .collect();
    assert_eq!(reasons, [LeftOut::IllegalMove, LeftOut::Result]);
    assert_eq!(games[1].tags().iter().count(), 0);
}

#[test]
fn tags_end_where_movetext_begins() {
    let text = "%\n\n\u{feff}[A \"1\"]\n\n[B \"2\"]\n1. e4\n[C \"3\"]\n";
    let text = PgnText::new(text.as_bytes());
    assert_eq!(format!("{:?}", text.tags()), "{}");
    let text = PgnText::new(b"\xef\xbb\xbf[A \"1\"]\n\n[B \"2\"]\n1. e4\n[C \"3\"]\n");
    assert_eq!(format!("{:?}", text.tags()), "{\"A\": \"1\", \"B\": \"2\"}");
}
