//! The loops over hidden values.

mod lanes;
pub(crate) mod scalar;

pub(crate) use lanes::{LANES, Lanes, Value, blocks};
