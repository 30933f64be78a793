//! The men of some samples in the order of the rows that they switch on.
//!
//! A row of the gradient collects a slope from every view in which its input is on. Sample by sample,
//! some sixty rows would be fetched, added to and stored for each. Row by row, a row is fetched once for
//! a block of samples, summed up in registers and stored once.

use core::ops::Range;
use std::vec;
use std::vec::Vec;

use crate::train::inputs::Inputs;

/// A view of a sample: twice the sample's number in its block, and one more for the opponent's.
pub(super) type View = u8;

/// For some samples the rows whose inputs are on, and for each of these the views in which they are.
#[derive(Clone, Debug)]
pub(super) struct RowOrder {
    /// Those of many views first.
    runs: Vec<Run>,
    /// Rows in the order in which samples first have them: as many as there are runs count.
    found: Vec<u16>,
    /// The views of one run after the other.
    views: Vec<View>,
    /// For each row how many views it has, then where its next one belongs. All 0 between calls.
    counts: Vec<u16>,
}

/// A row and how many of the views are its.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) row: u16,
    len: u16,
}

impl RowOrder {
    /// How many views there may be. Their slopes take 32 KiB in a tile of two lanes, what most cores'
    /// first-level caches hold.
    pub(super) const VIEWS: usize = View::MAX as usize + 1;
    /// How many samples there may be.
    pub(super) const SAMPLES: usize = Self::VIEWS / 2;

    /// The order of no samples, for a network with so many inputs.
    pub(super) fn new(inputs: usize) -> Self {
        Self {
            runs: Vec::new(),
            found: vec![0; inputs + 1],
            views: Vec::new(),
            counts: vec![0; inputs],
        }
    }

    /// Takes these samples, [`RowOrder::SAMPLES`] at most, in place of the present ones: a counting
    /// sort of the views by row, and one of the rows by how many views they have: neighbours then have as
    /// many or nearly so. Rows that nobody has are not looked at.
    pub(super) fn sort(&mut self, inputs: &Inputs, samples: Range<usize>) {
        let found = self.count(inputs, samples.clone());
        self.order(found);
        self.place(inputs, samples);
        for run in &self.runs {
            self.counts[usize::from(run.row)] = 0;
        }
    }

    /// Finds the rows and counts their views. Whether a row is new cannot be foreseen, so that there is
    /// no branch: each is written behind those found, and kept there if it is new. Gives how many were found.
    fn count(&mut self, inputs: &Inputs, samples: Range<usize>) -> usize {
        let (counts, found) = (self.counts.as_mut_slice(), self.found.as_mut_slice());
        let mut len = 0;
        let mut men = inputs.from(samples.start);
        for _ in samples {
            for &row in men.next().as_flattened() {
                let count = &mut counts[usize::from(row)];
                found[len] = row;
                len += usize::from(*count == 0);
                *count += 1;
            }
        }
        len
    }

    /// Puts the rows in the order of falling numbers of views.
    fn order(&mut self, found: usize) {
        let found = &self.found[..found];
        let mut places = [0; Self::VIEWS + 1];
        for &row in found {
            places[usize::from(self.counts[usize::from(row)])] += 1;
        }
        let mut next = 0;
        for place in places.iter_mut().rev() {
            next += core::mem::replace(place, next);
        }
        self.runs.resize(found.len(), Run { row: 0, len: 0 });
        for &row in found {
            let len = self.counts[usize::from(row)];
            let place = &mut places[usize::from(len)];
            self.runs[*place] = Run { row, len };
            *place += 1;
        }
    }

    /// Puts every view where its row's are.
    fn place(&mut self, inputs: &Inputs, samples: Range<usize>) {
        let mut start = 0;
        for run in &self.runs {
            self.counts[usize::from(run.row)] = start;
            start += run.len;
        }
        self.views.resize(usize::from(start), 0);
        let (counts, views) = (self.counts.as_mut_slice(), self.views.as_mut_slice());
        let mut men = inputs.from(samples.start);
        for sample in 0..samples.len() {
            for man in men.next() {
                for view in 0..2 {
                    let next = &mut counts[usize::from(man[view])];
                    views[usize::from(*next)] = (2 * sample + view) as View;
                    *next += 1;
                }
            }
        }
    }

