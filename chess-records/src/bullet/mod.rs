//! bulletformat: 32-byte records as the trainer bullet reads them (`ChessBoard`), seen from the side
//! to move.
//!
//! If Black is to move, ranks are turned upside down (square XOR 56) and colours exchanged, so that
//! the mover always plays up the board. All numbers are little-endian, squares count from a1 = 0 by
//! rank to h8 = 63, after that turn. A file is records and nothing else.
//!
//! | offset | type | field |
//! |---|---|---|
//! | 0 | u64 | occupied squares, bit *i* = square *i* |
//! | 8 | u4×32 | piece of the *i*-th occupied square, low nibble first: 0–5 = P N B R Q K, +8 = the opponent's; others are invalid |
//! | 24 | i16 | score in centipawns from the mover's side |
//! | 26 | u8 | result for the mover: 0 lost, 1 drawn, 2 won |
//! | 27 | u8 | the mover's king square |
//! | 28 | u8 | the opponent's king square XOR 56: as the opponent sees it |
//! | 29 | u8×3 | extra, for any use |
//!
//! The position after 1.e4 with Black to move, scored −17 from Black's side in a game that Black
//! lost:
//!
//! ```text
//! ff ff 00 00 10 00 ef ff   the mover's men on ranks 1 and 2; the opponent's pawn on e5
//! 13 42 25 31               a1 b1 c1 … h1: the mover's R N B Q K B N R
//! 00 00 00 00               rank 2: the mover's pawns
//! 88 88 88 88               e5 and rank 7: the opponent's pawns
//! 9b ca ad b9               rank 8: the opponent's pieces
//! ef ff                     -17 centipawns
//! 00                        the mover lost
//! 04                        the mover's king: e1
//! 04                        the opponent's king: e8, XOR 56
//! 00 00 00                  extra
//! ```
//!
//! There is no side to move, no castling right, no en passant square and no clock: writing such a
//! record [loses them](crate::Format::loss_into), and reading it gives the mover as White.
//!
//! bulletformat 1.8.0's own conversion from marlinformat turns every rook that may castle into a
//! bishop. Such files are valid; [`CornerBishops`](crate::CornerBishops) tells them.
//!
//! The layout is that of the `bulletformat` crate.

mod decode;
mod encode;
mod wire;

pub use decode::BulletError;
pub use wire::BulletRecord;

/// Added to the code of the opponent's pieces.
const OPPONENT: u8 = 8;
/// In a square's number, the bits of the rank: XOR turns the board upside down.
const RANK_BITS: u8 = 56;
