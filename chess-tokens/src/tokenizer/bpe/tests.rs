//! Tests of the `bpe` scheme.

use serde_json::{Value, json};

use super::*;

/// The eight special tokens, the characters of moves, and three merges.
fn small() -> Value {
    let letters = "12345678abcdefghnqr".chars().map(String::from);
    let merged = ["e2", "e4", "e2e4"].map(str::to_owned);
    let names: Vec<String> = SPECIALS
        .iter()
        .map(|&name| name.to_owned())
        .chain(letters)
        .chain(merged)
        .collect();
    let merges = [("e", "2"), ("e", "4"), ("e2", "e4")];
    let merges = merges.map(|(left, right)| (left.to_owned(), right.to_owned()));
    let file = BpeFile {
        merges: merges.to_vec(),
        names,
    };
    serde_json::to_value(file.library().unwrap()).unwrap()
}

pub(in super::super) fn tokenizer() -> BpeTokenizer {
    BpeTokenizer::from_json(small().to_string().as_bytes()).unwrap()
}

fn game(moves: &str, result: GameResult) -> Game {
    let moves = moves.split_whitespace().map(|text| text.parse().unwrap());
    Game {
        moves: moves.collect(),
        result,
        white_elo: None,
        black_elo: None,
    }
}

fn tokens_of(names: &str) -> Vec<u16> {
    let bpe = tokenizer();
    let token = |name| bpe.token(name).unwrap();
    names.split_whitespace().map(token).collect()
}

#[track_caller]
fn both_ways(moves: &str, result: GameResult, names: &str) {
    let game = game(moves, result);
    let mut tokens = vec![9];
    tokenizer().encode(&game, &mut tokens).unwrap();
    assert_eq!(tokens[1..], tokens_of(names));
    assert_eq!(tokenizer().decode(&tokens[1..]), Ok(game));
}

#[test]
fn games() {
    both_ways("", GameResult::Draw, "<bos> <1/2> <eos>");
    both_ways(
        "e2e4 e7e5",
        GameResult::WhiteWon,
        "<bos> e2e4 e 7 e 5 <1-0> <eos>",
    );
    both_ways("e2e3", GameResult::BlackWon, "<bos> e2 e 3 <0-1> <eos>");
}

#[test]
fn a_bishop_or_the_b_file() {
    // White's pawn takes its way to b8, and the next move begins on the b-file or does not.
    let way = "a2a4 b7b5 a4b5 a7a6 b5a6 c8b7 a6b7 h7h6 b7a8";
    for made in ["q", "r", "b", "n"] {
        for next in ["b8c6", "d8c8"] {
            let game = game(&format!("{way}{made} {next}"), GameResult::Draw);
            let mut tokens = Vec::new();
            tokenizer().encode(&game, &mut tokens).unwrap();
            assert_eq!(tokenizer().decode(&tokens), Ok(game));
        }
    }
}

#[test]
fn a_long_game() {
    let long = game(&"g1f3 g8f6 f3g1 f6g8 ".repeat(2500), GameResult::Draw);
    let mut tokens = Vec::new();
    tokenizer().encode(&long, &mut tokens).unwrap();
    assert_eq!(tokenizer().decode(&tokens), Ok(long));
}

#[test]
fn other_cuts_are_read_too() {
    let letters = tokens_of("<bos> e 2 e4 <1-0> <eos>");
    let read = tokenizer().decode(&letters).unwrap();
    assert_eq!(read, game("e2e4", GameResult::WhiteWon));
}

#[test]
fn tokens_that_are_no_game() {
    let error = |names: &str| {
        tokenizer()
            .decode(&tokens_of(names))
            .unwrap_err()
            .to_string()
    };
    let part = "a part of a move or a result";
    assert_eq!(error(""), "the tokens end after 0, expected <bos>");
    assert_eq!(error("e2"), "token 0 is e2 (27), expected <bos>");
    assert_eq!(
        error("<bos> e2"),
        format!("the tokens end after 2, expected {part}")
    );
    assert_eq!(
        error("<bos> e2 <eos>"),
        format!("token 2 is <eos> (2), expected {part}")
    );
    assert_eq!(
        error("<bos> e2e4 <1-0>"),
        "the tokens end after 3, expected <eos>"
    );
    assert_eq!(
        error("<bos> <1-0> <1-0>"),
        "token 2 is <1-0> (5), expected <eos>"
    );
    assert_eq!(
        error("<bos> <1-0> <eos> <eos>"),
        "token 3 follows the game's end"
    );
    assert_eq!(
        error("<bos> <unk> <1-0> <eos>"),
        "token 1 is <unk> (4): the vocabulary has no name for what the game held"
    );
    let outside = tokenizer().decode(&[1, 30]).unwrap_err();
    assert_eq!(
        outside.to_string(),
        "token 1 is 30, and the vocabulary has 30"
    );
    let illegal = |index, ply, found: &str| {
        format!("ply {ply} from token {index} is {found:?}, which is no legal move")
    };
    assert_eq!(error("<bos> e2 <1-0> <eos>"), illegal(1, 1, "e2"));
    assert_eq!(error("<bos> e2e4 e2 e4 <1-0> <eos>"), illegal(2, 2, "e2e4"));
    assert_eq!(
        error("<bos> e2e4 e 7 e 5 a 1 b 1 e2 <1-0> <eos>"),
        illegal(6, 3, "a1b1e")
    );
    // A promotion that is missing, and one that is none.
    let way = "<bos> a 2 a 4 b 7 b 5 a 4 b 5 a 7 a 6 b 5 a 6 c 8 b 7 a 6 b 7 h 7 h 6 b 7 a 8";
    assert_eq!(error(&format!("{way} <1-0> <eos>")), illegal(33, 9, "b7a8"));
    assert_eq!(
        error(&format!("{way} d 8 c 8 <1-0> <eos>")),
        illegal(33, 9, "b7a8d")
    );
    assert_eq!(error("<bos> e2e4 q <1-0> <eos>"), illegal(2, 2, "q"));
}

