//! The inputs that are on, of many samples.

use std::vec;
use std::vec::Vec;

use chess_records::Board;

use crate::feature_index;

/// For each sample its men, each as the input it switches on in the mover's view and the one in the
/// opponent's.
#[derive(Debug)]
pub(super) struct Inputs {
    men: Vec<[u16; 2]>,
    /// Where each sample's men end; the first entry is 0.
    ends: Vec<usize>,
}

impl Inputs {
    pub(super) fn new() -> Self {
        Self {
            men: Vec::new(),
            ends: vec![0],
        }
    }

    pub(super) fn clear(&mut self) {
        self.men.clear();
        self.ends.truncate(1);
    }

    pub(super) fn push(&mut self, board: &impl Board) {
        let mover = board.side_to_move();
        let men = board.placement().pieces().map(|(piece, square)| {
            [mover, mover.opponent()].map(|view| feature_index(view, piece, square) as u16)
        });
        self.men.extend(men);
        self.ends.push(self.men.len());
    }

    /// How many samples there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len() - 1
    }

    pub(super) fn samples(&self) -> impl Iterator<Item = &[[u16; 2]]> {
        self.ends
            .array_windows()
            .map(|&[start, end]| &self.men[start..end])
    }
}
