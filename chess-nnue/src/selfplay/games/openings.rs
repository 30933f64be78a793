//! Fifty openings, as widely played as they are balanced.

use std::vec::Vec;

use cozy_chess::Board;

/// From the usual start, in UCI's notation.
const LINES: [&str; 50] = [
    "e2e4 e7e5 g1f3 b8c6 f1b5",
    "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5",
    "e2e4 e7e5 g1f3 b8c6 d2d4 e5d4 f3d4",
    "e2e4 e7e5 g1f3 g8f6",
    "e2e4 e7e5 b1c3 g8f6",
    "e2e4 e7e5 f1c4 g8f6",
    "e2e4 e7e5 g1f3 d7d6 d2d4",
    "e2e4 e7e5 g1f3 b8c6 b1c3 g8f6",
    "e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3",
    "e2e4 c7c5 g1f3 b8c6",
    "e2e4 c7c5 g1f3 e7e6 d2d4 c5d4 f3d4",
    "e2e4 c7c5 b1c3 b8c6",
    "e2e4 c7c5 c2c3 g8f6",
    "e2e4 c7c5 g1f3 g7g6",
    "e2e4 e7e6 d2d4 d7d5 b1c3",
    "e2e4 e7e6 d2d4 d7d5 e4e5",
    "e2e4 e7e6 d2d4 d7d5 b1d2",
    "e2e4 e7e6 d2d4 d7d5 e4d5 e6d5",
    "e2e4 c7c6 d2d4 d7d5 b1c3 d5e4 c3e4",
    "e2e4 c7c6 d2d4 d7d5 e4e5",
    "e2e4 c7c6 d2d4 d7d5 e4d5 c6d5",
    "e2e4 d7d5 e4d5 d8d5",
    "e2e4 g8f6 e4e5 f6d5",
    "e2e4 d7d6 d2d4 g8f6 b1c3 g7g6",
    "e2e4 g7g6 d2d4 f8g7",
    "e2e4 b8c6",
    "d2d4 d7d5 c2c4 e7e6 b1c3 g8f6",
    "d2d4 d7d5 c2c4 c7c6 g1f3 g8f6",
    "d2d4 d7d5 c2c4 d5c4 g1f3",
    "d2d4 d7d5 g1f3 g8f6 c1f4",
    "d2d4 d7d5 c2c4 e7e6 g1f3",
    "d2d4 d7d5 c2c4 c7c6 b1c3 e7e6",
    "d2d4 d7d5 c2c4 e7e6 c4d5 e6d5",
    "d2d4 g8f6 c2c4 e7e6 b1c3 f8b4",
    "d2d4 g8f6 c2c4 e7e6 g1f3 b7b6",
    "d2d4 g8f6 c2c4 e7e6 g1f3 f8b4",
    "d2d4 g8f6 c2c4 g7g6 b1c3 f8g7 e2e4 d7d6",
    "d2d4 g8f6 c2c4 g7g6 b1c3 d7d5",
    "d2d4 g8f6 c2c4 c7c5 d4d5 e7e6",
    "d2d4 g8f6 c2c4 e7e6 g2g3 d7d5",
    "d2d4 g8f6 c1g5",
    "d2d4 g8f6 g1f3 e7e6 c1f4",
    "d2d4 f7f5",
    "d2d4 d7d5 c1f4",
    "c2c4 e7e5 b1c3 g8f6",
    "c2c4 c7c5 g1f3",
    "c2c4 g8f6 b1c3 e7e6",
    "g1f3 d7d5 g2g3",
    "g1f3 g8f6 c2c4 g7g6",
    "g1f3 d7d5 c2c4 c7c6",
];

/// The positions after them.
pub(super) fn balanced() -> Vec<Board> {
    LINES.iter().filter_map(|line| after(line)).collect()
}

fn after(line: &str) -> Option<Board> {
    let mut board = Board::default();
    for played in line.split(' ') {
        board.try_play(played.parse().ok()?).ok()?;
    }
    Some(board)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selfplay::{HandWritten, Limits, Search};

    #[test]
    fn all_are_legal_different_and_even() {
        let boards = balanced();
        assert_eq!(boards.len(), LINES.len());
        let mut search = Search::new(HandWritten::new(), 1 << 20);
        for (place, board) in boards.iter().enumerate() {
            let same = boards.iter().filter(|other| other.same_position(board));
            assert_eq!(same.count(), 1, "{}", LINES[place]);
            let found = search.search(board, &[], Limits::new().nodes(3_000));
            assert!(found.score.abs() < 120, "{}: {}", LINES[place], found.score);
        }
    }
}
