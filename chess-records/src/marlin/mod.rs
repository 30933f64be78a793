//! marlinformat: 32-byte records, as written by the engines Marlin, Black Marlin, Viridithas and
//! many others (`PackedBoard`).
//!
//! All numbers are little-endian, squares count from a1 = 0 by rank to h8 = 63. A file is records
//! and nothing else, so files may be concatenated.
//!
//! | offset | type | field |
//! |---|---|---|
//! | 0 | u64 | occupied squares, bit *i* = square *i* |
//! | 8 | u4×32 | piece of the *i*-th occupied square, low nibble first: 0–5 = P N B R Q K, 6 = rook that may still castle, +8 = Black's; 7 and 15 are invalid |
//! | 24 | u8 | bit 7 set = Black to move; bits 0–6 en passant square, 64 = none |
//! | 25 | u8 | halfmove clock |
//! | 26 | u16 | fullmove number, 0 = unknown |
//! | 28 | i16 | score in centipawns from White's side |
//! | 30 | u8 | result: 0 Black won, 1 draw, 2 White won |
//! | 31 | u8 | extra, for any use |
//!
//! The start position, scored +17 in a game that White won:
//!
//! ```text
//! ff ff 00 00 00 00 ff ff   men on ranks 1, 2, 7 and 8
//! 16 42 25 61               a1 b1 c1 … h1: R that may castle (6), N 1, B 2, Q 4, K 5, B 2, N 1, R 6
//! 00 00 00 00               rank 2: White's pawns
//! 88 88 88 88               rank 7: Black's pawns
//! 9e ca ad e9               rank 8: r that may castle (e), n 9, b a, q c, k d, b a, n 9, r e
//! 40                        White to move, no en passant square
//! 00                        halfmove clock 0
//! 01 00                     move 1
//! 11 00                     +17 centipawns
//! 02                        White won
//! 00                        extra
//! ```
//!
//! Castling rights belong to single rooks, which is what makes Chess960 work: a castling rook met
//! before its king in ascending squares is the queenside one, after it the kingside one.
//!
//! Writers differ, and every record here survives that:
//!
//! - Nibbles past the last man may hold anything. They are not read, and two records that differ
//!   only there are equal; [`MarlinRecord::canonical`] clears them.
//! - Halfmove clocks over 100 and scores of any size are kept as they are, `i16::MIN` too.
//! - The en passant square may be set after every double push, or only where it can be taken.
//!   [`Position::normalize_en_passant`](crate::Position::normalize_en_passant) makes them alike, to
//!   be called before positions are hashed or compared.
//! - Files that bulletformat 1.8.0 converted carry bishops for castling rooks;
//!   [`CornerBishops`] tells.
//!
//! The layout is that of the `marlinformat` crate.

mod best_move;
mod corner_bishops;
mod decode;
mod encode;
mod wire;

pub use best_move::MarlinMoveRecord;
pub use corner_bishops::CornerBishops;
pub use decode::MarlinError;
pub use wire::MarlinRecord;

/// The piece code of a rook that may still castle.
const CASTLING_ROOK: u8 = 6;
/// Added to the code of Black's pieces.
const BLACK: u8 = 8;
/// Set in the byte of side and en passant square when Black is to move.
const BLACK_TO_MOVE: u8 = 0x80;
/// In the place of an en passant square: there is none.
const NO_EN_PASSANT: u8 = 64;
