//! The tokenizers beside packs of an encoder that shares no code with them: every token, both ways.

// Helpers of tests fail by panicking.
#![allow(clippy::unwrap_used)]

mod golden_pack;

use chess_records::Game;
use chess_tokens::Tokenizer;
use chess_tokens::tokenizer::{TextGame, UciTokenizer};
use golden_pack::{GoldenPack, read, uci_games};

/// The pack is what the tokenizer writes of these games, and says the same of the vocabulary.
#[track_caller]
fn assert_encodes(tokenizer: &dyn Tokenizer, games: &[Game], pack: &GoldenPack) {
    assert_eq!(tokenizer.vocab_hash(), pack.vocab_hash());
    assert_eq!(u64::from(tokenizer.vocab_size()), pack.vocab_size());
    assert_eq!(games.len(), pack.games().count());
    let mut tokens = Vec::new();
    for (index, (game, expected)) in games.iter().zip(pack.games()).enumerate() {
        tokens.clear();
        tokenizer.encode(game, &mut tokens).unwrap();
        assert_eq!(tokens, expected, "game {index}");
        for max_len in [0, 1, 2, 3, 4, expected.len() - 1, expected.len()] {
            tokens.clear();
            tokenizer.encode_prefix(game, max_len, &mut tokens).unwrap();
            assert!(tokens.len() <= max_len && expected.starts_with(&tokens));
            assert_eq!(tokens.len() == expected.len(), max_len >= expected.len());
        }
    }
}

/// The tokens of the pack are read as these games, ratings left aside.
#[cfg(any(feature = "bpe", feature = "shakmaty"))]
#[track_caller]
fn assert_decodes(tokenizer: &dyn Tokenizer, games: &[Game], pack: &GoldenPack) {
    for (index, (game, tokens)) in games.iter().zip(pack.games()).enumerate() {
        let read = tokenizer.decode(tokens).unwrap();
        assert_eq!(
            (read.moves, read.result),
            (game.moves.clone(), game.result),
            "game {index}"
        );
        assert_eq!((read.white_elo, read.black_elo), (None, None));
    }
}

#[test]
fn uci() {
    for name in ["uci", "edge-uci"] {
        let pack = GoldenPack::open(name);
        assert_encodes(&UciTokenizer::new(), &uci_games(name), &pack);
    }
    assert_eq!(uci_games("uci").len(), 186);
    assert_eq!(uci_games("edge-uci").len(), 12);
}

#[test]
fn uci_of_text() {
    let pack = GoldenPack::open("uci");
    let uci = UciTokenizer::new();
    for tokens in pack.games() {
        let name = |token: u16| uci.name(token).unwrap();
        let [_, white, black, moves @ .., result, _] = tokens else {
            panic!("{tokens:?} are no game");
        };
        let moves: Vec<_> = moves.iter().map(|&token| name(token)).collect();
        let elo = |token| name(token)[2..6].parse().ok();
        let game = TextGame {
            moves: &moves.join(" "),
            result: ["1-0", "0-1", "1/2-1/2"][usize::from(result - 5)],
            white_elo: elo(*white),
            black_elo: elo(*black),
        };
        let mut encoded = Vec::new();
        uci.encode_text(&game, &mut encoded).unwrap();
        assert_eq!(encoded, tokens);
    }
}

#[test]
fn vocabulary_of_uci() {
    let json = read("vocab.json");
    UciTokenizer::check_vocabulary(&json).unwrap();
    assert_eq!(UciTokenizer::vocabulary_json().as_bytes(), json);
}

#[cfg(feature = "shakmaty")]
#[test]
fn san() {
    use chess_tokens::tokenizer::SanTokenizer;
    for (name, uci) in [("san", "uci"), ("edge-san", "edge-uci")] {
        let pack = GoldenPack::open(name);
        let games = uci_games(uci);
        assert_encodes(&SanTokenizer::new(), &games, &pack);
        assert_decodes(&SanTokenizer::new(), &games, &pack);
    }
}

#[cfg(feature = "bpe")]
mod bpe {
    use super::*;
    use chess_tokens::tokenizer::BpeTokenizer;

    #[test]
    fn games() {
        let pack = GoldenPack::open("bpe");
        let games = uci_games("uci");
        let bpe = BpeTokenizer::from_json(&read("bpe.json")).unwrap();
        assert_encodes(&bpe, &games, &pack);
        assert_decodes(&bpe, &games, &pack);
    }

    #[test]
    fn file() {
        let json = read("bpe.json");
        let bpe = BpeTokenizer::from_json(&json).unwrap();
        assert_eq!(bpe.to_json().as_bytes(), json);
    }

    /// The same games in the same order make the same file as they do in Python.
    #[test]
    fn training() {
        let bpe = BpeTokenizer::train(uci_games("uci"), 512).unwrap();
        assert_eq!(bpe.to_json().as_bytes(), read("bpe.json"));
    }
}

/// Every token of every game is in its mask, and whose rules they are makes no difference.
#[test]
fn masks() {
    use chess_records::Position;
    use chess_tokens::tokenizer::NextTokens;
    for name in ["uci", "edge-uci"] {
        for tokens in GoldenPack::open(name).games() {
            let masks = NextTokens::<Position>::masks(tokens).unwrap();
            assert_eq!(masks.len(), tokens.len());
            #[cfg(feature = "shakmaty")]
            assert_eq!(NextTokens::<shakmaty::Chess>::masks(tokens), Ok(masks));
        }
    }
}
