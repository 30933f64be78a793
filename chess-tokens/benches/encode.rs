//! Encoding, decoding and masks: `cargo bench -p chess-tokens --features bpe,shakmaty --bench encode`.
//!
//! Of the golden games, 14,000 plies of people and of chance. `beside_python.py` has the comparison
//! with Python, and the README its figures.
// Helpers of benches fail by panicking.
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "../tests/golden_pack/mod.rs"]
mod golden_pack;

use std::hint::black_box;

use chess_records::{Game, Position};
use chess_tokens::Tokenizer;
use chess_tokens::tokenizer::{
    BpeTokenizer, NextTokens, Rules, SanTokenizer, TextGame, UciTokenizer,
};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use golden_pack::{GoldenPack, read, uci_games};

fn plies(games: &[Game]) -> Throughput {
    Throughput::Elements(games.iter().map(|game| game.moves.len() as u64).sum())
}

/// Encodes all games, one after the other, into the same memory.
fn encode_all(tokenizer: &dyn Tokenizer, games: &[Game], tokens: &mut Vec<u16>) {
    for game in games {
        tokens.clear();
        tokenizer.encode(black_box(game), tokens).unwrap();
        black_box(&tokens);
    }
}

fn schemes() -> [(&'static str, Box<dyn Tokenizer>); 3] {
    let bpe = BpeTokenizer::from_json(&read("bpe.json")).unwrap();
    [
        ("uci", Box::new(UciTokenizer::new())),
        ("san", Box::new(SanTokenizer::new())),
        ("bpe", Box::new(bpe)),
    ]
}

fn encode(criterion: &mut Criterion) {
    let games = uci_games("uci");
    let mut group = criterion.benchmark_group("encode");
    group.throughput(plies(&games));
    let mut tokens = Vec::new();
    for (name, tokenizer) in schemes() {
        for (game, expected) in games.iter().zip(GoldenPack::open(name).games()) {
            tokens.clear();
            tokenizer.encode(game, &mut tokens).unwrap();
            assert_eq!(tokens, expected);
        }
        group.bench_function(name, |bencher| {
            bencher.iter(|| encode_all(&*tokenizer, &games, &mut tokens));
        });
    }
    encode_text(&mut group, &games);
    group.finish();
}

fn encode_text(
    group: &mut criterion::BenchmarkGroup<'_, criterion::measurement::WallTime>,
    games: &[Game],
) {
    let text = |game: &Game| {
        let words: Vec<_> = game.moves.iter().map(ToString::to_string).collect();
        words.join(" ")
    };
    let texts: Vec<_> = games.iter().map(text).collect();
    let uci = UciTokenizer::new().missing_elo(1500);
    let mut tokens = Vec::new();
    group.bench_function("uci_text", |bencher| {
        bencher.iter(|| {
            for moves in &texts {
                tokens.clear();
                let game = TextGame {
                    moves: black_box(moves),
                    result: "1-0",
                    white_elo: None,
                    black_elo: None,
                };
                uci.encode_text(&game, &mut tokens).unwrap();
                black_box(&tokens);
            }
        });
    });
}

fn decode(criterion: &mut Criterion) {
    let games = uci_games("uci");
    let mut group = criterion.benchmark_group("decode");
    group.throughput(plies(&games));
    for (name, tokenizer) in schemes() {
        let pack = GoldenPack::open(name);
        for (game, tokens) in games.iter().zip(pack.games()) {
            assert_eq!(tokenizer.decode(tokens).unwrap().moves, game.moves);
        }
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                for tokens in pack.games() {
                    black_box(tokenizer.decode(black_box(tokens)).unwrap());
                }
            });
        });
    }
    group.finish();
}

fn masks_of<B: Rules>(pack: &GoldenPack) {
    for tokens in pack.games() {
        black_box(NextTokens::<B>::masks(black_box(tokens)).unwrap());
    }
}

fn masks(criterion: &mut Criterion) {
    let pack = GoldenPack::open("uci");
    for tokens in pack.games() {
        let masks = NextTokens::<Position>::masks(tokens).unwrap();
        assert!(
            masks
                .iter()
                .zip(tokens)
                .all(|(mask, &token)| mask.contains(token))
        );
        assert_eq!(NextTokens::<shakmaty::Chess>::masks(tokens), Ok(masks));
    }
    let mut group = criterion.benchmark_group("masks");
    group.throughput(plies(&uci_games("uci")));
    group.bench_function("position", |bencher| {
        bencher.iter(|| masks_of::<Position>(&pack))
    });
    group.bench_function("shakmaty", |bencher| {
        bencher.iter(|| masks_of::<shakmaty::Chess>(&pack));
    });
    group.finish();
}

criterion_group!(benches, encode, decode, masks);
criterion_main!(benches);
