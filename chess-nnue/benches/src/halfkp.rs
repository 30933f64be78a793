//! nnue-rs. It knows Stockfish's networks alone; of those, classic HalfKP has 256 hidden values a view.
//! Its first layer does the same work as ours for a move of another piece than the king (kings are no
//! inputs, so a refresh adds two rows fewer); its output, 512 → 32 → 32 → 1 in 8 bits, is another one.

use chess_nnue::Delta;
use chess_records::{Board as _, Color, Piece, PieceType, Position, Square};
use nnue_rs::{Board, Network};

use crate::{HIDDEN, Random};

/// A HalfKP network of random weights.
pub fn network() -> Network {
    let mut random = Random(3);
    let mut bytes = Vec::new();
    let mut number = |limit: usize| random.below(2 * limit + 1) as i32 - limit as i32;
    bytes.extend(0x7af3_2f16_u32.to_le_bytes());
    bytes.extend([0; 8]); // hash, length of the description
    bytes.extend([0; 4]); // hash of the first layer
    for _ in 0..HIDDEN * 41_025 {
        bytes.extend((number(40) as i16).to_le_bytes());
    }
    bytes.extend([0; 4]); // hash of the others
    for (outputs, inputs) in [(32, 512), (32, 32), (1, 32)] {
        for _ in 0..outputs {
            bytes.extend(number(500).to_le_bytes());
        }
        for _ in 0..outputs * inputs {
            bytes.push(number(60) as i8 as u8);
        }
    }
    Network::from_bytes(&bytes).expect("the bytes are laid out as HalfKP")
}

/// A position for nnue-rs.
pub struct Peer {
    side_to_move: nnue_rs::Color,
    kings: [u8; 2],
    pieces: Vec<(u8, nnue_rs::Piece)>,
}

impl From<&Position> for Peer {
    fn from(position: &Position) -> Self {
        let placement = position.placement();
        Self {
            side_to_move: color(position.side_to_move()),
            kings: Color::ALL.map(|color| placement.king(color).into()),
            pieces: placement.pieces().map(|man| peer(&man)).collect(),
        }
    }
}

impl Board for Peer {
    fn side_to_move(&self) -> nnue_rs::Color {
        self.side_to_move
    }

    fn king_square(&self, color: nnue_rs::Color) -> u8 {
        self.kings[color as usize]
    }

    fn for_each_piece(&self, f: &mut dyn FnMut(u8, nnue_rs::Piece)) {
        for &(square, piece) in &self.pieces {
            f(square, piece);
        }
    }
}

/// What a move takes off and puts on.
pub fn changes(delta: &Delta) -> [Vec<(u8, nnue_rs::Piece)>; 2] {
    [delta.lifted(), delta.put()].map(|pieces| pieces.iter().map(peer).collect())
}

fn peer(&(piece, square): &(Piece, Square)) -> (u8, nnue_rs::Piece) {
    let kind = match piece.piece_type {
        PieceType::Pawn => nnue_rs::PieceKind::Pawn,
        PieceType::Knight => nnue_rs::PieceKind::Knight,
        PieceType::Bishop => nnue_rs::PieceKind::Bishop,
        PieceType::Rook => nnue_rs::PieceKind::Rook,
        PieceType::Queen => nnue_rs::PieceKind::Queen,
        PieceType::King => nnue_rs::PieceKind::King,
    };
    let piece = nnue_rs::Piece::new(color(piece.color), kind);
    (square.into(), piece)
}

fn color(color: Color) -> nnue_rs::Color {
    match color {
        Color::White => nnue_rs::Color::White,
        Color::Black => nnue_rs::Color::Black,
    }
}
