//! Draws, and games that are over.

use std::vec::Vec;

use cozy_chess::{BitBoard, Board, Piece};

use crate::selfplay::score::mated_in;

/// The positions that led to the one being searched.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    /// Of each position, the game's first.
    keys: Vec<u64>,
    /// Where the root of the search stands among them.
    root: usize,
}

impl Path {
    pub(super) fn begin(&mut self, board: &Board, before: &[Board]) {
        self.keys.clear();
        self.keys.extend(before.iter().map(Board::hash));
        self.root = self.keys.len();
        self.keys.push(board.hash());
    }

    pub(super) fn push(&mut self, board: &Board) {
        self.keys.push(board.hash());
    }

    pub(super) fn pop(&mut self) {
        self.keys.pop();
    }

    /// Whether the present position stood before: once since the root, where a repetition can be had
    /// again, or twice in the game.
    pub(super) fn repeats(&self, board: &Board) -> bool {
        let reversible = usize::from(board.halfmove_clock());
        let last = self.keys.len() - 1;
        let earliest = last.saturating_sub(reversible);
        let mut before_root = 0;
        for at in (earliest..last).rev().skip(1).step_by(2) {
            if self.keys[at] == board.hash() {
                before_root += usize::from(at < self.root);
                if at >= self.root || before_root == 2 {
                    return true;
                }
            }
        }
        false
    }
}

/// Whether neither side can mate, however it is played: bare kings, with at most one minor piece.
#[must_use]
pub(in crate::selfplay) fn lacks_material(board: &Board) -> bool {
    let minors = board.pieces(Piece::Knight) | board.pieces(Piece::Bishop);
    let kings = board.pieces(Piece::King);
    (board.occupied() ^ kings ^ minors) == BitBoard::EMPTY && minors.len() <= 1
}

/// Whether fifty moves of each side have passed without a capture or a pawn's move. A mate comes first.
pub(in crate::selfplay) fn is_fifty_moves(board: &Board) -> bool {
    board.halfmove_clock() >= 100 && (board.checkers().is_empty() || board.generate_moves(|_| true))
}

/// The score of a side that has no move.
pub(super) fn score_without_moves(board: &Board, ply: usize) -> i32 {
    if board.checkers().is_empty() {
        0
    } else {
        mated_in(ply)
    }
}

#[cfg(test)]
mod tests {
    use std::vec;

    use super::*;

    /// The boards of a game from the start.
    fn boards(moves: &str) -> Vec<Board> {
        let mut boards = vec![Board::default()];
        for played in moves.split(' ') {
            let mut next = boards[boards.len() - 1].clone();
            next.play(played.parse().unwrap());
            boards.push(next);
        }
        boards
    }

    #[test]
    fn repetitions() {
        let game = boards("g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8");
        let (third, second) = (&game[8], &game[4]);
        let repeats = |root: usize, last: usize| {
            let mut path = Path::default();
            path.begin(&game[root], &game[..root]);
            game[root + 1..=last]
                .iter()
                .for_each(|board| path.push(board));
            path.repeats(&game[last])
        };
        assert!(second.same_position(third));
        // Second time, all of it before the root; second time since the root; third time.
        assert!(!repeats(4, 4));
        assert!(repeats(0, 4));
        assert!(!repeats(2, 4));
        assert!(repeats(8, 8));
        assert!(repeats(5, 8));
    }

    #[test]
    fn dead_positions() {
        for (fen, expected) in [
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", true),
            ("4k3/8/8/8/8/8/8/4KB2 w - - 0 1", true),
            ("4kn2/8/8/8/8/8/8/4K3 w - - 0 1", true),
            ("4kn2/8/8/8/8/8/8/4KB2 w - - 0 1", false),
            ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", false),
            ("4k3/8/8/8/8/8/8/4KR2 w - - 0 1", false),
        ] {
            assert_eq!(lacks_material(&fen.parse().unwrap()), expected, "{fen}");
        }
    }

    #[test]
    fn a_mate_comes_before_fifty_moves() {
        let board = |fen: &str| fen.parse::<Board>().unwrap();
        assert!(is_fifty_moves(&board("4k3/8/8/8/8/8/8/4KR2 w - - 100 90")));
        assert!(!is_fifty_moves(&board("4k3/8/8/8/8/8/8/4KR2 w - - 99 90")));
        assert!(!is_fifty_moves(&board("R3k3/8/4K3/8/8/8/8/8 b - - 100 90")));
    }
}
