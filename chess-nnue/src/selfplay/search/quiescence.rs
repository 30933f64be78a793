//! Captures and promotions until nothing hangs.

use cozy_chess::Board;

use super::table::{Bound, Entry};
use super::{Search, draws, moves};
use crate::selfplay::evaluation::Evaluation;
use crate::selfplay::score::{MAX_PLY, from_table, to_table};

impl<E: Evaluation> Search<E> {
    /// The score of a position in which the mover may take, or leave it; in check it answers with any
    /// move.
    pub(super) fn quiesce(&mut self, board: &Board, ply: usize, alpha: i32, beta: i32) -> i32 {
        self.nodes += 1;
        self.lines.clear(ply);
        if self.deadline.is_reached(self.nodes) {
            return 0;
        }
        if draws::lacks_material(board) {
            return 0;
        }
        let known = self.table.get(board.hash());
        if let Some(score) = known.and_then(|known| cut(&known, ply, alpha, beta)) {
            return score;
        }
        let in_check = !board.checkers().is_empty();
        if ply >= MAX_PLY {
            return if in_check {
                0
            } else {
                self.evaluation.evaluate(board)
            };
        }
        let evaluation = (!in_check).then(|| match known.and_then(|known| known.evaluation) {
            Some(known) => i32::from(known),
            None => self.evaluation.evaluate(board),
        });
        let mut best = evaluation.unwrap_or(super::super::score::mated_in(ply));
        if best >= beta {
            return best;
        }
        self.list_for_quiescence(board, ply, in_check, known.as_ref());
        let (mut best_move, mut raised) = (None, alpha.max(best));
        let mut next = 0;
        while let Some(candidate) = moves::pick(&mut self.candidates[ply], next) {
            next += 1;
            let after = self.make(board, candidate.played);
            let score = -self.quiesce(&after, ply + 1, -beta, -raised);
            self.unmake();
            if self.deadline.is_reached(self.nodes) {
                return 0;
            }
            if score > best {
                best = score;
                if score > raised {
                    raised = score;
                    best_move = Some(candidate.played);
                    self.lines.set(ply, candidate.played);
                }
                if score >= beta {
                    break;
                }
            }
        }
        let bound = if best >= beta {
            Bound::Lower
        } else {
            Bound::Upper
        };
        self.table.put(
            board.hash(),
            Entry {
                best: best_move,
                score: to_table(best, ply) as i16,
                evaluation: evaluation.map(|evaluation| evaluation as i16),
                depth: 0,
                bound,
            },
        );
        best
    }

    fn list_for_quiescence(
        &mut self,
        board: &Board,
        ply: usize,
        in_check: bool,
        known: Option<&Entry>,
    ) {
        let best = known.and_then(|known| known.best);
        let list = &mut self.candidates[ply];
        if in_check {
            moves::all(board, best, &self.history, ply, list);
        } else {
            moves::loud(board, best, list);
        }
    }
}

/// The score of an entry, if it settles the question between these bounds.
pub(super) fn cut(known: &Entry, ply: usize, alpha: i32, beta: i32) -> Option<i32> {
    let score = from_table(known.score.into(), ply);
    let settles = match known.bound {
        Bound::Exact => true,
        Bound::Lower => score >= beta,
        Bound::Upper => score <= alpha,
    };
    settles.then_some(score)
}
