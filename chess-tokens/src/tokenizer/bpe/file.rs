//! `bpe.json`: what the `tokenizers` library saves, as far as the scheme has it.
//!
//! The scheme is a BPE model without options over a pre-tokenizer that splits at white space, with
//! the eight special tokens first. Whatever else such a file can hold (a normaliser, dropout, a
//! prefix of words) would make other tokens, and is refused.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::error::BpeError;
use crate::tokenizer::text::excerpt;

/// The tokens that come first, as in the `uci` scheme.
pub(super) const SPECIALS: [&str; 8] = [
    "<pad>", "<bos>", "<eos>", "<mask>", "<unk>", "<1-0>", "<0-1>", "<1/2>",
];
/// The most bytes that are read: enough for 65,536 tokens of some length.
pub(super) const MAX_BYTES: u64 = 1 << 24;
/// The most tokens: each has 16 bits.
pub(super) const MAX_VOCAB_SIZE: usize = 1 << 16;

/// What a file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BpeFile {
    /// The names of the tokens.
    pub(super) names: Vec<String>,
    /// The pairs that are merged, first to last, and what they become.
    pub(super) merges: Vec<[u16; 3]>,
}

/// The fields that have one value in this scheme. Files of before there were the last two lack them.
fn fixed() -> [(&'static str, Value); 14] {
    [
        ("/version", json!("1.0")),
        ("/truncation", Value::Null),
        ("/padding", Value::Null),
        ("/normalizer", Value::Null),
        ("/pre_tokenizer", json!({"type": "WhitespaceSplit"})),
        ("/post_processor", Value::Null),
        ("/decoder", Value::Null),
        ("/model/type", json!("BPE")),
        ("/model/dropout", Value::Null),
        ("/model/unk_token", json!("<unk>")),
        ("/model/continuing_subword_prefix", Value::Null),
        ("/model/end_of_word_suffix", Value::Null),
        ("/model/fuse_unk", json!(false)),
        ("/model/byte_fallback", json!(false)),
    ]
}

impl BpeFile {
    pub(super) fn from_json(json: &[u8]) -> Result<Self, BpeError> {
        if json.len() as u64 > MAX_BYTES {
            return Err(BpeError::TooLarge { max: MAX_BYTES });
        }
        let file: Value = serde_json::from_slice(json)?;
        check_fixed(&file)?;
        check_added_tokens(&file["added_tokens"])?;
        let names = names(&file["model"]["vocab"])?;
        let merges = merges(&file["model"]["merges"], &names)?;
        Ok(Self { names, merges })
    }

    /// The file as the library writes it.
    pub(super) fn to_json(&self) -> Value {
        let name = |token: u16| self.names[usize::from(token)].as_str();
        let vocab = self.names.iter().zip(0_u32..);
        let vocab: Map<_, _> = vocab.map(|(name, id)| (name.clone(), id.into())).collect();
        let merges = self.merges.iter();
        let merges: Vec<_> = merges
            .map(|&[left, right, _]| [name(left), name(right)])
            .collect();
        json!({
            "version": "1.0",
            "truncation": null,
            "padding": null,
            "added_tokens": added_tokens(),
            "normalizer": null,
            "pre_tokenizer": {"type": "WhitespaceSplit"},
            "post_processor": null,
            "decoder": null,
            "model": {
                "type": "BPE",
                "dropout": null,
                "unk_token": "<unk>",
                "continuing_subword_prefix": null,
                "end_of_word_suffix": null,
                "fuse_unk": false,
                "byte_fallback": false,
                "ignore_merges": false,
                "vocab": vocab,
                "merges": merges,
            },
        })
    }
}

fn added_tokens() -> Vec<Value> {
    let specials = SPECIALS.iter().zip(0..);
    let added = specials.map(|(content, id): (_, u16)| {
        json!({
            "id": id,
            "content": content,
            "single_word": false,
            "lstrip": false,
            "rstrip": false,
            "normalized": false,
            "special": true,
        })
    });
    added.collect()
}

fn field_error(field: &str, found: &Value, expected: &Value) -> BpeError {
    BpeError::Field {
        field: field.replacen('/', "", 1).replace('/', "."),
        found: excerpt(&found.to_string()),
        expected: expected.to_string(),
    }
}

fn check_fixed(file: &Value) -> Result<(), BpeError> {
    for (field, expected) in fixed() {
        let found = file.pointer(field).unwrap_or(&Value::Null);
        let absent = found.is_null() && field == "/model/byte_fallback";
        if *found != expected && !absent {
            return Err(field_error(field, found, &expected));
        }
    }
    let ignore_merges = &file["model"]["ignore_merges"];
    if !(ignore_merges.is_null() || ignore_merges == false) {
        let field = "/model/ignore_merges";
        return Err(field_error(field, ignore_merges, &json!(false)));
    }
    Ok(())
}

fn check_added_tokens(found: &Value) -> Result<(), BpeError> {
    let expected = added_tokens();
    let nothing = Vec::new();
    let found = found.as_array().unwrap_or(&nothing);
    for index in 0..expected.len().max(found.len()) {
        let of = |list: &[Value]| list.get(index).cloned().unwrap_or_default();
        let (found, expected) = (of(found), of(&expected));
        if found != expected {
            return Err(field_error(
                &format!("/added_tokens[{index}]"),
                &found,
                &expected,
            ));
        }
    }
    Ok(())
}

/// The names of the vocabulary by their numbers, which are 0, 1, 2 and so on.
fn names(vocab: &Value) -> Result<Vec<String>, BpeError> {
    let Some(vocab) = vocab.as_object() else {
        return Err(BpeError::Field {
            field: "model.vocab".to_owned(),
            found: excerpt(&vocab.to_string()),
            expected: "an object".to_owned(),
        });
    };
    if vocab.len() > MAX_VOCAB_SIZE {
        return Err(BpeError::VocabSize { found: vocab.len() });
    }
    let mut names = vec![None; vocab.len()];
    for (name, id) in vocab {
        let slot = id.as_u64().and_then(|id| names.get_mut(id as usize));
        match slot {
            Some(slot @ None) => *slot = Some(name.clone()),
            _ => {
                return Err(BpeError::Id {
                    name: excerpt(name),
                    found: excerpt(&id.to_string()),
                    vocab_size: vocab.len(),
                });
            }
        }
    }
    let names: Vec<_> = names.into_iter().flatten().collect();
    for (index, expected) in SPECIALS.into_iter().enumerate() {
        let found = names.get(index).map_or("", String::as_str);
        if found != expected {
            return Err(BpeError::Special {
                index,
                found: excerpt(found),
                expected,
            });
        }
    }
    Ok(names)
}

/// The merges as tokens. The library writes a pair as an array, and once wrote it as a text.
fn merges(merges: &Value, names: &[String]) -> Result<Vec<[u16; 3]>, BpeError> {
    let Some(merges) = merges.as_array() else {
        return Err(BpeError::Field {
            field: "model.merges".to_owned(),
            found: excerpt(&merges.to_string()),
            expected: "an array".to_owned(),
        });
    };
    let tokens: HashMap<&str, u16> = names.iter().map(String::as_str).zip(0..).collect();
    let token = |index: usize, name: &str| {
        let found = tokens.get(name).copied();
        found.ok_or_else(|| BpeError::MergeToken {
            index,
            name: excerpt(name),
        })
    };
    let merge = |(index, merge): (usize, &Value)| {
        let (left, right) = two_names(merge).ok_or_else(|| BpeError::Merge {
            index,
            found: excerpt(&merge.to_string()),
        })?;
        let merged = token(index, &format!("{left}{right}"))?;
        Ok([token(index, left)?, token(index, right)?, merged])
    };
    merges.iter().enumerate().map(merge).collect()
}

fn two_names(merge: &Value) -> Option<(&str, &str)> {
    match merge {
        Value::String(both) => both.split_once(' '),
        Value::Array(both) => match &both[..] {
            [Value::String(left), Value::String(right)] => Some((left, right)),
            _ => None,
        },
        _ => None,
    }
}
