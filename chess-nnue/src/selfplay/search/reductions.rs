//! How much less deep late moves are searched.

use std::boxed::Box;

/// Plies by depth and by the number of the move, both up to 63.
#[derive(Clone, Debug)]
pub(super) struct Reductions(Box<[[u8; 64]; 64]>);

impl Reductions {
    pub(super) fn new() -> Self {
        let mut table = Box::new([[0; 64]; 64]);
        for (depth, row) in table.iter_mut().enumerate().skip(1) {
            for (number, plies) in row.iter_mut().enumerate().skip(1) {
                *plies = (0.6 + (depth as f64).ln() * (number as f64).ln() / 2.3) as u8;
            }
        }
        Self(table)
    }

    pub(super) fn plies(&self, depth: i32, number: usize) -> i32 {
        i32::from(self.0[depth.clamp(0, 63) as usize][number.min(63)])
    }
}
