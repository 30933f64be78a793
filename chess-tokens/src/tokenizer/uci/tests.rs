//! Tests of the `uci` scheme.

use chess_records::{GameResult, PieceType, Square};
use proptest::prelude::*;

use super::*;

fn game(moves: &str, result: GameResult, white_elo: i32, black_elo: i32) -> Game {
    let moves = moves.split_whitespace().map(|text| text.parse().unwrap());
    Game {
        moves: moves.collect(),
        result,
        white_elo: Some(white_elo),
        black_elo: Some(black_elo),
    }
}

fn encoded(game: &Game) -> Vec<u16> {
    let mut tokens = Vec::new();
    UciTokenizer::new().encode(game, &mut tokens).unwrap();
    tokens
}

fn names(tokens: &[u16]) -> String {
    let names: Vec<_> = tokens.iter().map(|&id| token::name(id).unwrap()).collect();
    names.join(" ")
}

#[test]
fn tokens_and_names_both_ways() {
    for id in 0..UciToken::COUNT as u16 {
        let token = UciToken::from_id(id).unwrap();
        assert_eq!(token.id(), Some(id));
        assert_eq!(UciToken::from_name(token.name()), Some(token));
        if let UciToken::Move(played) = token {
            assert_eq!(played.to_string(), token.name());
        }
    }
    assert_eq!(UciToken::from_id(2030), None);
    assert_eq!(UciTokenizer::new().name(2030), None);
    for name in [
        "", "<", "<w>", "<w0650>", "<w0500>", "<b3300>", "<w600>", "<w00600>", "<w:600>", "a1a1",
        "a1b4", "a7a8k", "a6a7q", "a7c8q", "<*>", "e2e4 ", "<W0600>",
    ] {
        assert_eq!(UciTokenizer::new().token(name), None, "{name}");
    }
}

#[test]
fn moves_without_a_token() {
    let played = |from, to, promotion| UciMove {
        from,
        to,
        promotion,
    };
    for without in [
        played(Square::A1, Square::A1, None),
        played(Square::A1, Square::B4, None),
        played(Square::A7, Square::A8, Some(PieceType::King)),
        played(Square::A7, Square::A8, Some(PieceType::Pawn)),
        played(Square::A7, Square::C8, Some(PieceType::Queen)),
        played(Square::A6, Square::A7, Some(PieceType::Queen)),
        played(Square::A8, Square::A7, Some(PieceType::Queen)),
    ] {
        let token = UciToken::Move(without);
        assert_eq!((token.id(), token.name()), (None, "<unk>"), "{without:?}");
    }
    assert_eq!(UciToken::WhiteElo(650).id(), None);
    assert_eq!(UciToken::BlackElo(3300).id(), None);
}

#[test]
fn ratings_fall_into_bands() {
    for (elo, band) in [
        (i32::MIN, 600),
        (-1, 600),
        (599, 600),
        (600, 600),
        (699, 600),
        (700, 700),
        (1999, 1900),
        (3199, 3100),
        (3200, 3200),
        (3299, 3200),
        (3300, 3200),
        (i32::MAX, 3200),
    ] {
        assert_eq!(UciToken::white_elo(elo), UciToken::WhiteElo(band));
        assert_eq!(UciToken::black_elo(elo), UciToken::BlackElo(band));
        let head = &encoded(&game("", GameResult::Draw, elo, elo))[..3];
        assert_eq!(names(head), format!("<bos> <w{band:04}> <b{band:04}>"));
    }
}

#[test]
fn games_without_ratings() {
    let mut half = game("e2e4", GameResult::Draw, 1, 2222);
    half.white_elo = None;
    let mut none = half.clone();
    none.black_elo = None;
    let mut tokens = vec![7];
    let error = |game: &Game, tokens: &mut Vec<u16>| {
        let error = UciTokenizer::new().encode(game, tokens).unwrap_err();
        assert_eq!(
            UciTokenizer::new().encode_prefix(game, 2, tokens),
            Err(error.clone())
        );
        error.to_string()
    };
    let white = "White has no rating, and the scheme writes ratings";
    assert_eq!(error(&half, &mut tokens), white);
    assert_eq!(error(&none, &mut tokens), white);
    half.white_elo = Some(2222);
    half.black_elo = None;
    let black = white.replace("White", "Black");
    assert_eq!(error(&half, &mut tokens), black);
    assert_eq!(tokens, [7]);

    let mut tokens = Vec::new();
    let lenient = UciTokenizer::new().missing_elo(1550);
    lenient.encode(&half, &mut tokens).unwrap();
    assert_eq!(names(&tokens), "<bos> <w2200> <b1500> e2e4 <1/2> <eos>");
}

