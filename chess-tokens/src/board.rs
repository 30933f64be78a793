//! Games on a board.

use chess_records::{Position, UciMove};
use thiserror::Error;

use crate::tokenizer::replay;

/// Why moves lead to no position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("ply {ply}, {found}, is not legal")]
#[non_exhaustive]
pub struct ReplayError {
    /// Which ply, from 1, White's first move.
    pub ply: usize,
    /// The move.
    pub found: UciMove,
}

/// The position after moves from the usual start.
///
/// # Errors
///
/// When a move is not legal.
pub fn position_after(moves: &[UciMove]) -> Result<Position, ReplayError> {
    let mut position = replay::start();
    for (&found, ply) in moves.iter().zip(1..) {
        position = replay::after(&position, found).ok_or(ReplayError { ply, found })?;
    }
    Ok(position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_lead_somewhere() {
        let after = |moves: &str| {
            let moves = moves.split_whitespace().map(|played| played.parse());
            let moves: Vec<_> = moves.map(Result::unwrap).collect();
            position_after(&moves).map(|position| position.fen().to_string())
        };
        let castled = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 e1g1";
        assert_eq!(
            after(castled).unwrap(),
            "r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQ1RK1 b kq - 1 4"
        );
        assert_eq!(
            after("e2e4 e7e5 e1g1").unwrap_err().to_string(),
            "ply 3, e1g1, is not legal"
        );
    }
}
