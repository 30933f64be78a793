//! What must hold of any bytes: one function per decoder and per round trip. Each takes bytes and
//! panics when its property does not hold.

mod bytes;
mod permutation;
mod placement;

pub use permutation::permutation;
pub use placement::placement;

/// A property of any bytes.
pub type Check = fn(&[u8]);

/// Every check, by the name of its fuzz target and of its folder of seeds.
pub const CHECKS: &[(&str, Check)] = &[("permutation", permutation), ("placement", placement)];
