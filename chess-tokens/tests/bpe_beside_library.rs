//! The `bpe` tokenizer, which asks the library's model alone, beside the library's whole tokenizer of
//! the file that it writes: the same tokens of any moves.
#![cfg(feature = "bpe")]
// Helpers of tests fail by panicking.
#![allow(clippy::unwrap_used)]

mod golden_pack;

use chess_records::{Game, GameResult, Permutation};
use chess_tokens::Tokenizer;
use chess_tokens::tokenizer::{BpeTokenizer, UciToken};
use golden_pack::uci_games;

/// A game of moves that need not be legal.
fn random_game(seed: u64) -> Game {
    let ids = Permutation::new(2030 - 62, seed);
    let played = |id| match UciToken::from_id(62 + id as u16) {
        Some(UciToken::Move(played)) => played,
        other => panic!("{other:?} is no move"),
    };
    Game {
        moves: ids.iter().take(seed as usize % 300).map(played).collect(),
        result: GameResult::Draw,
        white_elo: None,
        black_elo: None,
    }
}

#[track_caller]
fn assert_same_tokens(bpe: &BpeTokenizer, games: &[Game]) {
    let library = tokenizers::Tokenizer::from_bytes(bpe.to_json()).unwrap();
    for (index, game) in games.iter().enumerate() {
        let text: String = game.moves.iter().map(ToString::to_string).collect();
        let expected = library.encode(text, false).unwrap();
        let mut tokens = Vec::new();
        bpe.encode(game, &mut tokens).unwrap();
        let [1, ids @ .., _, 2] = &tokens[..] else {
            panic!("{tokens:?} are no game");
        };
        let ids: Vec<_> = ids.iter().copied().map(u32::from).collect();
        assert_eq!(ids, expected.get_ids(), "game {index}");
    }
}

#[test]
fn same_tokens() {
    let people = uci_games("uci");
    let chance: Vec<_> = (0..120).map(random_game).collect();
    for vocab_size in [8, 60, 300, 4096] {
        let of_people = BpeTokenizer::train(people.clone(), vocab_size).unwrap();
        assert_same_tokens(&of_people, &people);
        assert_same_tokens(&of_people, &chance);
    }
    let of_chance = BpeTokenizer::train(chance.clone(), 1000).unwrap();
    assert_eq!(of_chance.vocab_size(), 1000);
    assert_same_tokens(&of_chance, &people);
    assert_same_tokens(&of_chance, &chance);
}

/// Most characters are unknown to it.
#[test]
fn same_tokens_of_a_small_alphabet() {
    let mut game = random_game(0);
    game.moves = ["e2e4", "e4e2", "e2e4"]
        .map(|text| text.parse().unwrap())
        .to_vec();
    let small = BpeTokenizer::train([game.clone()], 4096).unwrap();
    assert_eq!(small.token("n"), None);
    let chance: Vec<_> = (0..60).map(random_game).collect();
    assert_same_tokens(&small, &chance);
    assert_same_tokens(&small, &[game]);
}

#[test]
fn what_cannot_be_trained() {
    let error = |vocab_size| {
        let trained = BpeTokenizer::train([], vocab_size);
        trained.unwrap_err().to_string()
    };
    assert_eq!(error(7), "a vocabulary of 7 tokens, expected 8 to 65536");
    assert_eq!(
        error(65_537),
        "a vocabulary of 65537 tokens, expected 8 to 65536"
    );
    // Of nothing comes nothing but the special tokens.
    assert_eq!(BpeTokenizer::train([], 4096).unwrap().vocab_size(), 8);
}