#[test]
fn texts() {
    let text = TextGame {
        moves: "e2e4 Nf3  a7a8q\té e2e4x\n0000 a1b4 e7e5 ",
        result: "1-0",
        white_elo: Some(1000),
        black_elo: Some(2000),
    };
    let mut tokens = vec![9];
    let uci = UciTokenizer::new();
    uci.encode_text(&text, &mut tokens).unwrap();
    assert_eq!(
        names(&tokens[1..]),
        "<bos> <w1000> <b2000> e2e4 <unk> a7a8q <unk> <unk> <unk> <unk> e7e5 <1-0> <eos>"
    );
    let other = TextGame {
        result: "*",
        ..text
    };
    let len = tokens.len();
    assert_eq!(
        uci.encode_text(&other, &mut tokens)
            .unwrap_err()
            .to_string(),
        "result \"*\", expected 1-0, 0-1 or 1/2-1/2"
    );
    let no_elo = TextGame {
        black_elo: None,
        ..text
    };
    let side = Color::Black;
    assert_eq!(
        uci.encode_text(&no_elo, &mut tokens),
        Err(EncodeError::NoElo { side })
    );
    assert_eq!(tokens.len(), len);
}

#[test]
fn prefixes() {
    let game = game("e2e4 e7e5 g1f3", GameResult::WhiteWon, 1500, 1500);
    let whole = encoded(&game);
    assert_eq!(whole.len(), 8);
    for max_len in 0..12 {
        let mut tokens = vec![9];
        let uci = UciTokenizer::new();
        uci.encode_prefix(&game, max_len, &mut tokens).unwrap();
        // Of a game that does not fit, neither the result nor the end.
        let len = if max_len >= 8 { 8 } else { max_len.min(6) };
        assert_eq!(tokens[1..], whole[..len], "{max_len}");
    }
}

#[test]
fn tokens_that_are_no_game() {
    let whole = encoded(&game("e2e4 e7e5", GameResult::WhiteWon, 600, 600));
    let error = |tokens: &[u16]| UciTokenizer::new().decode(tokens).unwrap_err().to_string();
    let expected = [
        "<bos>",
        "White's rating",
        "Black's rating",
        "a move or a result",
        "a move or a result",
        "a move or a result",
        "<eos>",
    ];
    for (index, expected) in expected.into_iter().enumerate() {
        assert_eq!(
            error(&whole[..index]),
            format!("the tokens end after {index}, expected {expected}")
        );
        let with = |token| {
            let mut tokens = whole.clone();
            tokens[index] = token;
            error(&tokens)
        };
        assert_eq!(
            with(3),
            format!("token {index} is <mask> (3), expected {expected}")
        );
        assert_eq!(
            with(2030),
            format!("token {index} is 2030, and the vocabulary has 2030")
        );
        assert_eq!(
            with(4),
            format!(
                "token {index} is <unk> (4): the vocabulary has no name for what the game held"
            )
        );
    }
    let mut trailing = whole.clone();
    trailing.push(0);
    assert_eq!(error(&trailing), "token 7 follows the game's end");
    trailing[6] = 5;
    assert_eq!(error(&trailing), "token 6 is <1-0> (5), expected <eos>");
    let mut exchanged = whole.clone();
    exchanged.swap(1, 2);
    assert_eq!(
        error(&exchanged),
        "token 1 is <b0600> (35), expected White's rating"
    );
}

#[test]
fn a_long_game() {
    let shuffle = "g1f3 g8f6 f3g1 f6g8 ".repeat(2500);
    let long = game(&shuffle, GameResult::Draw, 600, 3200);
    assert_eq!(long.moves.len(), 10_000);
    let tokens = encoded(&long);
    assert_eq!(tokens.len(), 10_005);
    assert_eq!(UciTokenizer::new().decode(&tokens), Ok(long));
}

fn any_game() -> impl Strategy<Value = Game> {
    let ids = 62..2030_u16;
    let played = ids.prop_map(|id| match UciToken::from_id(id) {
        Some(UciToken::Move(played)) => played,
        other => panic!("{other:?} is no move"),
    });
    let result = (0..3_u8).prop_map(|number| GameResult::new(number).unwrap());
    let elo = || (6..=32).prop_map(|hundreds| Some(hundreds * 100));
    (
        proptest::collection::vec(played, 0..300),
        result,
        elo(),
        elo(),
    )
        .prop_map(|(moves, result, white_elo, black_elo)| Game {
            moves,
            result,
            white_elo,
            black_elo,
        })
}

proptest! {
    #[test]
    fn what_is_encoded_is_decoded(game in any_game()) {
        let tokens = encoded(&game);
        prop_assert_eq!(UciTokenizer::new().decode(&tokens), Ok(game.clone()));

        let words: Vec<_> = game.moves.iter().map(ToString::to_string).collect();
        let text = TextGame {
            moves: &words.join(" "),
            result: super::super::text::result_text(game.result),
            white_elo: game.white_elo,
            black_elo: game.black_elo,
        };
        let mut of_text = Vec::new();
        UciTokenizer::new().encode_text(&text, &mut of_text).unwrap();
        prop_assert_eq!(of_text, tokens);
    }

    #[test]
    fn any_tokens_are_a_game_or_an_error(tokens in proptest::collection::vec(0..2040_u16, 0..20)) {
        if let Ok(game) = UciTokenizer::new().decode(&tokens) {
            prop_assert_eq!(encoded(&game), tokens);
        }
    }
}
