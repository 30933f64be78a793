//! Writing a header.

use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use super::{Literal, MAGIC};

/// What numpy aligns the first item to.
const ALIGNMENT: usize = 64;
/// numpy leaves room for a first dimension of so many digits, so that files can grow in place.
const GROWTH_DIGITS: usize = 21;

/// The header of an array in C's order, byte for byte as `numpy.save` writes it since numpy 1.23, in
/// version 1.0.
///
/// # Panics
///
/// If the text is not ASCII or longer than version 1.0 can say, 65,535 bytes.
#[must_use]
pub fn to_bytes(descr: &Literal, shape: &[u64]) -> Vec<u8> {
    let shown = shape_text(shape);
    let growth = shape.first().map_or(0, |rows| {
        GROWTH_DIGITS.saturating_sub(rows.to_string().len())
    });
    let text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shown}, }}");
    assert!(text.is_ascii(), "the header's text is not ASCII: {text}");
    let before_text = MAGIC.len() + 4;
    let least = before_text + text.len() + growth + 1;
    // Where nothing is missing numpy pads all the same.
    let total = least + (ALIGNMENT - least % ALIGNMENT);
    let Ok(text_bytes) = u16::try_from(total - before_text) else {
        panic!("the header's text has {} bytes", total - before_text);
    };
    let mut bytes = Vec::with_capacity(total);
    bytes.extend(MAGIC);
    bytes.extend([1, 0]);
    bytes.extend(text_bytes.to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.resize(total - 1, b' ');
    bytes.push(b'\n');
    bytes
}

pub(super) fn shape_text(shape: &[u64]) -> String {
    let numbers = shape.iter().copied().map(Literal::Number);
    Literal::Tuple(numbers.collect()).to_string()
}
