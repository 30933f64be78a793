//! When a game is over, by the rules or because both players know how it ends.

use chess_records::GameResult;
use cozy_chess::Board;

use crate::selfplay::score::is_mate;
use crate::selfplay::search::{is_fifty_moves, lacks_material};

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Ended {
    /// Mate.
    Mate,
    /// No legal move, and no check.
    Stalemate,
    /// The same position for the third time.
    Repetition,
    /// Fifty moves of each side without a capture or a pawn's move.
    FiftyMoves,
    /// Neither side can mate.
    Material,
    /// Both sides saw one of them far ahead for long enough.
    Won,
    /// Both sides saw it even for long enough.
    Drawn,
    /// As many plies as a game may have.
    TooLong,
    /// A player's clock ran out.
    Time,
}

/// When a game is broken off because its end is clear. Scores are those of the searches that chose the
/// moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Adjudication {
    /// A side that is ahead by this many centipawns…
    pub won_cp: i32,
    /// …for so many plies, by both sides' scores, has won. 0 never.
    pub won_plies: u32,
    /// A game within this many centipawns of even…
    pub drawn_cp: i32,
    /// …for so many plies is drawn. 0 never.
    pub drawn_plies: u32,
    /// But not before this ply.
    pub drawn_from_ply: u32,
    /// After so many plies a game is drawn.
    pub most_plies: u32,
}

impl Adjudication {
    /// 1,500 centipawns for 6 plies; 5 for 16 plies, from ply 100 on; 400 plies.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            won_cp: 1_500,
            won_plies: 6,
            drawn_cp: 5,
            drawn_plies: 16,
            drawn_from_ply: 100,
            most_plies: 400,
        }
    }

    /// No game is broken off before 1,000 plies.
    #[must_use]
    pub const fn never() -> Self {
        Self {
            won_plies: 0,
            drawn_plies: 0,
            most_plies: 1_000,
            ..Self::new()
        }
    }
}

impl Default for Adjudication {
    fn default() -> Self {
        Self::new()
    }
}

/// Whether the rules end the game at `board`, which `before` led to.
pub(super) fn by_rules(board: &Board, before: &[Board]) -> Option<(Ended, GameResult)> {
    if !board.generate_moves(|_| true) {
        return Some(if board.checkers().is_empty() {
            (Ended::Stalemate, GameResult::Draw)
        } else {
            (
                Ended::Mate,
                GameResult::won_by((!board.side_to_move()).into()),
            )
        });
    }
    let ended = if is_fifty_moves(board) {
        Ended::FiftyMoves
    } else if lacks_material(board) {
        Ended::Material
    } else if is_third_time(board, before) {
        Ended::Repetition
    } else {
        return None;
    };
    Some((ended, GameResult::Draw))
}

fn is_third_time(board: &Board, before: &[Board]) -> bool {
    let reversible = usize::from(board.halfmove_clock()).min(before.len());
    let recent = &before[before.len() - reversible..];
    recent
        .iter()
        .filter(|earlier| earlier.same_position(board))
        .count()
        >= 2
}

/// Counts for how long scores have been clear.
#[derive(Clone, Debug)]
pub(super) struct Judge {
    rules: Adjudication,
    plies: u32,
    white_ahead: u32,
    black_ahead: u32,
    even: u32,
}

impl Judge {
    pub(super) const fn new(rules: Adjudication) -> Self {
        Self {
            rules,
            plies: 0,
            white_ahead: 0,
            black_ahead: 0,
            even: 0,
        }
    }

    /// A move was made, with this score for White.
    pub(super) fn add(&mut self, white_cp: i32) -> Option<(Ended, GameResult)> {
        let rules = self.rules;
        let count = |holds: bool, before: u32| if holds { before + 1 } else { 0 };
        self.plies += 1;
        self.white_ahead = count(white_cp >= rules.won_cp, self.white_ahead);
        self.black_ahead = count(-white_cp >= rules.won_cp, self.black_ahead);
        let is_even = white_cp.abs() <= rules.drawn_cp && !is_mate(white_cp);
        self.even = count(is_even, self.even);
        let long = |plies: u32, needed: u32| needed > 0 && plies >= needed;
        if long(self.white_ahead, rules.won_plies) {
            Some((Ended::Won, GameResult::WhiteWon))
        } else if long(self.black_ahead, rules.won_plies) {
            Some((Ended::Won, GameResult::BlackWon))
        } else if long(self.even, rules.drawn_plies) && self.plies >= rules.drawn_from_ply {
            Some((Ended::Drawn, GameResult::Draw))
        } else if self.plies >= rules.most_plies {
            Some((Ended::TooLong, GameResult::Draw))
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_must_be_clear_without_a_break() {
        let mut judge = Judge::new(Adjudication::new());
        for score in [1_500, 1_600, 1_700, 1_800, 1_900, 1_499] {
            assert_eq!(judge.add(score), None);
        }
        for _ in 0..5 {
            assert_eq!(judge.add(-30_000), None);
        }
        assert_eq!(judge.add(-1_500), Some((Ended::Won, GameResult::BlackWon)));
    }

    #[test]
    fn even_games_are_drawn_late() {
        let mut judge = Judge::new(Adjudication::new());
        let plies = (0..).take_while(|_| judge.add(5).is_none()).count();
        assert_eq!(plies, 99);
        let mut judge = Judge::new(Adjudication::never());
        let plies = (0..).take_while(|_| judge.add(0).is_none()).count();
        assert_eq!(plies, 999);
    }

    #[test]
    fn the_rules() {
        for (fen, expected) in [
            (
                "R3k3/8/4K3/8/8/8/8/8 b - - 0 1",
                Some((Ended::Mate, GameResult::WhiteWon)),
            ),
            (
                "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
                Some((Ended::Stalemate, GameResult::Draw)),
            ),
            (
                "4k3/8/8/8/8/8/8/4KR2 w - - 100 90",
                Some((Ended::FiftyMoves, GameResult::Draw)),
            ),
            (
                "4k3/8/8/8/8/8/8/4KB2 w - - 0 90",
                Some((Ended::Material, GameResult::Draw)),
            ),
            ("4k3/8/8/8/8/8/8/4KR2 w - - 99 90", None),
        ] {
            assert_eq!(by_rules(&fen.parse().unwrap(), &[]), expected, "{fen}");
        }
    }
}