#[test]
fn characters_that_the_vocabulary_lacks() {
    let mut file = small();
    let vocab = file["model"]["vocab"].as_object_mut().unwrap();
    // Another name in the place of n.
    let id = vocab.remove("n").unwrap();
    vocab.insert("x".to_owned(), id);
    let bpe = BpeTokenizer::from_json(file.to_string().as_bytes()).unwrap();
    let mut tokens = Vec::new();
    bpe.encode(&game("a7a8n", GameResult::Draw), &mut tokens)
        .unwrap();
    let name = |&token: &u16| bpe.name(token).unwrap();
    let names: Vec<_> = tokens.iter().map(name).collect();
    assert_eq!(names.join(" "), "<bos> a 7 a 8 <unk> <1/2> <eos>");
}

/// What is wrong with the file once this was done to it.
fn error(change: impl FnOnce(&mut Value)) -> String {
    let mut file = small();
    change(&mut file);
    let error = BpeTokenizer::from_json(file.to_string().as_bytes());
    crate::tokenizer::error::chain(&error.unwrap_err())
}

#[test]
fn files_with_other_options() {
    for (field, expected) in [
        ("version", "\"1.0\""),
        ("truncation", "null"),
        ("padding", "null"),
        ("normalizer", "null"),
        ("pre_tokenizer", "{\"type\":\"WhitespaceSplit\"}"),
        ("post_processor", "null"),
        ("decoder", "null"),
        ("model.type", "\"BPE\""),
        ("model.dropout", "null"),
        ("model.unk_token", "\"<unk>\""),
        ("model.continuing_subword_prefix", "null"),
        ("model.end_of_word_suffix", "null"),
        ("model.fuse_unk", "false"),
        ("model.byte_fallback", "false"),
        ("model.ignore_merges", "false"),
    ] {
        let pointer = format!("/{}", field.replace('.', "/"));
        let text = error(|file| *file.pointer_mut(&pointer).unwrap() = json!("x"));
        assert_eq!(text, format!("{field} is \"x\", expected {expected}"));
    }
    // Options that there are not yet.
    assert_eq!(
        error(|file| file["model"]["option"] = json!(true)),
        "model.option is true, expected null"
    );
    assert_eq!(
        error(|file| file["option"] = json!([1])),
        "option is [1], expected null"
    );
    // What older files lack.
    let mut old = small();
    let model = old["model"].as_object_mut().unwrap();
    model.remove("byte_fallback");
    model.remove("ignore_merges");
    let old = BpeTokenizer::from_json(old.to_string().as_bytes()).unwrap();
    assert_eq!(old.vocab_hash(), tokenizer().vocab_hash());
}

#[test]
fn files_with_other_specials() {
    let special = |content: &str, id: u16| {
        json!({
            "id": id, "content": content, "single_word": false, "lstrip": false,
            "rstrip": false, "normalized": false, "special": true,
        })
    };
    let third = special("<eos>", 2);
    let text = error(|file| file["added_tokens"][2]["lstrip"] = json!(true));
    assert!(text.starts_with("added_tokens[2] is {\"id\":2,"), "{text}");
    assert!(text.ends_with(&third.to_string()), "{text}");
    let text = error(|file| {
        let added = file["added_tokens"].as_array_mut().unwrap();
        added.push(special("<x>", 8));
    });
    assert!(text.ends_with(", expected null"), "{text}");
    let text = error(|file| file["added_tokens"] = Value::Null);
    assert!(text.starts_with("added_tokens[0] is null,"), "{text}");
    let text = error(|file| {
        let vocab = &mut file["model"]["vocab"];
        (vocab["<eos>"], vocab["<bos>"]) = (json!(1), json!(2));
    });
    assert_eq!(text, "token 1 is \"<eos>\", expected \"<bos>\"");
}

