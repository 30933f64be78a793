//! Packs millions of made-up games and prints how much memory that took on the way.
//!
//! ```sh
//! cargo run --release -p chess-tokens --example pack_many -- FOLDER 10000000
//! ```
//!
//! Ten million games take 1.5 GB of disk. Memory is told on Linux alone.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::fs;
use std::time::Instant;

use chess_records::{Game, GameResult, UciMove};
use chess_tokens::Tokenizer;
use chess_tokens::pack::{PackWriter, TokenPack};
use chess_tokens::tokenizer::UciTokenizer;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(folder), Some(games)) = (arguments.next(), arguments.next()) else {
        println!("usage: pack_many FOLDER GAMES");
        return Ok(());
    };
    let games: u64 = games.parse()?;
    let tokenizer = UciTokenizer::new();
    let mut writer = PackWriter::create(&folder, &tokenizer, ["made up"])?;
    let (mut game, mut tokens) = (made_up()?, Vec::new());
    let started = Instant::now();
    for number in 0..games {
        vary(&mut game, number);
        tokens.clear();
        tokenizer.encode(&game, &mut tokens)?;
        writer.push(&tokens)?;
        if (number + 1) % (games / 10).max(1) == 0 {
            let seconds = started.elapsed().as_secs_f64();
            println!("{} games, {seconds:.1} s: {}", number + 1, memory());
        }
    }
    let meta = writer.finish()?;
    println!(
        "{} games of {} tokens are a pack: {}",
        meta.n_games,
        meta.n_tokens,
        memory()
    );
    if games <= 1_000_000 {
        let faults = TokenPack::read(&folder)?.verify().count();
        println!("{faults} faults");
    }
    Ok(())
}

fn made_up() -> Result<Game, Box<dyn Error>> {
    let line = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5 a4b3 d7d6 c2c3 e8g8";
    let moves = line.split(' ').map(str::parse);
    Ok(Game {
        moves: moves.collect::<Result<Vec<UciMove>, _>>()?,
        result: GameResult::Draw,
        white_elo: Some(1500),
        black_elo: Some(1500),
    })
}

/// Games of 16 to 124 moves, 70 in the mean, whatever the moves lead to.
fn vary(game: &mut Game, number: u64) {
    let len = 16 + (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize % 109;
    let first = game.moves[..16].to_vec();
    game.moves.clear();
    game.moves.extend(first.into_iter().cycle().take(len));
    game.result = GameResult::ALL[number as usize % GameResult::COUNT];
    game.white_elo = Some(600 + (number % 2700) as i32);
}

/// What the system says of this process's memory: now, and at most so far.
fn memory() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let wanted = ["VmRSS:", "VmHWM:"];
    let lines = status
        .lines()
        .filter(|line| wanted.iter().any(|name| line.starts_with(name)));
    let words = lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    words.collect::<Vec<_>>().join(", ")
}
