//! `game_id(site)`.

use std::sync::{Arc, LazyLock};

use datafusion::arrow::array::Int64Array;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::logical_expr::{
    ColumnarValue, Documentation, ScalarFunctionArgs, ScalarUDFImpl, Signature,
};
use sha2::{Digest, Sha256};

use super::arguments::{Arguments, of_one_text};
use super::documentation::documentation;

/// The number of a game: the first 8 bytes of the SHA-256 of the tag `Site` (for a Lichess game its
/// address), little-endian, signed.
#[must_use]
pub fn game_id(site: &str) -> i64 {
    let [a, b, c, d, e, f, g, h, ..] = <[u8; 32]>::from(Sha256::digest(site));
    i64::from_le_bytes([a, b, c, d, e, f, g, h])
}

/// The SQL function `game_id(site)`: [`game_id`] of each row.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct GameId {
    signature: Signature,
}

impl GameId {
    /// The function.
    #[must_use]
    pub fn new() -> Self {
        let signature = of_one_text();
        Self { signature }
    }
}

impl Default for GameId {
    fn default() -> Self {
        Self::new()
    }
}

impl ScalarUDFImpl for GameId {
    fn name(&self) -> &str {
        "game_id"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Int64)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let sites = Arguments::new(&args)?.text(0)?;
        let ids: Int64Array = sites.iter().map(|site| site.map(game_id)).collect();
        Ok(ColumnarValue::Array(Arc::new(ids)))
    }

    fn documentation(&self) -> Option<&Documentation> {
        static TEXT: LazyLock<Documentation> = LazyLock::new(|| {
            documentation(
                "The number of a game: the first 8 bytes of the SHA-256 of its site.",
                "game_id(site)",
                &[("site", "The tag Site of the game")],
            )
        });
        Some(&TEXT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_the_reference() {
        assert_eq!(
            game_id("https://example.org/nasty0"),
            1_196_500_383_720_211_016
        );
        assert_eq!(
            game_id("https://example.org/nasty1"),
            -6_321_982_016_451_893_641
        );
    }
}
