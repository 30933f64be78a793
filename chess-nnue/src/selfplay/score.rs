//! Scores of a search, in centipawns for the side to move.
//!
//! A mate in `n` plies is worth [`MATE`] - `n`, far above every evaluation: those end at
//! [`EVALUATION_LIMIT`], so that no network's opinion looks like a mate.

use crate::Evaluator;

/// The deepest line, in plies from the root.
pub const MAX_PLY: usize = 128;
/// A mate on the board, seen by the side that gives it.
pub const MATE: i32 = 32_000;
/// The largest evaluation.
pub const EVALUATION_LIMIT: i32 = Evaluator::DEFAULT_LIMIT_CP;
/// Above every score.
pub(super) const INFINITE: i32 = MATE + 1;
/// The least score that stands for a mate.
const LEAST_MATE: i32 = MATE - MAX_PLY as i32;
const _: () = assert!(EVALUATION_LIMIT < LEAST_MATE);

/// The score of the side that is mated `ply` plies from the root.
pub(super) const fn mated_in(ply: usize) -> i32 {
    ply as i32 - MATE
}

/// Whether a score stands for a mate, given or received.
#[must_use]
pub const fn is_mate(score: i32) -> bool {
    score.abs() >= LEAST_MATE
}

/// The moves to a mate, negative for the side that is mated, or `None` for another score.
#[must_use]
pub const fn mate_in_moves(score: i32) -> Option<i32> {
    if !is_mate(score) {
        return None;
    }
    let plies = MATE - score.abs();
    Some(if score > 0 {
        (plies + 1) / 2
    } else {
        -(plies / 2)
    })
}

/// A score as the transposition table keeps it: mates counted from the position and not from the
/// root, since other lines reach it at other plies.
pub(super) const fn to_table(score: i32, ply: usize) -> i32 {
    if !is_mate(score) {
        score
    } else if score > 0 {
        score + ply as i32
    } else {
        score - ply as i32
    }
}

/// The reverse of [`to_table`].
pub(super) const fn from_table(score: i32, ply: usize) -> i32 {
    if !is_mate(score) {
        score
    } else if score > 0 {
        score - ply as i32
    } else {
        score + ply as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_told_from_evaluations() {
        assert!(!is_mate(EVALUATION_LIMIT) && !is_mate(-EVALUATION_LIMIT));
        assert!(is_mate(mated_in(MAX_PLY)) && is_mate(-mated_in(0)));
        assert_eq!(mate_in_moves(-mated_in(1)), Some(1));
        assert_eq!(mate_in_moves(-mated_in(3)), Some(2));
        assert_eq!(mate_in_moves(mated_in(2)), Some(-1));
        assert_eq!(mate_in_moves(300), None);
    }

    #[test]
    fn the_table_counts_from_the_position() {
        for score in [-mated_in(7), mated_in(8), 55] {
            assert_eq!(from_table(to_table(score, 5), 5), score);
        }
        // Mate at ply 7 seen from ply 5 is two plies away, from ply 2 it is at ply 4.
        assert_eq!(from_table(to_table(-mated_in(7), 5), 2), -mated_in(4));
    }
}
