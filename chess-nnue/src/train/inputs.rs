//! The inputs that are on, of many samples.

use std::vec::Vec;

use chess_records::Board;

use crate::Architecture;

/// The inputs that one man switches on: in the mover's view, and in the opponent's.
///
/// With the most king buckets there are 32 · 768 inputs, which an `u16` can number.
pub(crate) type Man = [u16; 2];

/// For each sample its men.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Inputs {
    men: Vec<Man>,
    /// Where each sample's men end.
    ends: Vec<u32>,
}

/// The men of one sample after the other.
#[derive(Clone, Debug)]
pub(super) struct Men<'a> {
    men: &'a [Man],
    ends: &'a [u32],
    start: usize,
}

impl<'a> Men<'a> {
    /// The next sample's men; none after the last sample.
    #[inline(always)]
    pub(super) fn next(&mut self) -> &'a [Man] {
        let Some((&end, ends)) = self.ends.split_first() else {
            return &[];
        };
        let men = &self.men[self.start..end as usize];
        (self.ends, self.start) = (ends, end as usize);
        men
    }
}

impl Inputs {
    pub(super) const fn new() -> Self {
        Self {
            men: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// How many samples there are.
    #[allow(dead_code, reason = "for backends that copy it whole")]
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// All men, those of a sample together.
    #[allow(dead_code, reason = "for backends that copy it whole")]
    pub(crate) fn men(&self) -> &[Man] {
        &self.men
    }

    /// Where in [`Inputs::men`] each sample ends.
    #[allow(dead_code, reason = "for backends that copy it whole")]
    pub(crate) fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// The men of one sample after the other, from this one on.
    #[inline(always)]
    pub(super) fn from(&self, sample: usize) -> Men<'_> {
        let start = match sample {
            0 => 0,
            _ => self.ends[sample - 1] as usize,
        };
        Men {
            men: &self.men,
            ends: &self.ends[sample..],
            start,
        }
    }

    /// Makes room for samples with these numbers of men. They are to be filled in.
    pub(super) fn resize(&mut self, men: impl Iterator<Item = usize>) -> &mut [Man] {
        self.ends.clear();
        let mut end = 0;
        for men in men {
            end += men as u32;
            self.ends.push(end);
        }
        self.men.resize(end as usize, [0; 2]);
        &mut self.men
    }
}

/// Fills in the men of one board, as many as its placement counts.
pub(super) fn fill(men: &mut [Man], board: &impl Board, architecture: &Architecture) {
    let (mover, placement) = (board.side_to_move(), board.placement());
    let views = [mover, mover.opponent()].map(|view| architecture.perspective(view, &placement));
    for (man, (piece, square)) in men.iter_mut().zip(placement.pieces()) {
        *man = [
            views[0].input(piece, square) as u16,
            views[1].input(piece, square) as u16,
        ];
    }
}
