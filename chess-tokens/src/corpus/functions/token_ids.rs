//! `token_ids(uci, white_elo, black_elo, result)`.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, LazyLock};

use datafusion::arrow::array::{Array, Int32Array, ListBuilder, UInt16Builder};
use datafusion::arrow::datatypes::{DataType, Field};
use datafusion::common::Result;
use datafusion::logical_expr::{
    ColumnarValue, Documentation, ScalarFunctionArgs, ScalarUDFImpl, Signature,
};

use super::arguments::{Arguments, cast_to, of_cast_arguments};
use super::documentation::documentation;
use crate::tokenizer::{TextGame, Tokenizer, UciTokenizer};

/// The SQL function `token_ids(uci, white_elo, black_elo, result)`: the tokens of a whole game, by a
/// tokenizer; null where the game has none.
///
/// Ratings may be null if the scheme does not write them.
pub struct TokenIds {
    signature: Signature,
    tokenizer: Arc<dyn Tokenizer>,
}

impl TokenIds {
    /// The function, by this tokenizer.
    #[must_use]
    pub fn new(tokenizer: Arc<dyn Tokenizer>) -> Self {
        Self {
            signature: of_cast_arguments(),
            tokenizer,
        }
    }

    /// The function, by the scheme `uci`.
    #[must_use]
    pub fn uci() -> Self {
        Self::new(Arc::new(UciTokenizer::new()))
    }
}

/// The type of a list of tokens.
fn tokens_type() -> DataType {
    DataType::List(Arc::new(Field::new_list_field(DataType::UInt16, true)))
}

/// Functions of one vocabulary are one.
impl PartialEq for TokenIds {
    fn eq(&self, other: &Self) -> bool {
        self.tokenizer.vocab_hash() == other.tokenizer.vocab_hash()
    }
}

impl Eq for TokenIds {}

impl Hash for TokenIds {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.tokenizer.vocab_hash().hash(state);
    }
}

impl fmt::Debug for TokenIds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TokenIds({})", self.tokenizer.scheme())
    }
}

impl ScalarUDFImpl for TokenIds {
    fn name(&self) -> &str {
        "token_ids"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, found: &[DataType]) -> Result<Vec<DataType>> {
        let (text, number) = (DataType::Utf8View, DataType::Int32);
        cast_to(
            self.name(),
            found,
            [text.clone(), number.clone(), number, text],
        )
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(tokens_type())
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arguments = Arguments::new(&args)?;
        let (games, results) = (arguments.text(0)?, arguments.text(3)?);
        let (white, black) = (arguments.int32(1)?, arguments.int32(2)?);
        let mut lists = ListBuilder::with_capacity(UInt16Builder::new(), arguments.rows());
        let mut tokens = Vec::new();
        for row in 0..arguments.rows() {
            tokens.clear();
            let elo = |elos: &Int32Array| elos.is_valid(row).then(|| elos.value(row));
            let is_game = games.is_valid(row) && results.is_valid(row);
            let game = is_game.then(|| TextGame {
                moves: games.value(row),
                result: results.value(row),
                white_elo: elo(&white),
                black_elo: elo(&black),
            });
            let encode = |game| self.tokenizer.encode_text(&game, &mut tokens).is_ok();
            let has_tokens = game.is_some_and(encode);
            lists.values().append_slice(&tokens);
            lists.append(has_tokens);
        }
        Ok(ColumnarValue::Array(Arc::new(lists.finish())))
    }

    fn documentation(&self) -> Option<&Documentation> {
        static TEXT: LazyLock<Documentation> = LazyLock::new(|| {
            documentation(
                "The tokens of a whole game; null where the game has none.",
                "token_ids(uci, white_elo, black_elo, result)",
                &[
                    ("uci", "Moves in UCI's notation, apart by a space"),
                    ("white_elo", "White's rating"),
                    ("black_elo", "Black's rating"),
                    ("result", "1-0, 0-1 or 1/2-1/2"),
                ],
            )
        });
        Some(&TEXT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Session, SessionOptions};

    fn tokens(arguments: &str) -> Option<Vec<u16>> {
        use datafusion::arrow::array::AsArray;
        use datafusion::arrow::datatypes::UInt16Type;
        let session = Session::new(&SessionOptions::new().threads(1)).unwrap();
        let sql = format!("SELECT token_ids({arguments})");
        let mut rows = session.query(&session.ordered(), &sql).unwrap();
        let batch = rows.next().unwrap().unwrap();
        let lists = batch.column(0).as_list::<i32>();
        let list = lists.is_valid(0).then(|| lists.value(0))?;
        Some(list.as_primitive::<UInt16Type>().values().to_vec())
    }

    #[test]
    fn games_that_have_tokens_and_games_that_have_none() {
        // As in the dump of a pack's start.
        let expected = vec![0x1, 0x14, 0x30, 0x3e5, 0x5, 0x2];
        assert_eq!(tokens("'e2e4', 1800, 1999, '1-0'"), Some(expected.clone()));
        assert_eq!(
            tokens("'e2e4', CAST(1800 AS SMALLINT), '1999', '1-0'"),
            Some(expected)
        );
        assert_eq!(tokens("'', 1800, 1999, '1/2-1/2'").unwrap().len(), 5);
        for none in [
            "NULL, 1800, 1999, '1-0'",
            "'e2e4', NULL, 1999, '1-0'",
            "'e2e4', 1800, NULL, '1-0'",
            "'e2e4', 1800, 1999, NULL",
            "'e2e4', 1800, 1999, '*'",
        ] {
            assert_eq!(tokens(none), None, "{none}");
        }
    }
}
