//! One game.

use std::vec::Vec;

use chess_records::GameResult;
use cozy_chess::{Board, Color, Move};

use super::ending::{self, Adjudication, Ended, Judge};
use crate::selfplay::search::Found;

/// A game that was played.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlayedGame {
    /// Where it started.
    pub start: Board,
    /// The moves.
    pub moves: Vec<PlayedMove>,
    /// Who won.
    pub result: GameResult,
    /// How.
    pub ended: Ended,
}

/// A move, and what the search that chose it said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlayedMove {
    /// The move; castling is the king onto its rook.
    pub played: Move,
    /// The score of the position before the move in centipawns, from White's side.
    pub white_cp: i32,
}

/// Plays a game from `start` to its end. `choose` searches a position whose game so far it is given;
/// with `None` the player whose move it is has run out of time.
pub(in crate::selfplay) fn play(
    start: &Board,
    adjudication: Adjudication,
    mut choose: impl FnMut(&Board, &[Board]) -> Option<Found>,
) -> PlayedGame {
    let (mut board, mut before, mut moves) = (start.clone(), Vec::new(), Vec::new());
    let mut judge = Judge::new(adjudication);
    let mut over = ending::by_rules(&board, &before);
    while over.is_none() {
        let Some(found) = choose(&board, &before) else {
            let winner = !board.side_to_move();
            over = Some((Ended::Time, GameResult::won_by(winner.into())));
            break;
        };
        // The rules say that there is one.
        let Some(played) = found.best else { break };
        let white_cp = white_cp(found.score, board.side_to_move());
        moves.push(PlayedMove { played, white_cp });
        before.push(board.clone());
        board.play_unchecked(played);
        over = ending::by_rules(&board, &before).or_else(|| judge.add(white_cp));
    }
    let (ended, result) = over.unwrap_or((Ended::Drawn, GameResult::Draw));
    PlayedGame {
        start: start.clone(),
        moves,
        result,
        ended,
    }
}

const fn white_cp(score: i32, mover: Color) -> i32 {
    match mover {
        Color::White => score,
        Color::Black => -score,
    }
}
