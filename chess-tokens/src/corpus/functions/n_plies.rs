//! `n_plies(uci)`.

use std::sync::{Arc, LazyLock};

use datafusion::arrow::array::Int32Array;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::logical_expr::{
    ColumnarValue, Documentation, ScalarFunctionArgs, ScalarUDFImpl, Signature,
};

use super::arguments::{Arguments, of_one_text};
use super::documentation::documentation;

/// The SQL function `n_plies(uci)`: how many moves a text of moves in UCI's notation has.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct NPlies {
    signature: Signature,
}

impl NPlies {
    /// The function.
    #[must_use]
    pub fn new() -> Self {
        let signature = of_one_text();
        Self { signature }
    }
}

impl Default for NPlies {
    fn default() -> Self {
        Self::new()
    }
}

fn n_plies(uci: &str) -> i32 {
    let words = uci.split_ascii_whitespace().count();
    i32::try_from(words).unwrap_or(i32::MAX)
}

impl ScalarUDFImpl for NPlies {
    fn name(&self) -> &str {
        "n_plies"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Int32)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let games = Arguments::new(&args)?.text(0)?;
        let plies: Int32Array = games.iter().map(|uci| uci.map(n_plies)).collect();
        Ok(ColumnarValue::Array(Arc::new(plies)))
    }

    fn documentation(&self) -> Option<&Documentation> {
        static TEXT: LazyLock<Documentation> = LazyLock::new(|| {
            documentation(
                "How many moves a game has.",
                "n_plies(uci)",
                &[("uci", "Moves in UCI's notation, apart by a space")],
            )
        });
        Some(&TEXT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        assert_eq!(n_plies(""), 0);
        assert_eq!(n_plies("e2e4"), 1);
        assert_eq!(n_plies("e2e4 e7e5 g1f3"), 3);
    }
}
