//! Games of a stream of PGN.

use std::io::Read;

use chess_records::pgn::{PgnGames, movetext_moves};
use chess_records::{Game, LeftOut};

/// Takes the bytes for PGN. What is read must not depend on how the stream comes, and a game that is
/// accepted must be the same game when its moves are written out.
pub fn pgn_games(data: &[u8]) {
    let games = read(data);
    assert_eq!(read(Trickle(data)), games, "the stream came otherwise");
    for game in games.iter().flatten() {
        let again = read(written(game).as_bytes());
        assert_eq!(again, [Ok(game.clone())]);
    }
    // What is movetext alone is for the reader to say.
    let _ = movetext_moves(data);
}

fn read(stream: impl Read) -> Vec<Result<Game, LeftOut>> {
    let games = PgnGames::new(stream);
    let read = games.map(|game| {
        let game = game.expect("such a stream does not fail");
        for (name, _) in game.tags().iter() {
            assert!(game.tags().get(&name).is_some(), "{name} is there");
        }
        game.into_game()
    });
    read.collect()
}

/// Gives a few bytes at a time.
struct Trickle<'a>(&'a [u8]);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let few = buffer.len().min(1 + self.0.len() % 7);
        self.0.read(&mut buffer[..few])
    }
}

/// A game as PGN with both squares of each move.
fn written(game: &Game) -> String {
    let mut text = format!("[Result \"{}\"]\n", result(game));
    for (name, elo) in [("White", game.white_elo), ("Black", game.black_elo)] {
        if let Some(elo) = elo {
            text += &format!("[{name}Elo \"{elo}\"]\n");
        }
    }
    text.push('\n');
    for played in &game.moves {
        text += &format!("{played} ");
    }
    text
}

fn result(game: &Game) -> &'static str {
    use chess_records::GameResult::{BlackWon, Draw, WhiteWon};
    match game.result {
        WhiteWon => "1-0",
        BlackWon => "0-1",
        Draw => "1/2-1/2",
    }
}
