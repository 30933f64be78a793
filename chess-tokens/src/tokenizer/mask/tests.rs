//! Tests of masks.

use proptest::prelude::*;

use super::*;
use crate::tokenizer::Tokenizer as _;
use crate::tokenizer::UciTokenizer;

fn tokens(names: &str) -> Vec<u16> {
    let token = |name| UciTokenizer::new().token(name).unwrap();
    names.split_whitespace().map(token).collect()
}

fn of_fen(fen: &str) -> TokenMask {
    TokenMask::of_position(&fen.parse().unwrap())
}

#[test]
fn sets() {
    let few = [0, 63, 64, 2029];
    let mask = TokenMask::from_iter(few.into_iter().chain([2030, u16::MAX]));
    assert_eq!(mask.tokens().collect::<Vec<_>>(), few);
    assert_eq!((mask.len(), mask.is_empty()), (4, false));
    for token in 0..=u16::MAX {
        assert_eq!(mask.contains(token), few.contains(&token), "{token}");
    }
    assert_eq!(mask.words()[0], 1 | 1 << 63);
    assert_eq!(mask.words()[1], 1);
    assert_eq!(mask.words()[31], 1 << (2029 - 31 * 64));
    assert_eq!(format!("{mask:?}"), r#"{"<pad>", "a1a3", "a1a4", "h2h1n"}"#);
    assert!(TokenMask::EMPTY.is_empty());
}

#[test]
fn legal_moves_of_positions() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    assert_eq!(of_fen(start).len(), 20);
    // Of a position known for what it asks of move generators: 48 legal moves.
    let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let mask = of_fen(kiwipete);
    assert_eq!(mask.len(), 48);
    let castling = tokens("e1g1 e1c1");
    assert!(castling.iter().all(|&token| mask.contains(token)));
    let promotions = of_fen("8/P6k/8/8/8/8/7K/8 w - - 0 1");
    let made = tokens("a7a8q a7a8r a7a8b a7a8n");
    assert!(made.iter().all(|&token| promotions.contains(token)));
    assert!(!promotions.contains(tokens("a7a8")[0]));
    assert_eq!(promotions.len(), 4 + 5);
    let en_passant = of_fen("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1");
    assert!(en_passant.contains(tokens("e5d6")[0]));
}

#[test]
fn what_may_come_next() {
    let whole = tokens("<bos> <w0600> <b3200> f2f3 e7e5 g2g4 d8h4 <0-1> <eos> <pad> <pad>");
    let masks = NextTokens::<Position>::masks(&whole).unwrap();
    let lens: Vec<_> = masks.iter().map(TokenMask::len).collect();
    assert_eq!(lens, [1, 27, 27, 23, 23, 22, 33, 1, 1, 1, 1]);
    for (mask, token) in masks.iter().zip(whole) {
        assert!(mask.contains(token));
    }
    let results = tokens("<1-0> <0-1> <1/2>");
    assert!(results.iter().all(|&token| masks[3].contains(token)));
    assert_eq!(format!("{:?}", masks[7]), r#"{"<0-1>"}"#);
}

#[test]
fn moves_alone() {
    let mut next = NextTokens::<Position>::default();
    assert!(next.moves().is_empty());
    for token in tokens("<bos> <w0600> <b3200>") {
        next.push(token).unwrap();
    }
    assert_eq!((next.mask().len(), next.moves().len()), (23, 20));
    assert_eq!(next.board().side_to_move(), chess_records::Color::White);
}

#[test]
fn stalemate_is_a_draw() {
    let moves = "e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 h2h4 a6h6 a5c7 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 \
                 b8c8 f7g6 c8e6";
    let game = tokens(&format!("<bos> <w0600> <b0600> {moves} <1/2> <eos>"));
    let masks = NextTokens::<Position>::masks(&game).unwrap();
    assert_eq!(format!("{:?}", masks[game.len() - 2]), r#"{"<1/2>"}"#);
}

#[test]
fn what_may_not() {
    let error = |names: &str| {
        let error = NextTokens::<Position>::masks(&tokens(names)).unwrap_err();
        error.to_string()
    };
    assert_eq!(
        error("<eos>"),
        "token 0 is 2 (<eos>), which may not come there"
    );
    assert_eq!(
        error("<bos> <w0600> <b0600> e2e4 e2e4"),
        format!(
            "token 4 is {} (e2e4), which may not come there",
            tokens("e2e4")[0]
        )
    );
    assert_eq!(
        error("<bos> <w0600> <b0600> f2f3 e7e5 g2g4 d8h4 <1-0>"),
        "token 7 is 5 (<1-0>), which may not come there"
    );
    let mut next = NextTokens::<Position>::new();
    let unknown = next.push(2030).unwrap_err();
    assert_eq!(
        unknown.to_string(),
        "token 0 is 2030 (), which may not come there"
    );
    next.push(1).unwrap();
}

/// Plays what the masks allow, as the choices say, and then takes the first result.
fn random_game<B: Rules>(choices: &[u16]) -> (Vec<u16>, Vec<TokenMask>) {
    let mut next = NextTokens::<B>::new();
    let (mut tokens, mut masks) = (Vec::new(), Vec::new());
    let mut push = |next: &mut NextTokens<B>, token| {
        tokens.push(token);
        masks.push(*next.mask());
        next.push(token).unwrap();
    };
    for &choice in choices {
        let mask = match next.moves() {
            moves if moves.is_empty() => *next.mask(),
            moves => moves,
        };
        let token = mask.tokens().nth(usize::from(choice) % mask.len()).unwrap();
        if token == 2 {
            break;
        }
        push(&mut next, token);
    }
    while !next.mask().contains(0) {
        let token = next.mask().tokens().next().unwrap();
        push(&mut next, token);
    }
    (tokens, masks)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Whatever is put together from masks is a game, and every scheme brings it back.
    #[test]
    fn random_legal_games(choices in proptest::collection::vec(any::<u16>(), 0..150)) {
        let (tokens, masks) = random_game::<Position>(&choices);
        let uci = UciTokenizer::new();
        let game = uci.decode(&tokens).unwrap();
        let mut again = Vec::new();
        uci.encode(&game, &mut again).unwrap();
        prop_assert_eq!(&again, &tokens);
        prop_assert_eq!(NextTokens::<Position>::masks(&tokens).unwrap(), masks.clone());

        let mut without_elos = game;
        (without_elos.white_elo, without_elos.black_elo) = (None, None);
        #[cfg(feature = "bpe")]
        {
            let bpe = crate::tokenizer::bpe::small_tokenizer();
            again.clear();
            bpe.encode(&without_elos, &mut again).unwrap();
            prop_assert_eq!(bpe.decode(&again), Ok(without_elos.clone()));
        }

        #[cfg(feature = "shakmaty")]
        {
            prop_assert_eq!(random_game::<shakmaty::Chess>(&choices), (tokens, masks));
            let san = crate::tokenizer::SanTokenizer::new();
            again.clear();
            san.encode(&without_elos, &mut again).unwrap();
            prop_assert_eq!(san.decode(&again), Ok(without_elos));
        }
    }
}
