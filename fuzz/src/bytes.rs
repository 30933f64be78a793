//! Bytes taken for numbers.

/// The little-endian numbers that the bytes start with; zeros past their end.
pub(crate) fn words<const COUNT: usize>(data: &[u8]) -> [u64; COUNT] {
    let mut bytes = data.iter().copied().chain(std::iter::repeat(0));
    std::array::from_fn(|_| u64::from_le_bytes(std::array::from_fn(|_| bytes.next().unwrap_or(0))))
}
