//! The 202 bytes of a sample: a position, the move that was played from it, the legal moves and the
//! game's result.
//!
//! All numbers are little-endian, squares count from a1 = 0 by rank to h8 = 63, and nothing is ever
//! seen from Black's side.
//!
//! | offset | type | field |
//! |---|---|---|
//! | 0 | u8×64 | men by square: 0 empty, 1–6 White's P N B R Q K, 7–12 Black's |
//! | 64 | u16×64 | legal [actions](crate::Action), the one played first, filled up with 4672 |
//! | 192 | u8 | how many legal actions are written, 1–64 |
//! | 193 | u8 | from square of the move played |
//! | 194 | u8 | plane of the move played, 0–72 |
//! | 195 | u8 | castling rights: 1 White O-O, 2 White O-O-O, 4 Black O-O, 8 Black O-O-O |
//! | 196 | u8 | en passant: the file 0–7 where such a capture is legal, 8 = none |
//! | 197 | u8 | 1 = White to move, 0 = Black |
//! | 198 | i8 | result: 0 draw, 1 White won, 2 Black won |
//! | 199 | – | 0 |
//! | 200 | u16 | plies played before, 0 at a game's first move |
//!
//! The start position, from which 1.e4 was played in a game that White won:
//!
//! ```text
//! 04 02 03 05 06 03 02 04   a1 b1 c1 … h1: R 4, N 2, B 3, Q 5, K 6, B 3, N 2, R 4
//! 01 01 01 01 01 01 01 01   rank 2: White's pawns
//! 00 00 00 00 00 00 00 00   rank 3
//! 00 00 00 00 00 00 00 00   rank 4
//! 00 00 00 00 00 00 00 00   rank 5
//! 00 00 00 00 00 00 00 00   rank 6
//! 07 07 07 07 07 07 07 07   rank 7: Black's pawns
//! 0a 08 09 0b 0c 09 08 0a   a8 b8 c8 … h8: r 10, n 8, b 9, q 11, k 12, b 9, n 8, r 10
//! 6d 03                     877 = 12 · 73 + 1: e2, north by two squares
//! ee 01 f5 01 81 00 88 00   494 Nh3, 501 Nf3, 129 Nc3, 136 Na3: 73 · from + 56 or 63
//! 47 04 fe 03 b5 03 6c 03   1095 h3, 1022 g3, 949 f3, 876 e3
//! 23 03 da 02 91 02 48 02   803 d3, 730 c3, 657 b3, 584 a3
//! 48 04 ff 03 b6 03 24 03   1096 h4, 1023 g4, 950 f4, 804 d4
//! db 02 92 02 49 02         731 c4, 658 b4, 585 a4
//! 40 12 40 12 40 12 40 12   4672, 44 times
//! 40 12 40 12 40 12 40 12
//! 40 12 40 12 40 12 40 12
//! 40 12 40 12 40 12 40 12
//! 40 12 40 12 40 12 40 12
//! 40 12 40 12 40 12 40 12
//! 40 12 40 12 40 12 40 12
//! 40 12 40 12 40 12 40 12
//! 40 12 40 12 40 12 40 12
//! 40 12 40 12 40 12 40 12
//! 40 12 40 12 40 12 40 12
//! 14                        20 legal moves
//! 0c                        the move played: from 12 e2
//! 01                        by plane 1
//! 0f                        all four castling rights
//! 08                        no en passant
//! 01                        White to move
//! 01                        White won
//! 00
//! 00 00                     no plies before
//! ```

mod decode;
mod encode;
mod wire;

pub use decode::FlatError;
pub use encode::FlatEncodeError;
pub use wire::{FlatFields, FlatRecord, FlatTargetError};

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Action;
    use chess_records::{GameResult, Position};

    /// The bytes of the dump in the module's docs.
    pub(crate) fn dump() -> [u8; FlatRecord::BYTES] {
        let docs = include_str!("mod.rs");
        let dump = docs.split("```").nth(1).unwrap();
        let lines = dump.lines().skip(1);
        let bytes = lines.flat_map(|line| {
            let line = line.strip_prefix("//!").unwrap().trim_start();
            let hex = line.split("   ").next().unwrap().split_whitespace();
            hex.map(|byte| u8::from_str_radix(byte, 16).unwrap())
        });
        bytes.collect::<Vec<_>>().try_into().unwrap()
    }

    /// The start position's moves in the order of the dump.
    fn start_moves() -> Vec<Action> {
        let moves = "g1h3 g1f3 b1c3 b1a3 h2h3 g2g3 f2f3 e2e3 d2d3 c2c3 b2b3 a2a3 \
                     h2h4 g2g4 f2f4 e2e4 d2d4 c2c4 b2b4 a2a4";
        let action = |text: &str| {
            let (from, to) = (text[..2].parse().unwrap(), text[2..].parse().unwrap());
            let promotion = None;
            Action::from_move(chess_records::UciMove {
                from,
                to,
                promotion,
            })
            .unwrap()
        };
        moves.split_whitespace().map(action).collect()
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn the_dump_is_the_start_position() {
        let record = FlatRecord::from_bytes(&dump());
        let decoded = record.decode().unwrap();
        let mut start = Position::from_fen(START).unwrap();
        start = start.with_halfmove_clock(None);
        assert_eq!(decoded.position, start);
        assert_eq!(decoded.label.result, Some(GameResult::WhiteWon));
        assert_eq!(decoded.label.score, None);
        let moves = start_moves();
        let e4 = moves[15];
        assert_eq!(record.target(), Ok(e4));
        let encoded = FlatRecord::encode(&start, e4, moves, GameResult::WhiteWon, 0);
        assert_eq!(encoded, Ok((record, false)));
    }
}
