//! One half of `beside_python.py`: encodes the golden games and reads their movetext, and prints plies per
//! second, a line for each.
// Helpers of benches fail by panicking.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

#[path = "../tests/golden_pack/mod.rs"]
mod golden_pack;

use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};

use chess_records::Game;
use chess_records::pgn::{PgnBlocks, movetext_moves};
use chess_tokens::Tokenizer;
use chess_tokens::tokenizer::{BpeTokenizer, SanTokenizer, TextGame, UciTokenizer};
use golden_pack::{GoldenPack, read, uci_games};

/// The median of seven rates, after a run that warms up.
fn rate(plies: usize, repeats: usize, mut run: impl FnMut()) -> f64 {
    let mut times: Vec<Duration> = (0..8)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..repeats {
                run();
            }
            start.elapsed()
        })
        .skip(1)
        .collect();
    times.sort();
    (plies * repeats) as f64 / times[3].as_secs_f64()
}

fn of_scheme(tokenizer: &dyn Tokenizer, games: &[Game], repeats: usize) {
    let name = tokenizer.scheme().name();
    let mut tokens = Vec::new();
    for (game, expected) in games.iter().zip(GoldenPack::open(name).games()) {
        tokens.clear();
        tokenizer.encode(game, &mut tokens).unwrap();
        assert_eq!(tokens, expected);
    }
    let plies = games.iter().map(|game| game.moves.len()).sum();
    let figure = rate(plies, repeats, || {
        for game in games {
            tokens.clear();
            tokenizer.encode(black_box(game), &mut tokens).unwrap();
            black_box(&tokens);
        }
    });
    println!("{name}\t{figure:.0}");
}

fn of_text(games: &[Game]) {
    let text = |game: &Game| {
        let words: Vec<_> = game.moves.iter().map(ToString::to_string).collect();
        words.join(" ")
    };
    let texts: Vec<_> = games.iter().map(text).collect();
    let plies = games.iter().map(|game| game.moves.len()).sum();
    let mut tokens = Vec::new();
    let figure = rate(plies, 300, || {
        for (game, moves) in games.iter().zip(&texts) {
            tokens.clear();
            let game = TextGame {
                moves: black_box(moves),
                result: "1-0",
                white_elo: game.white_elo,
                black_elo: game.black_elo,
            };
            UciTokenizer::new().encode_text(&game, &mut tokens).unwrap();
            black_box(&tokens);
        }
    });
    println!("uci text\t{figure:.0}");
}

/// The movetext of all games, with its comments.
fn movetexts() -> Vec<Vec<u8>> {
    let pgn = read("games.pgn");
    let mut blocks = PgnBlocks::new(&pgn[..]);
    let mut texts = Vec::new();
    while let Some(block) = blocks.next_block().unwrap() {
        texts.extend(block.games().map(|game| game.movetext().to_vec()));
    }
    texts
}

/// Moves in UCI's notation, apart by a space, of movetext.
fn to_uci(movetext: &[u8], uci: &mut String) {
    uci.clear();
    for played in movetext_moves(movetext).unwrap() {
        let space = if uci.is_empty() { "" } else { " " };
        write!(uci, "{space}{played}").unwrap();
    }
}

fn of_movetext(games: &[Game]) {
    let texts = movetexts();
    assert_eq!(texts.len(), games.len());
    let mut uci = String::new();
    for (text, game) in texts.iter().zip(games) {
        to_uci(text, &mut uci);
        let moves: Vec<_> = game.moves.iter().map(ToString::to_string).collect();
        assert_eq!(uci, moves.join(" "));
    }
    let plies = games.iter().map(|game| game.moves.len()).sum();
    let figure = rate(plies, 20, || {
        for text in &texts {
            to_uci(black_box(text), &mut uci);
            black_box(&uci);
        }
    });
    println!("movetext\t{figure:.0}");
}

fn main() {
    let games = uci_games("uci");
    of_scheme(&UciTokenizer::new(), &games, 3000);
    of_text(&games);
    of_scheme(&SanTokenizer::new(), &games, 20);
    of_movetext(&games);
    let bpe = BpeTokenizer::from_json(&read("bpe.json")).unwrap();
    of_scheme(&bpe, &games, 50);
}
