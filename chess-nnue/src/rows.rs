//! Lists of first-layer rows.

use chess_records::{Piece, Placement, Squares};

use crate::architecture::Perspective;
use crate::network::Network;

/// The rows of up to 32 men, by the numbers of their first blocks.
#[derive(Clone, Copy)]
pub(crate) struct RowList {
    first_blocks: [usize; Placement::MAX_MEN as usize],
    len: usize,
}

impl RowList {
    const NONE: Self = Self {
        first_blocks: [0; Placement::MAX_MEN as usize],
        len: 0,
    };

    /// The rows of the men on some squares, for each of some views: both in one pass over the men take
    /// little longer than one.
    #[inline]
    pub(crate) fn of_men<const VIEWS: usize>(
        network: &Network,
        perspectives: &[Perspective; VIEWS],
        placement: &Placement,
        squares: u64,
    ) -> [Self; VIEWS] {
        let mut lists = [Self::NONE; VIEWS];
        let mut len = 0;
        for piece in Piece::ALL {
            for square in Squares::new(placement.mask(piece) & squares) {
                for (list, perspective) in lists.iter_mut().zip(perspectives) {
                    let input = perspective.input(piece, square);
                    list.first_blocks[len] = network.first_block(input);
                }
                len += 1;
            }
        }
        for list in &mut lists {
            list.len = len;
        }
        lists
    }

    #[inline]
    pub(crate) fn as_slice(&self) -> &[usize] {
        &self.first_blocks[..self.len]
    }
}
