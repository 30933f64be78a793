//! `bpe.json`: what the `tokenizers` library saves, as far as the scheme has it.
//!
//! The scheme is a BPE model without options over a pre-tokenizer that splits at white space, with
//! the eight special tokens first. Whatever else such a file can hold (a normaliser, dropout, a
//! prefix of words) would make other tokens, and is refused.

use std::collections::HashSet;

use serde_json::Value;
use tokenizers::models::bpe::{BPE, Vocab};
use tokenizers::pre_tokenizers::whitespace::WhitespaceSplit;
use tokenizers::{AddedToken, Tokenizer};

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

/// What a file says beside the options, which are those of the scheme.
#[derive(Clone, Debug)]
pub(super) struct BpeFile {
    /// The names of the tokens.
    pub(super) names: Vec<String>,
    /// The pairs that are merged, first to last.
    pub(super) merges: Vec<(String, String)>,
}

impl BpeFile {
    pub(super) fn from_json(json: &[u8]) -> Result<Self, BpeError> {
        if json.len() as u64 > MAX_BYTES {
            return Err(BpeError::TooLarge { max: MAX_BYTES });
        }
        let file: Value = serde_json::from_slice(json)?;
        check_options(&file)?;
        let names = names(&file["model"]["vocab"])?;
        let merges = merges(&file["model"]["merges"])?;
        Ok(Self { names, merges })
    }

    /// The library's tokenizer of this vocabulary.
    pub(super) fn library(&self) -> Result<Tokenizer, BpeError> {
        let vocab: Vocab = self.names.iter().cloned().zip(0..).collect();
        let model = BPE::builder()
            .vocab_and_merges(vocab, self.merges.clone())
            .unk_token("<unk>".to_owned())
            // It is of words, and each game is one: hardly any comes twice.
            .cache_capacity(0)
            .build()
            .map_err(BpeError::Library)?;
        let mut tokenizer = Tokenizer::new(model);
        tokenizer.with_pre_tokenizer(Some(WhitespaceSplit));
        tokenizer.add_special_tokens(&special_tokens());
        Ok(tokenizer)
    }
}

pub(super) fn special_tokens() -> [AddedToken; 8] {
    SPECIALS.map(|name| AddedToken::from(name, true))
}

/// The file has the options that the library writes of a tokenizer without any.
fn check_options(file: &Value) -> Result<(), BpeError> {
    let without = BpeFile {
        names: SPECIALS.map(str::to_owned).to_vec(),
        merges: Vec::new(),
    };
    let expected = serde_json::to_value(without.library()?)?;
    check_fields("", file, &expected, &["added_tokens", "model"])?;
    check_added_tokens(&file["added_tokens"], &expected["added_tokens"])?;
    let vocabulary = ["vocab", "merges"];
    check_fields("model.", &file["model"], &expected["model"], &vocabulary)
}

/// The fields of an object are as expected, and there are no more, `others` aside.
fn check_fields(
    prefix: &str,
    found: &Value,
    expected: &Value,
    others: &[&str],
) -> Result<(), BpeError> {
    let fields = [expected, found].map(|object| object.as_object().into_iter().flatten());
    for (name, _) in fields.into_iter().flatten() {
        let (found, expected) = (&found[name], &expected[name]);
        // What the library takes for false; older files lack some.
        let is_absent = found.is_null() && *expected == false;
        if found != expected && !is_absent && !others.contains(&name.as_str()) {
            return Err(field_error(
                &format!("{prefix}{}", excerpt(name)),
                found,
                expected,
            ));
        }
    }
    Ok(())
}

fn check_added_tokens(found: &Value, expected: &Value) -> Result<(), BpeError> {
    let len = |list: &Value| list.as_array().map_or(0, Vec::len);
    for index in 0..len(found).max(len(expected)) {
        let (found, expected) = (&found[index], &expected[index]);
        if found != expected {
            return Err(field_error(
                &format!("added_tokens[{index}]"),
                found,
                expected,
            ));
        }
    }
    Ok(())
}

fn field_error(field: &str, found: &Value, expected: &Value) -> BpeError {
    BpeError::Field {
        field: field.to_owned(),
        found: excerpt(&found.to_string()),
        expected: expected.to_string(),
    }
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
        let id_of = id.as_u64().and_then(|id| usize::try_from(id).ok());
        let slot = id_of.and_then(|id| names.get_mut(id));
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

/// The merges. The library writes a pair as an array, and once wrote it as a text. Of two of one pair
/// it would take the later.
fn merges(merges: &Value) -> Result<Vec<(String, String)>, BpeError> {
    let Some(merges) = merges.as_array() else {
        return Err(BpeError::Field {
            field: "model.merges".to_owned(),
            found: excerpt(&merges.to_string()),
            expected: "an array".to_owned(),
        });
    };
    let mut seen = HashSet::with_capacity(merges.len());
    let mut pairs = Vec::with_capacity(merges.len());
    for (index, merge) in merges.iter().enumerate() {
        let (left, right) = two_names(merge).ok_or_else(|| BpeError::Merge {
            index,
            found: excerpt(&merge.to_string()),
        })?;
        if !seen.insert((left, right)) {
            return Err(BpeError::RepeatedMerge { index });
        }
        pairs.push((left.to_owned(), right.to_owned()));
    }
    Ok(pairs)
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