#[test]
fn files_with_other_vocabularies() {
    let vocab = |name: &str, id: Value| error(|file| file["model"]["vocab"][name] = id);
    let id = |found: &str, size: usize| {
        format!("the token \"e2e4\" has the id {found}, expected one of its own under {size}")
    };
    assert_eq!(vocab("e2e4", json!(30)), id("30", 30));
    assert_eq!(vocab("e2e4", json!(28)), id("28", 30));
    assert_eq!(vocab("e2e4", json!(-1)), id("-1", 30));
    assert_eq!(vocab("e2e4", json!("29")), id("\"29\"", 30));
    assert_eq!(
        error(|file| file["model"]["vocab"] = json!([])),
        "model.vocab is [], expected an object"
    );
    let many: serde_json::Map<_, _> = (0..=65_536)
        .map(|id| (format!("{id}"), json!(id)))
        .collect();
    assert_eq!(
        error(|file| file["model"]["vocab"] = many.into()),
        "65537 tokens, expected at most 65536"
    );
}

#[test]
fn files_with_other_merges() {
    let merge = |merge: Value| error(|file| file["model"]["merges"][1] = merge);
    assert_eq!(
        merge(json!(["e"])),
        "merge 1 is [\"e\"], expected two names"
    );
    assert_eq!(merge(json!("e4")), "merge 1 is \"e4\", expected two names");
    assert_eq!(merge(json!(7)), "merge 1 is 7, expected two names");
    // Both of a pair must be there, and what they become.
    for (pair, missing) in [
        (["x", "4"], "x"),
        (["4", "x"], "x"),
        (["4", "e"], "4e"),
        (["", "e4"], ""),
    ] {
        assert_eq!(
            merge(json!(pair)),
            format!("the merges do not fit the vocabulary: Token `{missing}` out of vocabulary")
        );
    }
    assert_eq!(merge(json!(["e", "2"])), "merge 1 is there already");
    assert_eq!(
        error(|file| file["model"]["merges"] = Value::Null),
        "model.merges is null, expected an array"
    );
    // As older files write them.
    let mut old = small();
    old["model"]["merges"] = json!(["e 2", "e 4", "e2 e4"]);
    let old = BpeTokenizer::from_json(old.to_string().as_bytes()).unwrap();
    assert_eq!(old.vocab_hash(), tokenizer().vocab_hash());
}

#[test]
fn files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bpe.json");
    let error = || {
        let error = BpeTokenizer::open(&path).unwrap_err();
        let text = crate::tokenizer::error::chain(&error);
        text.replace(&path.display().to_string(), "PATH")
    };
    assert!(error().starts_with("PATH: cannot be read: "));
    std::fs::write(&path, "{").unwrap();
    assert!(error().starts_with("PATH: not JSON: EOF"));
    std::fs::write(&path, "{}").unwrap();
    assert_eq!(error(), "PATH: version is null, expected \"1.0\"");
    std::fs::write(&path, tokenizer().to_json()).unwrap();
    let opened = BpeTokenizer::open(&path).unwrap();
    assert_eq!(opened.vocab_hash(), tokenizer().vocab_hash());
    let large = " ".repeat(MAX_BYTES as usize + 1);
    std::fs::write(&path, &large).unwrap();
    assert_eq!(error(), "PATH: over 16777216 bytes");
    let error = BpeTokenizer::from_json(large.as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), "over 16777216 bytes");
}

/// The places of all values in a file.
fn pointers(value: &Value, place: &str, all: &mut Vec<String>) {
    all.push(place.to_owned());
    let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                pointers(value, &format!("{place}/{}", escaped(key)), all);
            }
        }
        Value::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                pointers(value, &format!("{place}/{index}"), all);
            }
        }
        _ => {}
    }
}

/// Whatever stands anywhere in a file, it is refused or makes a tokenizer that encodes any game.
#[test]
fn no_file_makes_it_panic() {
    let game = game("e2e4 b7b5 a7a8q b8b1b", GameResult::Draw);
    let mut places = Vec::new();
    pointers(&small(), "", &mut places);
    assert!(places.len() > 100);
    let others = [
        json!(null),
        json!(true),
        json!(-1),
        json!(0),
        json!(u64::MAX),
        json!(1e300),
        json!(""),
        json!("e2"),
        json!([]),
        json!(["e", "2"]),
        json!({}),
    ];
    let mut accepted = 0;
    for place in &places {
        for other in &others {
            let mut file = small();
            *file.pointer_mut(place).unwrap() = other.clone();
            if let Ok(bpe) = BpeTokenizer::from_json(file.to_string().as_bytes()) {
                let mut tokens = Vec::new();
                bpe.encode(&game, &mut tokens).unwrap();
                assert!(tokens.iter().all(|&token| bpe.name(token).is_some()));
                let again = BpeTokenizer::from_json(bpe.to_json().as_bytes()).unwrap();
                assert_eq!(again.vocab_hash(), bpe.vocab_hash());
                accepted += 1;
            }
        }
    }
    assert!(accepted > 0);
}
