//! Packs of whole games as tokens.
//!
//! A pack is a folder of three files:
//!
//! | file | what |
//! |---|---|
//! | `tokens.npy` | the tokens of all games, one game after the other: u16, little-endian (`<u2`) |
//! | `starts.npy` | the number of each game's first token: i64, little-endian (`<i8`), the first one 0, each larger than the one before |
//! | `meta.json` | [`Meta`]: how many games and tokens, how games are written as tokens, where they come from |
//!
//! Both arrays are of one dimension, in numpy's
//! [format](https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html). Token 1,
//! `<bos>`, begins each game and token 2, `<eos>`, ends it; token 0 is padding and stands in no pack.
//! The start of a `tokens.npy` whose first game is 1.e4 by a player of 1800 against one of 1900, in the
//! scheme `uci`:
//!
//! ```text
//! 0000  93 4e 55 4d 50 59 01 00  76 00 7b 27 64 65 73 63   .NUMPY..v.{'desc   header, 128 bytes
//! ...
//! 0080  01 00 14 00 30 00 e5 03  05 00 02 00               <bos> <w1800> <b1900> e2e4 <1-0> <eos>
//! ```
//!
//! The layout is that of the rukh project's packs.

mod column;
mod error;
mod header;
mod meta;
mod open;
mod verify;
mod writer;

pub use error::{OpenPackError, PackFault, PackFaultKind, TokenizerMismatch};
pub use header::GameHeader;
pub(crate) use meta::scheme_serde;
pub use meta::{Meta, MetaError, MetaReadError};
pub use open::TokenPack;
pub use writer::{PackWriter, WritePackError, is_unfinished, recover, source_label};

const TOKENS_NAME: &str = "tokens.npy";
const STARTS_NAME: &str = "starts.npy";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokenizer::UciToken;
    use chess_records::GameResult;

    /// The hex dump of the module's docs.
    #[test]
    fn the_dump() {
        let ids = [
            UciToken::Bos,
            UciToken::WhiteElo(1800),
            UciToken::BlackElo(1900),
            UciToken::Move("e2e4".parse().unwrap()),
            UciToken::Result(GameResult::WhiteWon),
            UciToken::Eos,
        ];
        let ids = ids.map(|token| token.id().unwrap());
        let bytes: Vec<String> = ids
            .iter()
            .flat_map(|id| id.to_le_bytes())
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let line = format!(
            "//! 0080  {}  {}  ",
            bytes[..8].join(" "),
            bytes[8..].join(" ")
        );
        assert!(include_str!("mod.rs").contains(&line), "{line}");
        let header = GameHeader::new(crate::Scheme::Uci, &ids);
        assert_eq!(
            (header.white_elo, header.black_elo),
            (Some(1800), Some(1900))
        );
        assert_eq!(header.result, Some(GameResult::WhiteWon));
    }
}
