//! The inputs that are on, of many samples.

use std::vec::Vec;

use chess_records::{Color, Piece, Placement, Square};

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
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// All men, those of a sample together.
    #[cfg(any(test, feature = "gpu"))]
    pub(crate) fn men(&self) -> &[Man] {
        &self.men
    }

    /// Where in [`Inputs::men`] each sample ends.
    #[cfg(any(test, feature = "gpu"))]
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

    /// Makes room for samples with these numbers of men, and gives the men, which are to be filled in,
    /// and where each sample's end.
    pub(super) fn resize(&mut self, men: impl Iterator<Item = usize>) -> (&mut [Man], &[u32]) {
        self.ends.clear();
        let mut end = 0;
        for men in men {
            end += men as u32;
            self.ends.push(end);
        }
        self.men.resize(end as usize, [0; 2]);
        (&mut self.men, &self.ends)
    }
}

/// Fills in the men of one position, as many as its placement counts.
pub(super) fn fill(
    men: &mut [Man],
    mover: Color,
    placement: &Placement,
    architecture: &Architecture,
) {
    // Not by `map`, whose closure is called and not inlined.
    let views = [
        architecture.perspective(mover, placement),
        architecture.perspective(mover.opponent(), placement),
    ];
    let mut men = men.iter_mut();
    for piece in Piece::ALL {
        // The lowest six bits are those of the square, flipped: those of a1 are the flips.
        let first = [
            views[0].input(piece, Square::A1) as u16,
            views[1].input(piece, Square::A1) as u16,
        ];
        let mut squares = placement.mask(piece);
        while squares != 0
            && let Some(man) = men.next()
        {
            let square = squares.trailing_zeros() as u16;
            *man = [first[0] ^ square, first[1] ^ square];
            squares &= squares - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KingBuckets;
    use crate::train::train_common::random_positions;
    use chess_records::Board;

    #[test]
    fn inputs_are_the_evaluators() {
        let map = core::array::from_fn(|square| (square % 32) as u8);
        let plain = Architecture::new(16).unwrap();
        let bucketed = plain
            .clone()
            .with_king_buckets(KingBuckets::new(map, true).unwrap());
        for architecture in [plain, bucketed] {
            for sample in random_positions(100, 1).0 {
                let placement = sample.placement();
                let mut men = std::vec![[0; 2]; placement.men() as usize];
                let mover = sample.side_to_move();
                fill(&mut men, mover, &placement, &architecture);
                let views = [mover, mover.opponent()]
                    .map(|view| architecture.perspective(view, &placement));
                let expected = placement
                    .pieces()
                    .map(|(piece, square)| views.map(|view| view.input(piece, square) as u16));
                assert!(expected.eq(men));
            }
        }
    }
}
