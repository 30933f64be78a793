//! What must hold of any bytes: one function per decoder and per round trip. Each takes bytes and
//! panics when its property does not hold.

mod bullet_record;
mod bytes;
mod checkpoint;
mod convert;
mod fen;
mod flat;
mod hub;
mod marlin;
mod moves;
mod network;
mod packs;
mod permutation;
mod pgn_games;
mod placement;
mod safetensors;
mod sampler_state;
mod text;
mod tokenizers;
mod viri;
mod viri_move;
mod zdat;

pub use bullet_record::bullet_record;
pub use checkpoint::checkpoint;
pub use convert::convert;
pub use fen::fen;
pub use flat::{flat_meta, flat_row, npy_header};
pub use hub::{hub_headers, hub_listing};
pub use marlin::marlin;
pub use moves::moves;
pub use network::{bullet_network, network};
pub use packs::{pack, pack_meta, windows};
pub use permutation::permutation;
pub use pgn_games::pgn_games;
pub use placement::placement;
pub use safetensors::safetensors;
pub use sampler_state::sampler_state;
pub use text::text;
pub use tokenizers::{bpe_json, bpe_tokens, san_tokens, uci_text, uci_tokens, uci_vocabulary};
pub use viri::viri;
pub use viri_move::viri_move;
pub use zdat::{zdat, zdat_index, zdat_record};

/// A property of any bytes.
pub type Check = fn(&[u8]);

/// Every check, by the name of its fuzz target and of its folder of seeds.
pub const CHECKS: &[(&str, Check)] = &[
    ("bpe_json", bpe_json),
    ("bpe_tokens", bpe_tokens),
    ("bullet_network", bullet_network),
    ("bullet_record", bullet_record),
    ("checkpoint", checkpoint),
    ("convert", convert),
    ("fen", fen),
    ("flat_meta", flat_meta),
    ("flat_row", flat_row),
    ("hub_headers", hub_headers),
    ("hub_listing", hub_listing),
    ("marlin", marlin),
    ("moves", moves),
    ("network", network),
    ("npy_header", npy_header),
    ("pack", pack),
    ("pack_meta", pack_meta),
    ("permutation", permutation),
    ("pgn_games", pgn_games),
    ("placement", placement),
    ("safetensors", safetensors),
    ("sampler_state", sampler_state),
    ("san_tokens", san_tokens),
    ("text", text),
    ("uci_text", uci_text),
    ("uci_tokens", uci_tokens),
    ("uci_vocabulary", uci_vocabulary),
    ("viri", viri),
    ("viri_move", viri_move),
    ("windows", windows),
    ("zdat", zdat),
    ("zdat_index", zdat_index),
    ("zdat_record", zdat_record),
];
