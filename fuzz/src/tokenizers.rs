//! The tokenizers of chess-tokens: tokens, texts and vocabularies.

use std::sync::LazyLock;

use chess_records::{Game, GameResult, Position};
use chess_tokens::Tokenizer;
use chess_tokens::tokenizer::{
    BpeTokenizer, NextTokens, SanTokenizer, TextGame, UciToken, UciTokenizer,
};

static BPE: LazyLock<BpeTokenizer> = LazyLock::new(|| {
    let json = include_bytes!("../seeds/bpe_json/golden");
    BpeTokenizer::from_json(json).expect("the golden file is right")
});

/// The little-endian numbers that the bytes are.
fn numbers(data: &[u8]) -> Vec<u16> {
    let (pairs, _) = data.as_chunks();
    pairs.iter().map(|&pair| u16::from_le_bytes(pair)).collect()
}

fn encoded(tokenizer: &dyn Tokenizer, game: &Game) -> Vec<u16> {
    let mut tokens = Vec::new();
    let encoded = tokenizer.encode(game, &mut tokens);
    encoded.expect("what was decoded can be encoded");
    tokens
}

/// Takes the bytes for tokens of the `uci` scheme. What is read must come back as it was, and the
/// masks of both boards must agree with each other and with the reader.
pub fn uci_tokens(data: &[u8]) {
    let tokens = numbers(data);
    let game = UciTokenizer::new().decode(&tokens);
    if let Ok(game) = &game {
        assert_eq!(encoded(&UciTokenizer::new(), game), tokens);
    }
    let masks = NextTokens::<Position>::masks(&tokens);
    assert_eq!(NextTokens::<shakmaty::Chess>::masks(&tokens), masks);
    let whole = masks.is_ok() && tokens.last() == Some(&2);
    assert!(!whole || game.is_ok(), "a game that the masks allow");
}

/// Takes the bytes for tokens of the `san` scheme. What is read must come back as it was.
pub fn san_tokens(data: &[u8]) {
    let tokens: Vec<_> = data.iter().copied().map(u16::from).collect();
    if let Ok(game) = SanTokenizer::new().decode(&tokens) {
        assert_eq!(encoded(&SanTokenizer::new(), &game), tokens);
    }
}

/// Takes the bytes for tokens of the `bpe` scheme. A game that is read must be the same game when
/// it is written again.
pub fn bpe_tokens(data: &[u8]) {
    if let Ok(game) = BPE.decode(&numbers(data)) {
        let tokens = encoded(&*BPE, &game);
        assert_eq!(BPE.decode(&tokens), Ok(game));
    }
}

/// Takes the bytes for moves in UCI's notation. Their tokens must be those of the words.
pub fn uci_text(data: &[u8]) {
    let Ok(moves) = std::str::from_utf8(data) else {
        return;
    };
    let game = TextGame {
        moves,
        result: "1/2-1/2",
        white_elo: Some(600),
        black_elo: Some(3299),
    };
    let mut tokens = Vec::new();
    let encoded = UciTokenizer::new().encode_text(&game, &mut tokens);
    encoded.expect("every word has a token");
    let token = |word| match UciToken::from_name(word) {
        Some(played @ UciToken::Move(_)) => played.id().expect("it is in the vocabulary"),
        _ => 4,
    };
    let mut expected = vec![1, 8, 61];
    expected.extend(moves.split_ascii_whitespace().map(token));
    expected.extend([7, 2]);
    assert_eq!(tokens, expected);
}

/// Takes the bytes for a `vocab.json`. There is but one.
pub fn uci_vocabulary(data: &[u8]) {
    if UciTokenizer::check_vocabulary(data).is_ok() {
        let value = |json: &[u8]| -> serde_json::Value {
            serde_json::from_slice(json).expect("the vocabulary is JSON")
        };
        let own = UciTokenizer::vocabulary_json();
        assert_eq!(value(data), value(own.as_bytes()));
    }
}

/// Takes the bytes for a `bpe.json`. What is accepted must be the same when it is written and read
/// again, and encode any game.
pub fn bpe_json(data: &[u8]) {
    let Ok(bpe) = BpeTokenizer::from_json(data) else {
        return;
    };
    let again = BpeTokenizer::from_json(bpe.to_json().as_bytes()).expect("it was written so");
    assert_eq!(again.vocab_hash(), bpe.vocab_hash());
    let moves = ["e2e4", "b7b5", "a7a8q", "b8b1b"].map(|text| text.parse());
    let moves: Result<_, _> = moves.into_iter().collect();
    let game = Game {
        moves: moves.expect("these are moves"),
        result: GameResult::Draw,
        white_elo: None,
        black_elo: None,
    };
    let tokens = encoded(&bpe, &game);
    assert_eq!(encoded(&again, &game), tokens);
    assert!(tokens.iter().all(|&token| bpe.name(token).is_some()));
}
