//! What a search asks about a position: a network, or rules written by hand.

use std::boxed::Box;
use std::ops::Deref;

use chess_records::Board as _;
use cozy_chess::{Board, Color, Move};

use super::hand_written::HandWritten;
use super::score::EVALUATION_LIMIT;
use crate::{AccumulatorStack, Delta, Evaluator, Network, needs_fallback};

/// An evaluation that follows a search along its lines.
///
/// The search calls [`reset`](Self::reset) at the root, then [`push`](Self::push) or
/// [`push_null`](Self::push_null) for each move that it makes and [`pop`](Self::pop) where it takes
/// one back; [`evaluate`](Self::evaluate) is about the position where it stands.
pub trait Evaluation {
    /// Begins at a position.
    fn reset(&mut self, board: &Board);

    /// Makes a move, which is legal on `board`, the board before it.
    fn push(&mut self, board: &Board, played: Move);

    /// Passes.
    fn push_null(&mut self);

    /// Takes back the last move or pass.
    fn pop(&mut self);

    /// The score of `board`, which is where the search stands, in centipawns for its side to move,
    /// within ±[`EVALUATION_LIMIT`].
    fn evaluate(&mut self, board: &Board) -> i32;
}

/// A network's scores, and those of [`HandWritten`] where a network learns nothing: where exactly one
/// side has a bare king, or no pawns are left and at most five men.
#[derive(Clone, Debug)]
pub struct NetworkEvaluation<N> {
    network: N,
    stack: AccumulatorStack,
    endings: HandWritten,
}

impl<N: Deref<Target = Network>> NetworkEvaluation<N> {
    /// An evaluation for one search thread. `network` is a reference, an `Arc` or the like.
    pub fn new(network: N) -> Self {
        let stack = AccumulatorStack::new(&network);
        Self {
            network,
            stack,
            endings: HandWritten::new(),
        }
    }
}

impl<N: Deref<Target = Network>> Evaluation for NetworkEvaluation<N> {
    fn reset(&mut self, board: &Board) {
        self.stack.reset(board);
    }

    fn push(&mut self, board: &Board, played: Move) {
        self.stack.push(&Delta::from_cozy_chess(board, played));
    }

    fn push_null(&mut self) {
        self.stack.push_null();
    }

    fn pop(&mut self) {
        self.stack.pop();
    }

    fn evaluate(&mut self, board: &Board) -> i32 {
        if may_need_fallback(board) && needs_fallback(&board.placement()) {
            return self.endings.evaluate(board);
        }
        Evaluator::new(&self.network).evaluate(&mut self.stack)
    }
}

/// Whether it is worth asking [`needs_fallback`], which wants a placement.
fn may_need_fallback(board: &Board) -> bool {
    let bare = |color| board.colors(color).len() == 1;
    board.occupied().len() <= 5 || bare(Color::White) || bare(Color::Black)
}

/// Rules ask for no more than the board.
impl Evaluation for HandWritten {
    fn reset(&mut self, _: &Board) {}

    fn push(&mut self, _: &Board, _: Move) {}

    fn push_null(&mut self) {}

    fn pop(&mut self) {}

    fn evaluate(&mut self, board: &Board) -> i32 {
        let score = self.score_cp(board);
        score.clamp(-EVALUATION_LIMIT, EVALUATION_LIMIT)
    }
}

/// An evaluation chosen when the program runs.
impl<E: Evaluation + ?Sized> Evaluation for Box<E> {
    fn reset(&mut self, board: &Board) {
        (**self).reset(board);
    }

    fn push(&mut self, board: &Board, played: Move) {
        (**self).push(board, played);
    }

    fn push_null(&mut self) {
        (**self).push_null();
    }

    fn pop(&mut self) {
        (**self).pop();
    }

    fn evaluate(&mut self, board: &Board) -> i32 {
        (**self).evaluate(board)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::selfplay::{Found, Limits, Search};
    use crate::{Architecture, KingBuckets, Weights};

    /// A network that counts men, and a little more for each square, with a bucket for every file of a king.
    fn network() -> Network {
        let files = core::array::from_fn(|square| (square % 8) as u8);
        let buckets = KingBuckets::new(files, true).unwrap();
        let architecture = Architecture::new(16).unwrap().with_king_buckets(buckets);
        let mut weights = Weights::zero(&architecture);
        for (input, row) in weights.feature_weights.chunks_mut(16).enumerate() {
            let (side, piece, square) = (input / 384 % 2, input / 64 % 6, input % 64);
            let worth = [4, 13, 14, 20, 40, 0][piece] + (input / 768 + square * 7) as i16 % 5;
            row[side * 8..side * 8 + 8].fill(worth);
        }
        for (place, weight) in weights.output_weights.iter_mut().enumerate() {
            *weight = if place % 16 < 8 { 20 } else { -20 };
        }
        Network::new(architecture, &weights).unwrap()
    }

    /// The same scores, each from nothing.
    struct FromNothing<'n>(&'n Network);

    impl Evaluation for FromNothing<'_> {
        fn reset(&mut self, _: &Board) {}
        fn push(&mut self, _: &Board, _: Move) {}
        fn push_null(&mut self) {}
        fn pop(&mut self) {}
        fn evaluate(&mut self, board: &Board) -> i32 {
            if needs_fallback(&board.placement()) {
                return HandWritten::new().evaluate(board);
            }
            let score = self.0.evaluate(board);
            score.clamp(-EVALUATION_LIMIT, EVALUATION_LIMIT)
        }
    }

    fn search(evaluation: impl Evaluation, board: &Board) -> Found {
        let mut found =
            Search::new(evaluation, 1 << 20).search(board, &[], Limits::new().nodes(2_000));
        found.elapsed = Duration::ZERO;
        found
    }

    #[test]
    fn kept_up_to_date_or_from_nothing_is_the_same_search() {
        let network = network();
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "8/4P1k1/8/3pP3/8/8/8/4K3 w - d6 0 2",
            "4k3/8/8/8/8/8/4r3/R3K3 w - - 0 1",
        ] {
            let board = Board::from_fen(fen, false).unwrap();
            let kept = search(NetworkEvaluation::new(&network), &board);
            let boxed: Box<dyn Evaluation> = Box::new(NetworkEvaluation::new(&network));
            assert_eq!(kept, search(FromNothing(&network), &board), "{fen}");
            assert_eq!(kept, search(boxed, &board), "{fen}");
        }
    }

    #[test]
    fn where_a_network_learns_nothing_rules_answer() {
        let network = network();
        let mut evaluation = NetworkEvaluation::new(&network);
        for (fen, by_rules) in [
            ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", true),
            ("4k3/8/8/8/8/8/4r3/R3K3 w - - 0 1", true),
            ("4k3/8/8/8/8/8/4rp2/R3K3 w - - 0 1", false),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", true),
        ] {
            let board: Board = fen.parse().unwrap();
            evaluation.reset(&board);
            let score = evaluation.evaluate(&board);
            assert_eq!(
                score == HandWritten::new().evaluate(&board),
                by_rules,
                "{fen}"
            );
            assert_eq!(score == network.evaluate(&board), !by_rules, "{fen}");
        }
    }
}
