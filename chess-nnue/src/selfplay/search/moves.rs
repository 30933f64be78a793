//! Moves in the order in which they are tried.

use std::vec::Vec;

use cozy_chess::{Board, Move, Piece};

use super::exchange::{self, VALUES, captured};
use super::history::{History, MOST};

/// A move, what it takes, and how early it is tried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) played: Move,
    /// Neither a capture nor a queen.
    pub(super) is_quiet: bool,
    rank: i32,
}

/// Above all others, for the move that an earlier search found best.
const FIRST: i32 = 1 << 24;
/// Captures that lose nothing.
const GOOD_CAPTURE: i32 = 1 << 20;
const KILLER: i32 = 1 << 18;
/// Captures that lose something, after all quiet moves.
const BAD_CAPTURE: i32 = -(1 << 20);
const _: () = assert!(KILLER > MOST);

/// All legal moves, into `list`.
pub(super) fn all(
    board: &Board,
    best: Option<Move>,
    history: &History,
    ply: usize,
    list: &mut Vec<Candidate>,
) {
    list.clear();
    let mover = board.side_to_move();
    board.generate_moves(|moves| {
        let moved = moves.piece;
        list.extend(moves.into_iter().map(|played| {
            let loud = loud_rank(board, moved, played);
            let rank = match loud {
                _ if best == Some(played) => FIRST,
                Some(rank) if exchange::is_worth(board, played, 0) => GOOD_CAPTURE + rank,
                Some(rank) => BAD_CAPTURE + rank,
                None if history.is_killer(ply, played) => KILLER,
                None => history.tally(mover, played),
            };
            Candidate {
                played,
                is_quiet: loud.is_none(),
                rank,
            }
        }));
        false
    });
}

/// Captures and queens that lose nothing, into `list`.
pub(super) fn loud(board: &Board, best: Option<Move>, list: &mut Vec<Candidate>) {
    list.clear();
    let others = board.colors(!board.side_to_move());
    board.generate_moves(|mut moves| {
        let moved = moves.piece;
        if moved != Piece::Pawn {
            moves.to &= others;
        }
        for played in moves {
            let Some(rank) = loud_rank(board, moved, played) else {
                continue;
            };
            if exchange::is_worth(board, played, 0) {
                let rank = if best == Some(played) { FIRST } else { rank };
                list.push(Candidate {
                    played,
                    is_quiet: false,
                    rank,
                });
            }
        }
        false
    });
}

/// The most valuable victim first, taken by the least valuable man; `None` for quiet moves.
fn loud_rank(board: &Board, moved: Piece, played: Move) -> Option<i32> {
    let victim = captured(board, moved, played);
    let queen = played.promotion == Some(Piece::Queen);
    if victim.is_none() && !queen {
        return None;
    }
    let victim = victim.map_or(0, |piece| VALUES[piece as usize]);
    let made = if queen {
        VALUES[Piece::Queen as usize]
    } else {
        0
    };
    Some(8 * (victim + made) - moved as i32)
}

impl Candidate {
    /// Whether it is a capture that loses something.
    pub(super) const fn loses(&self) -> bool {
        self.rank < BAD_CAPTURE / 2
    }
}

/// Takes the best of those from `next` on to the front; most nodes cut before the list is sorted.
pub(super) fn pick(list: &mut [Candidate], next: usize) -> Option<Candidate> {
    let rest = list.get_mut(next..)?;
    // One number of rank and place, so that no branch depends on ranks; the first of equals.
    let places = (0..u32::MAX).map(|place| i64::from(!place));
    let ranks = rest.iter().map(|candidate| i64::from(candidate.rank) << 32);
    let best = ranks.zip(places).map(|(rank, place)| rank | place).max()?;
    rest.swap(0, !(best as u32) as usize);
    rest.first().copied()
}

#[cfg(test)]
mod tests {
    use std::string::{String, ToString};

    use super::*;

    fn order(fen: &str, best: Option<Move>) -> Vec<String> {
        let board = Board::from_fen(fen, false).unwrap();
        let mut list = Vec::new();
        all(&board, best, &History::new(), 0, &mut list);
        (0..list.len())
            .map(|next| pick(&mut list, next).unwrap().played.to_string())
            .collect()
    }

    #[test]
    fn winning_captures_first_and_losing_ones_last() {
        // The pawn takes the queen or the rook, the queen a defended pawn.
        let fen = "4k3/2p5/1p1p4/3Q4/8/2q1r3/3P4/6K1 w - - 0 1";
        let order1 = order(fen, None);
        assert_eq!(order1[..2], ["d2c3", "d2e3"]);
        assert_eq!(order1.last().unwrap(), "d5d6");
        let order2 = order(fen, "d5a8".parse().ok());
        assert_eq!(order2[..2], ["d5a8", "d2c3"]);
    }

    #[test]
    fn loud_moves_are_all_but_losing_captures() {
        for (fen, expected) in [
            ("4k3/2p5/1p1p4/3Q4/8/2q1r3/3P4/6K1 w - - 0 1", 2),
            ("8/4P1k1/8/3pP3/8/8/8/4K3 w - d6 0 2", 2),
            ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", 0),
        ] {
            let board = Board::from_fen(fen, false).unwrap();
            let mut list = Vec::new();
            loud(&board, None, &mut list);
            assert_eq!(list.len(), expected, "{fen} {list:?}");
        }
    }
}
