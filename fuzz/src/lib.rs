//! What must hold of any bytes: one function per decoder and per round trip. Each takes bytes and
//! panics when its property does not hold.

mod bytes;
mod fen;
mod marlin;
mod network;
mod permutation;
mod placement;
mod text;

pub use fen::fen;
pub use marlin::marlin;
pub use network::{bullet, network};
pub use permutation::permutation;
pub use placement::placement;
pub use text::text;

/// A property of any bytes.
pub type Check = fn(&[u8]);

/// Every check, by the name of its fuzz target and of its folder of seeds.
pub const CHECKS: &[(&str, Check)] = &[
    ("bullet", bullet),
    ("fen", fen),
    ("marlin", marlin),
    ("network", network),
    ("permutation", permutation),
    ("placement", placement),
    ("text", text),
];
