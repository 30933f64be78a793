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
