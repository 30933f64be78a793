//! A network behind a board that knows no chess library: sixty-four squares in an array.
//!
//! An engine needs two things of its own: `Board` for its position, and a `Delta` for every move it
//! makes. This plays a short game with every kind of move, checks after each that the score kept up
//! to date is the score from nothing, and takes everything back.
//!
//! `cargo run --example other_board [network.nnue]`

#![allow(clippy::print_stdout)]

use std::error::Error;

use chess_nnue::{AccumulatorStack, Architecture, Delta, Network, Weights};
use chess_records::{Board, Color, Piece, PieceType, Placement, Square};

/// The whole board: who stands where, and whose move it is. (Rights and clocks are nothing to a
/// network.)
#[derive(Clone)]
struct Mailbox {
    squares: [Option<Piece>; 64],
    mover: Color,
}

impl Board for Mailbox {
    fn side_to_move(&self) -> Color {
        self.mover
    }

    fn placement(&self) -> Placement {
        let men = Square::ALL.into_iter().filter_map(|square| {
            let piece = self.squares[square.index()]?;
            Some((piece, square))
        });
        Placement::from_pieces(men).expect("the game keeps one king a side")
    }
}

impl Mailbox {
    fn start() -> Self {
        let mut squares = [None; 64];
        for (file, letter) in "rnbqkbnr".chars().enumerate() {
            squares[file] = Piece::from_fen_letter(letter.to_ascii_uppercase());
            squares[8 + file] = Piece::from_fen_letter('P');
            squares[48 + file] = Piece::from_fen_letter('p');
            squares[56 + file] = Piece::from_fen_letter(letter);
        }
        Self {
            squares,
            mover: Color::White,
        }
    }

    /// Makes a move and says what it changed. The `Delta` is told from the board before the move.
    fn make(&mut self, mv: Move) -> Delta {
        let delta = self.delta(mv);
        for &(_, square) in delta.lifted() {
            self.squares[square.index()] = None;
        }
        for &(piece, square) in delta.put() {
            self.squares[square.index()] = Some(piece);
        }
        self.mover = self.mover.opponent();
        delta
    }

    fn delta(&self, Move { from, to, promoted }: Move) -> Delta {
        let piece = self.squares[from.index()].expect("a piece stands where the move begins");
        let captured = self.squares[to.index()].map(|piece| piece.piece_type);
        let files = from.file().abs_diff(to.file());
        match (piece.piece_type, promoted, captured) {
            (_, Some(promoted), None) => Delta::promotion(self.mover, from, to, promoted),
            (_, Some(promoted), Some(captured)) => {
                Delta::promotion_capture(self.mover, from, to, promoted, captured)
            }
            (PieceType::King, ..) if files == 2 => castling(self.mover, from, to),
            (PieceType::Pawn, _, None) if files == 1 => Delta::en_passant(self.mover, from, to),
            (_, _, None) => Delta::quiet(piece, from, to),
            (_, _, Some(captured)) => Delta::capture(piece, from, to, captured),
        }
    }
}

/// The king moves two files; the rook comes from the corner to the square between.
fn castling(color: Color, king_from: Square, king_to: Square) -> Delta {
    let rook_files = if king_to > king_from { (7, 5) } else { (0, 3) };
    let at = |file| Square::at(file, king_from.rank()).expect("files are under 8");
    let (rook_from, rook_to) = (at(rook_files.0), at(rook_files.1));
    Delta::castling(color, king_from, king_to, rook_from, rook_to)
}

/// A move of the game, which is known to be legal.
#[derive(Clone, Copy)]
struct Move {
    from: Square,
    to: Square,
    promoted: Option<PieceType>,
}

/// Captures, castling on both wings, a pawn taken in passing, a pawn that becomes a queen.
const GAME: &str = "e2e4 d7d5 e4e5 f7f5 e5f6 g8h6 f6g7 h8g8 g1f3 b8c6 f1e2 c8f5 e1g1 d8d6 b1c3 e8c8 \
                    g7f8q d8f8 d2d4 f5c2";

fn parse(text: &str) -> Result<Move, Box<dyn Error>> {
    let promoted = text[4..].chars().next();
    Ok(Move {
        from: text[..2].parse()?,
        to: text[2..4].parse()?,
        promoted: promoted
            .and_then(Piece::from_fen_letter)
            .map(|piece| piece.piece_type),
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let network = match std::env::args().nth(1) {
        Some(path) => Network::load(path)?,
        None => random_network(1)?,
    };
    let mut board = Mailbox::start();
    let mut stack = AccumulatorStack::new(&network);
    stack.reset(&board);
    let mut scores = vec![stack.evaluate(&network)];

    for text in GAME.split_whitespace() {
        let delta = board.make(parse(text)?);
        stack.push(&delta);
        let score = stack.evaluate(&network);
        assert_eq!(score, network.evaluate(&board), "after {text}");
        assert_eq!(*stack.placement(), board.placement(), "after {text}");
        println!("{text:<6} {score:+5} cp for {}", board.mover);
        scores.push(score);
    }

    // Taking back is one call, whatever the move was; the values below are still there.
    while let Some(score) = scores.pop() {
        assert_eq!(stack.evaluate(&network), score);
        if stack.ply() > 0 {
            stack.pop();
        }
    }
    println!("every score kept up to date is the score from nothing, there and back");
    Ok(())
}

/// A small network that knows nothing of chess, the same on every machine.
fn random_network(seed: u64) -> Result<Network, Box<dyn Error>> {
    let architecture = Architecture::new(32)?;
    let mut weights = Weights::zero(&architecture);
    let mut state = seed;
    let mut fill = |numbers: &mut [i16], limit: i16| {
        for number in numbers {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            *number = ((state >> 33) % (2 * limit as u64 + 1)) as i16 - limit;
        }
    };
    fill(&mut weights.feature_weights, 60);
    fill(&mut weights.feature_biases, 60);
    fill(&mut weights.output_weights, 60);
    Ok(Network::new(architecture, &weights)?)
}
