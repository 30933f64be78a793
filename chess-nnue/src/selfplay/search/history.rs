//! Quiet moves that cut before are tried early again.

use std::boxed::Box;

use cozy_chess::{Color, Move, Square};

use crate::selfplay::score::MAX_PLY;

/// Quiet moves that refuted others: two for each ply, and a tally by squares.
#[derive(Clone, Debug)]
pub(super) struct History {
    killers: Box<[[Option<Move>; 2]; MAX_PLY]>,
    tally: Box<[[[i16; Square::NUM]; Square::NUM]; Color::NUM]>,
}

/// What no tally goes beyond.
pub(super) const MOST: i32 = 16_384;

impl History {
    pub(super) fn new() -> Self {
        Self {
            killers: Box::new([[None; 2]; MAX_PLY]),
            tally: Box::new([[[0; Square::NUM]; Square::NUM]; Color::NUM]),
        }
    }

    /// Forgets the killers, which belong to one search, and half of the tally.
    pub(super) fn age(&mut self) {
        self.killers.fill([None; 2]);
        for count in self.tally.as_flattened_mut().as_flattened_mut() {
            *count /= 2;
        }
    }

    pub(super) fn clear(&mut self) {
        *self = Self::new();
    }

    pub(super) fn is_killer(&self, ply: usize, played: Move) -> bool {
        self.killers[ply].contains(&Some(played))
    }

    pub(super) fn tally(&self, color: Color, played: Move) -> i32 {
        i32::from(self.tally[color as usize][played.from as usize][played.to as usize])
    }

    /// `best` refuted the move before it, `tried` did not.
    pub(super) fn reward(
        &mut self,
        color: Color,
        ply: usize,
        depth: i32,
        best: Move,
        tried: &[Move],
    ) {
        let killers = &mut self.killers[ply];
        if killers[0] != Some(best) {
            *killers = [Some(best), killers[0]];
        }
        let bonus = (16 * depth * depth + 32 * depth).min(1_500);
        self.add(color, best, bonus);
        for &played in tried {
            self.add(color, played, -bonus);
        }
    }

    /// The nearer to its bound, the less a tally moves.
    fn add(&mut self, color: Color, played: Move, bonus: i32) {
        let tally = &mut self.tally[color as usize][played.from as usize][played.to as usize];
        let before = i32::from(*tally);
        *tally = (before + bonus - before * bonus.abs() / MOST) as i16;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tallies_stay_within_their_bound() {
        let mut history = History::new();
        let (best, tried) = ("e2e4".parse().unwrap(), "d2d4".parse().unwrap());
        for _ in 0..10_000 {
            history.reward(Color::White, 3, 20, best, &[tried]);
        }
        let tally = |played| history.tally(Color::White, played);
        assert!((MOST - 50..=MOST).contains(&tally(best)), "{}", tally(best));
        assert!((-MOST..=-MOST + 50).contains(&tally(tried)));
        assert_eq!(history.tally(Color::Black, best), 0);
    }

    #[test]
    fn two_killers_a_ply() {
        let mut history = History::new();
        let [a, b, c] = ["a2a3", "b2b3", "c2c3"].map(|text| text.parse().unwrap());
        for played in [a, b, b, c] {
            history.reward(Color::White, 5, 1, played, &[]);
        }
        assert_eq!(
            [a, b, c].map(|played| history.is_killer(5, played)),
            [false, true, true]
        );
        assert!(!history.is_killer(4, c));
        history.age();
        assert!(!history.is_killer(5, c));
    }
}
