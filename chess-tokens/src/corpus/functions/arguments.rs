//! The arguments of a function as arrays of one type.

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Int32Array, Int64Array, StringViewArray, UInt64Array,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Int32Type, Int64Type, UInt64Type};
use datafusion::common::{Result, plan_err};
use datafusion::logical_expr::{ScalarFunctionArgs, Signature, Volatility};

/// A function of one text, however it is stored.
pub(super) fn of_one_text() -> Signature {
    Signature::string(1, Volatility::Immutable)
}

/// A function whose `coerce_types` is [`cast_to`]: a number of whatever type will do.
pub(super) fn of_cast_arguments() -> Signature {
    Signature::user_defined(Volatility::Immutable)
}

/// The types that arguments are cast to, if there are as many.
pub(super) fn cast_to<const N: usize>(
    function: &str,
    found: &[DataType],
    expected: [DataType; N],
) -> Result<Vec<DataType>> {
    if found.len() == N {
        return Ok(expected.into());
    }
    plan_err!("{function} has {} arguments, expected {N}", found.len())
}

/// The arguments of a call, spread to as many rows as there are.
pub(super) struct Arguments {
    arrays: Vec<ArrayRef>,
}

impl Arguments {
    pub(super) fn new(args: &ScalarFunctionArgs) -> Result<Self> {
        let arrays = args.args.iter();
        let arrays = arrays.map(|argument| argument.to_array(args.number_rows));
        Ok(Self {
            arrays: arrays.collect::<Result<_>>()?,
        })
    }

    /// Casting what already is of the type costs nothing.
    fn cast(&self, index: usize, to: &DataType) -> Result<ArrayRef> {
        Ok(cast(&self.arrays[index], to)?)
    }

    pub(super) fn text(&self, index: usize) -> Result<StringViewArray> {
        let text = self.cast(index, &DataType::Utf8View)?;
        Ok(text.as_string_view().clone())
    }

    pub(super) fn int32(&self, index: usize) -> Result<Int32Array> {
        let numbers = self.cast(index, &DataType::Int32)?;
        Ok(numbers.as_primitive::<Int32Type>().clone())
    }

    pub(super) fn int64(&self, index: usize) -> Result<Int64Array> {
        let numbers = self.cast(index, &DataType::Int64)?;
        Ok(numbers.as_primitive::<Int64Type>().clone())
    }

    pub(super) fn uint64(&self, index: usize) -> Result<UInt64Array> {
        let numbers = self.cast(index, &DataType::UInt64)?;
        Ok(numbers.as_primitive::<UInt64Type>().clone())
    }

    pub(super) fn rows(&self) -> usize {
        self.arrays.first().map_or(0, |array| array.len())
    }
}
