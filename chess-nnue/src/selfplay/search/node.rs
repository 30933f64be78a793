//! A node of the tree.

use cozy_chess::{Board, Move, Piece};

use super::quiescence::cut;
use super::table::{Bound, Entry};
use super::{Search, draws, exchange, moves};
use crate::selfplay::evaluation::Evaluation;
use crate::selfplay::score::{INFINITE, MATE, MAX_PLY, is_mate, mated_in, to_table};

/// The evaluation may be this much above beta, for each ply of depth, to do without a search.
const SURE_MARGIN: i32 = 85;
const SURE_DEPTH: i32 = 6;
/// At little depth, quiet moves so late are not tried: this many, plus the square of the depth.
const FEW_MOVES: usize = 4;
const FEW_DEPTH: i32 = 5;
/// At little depth, captures that lose this much for each ply are not tried.
const LOSS: i32 = 120;
const LOSS_DEPTH: i32 = 5;

/// What a node is asked.
#[derive(Clone, Copy)]
struct Node<'b> {
    board: &'b Board,
    ply: usize,
    depth: i32,
    beta: i32,
    is_pv: bool,
    in_check: bool,
    /// `None` in check.
    evaluation: Option<i32>,
}

impl<E: Evaluation> Search<E> {
    /// The score of a position for its side to move, exact between `alpha` and `beta` and a bound
    /// outside. After a null move another one is not tried.
    pub(super) fn node(
        &mut self,
        board: &Board,
        ply: usize,
        depth: i32,
        mut alpha: i32,
        mut beta: i32,
        after_null: bool,
    ) -> i32 {
        let in_check = !board.checkers().is_empty();
        let depth = depth + i32::from(in_check);
        if depth <= 0 || ply >= MAX_PLY {
            return self.quiesce(board, ply, alpha, beta);
        }
        self.nodes += 1;
        self.lines.clear(ply);
        if self.deadline.is_reached(self.nodes) {
            return 0;
        }
        let is_pv = beta - alpha > 1;
        if ply > 0 {
            if self.is_drawn(board) {
                return 0;
            }
            // No line from here is better than a mate next move, or worse than being mated now.
            alpha = alpha.max(mated_in(ply));
            beta = beta.min(-mated_in(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }
        let known = self.table.get(board.hash());
        if let Some(known) = known.filter(|known| !is_pv && i32::from(known.depth) >= depth)
            && let Some(score) = cut(&known, ply, alpha, beta)
        {
            return score;
        }
        let evaluation = (!in_check).then(|| match known.and_then(|known| known.evaluation) {
            Some(known) => i32::from(known),
            None => self.evaluation.evaluate(board),
        });
        let node = Node {
            board,
            ply,
            depth,
            beta,
            is_pv,
            in_check,
            evaluation,
        };
        if let Some(score) = self.without_moves(&node, after_null) {
            return score;
        }
        // Without a move to begin with, a shallower search is a cheap way to one.
        let hint = known.and_then(|known| known.best);
        let node = Node {
            depth: if hint.is_none() && depth >= 5 {
                depth - 1
            } else {
                depth
            },
            ..node
        };
        self.try_moves(&node, alpha, hint)
    }

    fn is_drawn(&self, board: &Board) -> bool {
        self.path.repeats(board) || draws::lacks_material(board) || draws::is_fifty_moves(board)
    }

    /// A score at least as good as beta that is likely enough to do without trying moves.
    fn without_moves(&mut self, node: &Node<'_>, after_null: bool) -> Option<i32> {
        let evaluation = node
            .evaluation
            .filter(|_| !node.is_pv && !is_mate(node.beta))?;
        let margin = SURE_MARGIN * node.depth;
        if node.depth <= SURE_DEPTH && evaluation - margin >= node.beta {
            return Some(evaluation);
        }
        if after_null || node.depth < 3 || evaluation < node.beta || !has_pieces(node.board) {
            return None;
        }
        let passed = node.board.null_move()?;
        self.evaluation.push_null();
        self.path.push(&passed);
        let depth = node.depth - 3 - node.depth / 4 - ((evaluation - node.beta) / 200).min(2);
        let score = -self.node(
            &passed,
            node.ply + 1,
            depth,
            -node.beta,
            1 - node.beta,
            true,
        );
        self.unmake();
        if self.deadline.is_reached(self.nodes) || score < node.beta {
            return None;
        }
        // A mate after a pass is none.
        Some(if is_mate(score) { node.beta } else { score })
    }

    fn try_moves(&mut self, node: &Node<'_>, alpha: i32, hint: Option<Move>) -> i32 {
        let &Node {
            board, ply, beta, ..
        } = node;
        moves::all(board, hint, &self.history, ply, &mut self.candidates[ply]);
        if ply == 0 {
            self.keep_asked();
        }
        self.quiets[ply].clear();
        let (mut best, mut best_move, mut raised) = (-INFINITE, None, alpha);
        let mut number = 0;
        while let Some(candidate) = moves::pick(&mut self.candidates[ply], number) {
            number += 1;
            if best > -MATE + MAX_PLY as i32 && self.is_hopeless(node, &candidate, number) {
                continue;
            }
            let score = self.try_move(node, &candidate, number, raised);
            if self.deadline.is_reached(self.nodes) {
                return best.max(0);
            }
            if score > best {
                best = score;
                if score > raised {
                    raised = score;
                    best_move = Some(candidate.played);
                    self.lines.set(ply, candidate.played);
                }
                if score >= beta {
                    self.remember_cut(node, &candidate);
                    break;
                }
            }
            if candidate.is_quiet {
                self.quiets[ply].push(candidate.played);
            }
        }
        if number == 0 {
            return draws::score_without_moves(board, ply);
        }
        // Of some moves only, the score is not the position's.
        if ply == 0 && self.deadline.root_moves().is_some() {
            return best;
        }
        let bound = match best {
            best if best >= beta => Bound::Lower,
            best if best > alpha => Bound::Exact,
            _ => Bound::Upper,
        };
        self.table.put(
            board.hash(),
            Entry {
                best: best_move,
                score: to_table(best, ply) as i16,
                evaluation: node.evaluation.map(|evaluation| evaluation as i16),
                depth: node.depth.min(MAX_PLY as i32 - 1) as i8,
                bound,
            },
        );
        best
    }

    /// Whether a late or losing move is not worth a look so near to the leaves.
    fn is_hopeless(&self, node: &Node<'_>, candidate: &moves::Candidate, number: usize) -> bool {
        if node.ply == 0 || node.is_pv || node.in_check {
            return false;
        }
        if candidate.is_quiet {
            let most = FEW_MOVES + (node.depth * node.depth) as usize;
            return node.depth <= FEW_DEPTH && number > most;
        }
        node.depth <= LOSS_DEPTH
            && candidate.loses()
            && !exchange::is_worth(node.board, candidate.played, -LOSS * node.depth)
    }

    /// The score of a move: the first one between the whole bounds, others are first asked whether they
    /// are better at all, late ones at less depth.
    fn try_move(
        &mut self,
        node: &Node<'_>,
        candidate: &moves::Candidate,
        number: usize,
        alpha: i32,
    ) -> i32 {
        let next = self.make(node.board, candidate.played);
        let (ply, depth) = (node.ply + 1, node.depth - 1);
        let gives_check = !next.checkers().is_empty();
        let reduction = self.reduction(node, candidate, number, gives_check);
        let mut score = 0;
        let mut whole = number == 1;
        if !whole {
            score = -self.node(&next, ply, depth - reduction, -alpha - 1, -alpha, false);
            if score > alpha && reduction > 0 {
                score = -self.node(&next, ply, depth, -alpha - 1, -alpha, false);
            }
            whole = node.is_pv && score > alpha;
        }
        if whole {
            score = -self.node(&next, ply, depth, -node.beta, -alpha, false);
        }
        self.unmake();
        score
    }

    fn reduction(
        &self,
        node: &Node<'_>,
        candidate: &moves::Candidate,
        number: usize,
        gives_check: bool,
    ) -> i32 {
        if node.depth < 3 || number < 3 || node.in_check || gives_check {
            return 0;
        }
        if !candidate.is_quiet {
            return i32::from(candidate.loses());
        }
        let color = node.board.side_to_move();
        let played = candidate.played;
        let liked = i32::from(self.history.is_killer(node.ply, played))
            + self.history.tally(color, played) / 6_000;
        let plies = self.reductions.plies(node.depth, number) - i32::from(node.is_pv) - liked;
        plies.clamp(0, node.depth - 2)
    }

    fn remember_cut(&mut self, node: &Node<'_>, candidate: &moves::Candidate) {
        if candidate.is_quiet {
            let tried = &self.quiets[node.ply];
            let color = node.board.side_to_move();
            self.history
                .reward(color, node.ply, node.depth, candidate.played, tried);
        }
    }

    /// Makes a move: the evaluation and the path follow. [`unmake`](Self::unmake) takes it back.
    pub(super) fn make(&mut self, board: &Board, played: Move) -> Board {
        let mut next = board.clone();
        next.play_unchecked(played);
        self.table.prefetch(next.hash());
        self.evaluation.push(board, played);
        self.path.push(&next);
        next
    }

    pub(super) fn unmake(&mut self) {
        self.path.pop();
        self.evaluation.pop();
    }
}

/// Whether the mover has more than pawns: without, having to move may be what loses.
fn has_pieces(board: &Board) -> bool {
    let pawns_and_king = board.pieces(Piece::Pawn) | board.pieces(Piece::King);
    !(board.colors(board.side_to_move()) & !pawns_and_king).is_empty()
}
