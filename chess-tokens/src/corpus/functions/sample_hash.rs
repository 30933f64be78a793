//! `sample_hash(seed, game_id)`.

use std::sync::{Arc, LazyLock};

use datafusion::arrow::array::UInt64Array;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::logical_expr::{
    ColumnarValue, Documentation, ScalarFunctionArgs, ScalarUDFImpl, Signature,
};
use twox_hash::XxHash3_64;

use super::arguments::{Arguments, cast_to, of_cast_arguments};
use super::documentation::documentation;

/// By which games are drawn: the XXH3-64 of the seed and the game's number, 8 bytes each,
/// little-endian. The games with the smallest hashes are a sample that does not depend on the order
/// of games, and of which a smaller one is a part.
#[must_use]
pub fn sample_hash(seed: u64, game_id: i64) -> u64 {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..].copy_from_slice(&game_id.to_le_bytes());
    XxHash3_64::oneshot(&bytes)
}

/// The SQL function `sample_hash(seed, game_id)`: [`sample_hash`] of each row.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct SampleHash {
    signature: Signature,
}

impl SampleHash {
    /// The function.
    #[must_use]
    pub fn new() -> Self {
        let signature = of_cast_arguments();
        Self { signature }
    }
}

impl Default for SampleHash {
    fn default() -> Self {
        Self::new()
    }
}

impl ScalarUDFImpl for SampleHash {
    fn name(&self) -> &str {
        "sample_hash"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, found: &[DataType]) -> Result<Vec<DataType>> {
        cast_to(self.name(), found, [DataType::UInt64, DataType::Int64])
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::UInt64)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arguments = Arguments::new(&args)?;
        let (seeds, ids) = (arguments.uint64(0)?, arguments.int64(1)?);
        let pairs = seeds.iter().zip(ids.iter());
        let hash = |(seed, id): (Option<u64>, Option<i64>)| Some(sample_hash(seed?, id?));
        let hashes: UInt64Array = pairs.map(hash).collect();
        Ok(ColumnarValue::Array(Arc::new(hashes)))
    }

    fn documentation(&self) -> Option<&Documentation> {
        static TEXT: LazyLock<Documentation> = LazyLock::new(|| {
            documentation(
                "By which games are drawn: the XXH3-64 of the seed and the game's number.",
                "sample_hash(seed, game_id)",
                &[
                    ("seed", "A number, the same for all games"),
                    ("game_id", "The number of the game"),
                ],
            )
        });
        Some(&TEXT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_numbers_are_hashed_in_their_order() {
        let bytes = [
            7, 0, 0, 0, 0, 0, 0, 0, 254, 255, 255, 255, 255, 255, 255, 255,
        ];
        assert_eq!(sample_hash(7, -2), XxHash3_64::oneshot(&bytes));
        assert_ne!(sample_hash(7, 9), sample_hash(9, 7));
    }
}
