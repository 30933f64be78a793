//! Lists of first-layer rows.

use chess_records::{Piece, Placement, Squares};

use crate::architecture::Perspective;
use crate::network::Network;

/// The rows of up to 32 men, by the numbers of their first blocks.
pub(crate) struct RowList {
    first_blocks: [usize; Placement::MAX_MEN as usize],
    len: usize,
}

impl RowList {
    /// The rows of the men in some masks, of which there are at most 32.
    #[inline]
    pub(crate) fn new(
        network: &Network,
        perspective: Perspective,
        mask: impl Fn(Piece) -> u64,
    ) -> Self {
        let mut first_blocks = [0; Placement::MAX_MEN as usize];
        let mut len = 0;
        for piece in Piece::ALL {
            for square in Squares::new(mask(piece)) {
                first_blocks[len] = network.first_block(perspective.input(piece, square));
                len += 1;
            }
        }
        Self { first_blocks, len }
    }

    #[inline]
    pub(crate) fn as_slice(&self) -> &[usize] {
        &self.first_blocks[..self.len]
    }
}
