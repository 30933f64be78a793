//! The best line found from each ply.

use std::vec;
use std::vec::Vec;

use cozy_chess::Move;

use crate::selfplay::score::MAX_PLY;

/// Lines by ply, each the move found best there and the line after it.
#[derive(Clone, Debug)]
pub(super) struct Lines(Vec<Vec<Move>>);

impl Lines {
    pub(super) fn new() -> Self {
        Self(vec![Vec::new(); MAX_PLY + 2])
    }

    pub(super) fn clear(&mut self, ply: usize) {
        self.0[ply].clear();
    }

    /// `best` is played at `ply`, and then the best line of the ply after.
    pub(super) fn set(&mut self, ply: usize, best: Move) {
        if let [line, after, ..] = &mut self.0[ply..] {
            line.clear();
            line.push(best);
            line.extend_from_slice(after);
        }
    }

    pub(super) fn root(&self) -> &[Move] {
        &self.0[0]
    }
}