    /// The rows with their views, one after the other.
    #[inline(always)]
    pub(super) fn runs(&self) -> Runs<'_> {
        Runs {
            runs: &self.runs,
            views: &self.views,
        }
    }
}

/// The runs that are left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Runs<'a> {
    runs: &'a [Run],
    views: &'a [View],
}

impl<'a> Runs<'a> {
    /// The next two rows and the views in which they are on, which are no more in the second.
    #[inline(always)]
    pub(super) fn next_two(&mut self) -> Option<[(usize, &'a [View]); 2]> {
        if self.runs.len() < 2 {
            return None;
        }
        Some([self.next()?, self.next()?])
    }

    /// The next row and the views in which it is on.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<(usize, &'a [View])> {
        let (run, runs) = self.runs.split_first()?;
        let (of_row, views) = self.views.split_at(usize::from(run.len));
        (self.runs, self.views) = (runs, views);
        Some((usize::from(run.row), of_row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples of some men each, with the rows of both views.
    fn inputs(samples: &[&[[u16; 2]]]) -> Inputs {
        let mut inputs = Inputs::new();
        let (men, _) = inputs.resize(samples.iter().map(|men| men.len()));
        men.copy_from_slice(&samples.concat());
        inputs
    }

    fn found(order: &RowOrder) -> Vec<(usize, &[View])> {
        let mut runs = order.runs();
        core::iter::from_fn(|| runs.next()).collect()
    }

    #[test]
    fn every_view_is_with_its_row() {
        let inputs = inputs(&[&[[5, 5]], &[[7, 3], [5, 9]], &[], &[[3, 7], [9, 2]]]);
        let mut order = RowOrder::new(10);
        for _ in 0..2 {
            order.sort(&inputs, 0..4);
            let expected: [(usize, &[View]); 5] = [
                (5, &[0, 1, 2]),
                (7, &[2, 7]),
                (3, &[3, 6]),
                (9, &[3, 6]),
                (2, &[7]),
            ];
            assert_eq!(found(&order), expected);
        }
        order.sort(&inputs, 3..4);
        let expected: [(usize, &[View]); 4] = [(3, &[0]), (7, &[1]), (9, &[0]), (2, &[1])];
        assert_eq!(found(&order), expected);
        order.sort(&inputs, 4..4);
        assert_eq!(found(&order), []);
    }

    #[test]
    fn rows_of_many_views_come_first_and_go_in_twos() {
        let inputs = inputs(&[&[[4, 1]], &[[1, 0]], &[[0, 1]]]);
        let mut order = RowOrder::new(5);
        order.sort(&inputs, 0..3);
        let mut runs = order.runs();
        let two: [(usize, &[View]); 2] = [(1, &[1, 2, 5]), (0, &[3, 4])];
        assert_eq!(runs.next_two(), Some(two));
        assert_eq!(runs.next_two(), None);
        let one: (usize, &[View]) = (4, &[0]);
        assert_eq!(runs.next(), Some(one));
        assert_eq!(runs.next(), None);
    }

    #[test]
    fn a_view_numbers_as_many_samples_as_there_may_be() {
        let men: Vec<&[[u16; 2]]> = vec![&[[1, 0]]; RowOrder::SAMPLES];
        let mut order = RowOrder::new(2);
        order.sort(&inputs(&men), 0..RowOrder::SAMPLES);
        let views = |first: usize| -> Vec<View> {
            (first..256).step_by(2).map(|view| view as View).collect()
        };
        assert_eq!(found(&order), [(1, views(0).as_slice()), (0, &views(1))]);
    }
}
